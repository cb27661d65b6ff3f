//===- ExprAtoms.cpp - atoms: floor division, extrema and indicators ------===//

#include "model/symbolic/Expr.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace ergon {

//===----------------------------------------------------------------------===//
// Equal atoms are one object
//===----------------------------------------------------------------------===//

static std::size_t combined(std::size_t Hash, std::size_t Next) {
  return (Hash ^ Next) * 0x9e3779b97f4a7c15 + (Hash >> 29); // Knuth's multiplicative hash
}

/// Of the terms, by the hashes of their atoms.
static std::size_t hashOf(const Expr &Value) {
  std::size_t Result = 1;
  for (const Term &T : Value.terms()) {
    for (const auto &[Factor, Power] : T.Factors)
      Result = combined(combined(Result, Factor->Hash), Power);
    Result = combined(Result, T.Coefficient.hash());
  }
  return Result;
}

Atom::Atom(Kind What, std::string Name, std::vector<Expr> Operands)
    : What(What), Name(std::move(Name)), Operands(std::move(Operands)), Size(1),
      Hash(combined(std::hash<std::string>()(this->Name), std::size_t(What))) {
  for (const Expr &Operand : this->Operands) {
    Size += Operand.size();
    Hash = combined(Hash, hashOf(Operand));
  }
}

/// Whether both have the same terms with the same objects for atoms: true for all equal ones, if
/// their atoms are of one table.
static bool isSame(const Expr &Left, const Expr &Right) {
  return std::ranges::equal(Left.terms(), Right.terms(), [](const Term &L, const Term &R) {
    return L.Coefficient == R.Coefficient && std::ranges::equal(L.Factors, R.Factors);
  });
}

namespace {
/// The atoms in use, by hash.
class AtomTable {
public:
  AtomRef find(AtomRef New) {
    auto [Next, End] = Atoms.equal_range(New->Hash);
    for (; Next != End; ++Next)
      if (AtomRef Known = Next->second.lock();
          Known && Known->What == New->What && Known->Name == New->Name &&
          std::ranges::equal(Known->Operands, New->Operands, isSame))
        return Known;
    if (Atoms.size() >= MostKept) {
      std::erase_if(Atoms, [](const auto &Each) { return Each.second.expired(); });
      MostKept = std::max(MostKept, 2 * Atoms.size());
    }
    Atoms.emplace(New->Hash, New);
    return New;
  }

private:
  struct AsItIs {
    std::size_t operator()(std::size_t Hash) const { return Hash; }
  };
  std::unordered_multimap<std::size_t, std::weak_ptr<const Atom>, AsItIs> Atoms;
  std::size_t MostKept = 1024; ///< before those that nothing holds any more are dropped
};
} // namespace

AtomRef atomOf(Atom::Kind What, std::string Name, std::vector<Expr> Operands) {
  // One for each thread: atoms of several compare equal all the same.
  static thread_local AtomTable Table;
  return Table.find(std::make_shared<const Atom>(What, std::move(Name), std::move(Operands)));
}

static Expr makeAtom(Atom::Kind What, std::vector<Expr> Operands) {
  return Expr(atomOf(What, "", std::move(Operands)));
}

static bool isExtremum(const Atom *Factor) {
  return Factor && (Factor->What == Atom::Kind::Max || Factor->What == Atom::Kind::Min);
}

static bool isFloor(const Atom *Factor) { return Factor && Factor->What == Atom::Kind::FloorDiv; }

//===----------------------------------------------------------------------===//
// Floor division, maximum, minimum, indicator
//===----------------------------------------------------------------------===//

/// The coefficient of the first term that is not a number.
static Rational leadingCoefficient(const Expr &Value) {
  for (const Term &T : Value.terms())
    if (!T.Factors.empty())
      return T.Coefficient;
  return 0;
}

