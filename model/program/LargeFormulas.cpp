//===- LargeFormulas.cpp - totals whose formulas are large ----------------===//
//
// A formula whose symbols all have values is a number, however large it is. One that lacks values
// is kept up to a size limit; beyond it a symbol replaces it, and the symbols that it depends on
// are recorded: with values for those it would be a number.
//
//===----------------------------------------------------------------------===//

#include "model/program/Program.h"

namespace ergon {

Counts mapped(const Counts &C, const std::function<Expr(const Expr &)> &Transform) {
  Counts Result;
  for (const auto &[Class, Amount] : C)
    Result.add(Class, Transform(Amount));
  return Result;
}

/// \p Value as one factor, so that products with it are not expanded: a sum of one summand, over a
/// variable that no program has.
Expr TotalsBuilder::asFactor(const Expr &Value) {
  return Value.terms().size() < 2 ? Value
                                  : Expr(std::make_shared<const Atom>(
                                        Atom::Kind::Sum, "~", std::vector<Expr>{0, 0, Value}));
}

/// \p Value as a number if all its symbols have values; otherwise unchanged.
Expr TotalsBuilder::asNumber(const Expr &Value) {
  std::set<std::string> Symbols;
  if (Value.constant() || TooLong == MaxTooLong)
    return Value;
  Value.collectSymbols(Symbols);
  if (!Symbols.empty())
    return Value;
  auto Number = Value.evaluate([](const std::string &) { return std::nullopt; }, MaxStepsEach);
  TooLong += !Number && Number.error().Why == EvaluationError::Kind::TooExpensive;
  return Number ? Expr(*Number) : Value;
}

Totals TotalsBuilder::withNumbers(Totals T) {
  auto Number = [&](const Expr &E) { return asNumber(E); };
  T.Values = mapped(T.Values, Number);
  for (auto &[Name, Kernel] : T.Kernels) {
    Kernel.Launches = asNumber(Kernel.Launches);
    Kernel.Values = mapped(Kernel.Values, Number);
  }
  for (auto *Calls : {&T.OpenCalls, &T.LibraryCalls})
    for (auto &[Name, Times] : *Calls)
      Times = asNumber(Times);
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
