//===- LargeFormulas.cpp - totals whose formulas are large ----------------===//
//
// A formula whose symbols all have values is a number, however large it is. One that lacks values
// is kept up to a size limit; beyond it a symbol replaces it, and the symbols that it depends on
// are recorded: with values for those it would be a number.
//
//===----------------------------------------------------------------------===//

#include "model/program/Program.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

namespace ergon {

Counts mapped(const Counts &C, const std::function<Expr(const Expr &)> &Transform) {
  Counts Result;
  Result.reserve(std::size_t(C.end() - C.begin()));
  for (const auto &[Class, Amount] : C)
    Result.add(Class, Transform(Amount));
  return Result;
}

/// \p Value as one factor, so that products with it are not expanded: a sum of one summand, over a
/// variable that no program has.
Expr TotalsBuilder::asFactor(const Expr &Value) {
  return Value.terms().size() < 2 ? Value : Expr(atomOf(Atom::Kind::Sum, "~", {0, 0, Value}));
}

namespace {
/// The sums that a function's counts are made of.
class SumsOfCounts {
public:
  SumsOfCounts(ClosedSums &Known, std::uint64_t MaxSteps) : Known(Known), MaxSteps(MaxSteps) {}
  /// \p Value with numbers for its sums without symbols; nothing where one has no number.
  std::optional<Expr> in(const Expr &Value);
  /// How many sums were too long.
  unsigned tooLong() const { return unsigned(TooLong.size()); }

private:
  ClosedSums &Known;
  std::uint64_t MaxSteps;
  std::set<const ClosedSums::Found *> TooLong;