/// floor((floor(a/b) + c)/d) = floor((a + b*c)/(b*d)) for a number c and integers b, d >= 1.
static std::optional<Expr> floorOfFloor(const Expr &Numerator, const Expr &Divisor) {
  if (Numerator.terms().empty() || Numerator.terms().size() > 2)
    return std::nullopt;
  const Term &Last = Numerator.terms().back();
  const Atom *Inner = onlyFactor(Last);
  if (!isFloor(Inner) || Last.Coefficient != 1)
    return std::nullopt;
  auto Added = (Numerator - Expr(Last.Factors[0].first)).constant();
  for (const Expr *E : {&Inner->Operands[1], &Divisor}) {
    auto Bound = lowerBound(*E);
    if (!Bound || *Bound < 1 || commonDenominator(*E) != 1)
      return std::nullopt;
  }
  if (!Added || !Added->isInteger())
    return std::nullopt;
  return floorDiv(Inner->Operands[0] + Inner->Operands[1] * Expr(*Added),
                  Inner->Operands[1] * Divisor);
}

/// Floor division by a positive number.
static Expr floorDivByNumber(const Expr &Numerator, const Rational &Denominator) {
  // p/q with integer coefficients: floor of (Scaled / Divisor).
  Expr Quotient = Numerator * Expr(Rational(1 / Denominator));
  Rational Divisor = commonDenominator(Quotient);
  if (Divisor == 1)
    return Quotient;
  // Moves integer multiples of the divisor out of the floor.
  std::vector<Term> Whole, Rest;
  for (const Term &T : Quotient.terms()) {
    const Rational Integer = floorOf(T.Coefficient);
    bool Fraction = T.Coefficient != Integer;
    if (T.Factors.empty() || !Fraction) {
      if (Integer != 0)
        Whole.push_back({T.Factors, Integer});
      Rational Left = T.Coefficient - Integer;
      if (Left != 0)
        Rest.push_back({T.Factors, Left});
      continue;
    }
    Rest.push_back(T);
  }
  Expr Remaining = Expr::fromTerms(std::move(Rest));
  Expr Outside = Expr::fromTerms(std::move(Whole));
  if (Remaining.constant()) // a fraction between 0 and 1
    return Outside;
  Divisor = commonDenominator(Remaining);
  // Canonical sign: floor(-p/d) = -floor((p + d - 1)/d).
  if (leadingCoefficient(Remaining) < 0)
    return Outside - floorDivByNumber(Expr(1 - 1 / Divisor) - Remaining, 1);
  Expr Scaled = Remaining * Expr(Divisor);
  if (auto Flat = floorOfFloor(Scaled, Expr(Divisor)))
    return Outside + *Flat;
  return Outside + makeAtom(Atom::Kind::FloorDiv, {std::move(Scaled), Expr(Divisor)});
}

/// Splits \p Numerator into q * \p Divisor + r for a divisor of one term: terms with an integer
/// quotient go to q.
static std::pair<Expr, Expr> splitMultiples(const Expr &Numerator, const Term &Divisor) {
  std::vector<Term> Quotient, Rest;
  for (const Term &T : Numerator.terms()) {
    Monomial Left = T.Factors;
    bool Divides = Rational(T.Coefficient / Divisor.Coefficient).isInteger();
    for (const auto &[Factor, Power] : Divisor.Factors) {
      auto Found = std::ranges::find_if(
          Left, [&](const auto &Have) { return compareAtoms(*Have.first, *Factor) == 0; });
      if (Found == Left.end() || Found->second < Power) {
        Divides = false;
        break;
      }
      Found->second -= Power;
      if (Found->second == 0)
        Left.erase(Found);
    }
    if (Divides)
      Quotient.push_back({std::move(Left), T.Coefficient / Divisor.Coefficient});
    else
      Rest.push_back(T);
  }
  return {Expr::fromTerms(std::move(Quotient)), Expr::fromTerms(std::move(Rest))};
}

Expr floorDiv(const Expr &Numerator, const Expr &Denominator) {
  if (auto Number = Denominator.constant()) {
    if (*Number > 0)
      return floorDivByNumber(Numerator, *Number);
    if (*Number < 0)
      return floorDivByNumber(-Numerator, Rational(-*Number));
    return makeAtom(Atom::Kind::FloorDiv, {Numerator, Denominator});
  }
  if (Numerator.isZero())
    return Expr();
  Expr Outside, Rest = Numerator;
  if (Denominator.terms().size() == 1)
    std::tie(Outside, Rest) = splitMultiples(Numerator, Denominator.terms()[0]);
  if (Rest.isZero())
    return Outside;
  if (auto Flat = floorOfFloor(Rest, Denominator))
    return Outside + *Flat;
  return Outside + makeAtom(Atom::Kind::FloorDiv, {std::move(Rest), Denominator});
}

