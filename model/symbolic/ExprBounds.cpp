//===- ExprBounds.cpp - interval arithmetic -------------------------------===//

#include "model/symbolic/ExprBounds.h"
#include "model/symbolic/SymbolsOutside.h"

#include <algorithm>

namespace ergon {

using Result = std::expected<Bounds, EvaluationError>;

static Bounds operator+(const Bounds &A, const Bounds &B) {
  return {A.Low + B.Low, A.High + B.High};
}

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
      : Symbols(Bounds), Left(MaxSteps) {
    for (const auto &[Name, Range] : Bounds)
      if (Range.Low != Range.High)
        Wide.push_back(Name);
  }

  Result operator()(const Expr &Value) {
    Bounds Sum{0, 0};
    for (const Term &T : Value.terms()) {
      Result Next = term(T);
      if (!Next)
        return Next;
      Sum = Sum + *Next;
    }
    return Sum;
  }

private:
  SymbolBounds Symbols;
  std::uint64_t Left;
  std::vector<std::string> Wide;               ///< symbols that are no single values
  std::map<const Atom *, bool> OnNumbers = {}; ///< of sums: they are asked for in each term

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

  /// Whether all free symbols are single values: variables of sums always are.
  bool restsOnNumbers(const Atom &Factor) {
    auto [Slot, New] = OnNumbers.try_emplace(&Factor);
    if (New)
      Slot->second = std::ranges::none_of(
          Wide, [&](const std::string &Name) { return dependsOn(Factor, Name); });
    return Slot->second;
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
      Total = Total + B;
    }
    Symbols.erase(Factor.Name);
    if (Outer)
      Symbols[Factor.Name] = *Outer;
    return Failed ? Result(Total) : Failed;
  }
};
} // namespace

namespace {
/// A polynomial with intervals for coefficients, linear in each symbol. Such a function has its
/// extrema in corners.
class Multilinear {
public:
  explicit Multilinear(const SymbolBounds &Symbols) : Symbols(Symbols) {}

  void add(std::vector<std::string> Factors, const Bounds &Coefficient) {
    std::ranges::sort(Factors);
    addTo(Parts, std::move(Factors), Coefficient);
  }
  /// Of symbols that share a term, all corners where these are few.
  Bounds range() const {
    Bounds Result{0, 0};
    for (const auto &[Names, Together] : components())
      Result = Result + (Names.size() > MaxCorners ? byTerms(Together) : inCorners(Together));
    return Result;
  }

private:
  using Polynomial = std::map<std::vector<std::string>, Bounds>;
  static constexpr std::size_t MaxCorners = 10; // exponent of 2

  const SymbolBounds &Symbols;
  Polynomial Parts;

  static void addTo(Polynomial &To, std::vector<std::string> Factors, const Bounds &Coefficient) {
    auto [Slot, New] = To.try_emplace(std::move(Factors), Coefficient);
    if (!New)
      Slot->second = Slot->second + Coefficient;
  }

  std::vector<std::pair<std::set<std::string>, Polynomial>> components() const {
    std::vector<std::pair<std::set<std::string>, Polynomial>> Result;
    for (const auto &Part : Parts) {
      std::pair<std::set<std::string>, Polynomial> Joined{{Part.first.begin(), Part.first.end()},
                                                          {Part}};
      std::erase_if(Result, [&](auto &Other) {
        const bool IsNear = std::ranges::any_of(
            Part.first, [&](const std::string &Name) { return Other.first.contains(Name); });
        if (IsNear) {
          Joined.first.merge(Other.first);
          Joined.second.merge(Other.second);
        }
        return IsNear;
      });
      Result.push_back(std::move(Joined));
    }
    return Result;
  }

  Bounds byTerms(const Polynomial &P) const {
    Bounds Result{0, 0};
    for (const auto &[Factors, Coefficient] : P) {
      Bounds Product = Coefficient;
      for (const std::string &Name : Factors)
        Product = product(Product, Symbols.at(Name));
      Result = Result + Product;
    }
    return Result;
  }

  Bounds inCorners(const Polynomial &P) const {
    const auto First =
        std::ranges::find_if(P, [](const auto &Part) { return !Part.first.empty(); });
    if (First == P.end())
      return P.empty() ? Bounds{0, 0} : P.begin()->second;
    const std::string &Symbol = First->first.front();
    const auto &[Low, High] = Symbols.at(Symbol);
    return hull(inCorners(with(P, Symbol, Low)), inCorners(with(P, Symbol, High)));
  }

