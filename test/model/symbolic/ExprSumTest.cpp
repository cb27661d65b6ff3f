//===- ExprSumTest.cpp - closed forms of sums -----------------------------===//
//
// Every closed form is held against adding up term by term. The random part
// builds each loop nest twice: as an Expr, and as a function that runs the loops.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/Expr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace ergon;

static Expr symbol(const std::string &Name) { return Expr::symbol(Name); }
static const Expr N = symbol("n"), M = symbol("m"), I = symbol("i"), J = symbol("j"),
                  K = symbol("k");

using Values = std::map<std::string, long>;

static Rational value(const Expr &E, const Values &V) {
  auto Result = E.evaluate([&](const std::string &Name) {
    auto Found = V.find(Name);
    return Found == V.end() ? std::nullopt : std::optional(Rational(Found->second));
  });
  EXPECT_TRUE(Result) << toText(E) << ": " << Result.error().What;
  return Result.value_or(Rational(-999999));
}

static bool hasSum(const Expr &E) {
  for (const Term &T : E.terms())
    for (const auto &[Factor, Power] : T.Factors) {
      if (Factor->What == Atom::Kind::Sum)
        return true;
      for (const Expr &Operand : Factor->Operands)
        if (hasSum(Operand))
          return true;
    }
  return false;
}

static std::string text(const Values &V) {
  std::string Result;
  for (const auto &[Name, Value] : V)
    Result += Name + "=" + std::to_string(Value) + " ";
  return Result;
}

//===----------------------------------------------------------------------===//
// Loop nests that somebody writes
//===----------------------------------------------------------------------===//

TEST(ExprSum, Rectangle) {
  const Expr Area = sum("i", 0, N - 1, sum("j", 0, M - 1, 1));
  EXPECT_TRUE(Area == N * M * isNonNegative(N - 1) * isNonNegative(M - 1));
}

TEST(ExprSum, Triangle) {
  const Expr Half = Expr(Rational(1, 2)), Some = isNonNegative(N - 1);
  const Expr WithDiagonal = sum("i", 0, N - 1, sum("j", 0, I, 1));
  EXPECT_TRUE(WithDiagonal == Half * (N * N + N) * Some);
  const Expr E = simplifyConditions(sum("i", 0, N - 1, sum("j", 0, I - 1, 1)));
  EXPECT_TRUE(E == Half * (N * N - N) * Some || E == Half * (N * N - N) * isNonNegative(N - 2));
}

TEST(ExprSum, Tetrahedron) {
  const Expr Count = sum("i", 0, N - 1, sum("j", 0, I, sum("k", 0, J, 1)));
  EXPECT_TRUE(Count == N * (N + 1) * (N + 2) * Expr(Rational(1, 6)) * isNonNegative(N - 1));
}

TEST(ExprSum, TilesWithARaggedEdge) {
  // for (ii = 0; ii < n; ii += 32) for (i = ii; i < min(ii + 32, n); i++)
  const Expr Start = 32 * I;
  const Expr Count = sum("i", 0, ceilDiv(N, 32) - 1, sum("j", Start, min(Start + 32, N) - 1, 1));
  EXPECT_FALSE(hasSum(Count)) << toText(Count);
  for (long Value = -40; Value <= 200; ++Value)
    ASSERT_EQ(value(Count, {{"n", Value}}), std::max(Value, 0L)) << toText(Count);
}

TEST(ExprSum, ThreadsUnderAGuard) {
  // if (i < n) over the threads of a launch: min(n, grid·block) of them.
  const Expr Grid = symbol("grid.x"), Block = symbol("block.x");
  const Expr Guarded = sum("i", 0, Grid * Block - 1, isNonNegative(N - 1 - I));
  EXPECT_FALSE(hasSum(Guarded));
  for (long Size = 1; Size <= 4; ++Size)
    for (long Value = -2; Value <= 15; ++Value)
      ASSERT_EQ(value(Guarded, {{"n", Value}, {"grid.x", 3}, {"block.x", Size}}),
                std::clamp(Value, 0L, 3 * Size))
          << toText(Guarded);
}