Expr ceilDiv(const Expr &Numerator, const Expr &Denominator) {
  return -floorDiv(-Numerator, Denominator);
}

Expr truncatingDiv(const Expr &Numerator, const Expr &Denominator) {
  // Where the signs differ, truncation is the floor of the quotient plus a correction.
  Expr Up = isNonNegative(-Numerator - 1) * isNonNegative(Denominator - 1) * (Denominator - 1) +
            isNonNegative(Numerator - 1) * isNonNegative(-Denominator - 1) * (Denominator + 1);
  return floorDiv(Numerator + Up, Denominator);
}

/// The only term of \p Value with an extremum; null where there is none, or several.
static const Term *soleExtremum(const Expr &Value) {
  const Term *Result = nullptr;
  for (const Term &T : Value.terms())
    if (std::ranges::any_of(T.Factors,
                            [](const auto &Factor) { return isExtremum(Factor.first.get()); })) {
      if (Result)
        return nullptr;
      Result = &T;
    }
  return Result;
}

/// The terms, except constants, that all of \p Operands have.
static Expr sharedTerms(const std::vector<Expr> &Operands) {
  Expr Result;
  for (const Term &T : Operands[0].terms()) {
    Expr Alone = Expr::fromTerms({T});
    if (!Alone.constant() && std::ranges::all_of(Operands, [&](const Expr &Operand) {
          return (Operand - Alone).terms().size() < Operand.terms().size();
        }))
      Result += Alone;
  }
  return Result;
}

/// The extremum of \p Left and \p Right, flattened, without redundant operands.
static Expr makeExtremum(Atom::Kind What, const Expr &Left, const Expr &Right) {
  std::vector<Expr> Operands;
  auto Add = [&](const Expr &Operand) {
    auto Covers = [&](const Expr &Better, const Expr &Worse) {
      auto Gap = lowerBound(What == Atom::Kind::Max ? Better - Worse : Worse - Better);
      return Gap && *Gap >= 0;
    };
    if (std::ranges::any_of(Operands, [&](const Expr &Have) { return Covers(Have, Operand); }))
      return;
    std::erase_if(Operands, [&](const Expr &Have) { return Covers(Operand, Have); });
    Operands.push_back(Operand);
  };
  for (const Expr *Side : {&Left, &Right}) {
    const Term *Extremum = soleExtremum(*Side);
    const Atom *Factor = Extremum ? onlyFactor(*Extremum) : nullptr;
    if (!Factor || Factor->What != What || Extremum->Coefficient != 1) {
      Add(*Side);
      continue;
    }
    Expr Rest = *Side - Expr::fromTerms({*Extremum});
    for (const Expr &Operand : Factor->Operands)
      Add(Operand + Rest);
  }
  if (Operands.size() == 1)
    return Operands[0];
  // Moves common terms outside: min(n, m) - 1, not min(n - 1, m - 1).
  Expr Shared = sharedTerms(Operands);
  for (Expr &Operand : Operands)
    Operand -= Shared;
  std::ranges::sort(Operands, [&](const Expr &A, const Expr &B) {
    return Expr::compare(A - Expr(constantTerm(A)), B - Expr(constantTerm(B))) < 0;
  });
  Expr Constant(constantTerm(Operands[Operands[0].constant() ? 1 : 0]));
  for (Expr &Operand : Operands)
    Operand -= Constant;
  return Shared + Constant + makeAtom(What, std::move(Operands));
}

Expr max(const Expr &Left, const Expr &Right) { return makeExtremum(Atom::Kind::Max, Left, Right); }
Expr min(const Expr &Left, const Expr &Right) { return makeExtremum(Atom::Kind::Min, Left, Right); }

