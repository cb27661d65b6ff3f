//===- ExprSum.cpp - closed forms of sums ---------------------------------===//
//
// The sum of a polynomial over an integer range is a polynomial (Faulhaber). Other summands are
// brought to that form where possible: indicators that are linear in the variable limit the range,
// maxima and minima become indicators, floor divisions over at most one period count their carries,
// those by a small number are summed by residue, and a polynomial times a power is a geometric sum.
// The rest stays a sum, which is evaluated numerically, piecewise where possible (PiecewiseSum.h).
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/ExprRanges.h"
#include "model/symbolic/PiecewiseSum.h"
#include "model/symbolic/SeenAtoms.h"

#include <algorithm>
#include <cassert>

namespace ergon {

/// A longer closed form is useless: the sum stays a sum.
static constexpr std::size_t MaxSize = 600;

/// B_0 to B_k, the Bernoulli numbers with B_1 = -1/2: the sum of binomial(m + 1, j)·B_j over
/// j <= m is 0 for each m > 0.
static std::vector<Rational> bernoulliNumbers(unsigned K) {
  std::vector<Rational> Result{1};
  for (unsigned M = 1; M <= K; ++M) {
    Rational Sum = 0, Binomial = 1; // binomial(M + 1, J)
    for (unsigned J = 0; J != M; ++J) {
      if (Result[J] != 0)
        Sum += Binomial * Result[J];
      Binomial = Binomial * Rational(M + 1 - J) / Rational(J + 1);
    }
    Result.push_back(-Sum / Rational(M + 1));
  }
  return Result;
}

/// Coefficients c of S_k(N) = sum of i^k over 0 <= i < N = sum of c[j]·N^j: those of N^(k+1-j) are
/// binomial(k+1, j)·B_j / (k + 1) (Faulhaber's formula). \p Bernoulli are B_0 to B_k at least.
static std::vector<Rational> powerSum(unsigned K, const std::vector<Rational> &Bernoulli) {
  std::vector<Rational> Result(K + 2);
  Rational Binomial = 1;
  for (unsigned J = 0; J <= K; ++J) {
    Result[K + 1 - J] = Binomial * Bernoulli[J] / Rational(K + 1);
    Binomial = Binomial * Rational(K + 1 - J) / Rational(J + 1);
  }
  return Result;
}

std::vector<Rational> powerSum(unsigned K) { return powerSum(K, bernoulliNumbers(K)); }

/// The sum of the polynomial with \p Coefficients over 0 <= i < \p End.
static Expr prefixSum(const std::vector<Expr> &Coefficients, const Expr &End) {
  if (End.isZero())
    return Expr();
  const std::vector<Rational> Bernoulli = bernoulliNumbers(unsigned(Coefficients.size()));
  std::vector<Expr> Powers{Expr(1)};
  Expr Result;
  for (unsigned K = 0; K != Coefficients.size(); ++K) {
    if (Coefficients[K].isZero())
      continue;
    const std::vector<Rational> Sum = powerSum(K, Bernoulli);
    while (Powers.size() < Sum.size())
      Powers.push_back(Powers.back() * End);
    Expr Inner;
    for (unsigned J = 0; J != Sum.size(); ++J)
      if (Sum[J] != 0)
        Inner += Powers[J] * Expr(Sum[J]);
    Result += Coefficients[K] * Inner;
  }
  return Result;
}

static Expr opaqueSum(const std::string &Variable, const Expr &First, const Expr &Last,
                      const Expr &Summand) {
  return Expr(atomOf(Atom::Kind::Sum, Variable, {First, Last, Summand}));
}

/// 1 where the range is not empty. The closed forms are zero for an empty range, so no condition is
/// needed where the count is a mean, which may be below 1.
static Expr isNotEmpty(const Expr &First, const Expr &Last) {
  Expr Count = Last - First + 1;
  bool IsMean = Count.asAtom() && Count.asAtom()->What == Atom::Kind::Symbol &&
                isUnknownSymbol(Count.asAtom()->Name) && lowerBound(Count) >= Rational(0);
  return IsMean ? Expr(1) : isAtLeast(Last, First);
}

/// The sum over \p First..\p Last of a polynomial in the variable.
static Expr sumPolynomial(const std::vector<Expr> &Coefficients, const Expr &First,
                          const Expr &Last) {
  // The difference of the prefix sums is zero for the empty range Last = First - 1, so the
  // indicator may require one element.
  return isNotEmpty(First, Last) *
         (prefixSum(Coefficients, Last + 1) - prefixSum(Coefficients, First));
}

namespace {
/// The terms of a summand with the same variable-dependent factors.
struct Group {
  Monomial Dependent; // without powers of the variable itself
  Expr Polynomial;    // in the variable, with the independent factors
};
} // namespace

static bool depends(const AtomRef &Factor, const std::string &Variable) {
  return dependsOn(*Factor, Variable);
}

static std::vector<Group> groupTerms(const std::string &Variable, const Expr &Summand) {
  std::vector<Group> Groups;
  for (const Term &T : Summand.terms()) {
    Monomial Dependent, Rest;
    for (const auto &Factor : T.Factors) {
      bool Inside = Factor.first->What != Atom::Kind::Symbol && depends(Factor.first, Variable);
      (Inside ? Dependent : Rest).push_back(Factor);
    }
    Expr Part = Expr::fromTerms({{std::move(Rest), T.Coefficient}});
    auto Found = std::ranges::find_if(Groups, [&](const Group &Have) {
      return Have.Dependent.size() == Dependent.size() &&
             std::ranges::equal(Have.Dependent, Dependent, [](const auto &A, const auto &B) {
               return A.second == B.second && compareAtoms(*A.first, *B.first) == 0;
             });
    });
    if (Found == Groups.end())
      Groups.push_back({std::move(Dependent), std::move(Part)});
    else
      Found->Polynomial += Part;
  }
  return Groups;
}

/// Rewrites max(a, b, …) or min(a, b, …) as indicators, so that a sum can split its range.
static Expr extremumByIndicators(const Atom &Factor) {
  Expr Result = Factor.Operands[0];
  for (std::size_t I = 1; I != Factor.Operands.size(); ++I) {
    Expr Ahead = Factor.Operands[I] - Result;
    Result += Factor.What == Atom::Kind::Max ? isNonNegative(Ahead) * Ahead
                                             : isNonNegative(-Ahead) * Ahead;
  }
  return Result;
}

/// The sum over 0 <= i <= \p Last of floor((c ± i)/m), for at most one period m: with q =
/// floor(c/m) and r = c - q·m the floors are q except for those i that carry (+: q + 1 from m - r
/// on) or borrow (-: q - 1 from r + 1 on). Over a whole period this is Hermite's identity: c - m +
/// 1 for -. If the range ends at a smaller c, as for the threads of a grid-stride loop, the -1 of
/// the others is not added.
static std::optional<Expr> sumOverPeriod(const Atom &Floor, const std::string &Variable,
                                         const Expr &First, const Expr &Last) {
  const Expr &Period = Floor.Operands[1];
  if (!First.isZero() || Period.dependsOn(Variable))
    return std::nullopt;
  auto Coefficients = Floor.Operands[0].coefficientsOf(Variable);
  if (!Coefficients || Coefficients->size() != 2)
    return std::nullopt;
  if ((*Coefficients)[1] == Expr(-1) && Last == min(Period - 1, (*Coefficients)[0]))
    return isNotEmpty(First, Last) * ((*Coefficients)[0] - Last);
  auto Spare = lowerBound(Period - Last - 1);
  if (!Spare || *Spare < 0)
    return std::nullopt;
  bool Up = (*Coefficients)[1] == Expr(1);
  if (!Up && !((*Coefficients)[1] == Expr(-1)))
    return std::nullopt;
  const Expr &C = (*Coefficients)[0];
  Expr Quotient = floorDiv(C, Period), Count = Last + 1;
  Expr Remainder = C - Quotient * Period;
  Expr Unchanged = Up ? Period - Remainder : Remainder + 1;
  Expr Changed = isAtLeast(Count, Unchanged) * (Count - Unchanged);
  return isNotEmpty(First, Last) * (Quotient * Count + (Up ? Changed : -Changed));
}

/// The sum over \p First..\p Last of a polynomial p times scale·r^v: for the polynomial q with
/// r·q(v + 1) - q(v) = p(v), the summand is the difference of q(v)·r^v between neighbouring v.
static std::optional<Expr> sumGeometric(const std::vector<Expr> &Coefficients, const AtomRef &Power,
                                        const std::string &Variable, const Expr &First,
                                        const Expr &Last) {
  auto Parts = powerIn(Expr(Power), Variable);
  auto Ratio = Parts ? Parts->Ratio.constant() : std::nullopt;
  if (!Ratio || *Ratio == 1)
    return std::nullopt;
  std::vector<Expr> Q(Coefficients.size());
  for (std::size_t K = Q.size(); K-- > 0;) {
    Expr Shifted; // the coefficient of v^K in the known part of q(v + 1)
    Rational Binomial = 1;
    for (std::size_t I = K + 1; I != Q.size(); ++I) {
      Binomial = Binomial * Rational(std::int64_t(I)) / Rational(std::int64_t(I - K));
      Shifted += Q[I] * Expr(Binomial);
    }
    Q[K] = (Coefficients[K] - Shifted * Expr(*Ratio)) * Expr(Rational(1 / (*Ratio - 1)));
  }
  auto SumAt = [&](const Expr &V) {
    Expr Value;
    for (std::size_t K = Q.size(); K-- > 0;)
      Value = Value * V + Q[K];
    return Value * power(Parts->Ratio, V);
  };
  return isNotEmpty(First, Last) * Parts->Scale * (SumAt(Last + 1) - SumAt(First));
}

/// Multiplies \p Period, as a least common multiple, by the constant divisors of terms with \p
/// Variable in \p Value and its atoms that are not \p Seen yet. False where a divisor is not
/// constant.
static bool collectPeriod(const Expr &Value, const std::string &Variable, Rational &Period,
                          SeenAtoms &Seen) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors) {
      if (Factor->What == Atom::Kind::Symbol || !Seen.insert(*Factor) || !depends(Factor, Variable))
        continue;
      if (Factor->What == Atom::Kind::FloorDiv) {
        auto Divisor = Factor->Operands[1].constant();
        if (!Divisor || *Divisor <= 0 || !Divisor->isInteger())
          return false;
        Period = lcm(Period, *Divisor);
      }
      for (const Expr &Operand : Factor->Operands)
        if (!collectPeriod(Operand, Variable, Period, Seen))
          return false;
    }
  return true;
}

