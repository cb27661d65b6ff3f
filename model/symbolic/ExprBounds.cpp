//===- ExprBounds.cpp - interval arithmetic -------------------------------===//

#include "model/symbolic/ExprBounds.h"

#include <algorithm>

namespace ergon {

using Result = std::expected<Bounds, EvaluationError>;

static Bounds product(const Bounds &A, const Bounds &B) {
  auto [Low, High] = std::minmax({A.Low * B.Low, A.Low * B.High, A.High * B.Low, A.High * B.High});
  return {Low, High};
}

static Bounds hull(const Bounds &A, const Bounds &B) {
  return {std::min(A.Low, B.Low), std::max(A.High, B.High)};
}

namespace {
/// Interval arithmetic over the formula as written: R. E. Moore, "Interval Analysis", 1966.
class BoundsEvaluator {
public:
  BoundsEvaluator(const SymbolBounds &Bounds, std::uint64_t MaxSteps)
      : Symbols(Bounds), Left(MaxSteps) {}

  Result operator()(const Expr &Value) {
    Bounds Sum{0, 0};
    for (const Term &T : Value.terms()) {
      Result Next = term(T);
      if (!Next)
        return Next;
      Sum = {Sum.Low + Next->Low, Sum.High + Next->High};
    }
    return Sum;
  }

private:
  SymbolBounds Symbols;
  std::uint64_t Left;

  Result term(const Term &T) {
    Bounds Product{T.Coefficient, T.Coefficient};
    // Indicators first: factors that a zero indicator guards are not evaluated.
    for (bool Indicators : {true, false})
      for (const auto &[Factor, Power] : T.Factors) {
        if ((Factor->What == Atom::Kind::Indicator) != Indicators)
          continue;
        Result Value = atom(*Factor);
        if (!Value)
          return Value;
        Bounds Raised = *Value;
        for (unsigned I = 1; I != Power; ++I)
          Raised = product(Raised, *Value);
        if (Power % 2 == 0)
          Raised.Low = std::max(Raised.Low, Rational(0));
        Product = product(Product, Raised);
        if (Product.Low == 0 && Product.High == 0)
          return Product;
      }
    return Product;
  }

  Result atom(const Atom &Factor) {
    if (Factor.What == Atom::Kind::Symbol) {
      auto Found = Symbols.find(Factor.Name);
      if (Found == Symbols.end())
        return std::unexpected(EvaluationError{EvaluationError::Kind::Unbound, Factor.Name});
      return Found->second;
    }
    if (Factor.What == Atom::Kind::Sum)
      return restsOnNumbers(Factor) ? number(Factor) : sum(Factor);
    std::vector<Bounds> Operands;
    for (const Expr &Operand : Factor.Operands) {
      Result Next = (*this)(Operand);
      if (!Next)
        return Next;
      Operands.push_back(*Next);
    }
    const Bounds &First = Operands[0];
    switch (Factor.What) {
    case Atom::Kind::FloorDiv:
      return floorDiv(Factor, First, Operands[1]);
    case Atom::Kind::Indicator:
      return Bounds{First.Low >= 0 ? 1 : 0, First.High >= 0 ? 1 : 0};
    case Atom::Kind::Power:
      return ofTwo(Factor, First, Operands[1], powerOf);
    case Atom::Kind::Log:
      return ofTwo(Factor, First, Operands[1], logarithmOf);
    default:
      break;
    }
    Bounds Best = First;
    for (const Bounds &B : Operands)
      Best = Factor.What == Atom::Kind::Max
                 ? Bounds{std::max(Best.Low, B.Low), std::max(Best.High, B.High)}
                 : Bounds{std::min(Best.Low, B.Low), std::min(Best.High, B.High)};
    return Best;
  }

  Result floorDiv(const Atom &Factor, const Bounds &Numerator, const Bounds &Denominator) {
    if (Denominator.Low <= 0 && Denominator.High >= 0)
      return std::unexpected(divisionByZero(Factor));
    Bounds Quotient =
        product(Numerator, {Rational(1) / Denominator.High, Rational(1) / Denominator.Low});
    return Bounds{floorOf(Quotient.Low), floorOf(Quotient.High)};
  }

  /// A function that increases in both operands.
  Result ofTwo(const Atom &Factor, const Bounds &A, const Bounds &B,
               std::optional<Rational> (*Function)(const Rational &, const Rational &)) {
    // A logarithm decreases with its base.
    bool Falls = Factor.What == Atom::Kind::Log;
    auto Low = Function(Falls ? A.High : A.Low, B.Low),
         High = Function(Falls ? A.Low : A.High, B.High);
    if (Low && High)
      return hull({*Low, *Low}, {*High, *High});
    return std::unexpected(EvaluationError{EvaluationError::Kind::Undefined,
                                           toPretty(Expr(std::make_shared<const Atom>(Factor)))});
  }

