//===- ExprEvaluate.cpp - symbols, their replacement, values --------------===//

#include "model/symbolic/Expr.h"
#include "model/symbolic/PiecewiseSum.h"
#include "model/symbolic/SeenAtoms.h"

#include <algorithm>
#include <unordered_map>

namespace ergon {

//===----------------------------------------------------------------------===//
// Whether there is a symbol
//===----------------------------------------------------------------------===//

static bool isIn(std::string_view Symbol, const Expr &Value, SeenAtoms &Seen);

static bool isIn(std::string_view Symbol, const Atom &Factor, SeenAtoms &Seen) {
  if (Factor.What == Atom::Kind::Symbol)
    return Factor.Name == Symbol;
  if (!Seen.insert(Factor))
    return false;
  const std::size_t Free = // the summand has another symbol of that name
      Factor.What == Atom::Kind::Sum && Factor.Name == Symbol ? 2 : Factor.Operands.size();
  return std::any_of(Factor.Operands.begin(), Factor.Operands.begin() + std::ptrdiff_t(Free),
                     [&](const Expr &Operand) { return isIn(Symbol, Operand, Seen); });
}

static bool isIn(std::string_view Symbol, const Expr &Value, SeenAtoms &Seen) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors)
      if (isIn(Symbol, *Factor, Seen))
        return true;
  return false;
}

bool dependsOn(const Atom &Factor, std::string_view Symbol) {
  SeenAtoms Seen;
  return isIn(Symbol, Factor, Seen);
}

bool Expr::dependsOn(std::string_view Symbol) const {
  if (isNumber())
    return false;
  SeenAtoms Seen;
  return isIn(Symbol, *this, Seen);
}

//===----------------------------------------------------------------------===//
// Substitution and evaluation
//===----------------------------------------------------------------------===//

namespace {
/// Puts values in for symbols of one expression. What it has several times is worked out once: an
/// atom in an atom in an atom, each twice, stands there eight times.
class Replacement {
public:
  explicit Replacement(const Substitution &S) : S(S) {}

  Expr in(const Expr &Value);

private:
  const Substitution &S;
  /// Of atoms of some size, by their addresses: equal ones have one.
  static constexpr std::size_t LeastSize = 8;
  struct Results {
    template <typename T> using ByAtom = std::unordered_map<const Atom *, T>;
    ByAtom<Expr> Replaced;
    ByAtom<bool> Touched;
    ByAtom<std::optional<Rational>> Numbers;
  };
  std::unique_ptr<Results> Known; ///< most expressions have no such atoms

  /// What \p Map of the results has for \p Factor, or what \p Make makes.
  template <typename T, typename Function>
  T once(Results::ByAtom<T> Results::*Map, const Atom &Factor, Function &&Make) {
    if (Factor.Size < LeastSize)
      return Make();
    if (!Known)
      Known = std::make_unique<Results>();
    if (auto Found = ((*Known).*Map).find(&Factor); Found != ((*Known).*Map).end())
      return Found->second;
    T Result = Make();
    ((*Known).*Map).emplace(&Factor, Result);
    return Result;
  }
  bool mayDependOn(const Atom &Factor);
  std::optional<Rational> numberOf(const Expr &Value);
  std::optional<Rational> numberOf(const Atom &Factor);
  Expr make(const AtomRef &Factor);
  Expr makeSum(const Atom &Factor);
};
} // namespace

/// False where \p Factor has no symbol of the replaced ones. One walk for all of them; a bound
/// variable of that name counts too.
bool Replacement::mayDependOn(const Atom &Factor) {
  if (Factor.What == Atom::Kind::Symbol)
    return S.contains(Factor.Name);
  return once(&Results::Touched, Factor, [&] {
    return std::ranges::any_of(Factor.Operands, [&](const Expr &Operand) {
      return std::ranges::any_of(Operand.terms(), [&](const Term &T) {
        return std::ranges::any_of(T.Factors,
                                   [&](const auto &Inner) { return mayDependOn(*Inner.first); });
      });
    });
  });
}