TEST(ExprSum, GridStride) {
  // for (i = thread; i < n; i += threads) over all threads: n iterations in all.
  const Expr Threads = symbol("grid.x") * symbol("block.x");
  const Expr Trips = floorDiv(N - 1 - I, Threads) + 1;
  const Expr Count = sum("i", 0, Threads - 1, Trips * isNonNegative(Trips - 1));
  EXPECT_FALSE(hasSum(sum("i", 0, Threads - 1, Trips))) << "a period of a floor is closed";
  EXPECT_TRUE(sum("i", 0, Threads - 1, Trips * isNonNegative(N - 1 - I)) ==
              N * isNonNegative(N - 1));
  for (long Grid = 1; Grid <= 3; ++Grid)
    for (long Value = 0; Value <= 20; ++Value)
      ASSERT_EQ(value(Count, {{"n", Value}, {"grid.x", Grid}, {"block.x", 2}}), Value)
          << toText(Count);
}

TEST(ExprSum, FloorOverAPeriodAndLess) {
  // floor((n ± i)/7) over 0 <= i <= m, closed for m < 7: as it stands and counting down.
  for (int Direction : {1, -1})
    for (int Last = -1; Last <= 9; ++Last) {
      const Expr Closed = sum("i", 0, Last, floorDiv(N + Direction * I, 7));
      EXPECT_TRUE(Last > 6 || !hasSum(Closed)) << toText(Closed);
      for (long Value = -20; Value <= 20; ++Value) {
        long Want = 0;
        for (long V = 0; V <= Last; ++V)
          Want += (Value + Direction * V + 70) / 7 - 10;
        ASSERT_EQ(value(Closed, {{"n", Value}}), Want) << toText(Closed) << " n=" << Value;
      }
    }
}

TEST(ExprSum, EqualityPicksOneValue) {
  const Expr Diagonal = sum("i", 0, N - 1, sum("j", 0, M - 1, isEqual(I, J)));
  EXPECT_FALSE(hasSum(Diagonal));
  const Expr Only = sum("i", 0, N - 1, isEqual(I, M) * I * I);
  EXPECT_FALSE(hasSum(Only));
  for (long A = -2; A <= 6; ++A)
    for (long B = -2; B <= 6; ++B) {
      EXPECT_EQ(value(Diagonal, {{"n", A}, {"m", B}}), std::max(0L, std::min(A, B)));
      EXPECT_EQ(value(Only, {{"n", A}, {"m", B}}), B >= 0 && B < A ? B * B : 0);
    }
}

TEST(ExprSum, EqualityOfADouble) {
  // [2·i = n]: one value for an even n, none for an odd one.
  const Expr Even = sum("i", 0, M, isEqual(2 * I, N));
  EXPECT_FALSE(hasSum(Even));
  for (long A = -3; A <= 9; ++A)
    EXPECT_EQ(value(Even, {{"n", A}, {"m", 3}}), A >= 0 && A <= 6 && A % 2 == 0) << A;
}

TEST(ExprSum, EmptyAndSingleRanges) {
  EXPECT_TRUE(sum("i", 5, 4, I).isZero());
  EXPECT_TRUE(sum("i", 5, 5, I) == Expr(5));
  EXPECT_TRUE(sum("i", -3, 3, I).isZero());
  EXPECT_TRUE(sum("i", -3, -1, I * I) == Expr(14));
  EXPECT_TRUE(sum("i", N, N, I * M) == N * M);
  EXPECT_TRUE(sum("i", 0, N, Expr()).isZero());
  for (long Value : {-3, -1}) // empty by far, not by one
    EXPECT_EQ(value(sum("i", 2, N, I), {{"n", Value}}), 0);
}