/// The least common multiple of such divisors; nothing where one is not constant.
static std::optional<Rational> periodOf(const Expr &Value, const std::string &Variable) {
  Rational Result = 1;
  SeenAtoms Seen;
  return collectPeriod(Value, Variable, Result, Seen) ? std::optional(Result) : std::nullopt;
}

/// A sum with divisions by small numbers, i % 2 or i / 4, as one sum for each
/// residue of the variable: with i = m·q + r the floors are linear in q.
static std::optional<Expr> sumByResidue(const std::string &Variable, const Expr &First,
                                        const Expr &Last, const Expr &Summand) {
  static constexpr int MaxPeriod = 16;
  const auto Period = periodOf(Summand, Variable);
  if (!Period || *Period == 1 || *Period > MaxPeriod)
    return std::nullopt;
  Expr M{*Period}, Result;
  for (Expr R; !(R == M); R += 1) {
    Expr Inner = Summand.substitute({{Variable, First + M * Expr::symbol(Variable) + R}});
    if (periodOf(Inner, Variable) != Rational(1))
      return std::nullopt; // a quotient of a quotient: no progress
    Result += sum(Variable, 0, floorDiv(Last - First - R, M), Inner);
  }
  return Result;
}

/// The value that a pair of opposite cuts, v >= x and v <= x, leaves.
static std::optional<Expr> onlyValue(const std::vector<Expr> &Lowers,
                                     const std::vector<Expr> &Uppers) {
  for (const Expr &Lower : Lowers)
    for (const Expr &Upper : Uppers)
      if (Lower == Upper)
        return Lower;
  return std::nullopt;
}