/// Rebuilds a sum after substitution; renames the bound variable where a replacement contains it.
Expr Replacement::makeSum(const Atom &Factor) {
  Expr First = in(Factor.Operands[0]), Last = in(Factor.Operands[1]);
  std::set<std::string> Used;
  First.collectSymbols(Used);
  Last.collectSymbols(Used);
  Substitution Inner;
  for (const auto &[Name, Value] : S)
    if (Name != Factor.Name && Factor.Operands[2].dependsOn(Name)) {
      Inner.emplace(Name, Value);
      Value.collectSymbols(Used);
    }
  const bool AreAll = Inner.size() == S.size();
  std::string Variable = Factor.Name;
  if (Used.contains(Variable)) {
    Factor.Operands[2].collectSymbols(Used);
    while (Used.contains(Variable))
      Variable += "_";
    Inner.emplace(Factor.Name, Expr::symbol(Variable));
  }
  return sum(Variable, First, Last,
             AreAll && Variable == Factor.Name ? in(Factor.Operands[2])
                                               : Factor.Operands[2].substitute(Inner));
}

Expr Replacement::make(const AtomRef &Factor) {
  if (Factor->What == Atom::Kind::Symbol) {
    auto Found = S.find(Factor->Name);
    return Found == S.end() ? Expr(Factor) : Found->second;
  }
  if (Factor->What == Atom::Kind::Sum)
    return makeSum(*Factor);
  std::vector<Expr> Operands;
  for (const Expr &Operand : Factor->Operands)
    Operands.push_back(in(Operand));
  switch (Factor->What) {
  case Atom::Kind::FloorDiv:
    return floorDiv(Operands[0], Operands[1]);
  case Atom::Kind::Indicator:
    return isNonNegative(Operands[0]);
  case Atom::Kind::Power:
    return power(Operands[0], Operands[1]);
  case Atom::Kind::Log:
    return floorLog(Operands[0], Operands[1]);
  default: {
    Expr Result = Operands[0];
    for (std::size_t I = 1; I != Operands.size(); ++I)
      Result =
          Factor->What == Atom::Kind::Max ? max(Result, Operands[I]) : min(Result, Operands[I]);
    return Result;
  }
  }
}

std::optional<Rational> Replacement::numberOf(const Atom &Factor) {
  if (Factor.What == Atom::Kind::Symbol) {
    auto Found = S.find(Factor.Name);
    return Found == S.end() ? std::nullopt : Found->second.constant();
  }
  if (Factor.What != Atom::Kind::Indicator)
    return std::nullopt;
  return once(&Results::Numbers, Factor, [&]() -> std::optional<Rational> {
    const auto Operand = numberOf(Factor.Operands[0]);
    return Operand ? std::optional<Rational>(*Operand >= 0 ? 1 : 0) : std::nullopt;
  });
}

/// \p Value where there are numbers for all its symbols, and it has no other atoms than conditions.
std::optional<Rational> Replacement::numberOf(const Expr &Value) {
  Rational Sum;
  for (const Term &T : Value.terms()) {
    Rational Product = T.Coefficient;
    for (const auto &[Factor, Power] : T.Factors) {
      const auto Number = numberOf(*Factor);
      if (!Number)
        return std::nullopt;
      for (unsigned I = 0; I != Power; ++I)
        Product *= *Number;
    }
    Sum += Product;
  }
  return Sum;
}