  static bool isClosed(const AtomRef &Factor);
  std::optional<Rational> numberOf(const AtomRef &Sum);
};
} // namespace

const ClosedSums::Found &ClosedSums::of(const AtomRef &Sum, std::uint64_t MaxSteps) {
  if (Numbers.size() == MaxKept && !Numbers.contains(Sum))
    Numbers.erase(Numbers.begin());
  auto [Slot, New] = Numbers.try_emplace(Sum);
  if (New) {
    // Where some are too long, the others mostly are too: they get less.
    static constexpr std::uint64_t LeastPart = 32;
    const auto NumTooLong = std::uint64_t(
        std::ranges::count_if(Numbers, [](const auto &Known) { return Known.second.IsTooLong; }));
    auto Value = Expr(Sum).evaluate([](const std::string &) { return std::nullopt; },
                                    MaxSteps / std::min(LeastPart, 1 + NumTooLong));
    if (Value)
      Slot->second.Number = *Value;
    else
      Slot->second.IsTooLong = Value.error().Why == EvaluationError::Kind::TooExpensive;
  }
  return Slot->second;
}

bool ClosedSums::Iterations::operator<(const Iterations &Other) const {
  if (int Order = Variable.compare(Other.Variable))
    return Order < 0;
  if (int Order = Expr::compare(Last, Other.Last))
    return Order < 0;
  return Expr::compare(Each, Other.Each) < 0;
}

Expr ClosedSums::overIterations(const std::string &Variable, const Expr &Last, const Expr &Each) {
  if ((Last.constant() && Each.constant()) || Last.size() + Each.size() > MaxSize)
    return sum(Variable, 0, Last, Each);
  if (Closed.size() == MaxKept)
    Closed.clear();
  auto [Slot, New] = Closed.try_emplace({Variable, Last, Each});
  if (New)
    Slot->second = sum(Variable, 0, Last, Each);
  return Slot->second;
}

static bool hasSymbols(const Expr &Value) {
  return Value.hasSymbol([](const std::string &) { return true; });
}

/// A sum in which all symbols have values.
bool SumsOfCounts::isClosed(const AtomRef &Factor) {
  return Factor->What == Atom::Kind::Sum && !hasSymbols(Expr(Factor));
}

std::optional<Rational> SumsOfCounts::numberOf(const AtomRef &Sum) {
  const ClosedSums::Found &Found = Known.of(Sum, MaxSteps);
  if (Found.IsTooLong)
    TooLong.insert(&Found);
  return Found.Number;
}

std::optional<Expr> SumsOfCounts::in(const Expr &Value) {
  Expr Result;
  for (const Term &T : Value.terms()) {
    Expr Product(T.Coefficient); // other factors first: where they are zero the sum is not needed
    for (const auto &[Factor, Power] : T.Factors)
      if (!isClosed(Factor))
        Product *= power(Expr(Factor), Power);
    for (const auto &[Factor, Power] : T.Factors) {
      if (Product.isZero() || !isClosed(Factor))
        continue;
      const auto Number = numberOf(Factor);
      if (!Number)
        return std::nullopt;
      for (unsigned I = 0; I != Power; ++I)
        Product *= Expr(*Number);
    }
    Result += Product;
  }
  return Result;
}

/// \p Value as a number if all its symbols have values; otherwise unchanged.
Expr TotalsBuilder::asNumber(const Expr &Value) {
  if (Value.constant() || TooLong == MaxTooLong || hasSymbols(Value))
    return Value;
  auto Number = Value.evaluate([](const std::string &) { return std::nullopt; }, MaxStepsEach);
  TooLong += !Number && Number.error().Why == EvaluationError::Kind::TooExpensive;
  return Number ? Expr(*Number) : Value;
}

Totals TotalsBuilder::withNumbers(Totals T) {
  SumsOfCounts Sums(*Closed, MaxStepsEach);
  auto Number = [&](const Expr &E) {
    if (!UseMeasured || E.constant())
      return asNumber(E);
    if (TooLong + Sums.tooLong() >= MaxTooLong)
      return E;
    const std::optional<Expr> Short = Sums.in(E);
    return Short ? asNumber(*Short) : E;
  };
  const auto IsNumber = [](const Counts::Entry &E) { return E.second.constant().has_value(); };
  if (!std::ranges::all_of(T.Values, IsNumber))
    T.Values = mapped(T.Values, Number);
  for (auto &[Name, Kernel] : T.Kernels) {
    Kernel.Launches = asNumber(Kernel.Launches);
    Kernel.Values = mapped(Kernel.Values, Number);
  }
  for (auto *Calls : {&T.OpenCalls, &T.LibraryCalls})
    for (auto &[Name, Times] : *Calls)
      Times = asNumber(Times);
  TooLong += Sums.tooLong();
  return T;
}

static Expr symbolFor(const Function &F) { return Expr::symbol("formula:" + F.Name); }

/// Replaces the counts of \p I by one factor where they are large, and by a symbol where they are
/// too large.
void TotalsBuilder::boundSize(Item &I, const Function &Owner) {
  if (I.Times.size() > MaxItemSize)
    I.Times = asNumber(I.Times);
  if (I.Times.size() <= MaxItemSize)
    return;
  if (UseMeasured && I.Times.size() <= MaxValuedSize) {
    I.Times = asFactor(I.Times);
    return;
  }
  I.Times.collectSymbols(I.InLarge);
  I.Times = symbolFor(Owner);
}

static std::size_t sizeOf(const Totals &T) {
  std::size_t Result = 0;
  for (const auto &[Class, Amount] : T.Values)
    Result += Amount.size();
  for (const auto &[Name, Kernel] : T.Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Result += Amount.size();
  return Result;
}

/// The counts of a call of \p Which with symbols for large formulas; nothing where none is too
/// large.
std::optional<Totals> TotalsBuilder::boundSize(const Totals &T, const Function &Which) const {
  if (sizeOf(T) <= (UseMeasured ? MaxValuedSize : MaxCalleeSize))
    return std::nullopt;
  static constexpr std::size_t Small = 100;
  Totals Result = T;
  auto Bound = [&](Counts &Values) {
    Counts Bounded;
    for (const auto &[Class, Amount] : Values) {
      const bool IsLarge = Amount.size() > Small;
      if (IsLarge)
        Amount.collectSymbols(Result.InLarge[Class]);
      Bounded.add(Class, IsLarge ? symbolFor(Which) : Amount);
    }
    Values = std::move(Bounded);
  };
  Bound(Result.Values);
  for (auto &[Name, Kernel] : Result.Kernels)
    Bound(Kernel.Values);
  return Result;
}

} // namespace ergon