/// The summand with a maximum or minimum expanded into indicators, which doubles the terms. Nothing
/// where there is none, or the terms become too many.
static std::optional<Expr> withoutExtremum(const Group &G) {
  static constexpr std::size_t MaxExtrema = 3;
  std::size_t Extrema = 0;
  for (const auto &[Factor, Power] : G.Dependent)
    if (Factor->What == Atom::Kind::Max || Factor->What == Atom::Kind::Min)
      Extrema += Power * (Factor->Operands.size() - 1);
  for (std::size_t I = 0; I != G.Dependent.size(); ++I) {
    const auto &[Factor, Power] = G.Dependent[I];
    if (Factor->What != Atom::Kind::Max && Factor->What != Atom::Kind::Min)
      continue;
    static constexpr std::size_t MaxExpanded = 60; // size of the expanded operands
    if (Extrema > MaxExtrema || Factor->Size * Power > MaxExpanded ||
        G.Polynomial.size() > 2 * MaxExpanded)
      continue;
    Expr Summand = G.Polynomial;
    for (std::size_t J = 0; J != G.Dependent.size(); ++J)
      Summand *= power(J == I ? extremumByIndicators(*Factor) : Expr(G.Dependent[J].first),
                       G.Dependent[J].second);
    if (Summand.size() <= MaxSize)
      return Summand;
  }
  return std::nullopt;
}

namespace {
/// The range of a sum, limited by its factors.
struct CutRange {
  std::vector<Expr> Lowers, Uppers;
  const AtomRef *Special = nullptr; ///< a floor division or a power
  bool Linear = true;               ///< all other factors limit the range
};
} // namespace