Expr Replacement::in(const Expr &Value) {
  if (Value.constant())
    return Value;
  if (const auto Number = numberOf(Value))
    return Expr(*Number);
  auto IsTouched = [&](const Term &T) {
    return std::ranges::any_of(T.Factors,
                               [&](const auto &Factor) { return mayDependOn(*Factor.first); });
  };
  const auto Terms = Value.terms();
  const auto First = std::ranges::find_if(Terms, IsTouched);
  if (First == Terms.end())
    return Value;
  std::vector<Term> Untouched(Terms.begin(), First), Changed;
  Rational Number; // what becomes one
  for (auto T = First; T != Terms.end(); ++T) {
    if (T != First && !IsTouched(*T)) {
      Untouched.push_back(*T);
      continue;
    }
    Expr Product(T->Coefficient);
    Monomial Same;
    for (const auto &[Factor, Power] : T->Factors)
      if (T->Factors.size() == 1 || mayDependOn(*Factor))
        Product *= power(once(&Results::Replaced, *Factor, [&] { return make(Factor); }), Power);
      else
        Same.push_back({Factor, Power});
    if (!Same.empty() && !Product.isZero())
      Product *= Expr::fromTerms({{std::move(Same), 1}});
    if (const auto Constant = Product.constant()) {
      Number += *Constant;
      continue;
    }
    const auto Parts = Product.terms();
    Changed.insert(Changed.end(), Parts.begin(), Parts.end());
  }
  // One sort of all is faster than a sum for each term; the others are sorted.
  Expr Result = Expr::fromTerms(std::move(Changed));
  Result += Expr(Number);
  return Untouched.empty() ? Result : Result += Expr::fromTerms(std::move(Untouched));
}

Expr Expr::substitute(const Substitution &S) const {
  return S.empty() || isNumber() ? *this : Replacement(S).in(*this);
}

/// For a message. Large formulas take minutes to print, and nobody reads them.
static std::string inMessage(const Expr &Value) {
  static constexpr std::size_t MaxPrinted = 500;
  return Value.size() > MaxPrinted
             ? "a formula of " + std::to_string(Value.size()) + " terms and factors"
             : toPretty(Value);
}

EvaluationError divisionByZero(const Atom &Quotient) {
  return {EvaluationError::Kind::DivisionByZero,
          inMessage(Quotient.Operands[0]) + " divided by " + inMessage(Quotient.Operands[1])};
}

namespace {
/// Evaluates one expression; counts the steps of sums.
class Evaluator {
public:
  Evaluator(const SymbolValues &Values, std::uint64_t MaxSteps) : Values(Values), Left(MaxSteps) {}

  using Result = std::expected<Rational, EvaluationError>;

  Result operator()(const Expr &Value) {
    Rational Sum = 0;
    for (const Term &T : Value.terms()) {
      Result Product = term(T);
      if (!Product)
        return Product;
      Sum += *Product;
    }
    return Sum;
  }

private:
  const SymbolValues &Values;
  std::uint64_t Left;
  std::vector<std::pair<std::string, Rational>> Bound;

  Result term(const Term &T) {
    Rational Product = T.Coefficient;
    // Indicators first: factors that a zero indicator guards (a division, a long sum) are not
    // evaluated.
    for (bool Indicators : {true, false})
      for (const auto &[Factor, Power] : T.Factors) {
        if ((Factor->What == Atom::Kind::Indicator) != Indicators)
          continue;
        Result Value = atom(*Factor);
        if (!Value)
          return Value;
        if (Indicators && *Value == 0)
          return Rational(0);
        for (unsigned I = 0; I != Power; ++I)
          Product *= *Value;
      }
    return Product;
  }

  Result atom(const Atom &Factor) {
    switch (Factor.What) {
    case Atom::Kind::Symbol:
      return symbol(Factor.Name);
    case Atom::Kind::FloorDiv:
      return floorDiv(Factor);
    case Atom::Kind::Indicator: {
      Result Value = (*this)(Factor.Operands[0]);
      if (!Value)
        return Value;
      return Rational(*Value >= 0 ? 1 : 0);
    }
    case Atom::Kind::Max:
    case Atom::Kind::Min: {
      Result Best = (*this)(Factor.Operands[0]);
      for (std::size_t I = 1; Best && I != Factor.Operands.size(); ++I) {
        Result Next = (*this)(Factor.Operands[I]);
        if (!Next || (Factor.What == Atom::Kind::Max) == (*Next > *Best))
          Best = Next;
      }
      return Best;
    }
    case Atom::Kind::Sum:
      return sum(Factor);
    case Atom::Kind::Power:
      return ofTwo(Factor, powerOf, "to the power ");
    case Atom::Kind::Log:
      return ofTwo(Factor, logarithmOf, "as base of the logarithm of ");
    }
    return Rational(0);
  }