  /// Whether all free symbols are single values.
  bool restsOnNumbers(const Atom &Factor) const {
    return std::ranges::none_of(Symbols, [&](const auto &Item) {
      return Item.second.Low != Item.second.High && dependsOn(Factor, Item.first);
    });
  }

  /// The value of an atom whose symbols are single values.
  Result number(const Atom &Factor) {
    auto Value =
        Expr(std::make_shared<const Atom>(Factor))
            .evaluate(
                [&](const std::string &Name) {
                  auto Found = Symbols.find(Name);
                  return Found == Symbols.end() ? std::nullopt : std::optional(Found->second.Low);
                },
                Left);
    if (!Value)
      return std::unexpected(Value.error());
    return Bounds{*Value, *Value};
  }

  /// The terms that exist for all symbol values, and those that may exist.
  Result sum(const Atom &Factor) {
    Result First = (*this)(Factor.Operands[0]), Last = (*this)(Factor.Operands[1]);
    if (!First || !Last)
      return First ? Last : First;
    Bounds Total{0, 0};
    auto Outer = Symbols.find(Factor.Name) == Symbols.end()
                     ? std::nullopt
                     : std::optional(Symbols.find(Factor.Name)->second);
    Result Failed = Total;
    for (Rational V = First->Low; V <= Last->High; V += 1) {
      Symbols[Factor.Name] = {V, V};
      Result Next = Left-- == 0
                        ? std::unexpected(EvaluationError{EvaluationError::Kind::TooExpensive,
                                                          toPretty(Factor.Operands[2])})
                        : (*this)(Factor.Operands[2]);
      if (!Next) {
        Left += Next.error().Why == EvaluationError::Kind::TooExpensive;
        Failed = Next;
        break;
      }
      bool Always = V >= First->High && V <= Last->Low;
      Bounds B = Always ? *Next : hull({0, 0}, *Next);
      Total = {Total.Low + B.Low, Total.High + B.High};
    }
    Symbols.erase(Factor.Name);
    if (Outer)
      Symbols[Factor.Name] = *Outer;
    return Failed ? Result(Total) : Failed;
  }
};
} // namespace

/// Whether each symbol occurs in \p Value only as a factor to the first power.
static bool isMultilinear(const Expr &Value, const std::vector<std::string> &Symbols) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors)
      for (const std::string &Symbol : Symbols)
        if (dependsOn(*Factor, Symbol) && (Factor->What != Atom::Kind::Symbol || Power != 1))
          return false;
  return true;
}

Result boundsOf(const Expr &Value, const SymbolBounds &Symbols, std::uint64_t MaxSteps) {
  static constexpr std::size_t MaxCorners = 10; // exponent of 2
  std::vector<std::string> Used;
  for (const auto &[Name, Range] : Symbols)
    if (Value.dependsOn(Name))
      Used.push_back(Name);
  if (Used.size() > MaxCorners || !isMultilinear(Value, Used))
    return BoundsEvaluator(Symbols, MaxSteps)(Value);
  // A multilinear function has its extrema in corners.
  std::optional<Bounds> Found;
  for (std::uint64_t Corner = 0; Corner != std::uint64_t(1) << Used.size(); ++Corner) {
    auto ValueAt = [&](const std::string &Name) -> std::optional<Rational> {
      auto Index = std::ranges::find(Used, Name) - Used.begin();
      if (std::size_t(Index) == Used.size())
        return std::nullopt;
      const Bounds &Range = Symbols.find(Name)->second;
      return Corner >> Index & 1 ? Range.High : Range.Low;
    };
    auto R = Value.evaluate(ValueAt, MaxSteps);
    if (!R)
      return std::unexpected(R.error());
    Found = Found ? hull(*Found, {*R, *R}) : Bounds{*R, *R};
  }
  return *Found;
}

std::optional<Bounds>
boundsOfLinear(const Expr &Value,
               const std::function<Bounds(const std::string &)> &BoundsOfSymbol) {
  auto IsLinear = [](const Term &T) {
    const Atom *Only = onlyFactor(T);
    return T.Factors.empty() || (Only && Only->What == Atom::Kind::Symbol);
  };
  if (!std::ranges::all_of(Value.terms(), IsLinear))
    return std::nullopt;
  if (const Atom *Symbol = Value.asAtom())
    return BoundsOfSymbol(Symbol->Name);
  Bounds Result{0, 0};
  for (const Term &Element : Value.terms()) {
    const Bounds Range =
        Element.Factors.empty() ? Bounds{1, 1} : BoundsOfSymbol(Element.Factors[0].first->Name);
    const bool Rises = Element.Coefficient > 0;
    Result.Low += Element.Coefficient * (Rises ? Range.Low : Range.High);
    Result.High += Element.Coefficient * (Rises ? Range.High : Range.Low);
  }
  return Result;
}

} // namespace ergon