static CutRange cutRange(const std::string &Variable, const Expr &First, const Expr &Last,
                         const Group &G) {
  CutRange Result{{First}, {Last}};
  for (const auto &[Factor, Power] : G.Dependent) {
    if ((Factor->What == Atom::Kind::FloorDiv || Factor->What == Atom::Kind::Power) && Power == 1 &&
        !Result.Special) {
      Result.Special = &Factor;
      continue;
    }
    std::optional<Cut> Found;
    if (Factor->What == Atom::Kind::Indicator)
      Found = cutOf(Factor->Operands[0], Variable, First);
    if (!Found) {
      Result.Linear = false;
      break;
    }
    (Found->IsLower ? Result.Lowers : Result.Uppers).push_back(std::move(Found->Bound));
  }
  return Result;
}

static Expr sumGroup(const std::string &Variable, const Expr &First, const Expr &Last,
                     const Group &G) {
  auto Whole = [&] {
    Expr Summand(1);
    for (const auto &[Factor, Power] : G.Dependent)
      Summand *= power(Expr(Factor), Power);
    return Summand;
  };
  if (const std::optional<Expr> Summand = withoutExtremum(G))
    return sum(Variable, First, Last, *Summand);
  const auto [Lowers, Uppers, Special, Linear] = cutRange(Variable, First, Last, G);
  auto Coefficients = G.Polynomial.coefficientsOf(Variable);
  // Factors independent of the variable stay outside the sum.
  auto Opaque = [&] {
    if (auto Split = sumByResidue(Variable, First, Last, G.Polynomial * Whole()))
      return *Split;
    if (!Coefficients)
      return opaqueSum(Variable, First, Last, G.Polynomial * Whole());
    Expr Result;
    for (unsigned K = 0; K != Coefficients->size(); ++K)
      if (!(*Coefficients)[K].isZero())
        Result += (*Coefficients)[K] *
                  opaqueSum(Variable, First, Last, power(Expr::symbol(Variable), K) * Whole());
    return Result;
  };
  const Atom *Floor =
      Special && (*Special)->What == Atom::Kind::FloorDiv ? Special->get() : nullptr;
  if (!Linear || !Coefficients || (Floor && Coefficients->size() != 1))
    return Opaque();
  if (auto Only = onlyValue(Lowers, Uppers)) {
    Expr Result = (Special ? G.Polynomial * Whole() : G.Polynomial).substitute({{Variable, *Only}});
    for (const Expr &Lower : Lowers)
      Result *= isAtLeast(*Only, Lower);
    for (const Expr &Upper : Uppers)
      Result *= isAtLeast(Upper, *Only);
    return Result;
  }
  Expr Lower = Lowers[0], Upper = Uppers[0];
  for (const Expr &Other : Lowers)
    Lower = max(Lower, Other);
  for (const Expr &Other : Uppers)
    Upper = min(Upper, Other);
  // Limits the size of expanded powers of the bounds.
  static constexpr std::size_t MaxBoundSize = 120;
  if ((Lower.size() + Upper.size()) * Coefficients->size() > MaxBoundSize)
    return Opaque();
  if (!Special)
    return sumPolynomial(*Coefficients, Lower, Upper);
  if (!Floor) {
    auto Closed = sumGeometric(*Coefficients, *Special, Variable, Lower, Upper);
    return Closed ? *Closed : Opaque();
  }
  if (auto Closed = sumOverPeriod(*Floor, Variable, Lower, Upper))
    return (*Coefficients)[0] * *Closed;
  return Opaque();
}

Expr sum(const std::string &Variable, const Expr &First, const Expr &Last, const Expr &Summand) {
  assert(!First.dependsOn(Variable) && !Last.dependsOn(Variable) &&
         "range depends on its variable");
  if (Summand.isZero())
    return Expr();
  // A mean trip count below 1 is the share of runs that execute the first iteration.
  if (const auto From = First.constant(), To = Last.constant(), Each = Summand.constant();
      From && To && Each)
    return *To - *From <= -1 ? Expr() : Expr(*Each * (*To - *From + 1));
  if (auto Count = (Last - First + 1).constant(); Count && *Count > 0 && *Count < 1)
    return Expr(*Count) * Summand.substitute({{Variable, First}});
  Expr Result;
  for (const Group &GroupTerm : groupTerms(Variable, Summand)) {
    if (GroupTerm.Dependent.empty() && !GroupTerm.Polynomial.dependsOn(Variable))
      Result += GroupTerm.Polynomial * isNotEmpty(First, Last) * (Last - First + 1);
    else
      Result += sumGroup(Variable, First, Last, GroupTerm);
    if (Result.size() > MaxSize)
      return opaqueSum(Variable, First, Last, Summand);
  }
  return Result;
}

} // namespace ergon