TEST(ExprSum, WithoutAClosedFormItStaysASum) {
  // 17 has too many residues to sum one by one.
  const Expr Squares = sum("i", 1, N, floorDiv(I * I, 17) * M);
  EXPECT_TRUE(hasSum(Squares));
  EXPECT_TRUE(Squares == M * sum("i", 1, N, floorDiv(I * I, 17))); // m stands outside
  EXPECT_EQ(value(Squares, {{"n", 8}, {"m", 2}}), 16);             // 2·(1 + 2 + 2 + 3)
}

TEST(ExprSum, SmallDivisorsAreSummedByResidue) {
  const Expr Thirds = sum("i", 1, N, floorDiv(I * I, 3));
  EXPECT_FALSE(hasSum(Thirds));
  EXPECT_EQ(value(Thirds, {{"n", 5}}), 17); // 0 + 1 + 3 + 5 + 8
  // i % 4 == 3 below 10: 3 and 7; below 12: 11 too.
  const Expr Residue = sum("i", 0, N - 1, isEqual(I - 4 * floorDiv(I, 4), 3));
  EXPECT_FALSE(hasSum(Residue));
  EXPECT_EQ(value(Residue, {{"n", 10}}), 2);
  EXPECT_EQ(value(Residue, {{"n", 12}}), 3);
}

TEST(ExprSum, AddsUpNoMoreTermsThanItMay) {
  const Expr Squares = sum("i", 1, N, floorDiv(I * I, 17)); // 0 + 0 + 0 + 0 + 1 for 5
  const auto Five = [](const std::string &) { return std::optional<Rational>(5); };
  EXPECT_EQ(Squares.evaluate(Five, 5), Rational(1));
  const auto Long = Squares.evaluate(Five, 4);
  ASSERT_FALSE(Long);
  EXPECT_EQ(Long.error().Why, EvaluationError::Kind::TooExpensive);
  // A condition that fails spares the sum.
  EXPECT_EQ((isNonNegative(N - 9) * Squares).evaluate(Five, 0), Rational(0));
}

TEST(ExprSum, SubstitutionDoesNotCapture) {
  // f(n, m) = sum over 1 <= i <= n of floor(i²·m / 17), no closed form: f(4, m) for
  // m = 27 is 1 + 6 + 14 + 25, by hand.
  const Expr F = sum("i", 1, N, floorDiv(I * I * M, 17));
  EXPECT_FALSE(F.dependsOn("i"));
  const Expr Captured = F.substitute({{"m", I}}); // i is the caller's now
  EXPECT_TRUE(Captured.dependsOn("i"));
  EXPECT_EQ(value(Captured, {{"n", 4}, {"i", 27}}), 46);
  EXPECT_EQ(value(F.substitute({{"n", I}}), {{"i", 4}, {"m", 27}}), 46);
  EXPECT_TRUE(F.substitute({{"i", Expr(7)}}) == F); // bound: not a free symbol
  const Expr Renamed = F.substitute({{"n", symbol("i_")}, {"m", I}});
  EXPECT_EQ(value(Renamed, {{"i_", 4}, {"i", 27}}), 46);
}

TEST(ExprSum, CollectsFreeSymbolsOnly) {
  std::set<std::string> Symbols;
  (sum("i", 1, N, floorDiv(I * I * M, 17)) + max(K, 0)).collectSymbols(Symbols);
  EXPECT_EQ(Symbols, (std::set<std::string>{"k", "m", "n"}));
}