  Result symbol(const std::string &Name) {
    for (auto It = Bound.rbegin(); It != Bound.rend(); ++It)
      if (It->first == Name)
        return It->second;
    if (auto Value = Values(Name))
      return *Value;
    return std::unexpected(EvaluationError{EvaluationError::Kind::Unbound, Name});
  }

  Result floorDiv(const Atom &Factor) {
    Result Numerator = (*this)(Factor.Operands[0]);
    if (!Numerator)
      return Numerator;
    Result Denominator = (*this)(Factor.Operands[1]);
    if (!Denominator)
      return Denominator;
    if (*Denominator == 0)
      return std::unexpected(divisionByZero(Factor));
    return floorOf(*Numerator / *Denominator);
  }

  Result ofTwo(const Atom &Factor,
               std::optional<Rational> (*Function)(const Rational &, const Rational &),
               const char *Words) {
    Result First = (*this)(Factor.Operands[0]);
    Result Second = First ? (*this)(Factor.Operands[1]) : First;
    if (!Second)
      return Second;
    if (auto Value = Function(*First, *Second))
      return *Value;
    return std::unexpected(
        EvaluationError{EvaluationError::Kind::Undefined,
                        inMessage(Factor.Operands[0]) + " = " + First->get_str() + " " + Words +
                            inMessage(Factor.Operands[1]) + " = " + Second->get_str()});
  }

  Result sum(const Atom &Factor) {
    Result First = (*this)(Factor.Operands[0]);
    if (!First)
      return First;
    Result Last = (*this)(Factor.Operands[1]);
    if (!Last)
      return Last;
    if (auto Value = inPieces(Factor, *First, *Last))
      return *Value;
    // A step is a summand of ordinary size.
    static constexpr std::size_t OrdinarySize = 1000;
    const std::uint64_t StepsEach = 1 + Factor.Operands[2].size() / OrdinarySize;
    Rational Total = 0;
    Bound.emplace_back(Factor.Name, *First);
    std::size_t Slot = Bound.size() - 1;
    for (; Bound[Slot].second <= *Last; Bound[Slot].second += 1) {
      if (Left < StepsEach) {
        Left = 0;
        Bound.pop_back();
        return std::unexpected(
            EvaluationError{EvaluationError::Kind::TooExpensive, inMessage(Factor.Operands[2])});
      }
      Left -= StepsEach;
      Result Next = (*this)(Factor.Operands[2]);
      if (!Next) {
        Bound.pop_back();
        return Next;
      }
      Total += *Next;
    }
    Bound.pop_back();
    return Total;
  }

  /// Piecewise summation. Not tried again for a sum that has failed a few times.
  std::optional<Rational> inPieces(const Atom &Factor, const Rational &First,
                                   const Rational &Last) {
    static constexpr std::int64_t MinTerms = 100, PiecesPerTerm = 16;
    static constexpr std::uint64_t MinPieces = 1000, MaxPieces = 200'000;
    static constexpr std::uint64_t StepsOfPiece = 50; // cost of a piece in terms
    static constexpr unsigned MaxFailures = 4;
    const Rational Terms = Last - First + 1;
    if (Terms < MinTerms)
      return std::nullopt;
    unsigned &Failed = Failures[&Factor];
    if (Failed == MaxFailures)
      return std::nullopt;
    std::uint64_t Pieces = MaxPieces;
    if (Terms * PiecesPerTerm < Rational(MaxPieces))
      Pieces = std::max(MinPieces, floorOf(Terms * PiecesPerTerm).get_ui());
    Pieces = std::min(Pieces, Left / StepsOfPiece);
    const std::uint64_t Before = Pieces;
    auto Value = piecewiseSum(
        Factor, First, Last,
        [this](const std::string &Name) {
          Result Found = symbol(Name);
          return Found ? std::optional(*Found) : std::nullopt;
        },
        Pieces);
    Left -= (Before - Pieces) * StepsOfPiece;
    Failed += !Value;
    return Value;
  }
  std::map<const Atom *, unsigned> Failures;
};
} // namespace

std::expected<Rational, EvaluationError> Expr::evaluate(const SymbolValues &Values,
                                                        std::uint64_t MaxSteps) const {
  return Evaluator(Values, MaxSteps)(*this);
}

} // namespace ergon