  /// \p P where \p Symbol has a value.
  static Polynomial with(const Polynomial &P, const std::string &Symbol, const Rational &Value) {
    Polynomial Result;
    for (const auto &[Factors, Coefficient] : P) {
      std::vector<std::string> Others = Factors;
      const bool IsFactor = std::erase(Others, Symbol) != 0;
      addTo(Result, std::move(Others),
            IsFactor ? product(Coefficient, {Value, Value}) : Coefficient);
    }
    return Result;
  }
};

/// The bounds of one formula: of what is linear in each symbol in corners, of the rest by interval
/// arithmetic. Sums that rest on numbers are values.
class FormulaBounds {
public:
  FormulaBounds(const SymbolBounds &Symbols, std::uint64_t MaxSteps, const BoundsOfLongSum &OfLong)
      : Symbols(Symbols), MaxSteps(MaxSteps), OfLong(OfLong), Wide(wideOf(Symbols)), Outside(Wide) {
  }

  Result operator()(const Expr &Value) {
    if (Wide.empty())
      return number(Value);
    const Expr Formula = Outside.of(Value);
    Multilinear Linear(Symbols);
    std::vector<Term> Others;
    for (const Term &T : Formula.terms()) {
      std::vector<std::string> Factors;
      Term Fixed{{}, 1};
      bool IsLinear = true;
      for (const auto &[Factor, Power] : T.Factors) {
        if (!Outside.isIn(Factor))
          Fixed.Factors.emplace_back(Factor, Power);
        else if (Factor->What == Atom::Kind::Symbol && Power == 1)
          Factors.push_back(Factor->Name);
        else
          IsLinear = false;
      }
      if (!IsLinear) {
        Others.push_back(T);
        continue;
      }
      Result Number = knownNumber(Expr::fromTerms({std::move(Fixed)}));
      if (!Number)
        return Number;
      Linear.add(std::move(Factors), product(*Number, {T.Coefficient, T.Coefficient}));
    }
    Result Rest = BoundsEvaluator(Symbols, MaxSteps)(Expr::fromTerms(std::move(Others)));
    return Rest ? Result(*Rest + Linear.range()) : Rest;
  }

private:
  const SymbolBounds &Symbols;
  std::uint64_t MaxSteps;
  const BoundsOfLongSum &OfLong;
  SymbolsOutside::Names Wide; ///< symbols that are no single values
  SymbolsOutside Outside;
  struct Less {
    bool operator()(const Expr &Left, const Expr &Right) const {
      return Expr::compare(Left, Right) < 0;
    }
  };
  std::map<Expr, Bounds, Less> Known;

  static SymbolsOutside::Names wideOf(const SymbolBounds &Symbols) {
    SymbolsOutside::Names Result;
    for (const auto &[Name, Range] : Symbols)
      if (Range.Low != Range.High)
        Result.insert(Name);
    return Result;
  }

  Result knownNumber(const Expr &Value) {
    if (auto Found = Known.find(Value); Found != Known.end())
      return Found->second;
    Result New = number(Value);
    if (New)
      Known.emplace(Value, *New);
    return New;
  }

  Result number(const Expr &Value) {
    const SymbolValues Values = [&](const std::string &Name) {
      auto Found = Symbols.find(Name);
      return Found == Symbols.end() ? std::nullopt : std::optional(Found->second.Low);
    };
    auto Exact = Value.evaluate(Values, MaxSteps);
    if (Exact)
      return Bounds{*Exact, *Exact};
    if (Exact.error().Why == EvaluationError::Kind::TooExpensive && OfLong) {
      // Where one sum is too long, the others mostly are too.
      static constexpr std::uint64_t MinSteps = 2'500;
      MaxSteps = std::min(MaxSteps, std::max(MaxSteps / 4, MinSteps));
      if (auto Some = OfLong(Value, Values))
        return *Some;
    }
    return std::unexpected(std::move(Exact.error()));
  }
};
} // namespace

/// The bounds of a sum of symbols times numbers; nothing for another formula, or where a symbol has
/// no range.
static std::optional<Bounds> ofSum(const Expr &Value, const SymbolBounds &Symbols) {
  Bounds Sum{0, 0};
  for (const Term &T : Value.terms()) {
    Bounds Range{1, 1};
    if (!T.Factors.empty()) {
      const Atom *Only = onlyFactor(T);
      const auto Found =
          Only && Only->What == Atom::Kind::Symbol ? Symbols.find(Only->Name) : Symbols.end();
      if (Found == Symbols.end() || Found->second.Low > Found->second.High)
        return std::nullopt;
      Range = Found->second;
    }
    const bool Rises = T.Coefficient.sign() > 0;
    Sum.Low += T.Coefficient * (Rises ? Range.Low : Range.High);
    Sum.High += T.Coefficient * (Rises ? Range.High : Range.Low);
  }
  return Sum;
}

Result boundsOf(const Expr &Value, const SymbolBounds &Symbols, std::uint64_t MaxSteps,
                const BoundsOfLongSum &OfLong) {
  if (auto Sum = ofSum(Value, Symbols)) // most formulas of accesses
    return *std::move(Sum);
  return FormulaBounds(Symbols, MaxSteps, OfLong)(Value);
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