TEST(ExprSum, StaysExactAtABillion) {
  // Python: sums of i^(d-1) over i < n through Stirling numbers, and
  // comb(n + d - 1, d), the size of the d-fold nest i1 <= i2 <= … < n.
  const struct {
    unsigned Degree;
    const char *PowerSum, *Simplex;
  } Cases[] = {
      {3, "333333332833333333500000000", "166666667166666667000000000"},
      {4, "249999999500000000250000000000000000", "41666666916666667125000000250000000"},
      {5, "199999999500000000333333333333333333300000000",
       "8333333416666666958333333750000000200000000"},
      {6, "166666666166666667083333333333333333250000000000000000",
       "1388888909722222340277778090277778158333333500000000"},
      {7, "142857142357142857642857142857142856976190476190476190500000000",
       "198412702579365114087301733134920957142857492857143000000000"},
      {8, "124999999500000000583333333333333333041666666666666666750000000000000000",
       "24801587996031754017857191468254136135913024107143181250000125000000"},
  };
  const Values Billion{{"n", 1000000000}};
  for (const auto &[Degree, PowerSum, Simplex] : Cases) {
    const Expr Powers = sum("i", 0, N - 1, power(I, Degree - 1));
    EXPECT_EQ(value(Powers, Billion).get_str(), PowerSum);
    Expr Nest = 1;
    for (unsigned Level = Degree; Level-- > 1;) // the innermost variable runs to the next one
      Nest = sum("i" + std::to_string(Level + 1), 0, symbol("i" + std::to_string(Level)), Nest);
    Nest = sum("i1", 0, N - 1, Nest);
    EXPECT_EQ(value(Nest, Billion).get_str(), Simplex);
  }
}

//===----------------------------------------------------------------------===//
// Random loop nests
//===----------------------------------------------------------------------===//

namespace {
struct Sample {
  Expr Formula;
  std::function<long(const Values &)> Reference;
};

enum class Shapes { Closed, Any };

class Generator {
public:
  Generator(unsigned Seed, Shapes Allowed) : Engine(Seed), Allowed(Allowed) {}

  /// Loops \p Depth deep around products of factors. Shapes::Closed: polynomials
  /// and one indicator with coefficient ±1 alone, which have a closed form.
  Sample nest(unsigned Depth) {
    const std::string Variable(1, "kji"[Depth - 1]);
    const Sample First = affine(1), Count = affine(2);
    Sample Last = {First.Formula + Count.Formula - 1,
                   [A = First.Reference, B = Count.Reference](const Values &Position) {
                     return A(Position) + B(Position) - 1;
                   }};
    Symbols.push_back(Variable);
    Sample Body = Depth == 1 || below(5) == 0 ? summand() : nest(Depth - 1);
    if (Depth > 1)
      Body = combine(combine(Body, affine(1), '*'), summand(), '+');
    Symbols.pop_back();
    return {
        sum(Variable, First.Formula, Last.Formula, Body.Formula),
        [=, A = First.Reference, B = Last.Reference, F = Body.Reference](const Values &Location) {
          Values Inner = Location;
          long Result = 0, To = B(Location);
          for (long V = A(Location); V <= To; ++V) {
            Inner[Variable] = V;
            Result += F(Inner);
          }
          return Result;
        }};
  }

  Values values() {
    return {
        {"n", long(below(10)) - 3}, {"m", long(below(10)) - 3}, {"block.x", long(below(4)) + 1}};
  }

private:
  std::mt19937 Engine;
  Shapes Allowed;
  std::vector<std::string> Symbols{"n", "m"};

  unsigned below(unsigned Bound) { return unsigned(Engine() % Bound); }

  static Sample combine(const Sample &A, const Sample &B, char Op) {
    return {Op == '*' ? A.Formula * B.Formula : A.Formula + B.Formula,
            [=, L = A.Reference, R = B.Reference](const Values &V) {
              return Op == '*' ? L(V) * R(V) : L(V) + R(V);
            }};
  }

  /// Up to two symbols with coefficients up to \p Largest, and a small number.
  Sample affine(long Largest) {
    long Number = long(below(7)) - 3;
    Sample Result{Expr(Number), [=](const Values &) { return Number; }};
    for (unsigned Left = below(3); Left != 0; --Left) {
      const std::string &Name = Symbols[below(unsigned(Symbols.size()))];
      const long Sign = below(2) ? 1 : -1, Factor = Sign * (long(below(unsigned(Largest))) + 1);
      Result = combine(
          Result, {symbol(Name) * Factor, [=](const Values &V) { return Factor * V.at(Name); }},
          '+');
    }
    return Result;
  }