namespace {
/// The number of indicators that an expression's extrema expand to: a conjunction, and a
/// disjunction, which costs a power of two in terms.
struct Spread {
  std::size_t Conjuncts = 1, Disjuncts = 1;
};
} // namespace

static Spread spreadOf(const Expr &Value) {
  Spread Result;
  for (const Term &T : Value.terms()) {
    const Atom *Only = onlyFactor(T);
    if (!isExtremum(Only))
      continue;
    const Atom &Factor = *Only;
    bool All = (Factor.What == Atom::Kind::Min) == (T.Coefficient > 0);
    (All ? Result.Conjuncts : Result.Disjuncts) *= Factor.Operands.size();
    for (const Expr &Operand : Factor.Operands) {
      Spread Inner = spreadOf(Operand * Expr(T.Coefficient));
      Result.Conjuncts *= Inner.Conjuncts;
      Result.Disjuncts *= Inner.Disjuncts;
    }
  }
  return Result;
}

/// Rewrites [c*max(a, b) + r >= 0] and similar ones as indicators of the operands, so that they
/// stay affine. Nothing where \p Value has no such term.
static std::optional<Expr> indicatorOfExtremum(const Expr &Value) {
  static constexpr std::size_t MaxConjuncts = 16, MaxDisjuncts = 4, MaxTerms = 64;
  Spread Size = spreadOf(Value);
  if (Size.Conjuncts > MaxConjuncts || Size.Disjuncts > MaxDisjuncts)
    return std::nullopt;
  for (const Term &T : Value.terms()) {
    const Atom *Only = onlyFactor(T);
    if (!isExtremum(Only))
      continue;
    const Atom &Factor = *Only;
    Expr Rest = Value - Expr::fromTerms({T});
    bool All = (Factor.What == Atom::Kind::Min) == (T.Coefficient > 0);
    Expr Product(1);
    for (const Expr &Operand : Factor.Operands) {
      Expr E = isNonNegative(Operand * Expr(T.Coefficient) + Rest);
      // A quotient may contain more extrema, which appear once it is multiplied out.
      if (Product.terms().size() * E.terms().size() > MaxTerms)
        return std::nullopt;
      Product *= All ? E : Expr(1) - E;
    }
    return All ? Product : Expr(1) - Product;
  }
  return std::nullopt;
}

/// [floor(p/d) + r >= 0] is [p + d·r >= 0], and [r - floor(p/d) >= 0] is [d·r + d - 1 - p >= 0],
/// for positive d. Nothing where \p Value has another form.
static std::optional<Expr> indicatorOfFloor(const Expr &Value) {
  for (const Term &T : Value.terms()) {
    const Atom *Floor = onlyFactor(T);
    if (!isFloor(Floor) || abs(T.Coefficient) != 1)
      continue;
    const Expr &Numerator = Floor->Operands[0];
    const Expr &Divisor = Floor->Operands[1];
    Expr Rest = Value - Expr::fromTerms({T});
    auto Bound = lowerBound(Divisor);
    if (!Bound || *Bound <= 0 || commonDenominator(Rest) != 1 || commonDenominator(Numerator) != 1)
      continue;
    if (T.Coefficient > 0)
      return isNonNegative(Numerator + Divisor * Rest);
    return isNonNegative(Divisor * Rest + Divisor - 1 - Numerator);
  }
  return std::nullopt;
}

/// [log(c, x) - r >= 0] is [x >= c^r] for a number r, and [r - log(c, x) >= 0] is [x < c^(r + 1)];
/// except for r < 0, as a logarithm is -1 for all x below 1.
static std::optional<Expr> indicatorOfLog(const Expr &Value) {
  if (Value.terms().empty() || Value.terms().size() > 2)
    return std::nullopt;
  const Term &Last = Value.terms().back();
  const Atom *Log = onlyFactor(Last);
  if (!Log || Log->What != Atom::Kind::Log || abs(Last.Coefficient) != 1)
    return std::nullopt;
  auto Number = (Value - Expr::fromTerms({Last})).constant();
  if (!Number || !Number->isInteger())
    return std::nullopt;
  bool Above = Last.Coefficient > 0;
  // log(c, x) >= Least, or its negation
  Rational Least = Above ? Rational(-*Number) : Rational(*Number + 1);
  Expr Reaches(1);
  if (Least >= 0)
    Reaches = isAtLeast(Log->Operands[1], power(Log->Operands[0], Expr(Least)));
  return Above ? Reaches : Expr(1) - Reaches;
}

