//===- LargeFormulas.cpp - totals whose formulas are large ----------------===//
//
// A formula with values for all of its symbols is a number, however large it is. One that lacks
// values is kept while working with it is a bounded effort; behind that a symbol stands for it, and
// the symbols that it rests on are kept: with values for those there would be a number.
//
//===----------------------------------------------------------------------===//

#include "model/program/Program.h"

namespace ergon {

Counts mapped(const Counts &Of, const std::function<Expr(const Expr &)> &Each) {
  Counts Result;
  for (const auto &[Class, Amount] : Of)
    Result.add(Class, Each(Amount));
  return Result;
}

/// \p Value as one factor, so that a product with it is not multiplied out: the sum of one
/// summand, over a variable that no program has.
Expr TotalsBuilder::asFactor(const Expr &Value) {
  return Value.terms().size() < 2 ? Value
                                  : Expr(std::make_shared<const Atom>(
                                        Atom::Kind::Sum, "~", std::vector<Expr>{0, 0, Value}));
}

/// The number that \p Value is where nothing in it has to be given a value; else \p Value.
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

Totals TotalsBuilder::withNumbers(Totals Of) {
  auto Number = [&](const Expr &Each) { return asNumber(Each); };
  Of.Values = mapped(Of.Values, Number);
  for (auto &[Name, Kernel] : Of.Kernels) {
    Kernel.Launches = asNumber(Kernel.Launches);
    Kernel.Values = mapped(Kernel.Values, Number);
  }
  for (auto *Calls : {&Of.OpenCalls, &Of.LibraryCalls})
    for (auto &[Name, Times] : *Calls)
      Times = asNumber(Times);
  return Of;
}

static Expr symbolFor(const Function &Of) { return Expr::symbol("formula:" + Of.Name); }

/// Makes what \p Of runs one factor where it is large, and a symbol where it is too large.
void TotalsBuilder::boundSize(Item &Of, const Function &Owner) {
  if (Of.Times.size() > MaxItemSize)
    Of.Times = asNumber(Of.Times);
  if (Of.Times.size() <= MaxItemSize)
    return;
  if (UseMeasured && Of.Times.size() <= MaxValuedSize) {
    Of.Times = asFactor(Of.Times);
    return;
  }
  Of.Times.collectSymbols(Of.InLarge);
  Of.Times = symbolFor(Owner);
}

static std::size_t sizeOf(const Totals &Of) {
  std::size_t Result = 0;
  for (const auto &[Class, Amount] : Of.Values)
    Result += Amount.size();
  for (const auto &[Name, Kernel] : Of.Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Result += Amount.size();
  return Result;
}

/// What a call of \p Which costs, with symbols in it; nothing where it is not too large.
std::optional<Totals> TotalsBuilder::boundSize(const Totals &Of, const Function &Which) const {
  if (sizeOf(Of) <= (UseMeasured ? MaxValuedSize : MaxCalleeSize))
    return std::nullopt;
  static constexpr std::size_t Small = 100;
  Totals Result = Of;
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