  /// An affine expression in which the innermost variable has coefficient ±1 to
  /// ±\p Largest.
  Sample affineInVariable(long Largest) {
    const std::string Name = Symbols.back();
    long Factor = long(below(unsigned(Largest))) + 1;
    if (below(2))
      Factor = -Factor;
    Sample Rest = affine(1);
    Expr Free = Rest.Formula.substitute({{Name, Expr(0)}});
    return {Free + symbol(Name) * Factor, [=, R = Rest.Reference](Values V) {
              const long Own = Factor * V.at(Name);
              V[Name] = 0;
              return R(V) + Own;
            }};
  }

  Sample summand() {
    Sample Result = combine(affine(2), affine(1), below(2) ? '*' : '+');
    if (Allowed == Shapes::Closed)
      return below(2) ? combine(Result, indicator(1), '*') : Result;
    for (unsigned Left = below(3); Left != 0; --Left)
      Result = combine(Result, factor(), '*');
    return Result;
  }

  Sample indicator(long Largest) {
    const Sample S = affineInVariable(Largest);
    return {isNonNegative(S.Formula),
            [R = S.Reference](const Values &V) { return long(R(V) >= 0); }};
  }

  Sample factor() {
    const Sample A = affineInVariable(2), B = affine(1);
    auto L = A.Reference, R = B.Reference;
    switch (below(7)) {
    case 0:
    case 1:
      return indicator(3);
    case 2:
      return {isEqual(A.Formula, B.Formula),
              [=](const Values &Given) { return long(L(Given) == R(Given)); }};
    case 3:
      return {max(A.Formula, B.Formula), [=](const Values &V) { return std::max(L(V), R(V)); }};
    case 4:
      return {min(A.Formula, B.Formula),
              [=](const Values &Position) { return std::min(L(Position), R(Position)); }};
    case 5: {
      const long Factor = long(below(4)) + 2;
      return {floorDiv(A.Formula, Factor), [=](const Values &Location) {
                return (L(Location) - ((L(Location) % Factor) + Factor) % Factor) / Factor;
              }};
    }
    default:
      return {floorDiv(A.Formula, symbol("block.x")), [=](const Values &Coordinate) {
                const long Step = Coordinate.at("block.x");
                return (L(Coordinate) - ((L(Coordinate) % Step) + Step) % Step) / Step;
              }};
    }
  }
};
} // namespace

/// \p Nests random nests of a depth, each at \p Points values of its parameters.
static void compareNests(unsigned Seed, Shapes Allowed, unsigned Depth, unsigned Nests,
                         unsigned Points) {
  Generator Random(Seed, Allowed);
  for (unsigned Count = 0; Count != Nests; ++Count) {
    const Sample S = Random.nest(Depth);
    if (Allowed == Shapes::Closed && Depth == 1)
      ASSERT_FALSE(hasSum(S.Formula)) << toText(S.Formula);
    const Expr Simple = simplifyConditions(S.Formula);
    for (unsigned Point = 0; Point != Points; ++Point) {
      const Values V = Random.values();
      const Rational Want(S.Reference(V));
      ASSERT_EQ(value(S.Formula, V), Want)
          << "nest " << Count << " at " << text(V) << ": " << toText(S.Formula);
      ASSERT_EQ(value(Simple, V), Want) << "nest " << Count << " at " << text(V) << ": "
                                        << toText(S.Formula) << "\nbecame " << toText(Simple);
    }
  }
}

TEST(ExprSumRandom, PolynomialsUnderOneCondition) {
  compareNests(11, Shapes::Closed, 1, 400, 12);
  compareNests(12, Shapes::Closed, 2, 150, 8);
}
TEST(ExprSumRandom, OneLoop) { compareNests(13, Shapes::Any, 1, 400, 12); }
TEST(ExprSumRandom, TwoLoops) { compareNests(14, Shapes::Any, 2, 120, 8); }
TEST(ExprSumRandom, ThreeLoops) { compareNests(15, Shapes::Any, 3, 40, 6); }