/// [a + b·c >= 0] for a product c of conditions: a condition that is stored and tested again.
static std::optional<Expr> indicatorOfCondition(const Expr &Value) {
  if (Value.terms().empty() || Value.terms().size() > 2)
    return std::nullopt;
  const Term &Last = Value.terms().back();
  auto Else = (Value - Expr::fromTerms({Last})).constant();
  if (!Else || !std::ranges::all_of(Last.Factors, [](const auto &Factor) {
        return Factor.first->What == Atom::Kind::Indicator;
      }))
    return std::nullopt;
  std::int64_t WhereNot = *Else >= 0, Where = *Else + Last.Coefficient >= 0;
  return Expr(WhereNot) + Expr(Where - WhereNot) * Expr::fromTerms({{Last.Factors, Rational(1)}});
}

static bool hasWholeCoefficients(const Expr &Value) {
  return std::ranges::all_of(Value.terms(),
                             [](const Term &T) { return T.Coefficient.isInteger(); });
}

/// Whether the coefficients are evidently integers without a common factor: one is 1 or -1.
static bool isReduced(const Expr &Value) {
  return hasWholeCoefficients(Value) && std::ranges::any_of(Value.terms(), [](const Term &T) {
           return !T.Factors.empty() && (T.Coefficient == 1 || T.Coefficient == -1);
         });
}

Expr isNonNegative(const Expr &Value) {
  if (auto Number = Value.constant())
    return Expr(*Number >= 0 ? 1 : 0);
  if (auto Bound = lowerBound(Value); Bound && *Bound >= 0)
    return Expr(1);
  if (auto Bound = upperBound(Value); Bound && *Bound < 0)
    return Expr(0);
  if (auto Pushed = indicatorOfExtremum(Value))
    return *Pushed;
  if (auto Known = indicatorOfCondition(Value))
    return *Known;
  if (auto Multiplied = indicatorOfFloor(Value))
    return *Multiplied;
  if (auto Raised = indicatorOfLog(Value))
    return *Raised;
  if (isReduced(Value))
    return makeAtom(Atom::Kind::Indicator, {Value});
  // Divides by the coefficients' common factor; rounding the constant down changes nothing for
  // integers.
  const bool IsWhole = !hasReal(Value);
  Rational Scale = commonDenominator(Value), Common;
  for (const Term &T : Value.terms())
    if (!T.Factors.empty())
      Common = gcd(Common, T.Coefficient * Scale);
  std::vector<Term> Reduced;
  for (const Term &Element : Value.terms()) {
    Rational Coefficient = Element.Coefficient * Scale / Common;
    if (Element.Factors.empty() && IsWhole)
      Coefficient = floorOf(Coefficient);
    if (Coefficient != 0)
      Reduced.push_back({Element.Factors, std::move(Coefficient)});
  }
  Expr Normal = Expr::fromTerms(std::move(Reduced));
  if (!(Normal == Value))
    return isNonNegative(Normal);
  return makeAtom(Atom::Kind::Indicator, {std::move(Normal)});
}

Expr negated(const Expr &Condition) {
  const Atom *Only = Condition.asAtom();
  if (!Only || Only->What != Atom::Kind::Indicator || !hasWholeCoefficients(Only->Operands[0]))
    return Expr(1) - Condition;
  auto MayBeFraction = [](const std::string &Name) { // as means may be
    return isReal(Name) || (isUnknownSymbol(Name) && !Name.starts_with("value@"));
  };
  if (Condition.hasSymbol(MayBeFraction))
    return Expr(1) - Condition;
  return isNonNegative(-Only->Operands[0] - 1);
}

Expr isEqual(const Expr &Left, const Expr &Right) {
  return isAtLeast(Left, Right) * isAtLeast(Right, Left);
}

} // namespace ergon
