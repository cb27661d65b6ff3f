//===- ExprTest.cpp - exact symbolic expressions --------------------------===//
//
// Named cases, and random expressions that are built twice: once as an Expr and
// once as a function that computes the value step by step, without normal form.
// Large numbers were computed with Python.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/Expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace ergon;

static Expr symbol(const char *Name) { return Expr::symbol(Name); }
static const Expr N = symbol("n"), M = symbol("m"), K = symbol("k"), Block = symbol("block.x"),
                  Grid = symbol("grid.x");

using Values = std::map<std::string, Rational>;

static std::expected<Rational, EvaluationError> evaluate(const Expr &E, const Values &V) {
  return E.evaluate([&](const std::string &Name) {
    auto Found = V.find(Name);
    return Found == V.end() ? std::nullopt : std::optional(Found->second);
  });
}

static Rational value(const Expr &E, const Values &V) {
  auto Result = evaluate(E, V);
  EXPECT_TRUE(Result) << toText(E) << ": " << Result.error().What;
  return Result.value_or(Rational(-999999));
}

static Rational floorByHand(const Rational &R) {
  const std::int64_t Quotient = R.get_num().get_si() / R.get_den().get_si(); // toward zero
  return Quotient > R ? Quotient - 1 : Quotient;
}

namespace {
struct Sample {
  Expr Formula;
  std::function<Rational(const Values &)> Reference;
};

class Generator {
public:
  explicit Generator(unsigned Seed) : Engine(Seed) {}

  /// Any expression: fractions as coefficients, and shares as factors.
  Sample any() {
    Sample A = integer(3), B = integer(2);
    Rational Factor = fraction();
    bool Share = below(3) == 0;
    Expr Other = B.Formula * Expr(Factor);
    if (Share)
      Other *= symbol("taken@a.c:1:2");
    return {A.Formula + Other, [=](const Values &V) {
              Rational Right = B.Reference(V) * Factor;
              return Rational(A.Reference(V) + (Share ? Right * V.at("taken@a.c:1:2") : Right));
            }};
  }

  /// An expression that is an integer wherever its symbols are.
  Sample integer(unsigned Depth) {
    if (Depth == 0 || below(6) == 0)
      return leaf();
    Sample A = integer(Depth - 1), B = integer(Depth - 1);
    const Expr &X = A.Formula, &Y = B.Formula;
    const Rational F = fraction();
    auto Make = [&](Expr Formula, auto Op) {
      return Sample{std::move(Formula),
                    [=, L = A.Reference, R = B.Reference](const Values &Position) {
                      return Rational(Op(L(Position), R(Position)));
                    }};
    };
    using R = const Rational &;
    switch (below(11)) {
    case 0:
      return Make(X + Y, std::plus<Rational>());
    case 1:
      return Make(X - Y, std::minus<Rational>());
    case 2:
      return Make(X * Y, std::multiplies<Rational>());
    case 3:
    case 4:
      return Make(isNonNegative(X * Expr(F) + Y), [=](R U, R V) { return int(U * F + V >= 0); });
    case 5:
      return Make(isEqual(X, Y), [](R U, R V) { return int(U == V); });
    case 6:
      return Make(max(X, Y), [](R U, R V) { return U > V ? U : V; });
    case 7:
      return Make(min(X, Y), [](R U, R V) { return U < V ? U : V; });
    case 8:
      B = leaf(2); // block.x, which is positive
      return Make(floorDiv(X, Y), [](R U, R V) { return floorByHand(U / V); });
    case 9: // as C divides
      return Make(truncatingDiv(X, 3) + Y, [](R U, R V) { return U.get_si() / 3 + V; });
    default:
      return Make(floorDiv(X + Y, Expr(F)), [=](R U, R V) { return floorByHand((U + V) / F); });
    }
  }

  Values values() {
    auto Any = [&] { return Rational(long(below(15)) - 7); };
    Rational Share(long(below(5)), 4);
    return {{"n", Any()}, {"m", Any()}, {"block.x", long(below(4)) + 1}, {"taken@a.c:1:2", Share}};
  }

private:
  std::mt19937 Engine;

  unsigned below(unsigned Bound) { return unsigned(Engine() % Bound); }

  Rational fraction() {
    Rational Result(long(below(6)) + 1, long(below(4)) + 1);
    return below(2) ? Result : Rational(-Result);
  }

  Sample leaf() { return leaf(below(5)); }
  Sample leaf(unsigned Which) {
    static const char *const Names[] = {"n", "m", "block.x"};
    if (Which < 3)
      return {symbol(Names[Which]), [=](const Values &V) { return V.at(Names[Which]); }};
    Rational Number(long(below(9)) - 4);
    return {Expr(Number), [=](const Values &) { return Number; }};
  }
};
} // namespace

static constexpr unsigned Samples = 1000, ValuesEach = 6;

template <typename Check> static void forRandomSamples(unsigned Seed, Check &&Test) {
  Generator Random(Seed);
  for (unsigned I = 0; I != Samples && !::testing::Test::HasFailure(); ++I) {
    const Sample S = Random.any();
    SCOPED_TRACE("sample " + std::to_string(I) + ": " + toText(S.Formula));
    Test(S, Random);
  }
}

TEST(Expr, TestOfAConditionIsTheCondition) {
  Expr Holds = isNonNegative(Expr::symbol("n") - 1);
  EXPECT_EQ(isNonNegative(Holds - 1), Holds);
  EXPECT_EQ(isNonNegative(-Holds), 1 - Holds);
  EXPECT_EQ(isEqual(Holds, 0), 1 - Holds);
  EXPECT_EQ(isNonNegative(2 * Holds + 1), Expr(1));
  EXPECT_EQ(isNonNegative(-2 * Holds - 1), Expr(0));
}

TEST(ExprRandom, EveryFormKeepsTheValue) {
  forRandomSamples(1, [](const Sample &S, Generator &Random) {
    const Expr Simple = simplifyConditions(S.Formula);
    const ConditionalFormula Split = splitConditions(S.Formula);
    Expr Joined = Split.Formula;
    for (const Expr &Condition : Split.Conditions)
      Joined *= isNonNegative(Condition);
    for (unsigned J = 0; J != ValuesEach; ++J) {
      const Values V = Random.values();
      SCOPED_TRACE("n " + V.at("n").get_str() + ", m " + V.at("m").get_str() + ", block.x " +
                   V.at("block.x").get_str());
      ASSERT_EQ(value(S.Formula, V), S.Reference(V));
      ASSERT_EQ(value(Simple, V), S.Reference(V)) << toText(Simple);
      ASSERT_EQ(value(Joined, V), S.Reference(V)) << toText(Joined);
    }
  });
}

TEST(ExprRandom, TextIsReadBack) {
  forRandomSamples(2, [](const Sample &S, Generator &) {
    const auto Read = parseExpr(toText(S.Formula));
    ASSERT_TRUE(Read) << Read.error().What << " at " << Read.error().Where;
    ASSERT_EQ(toText(*Read), toText(S.Formula));
    ASSERT_TRUE(*Read == S.Formula);
  });
}

TEST(ExprRandom, LowerBoundIsNeverAboveTheValue) {
  unsigned Bounded = 0;
  forRandomSamples(3, [&](const Sample &S, Generator &Random) {
    for (const Expr &E : {S.Formula, -S.Formula}) {
      const auto Bound = lowerBound(E);
      Bounded += Bound && !E.constant();
      for (unsigned J = 0; Bound && J != ValuesEach; ++J)
        ASSERT_LE(*Bound, value(E, Random.values()));
    }
  });
  EXPECT_GT(Bounded, Samples / 20); // else this says nothing
  EXPECT_LE(lowerBound(power(max(N, -3), 2)).value_or(0), 0);
}

TEST(ExprRandom, SubstitutionIsEvaluationWithOtherValues) {
  forRandomSamples(5, [](const Sample &S, Generator &Random) {
    const Sample ForN = Random.integer(2), ForM = Random.integer(1);
    const Expr Put = S.Formula.substitute({{"n", ForN.Formula}, {"m", ForM.Formula}});
    for (unsigned J = 0; J != ValuesEach; ++J) {
      Values V = Random.values(), Changed = V;
      Changed["n"] = ForN.Reference(V);
      Changed["m"] = ForM.Reference(V);
      ASSERT_EQ(value(Put, V), S.Reference(Changed))
          << toText(Put) << " with n = " << toText(ForN.Formula);
    }
  });
}

TEST(Expr, SubstitutionAddsUpWhatBecomesEqual) {
  const Expr N = symbol("n"), M = symbol("m"), J = symbol("j"), K = symbol("k");
  const Expr Value = N * M + K - N * J + 2;
  EXPECT_TRUE(Value.substitute({{"m", J}}) == K + 2);
  EXPECT_TRUE(Value.substitute({{"m", J + 1}}) == N + K + 2);
  EXPECT_TRUE(Value.substitute({{"k", M * N}, {"j", 3}}) == 2 * M * N - 3 * N + 2);
  EXPECT_TRUE(Value.substitute({{"other", 1}}) == Value);
}

TEST(ExprText, FactorsMultiplyToTheWhole) {
  for (int A = -4; A <= 4; ++A)
    for (int B = -4; B <= 4; ++B) {
      const Expr Whole = -3 * M * power(N + A, 2) * (N + B) * (M - A);
      const auto Parts = factor(Whole);
      if (!Parts && Whole.terms().size() < 3)
        continue; // short enough as it is
      ASSERT_TRUE(Parts) << toText(Whole);
      Expr Product = Parts->Rest;
      for (const auto &[Base, Power] : Parts->Factors)
        Product *= power(Base, Power);
      EXPECT_TRUE(Product == Whole) << toText(Whole) << " became " << toText(Product);
    }
  EXPECT_FALSE(factor(N * N + N + 1));
  EXPECT_FALSE(factor(N * N - 2 * N + M));
}

TEST(Expr, EqualPolynomialsAreTheSame) {
  EXPECT_TRUE(power(N + M, 3) == N * N * N + 3 * N * N * M + 3 * N * M * M + M * M * M);
  EXPECT_TRUE((N - M) * (N + M) == N * N - M * M);
  EXPECT_TRUE((N - N).isZero());
  EXPECT_TRUE(power(N, 0) == Expr(1));
  EXPECT_FALSE(N * N == N * M);
  EXPECT_EQ(Expr::compare(N, M), -Expr::compare(M, N));
}

TEST(Expr, ExtremaOfWhatIsOrderedAreNoAtoms) {
  EXPECT_TRUE(max(N, N + 2) == N + 2);
  EXPECT_TRUE(min(N + 2, N) == N);
  EXPECT_TRUE(max(Expr(1), Block) == Block); // a launch dimension is at least 1
  EXPECT_TRUE(max(Block, Expr(1)) == Block);
  EXPECT_TRUE(min(Expr(1), Block) == Expr(1));
  EXPECT_TRUE(min(Block, Expr(1)) == Expr(1));
  EXPECT_TRUE(max(N, N + isNonNegative(M)) == N + isNonNegative(M));
  EXPECT_TRUE(min(N + isNonNegative(M), N) == N);
  EXPECT_TRUE(max(Block, Expr(2)) == max(Expr(2), Block)); // and this is open
  EXPECT_NE(max(Block, Expr(2)).asAtom(), nullptr);
}

TEST(Expr, ExtremaAreFlatAndOrderless) {
  EXPECT_TRUE(max(N, max(M, K)) == max(max(K, N), M));
  EXPECT_EQ(max(N, max(M, K)).asAtom()->Operands.size(), 3u);
  EXPECT_TRUE(min(N - 1, M - 1) == min(N, M) - 1);
  EXPECT_TRUE(max(N + 2 * K, M + 2 * K + 1) == max(N, M + 1) + 2 * K);
  EXPECT_TRUE(max(max(N, M) + K, 3) == max(max(N + K, 3), M + K));
  EXPECT_TRUE(max(min(N, M), min(M, N)) == min(N, M));
  EXPECT_TRUE(min(min(Block, Grid), 0).isZero()); // one that undercuts two
}

TEST(Expr, IndicatorsAreRoundedAndReduced) {
  EXPECT_TRUE(isNonNegative(2 * N - 3) == isNonNegative(N - 2)); // n >= 3/2
  EXPECT_TRUE(isNonNegative(3 * N + 2) == isNonNegative(N));     // n >= -2/3
  const Expr AtLeast2 = isNonNegative(N - 2), AtLeast5 = isNonNegative(N - 5);
  EXPECT_TRUE(AtLeast2 * AtLeast5 == AtLeast5);
  EXPECT_TRUE(AtLeast2 * AtLeast2 == AtLeast2);
  EXPECT_TRUE((AtLeast5 * isNonNegative(4 - N)).isZero());
  EXPECT_FALSE((AtLeast5 * isNonNegative(5 - N)).isZero());
  EXPECT_TRUE(isNonNegative(Block - 1) == Expr(1));
  EXPECT_TRUE(isNonNegative(-Block).isZero());
  EXPECT_TRUE(isNonNegative(min(N, M)) == isNonNegative(N) * isNonNegative(M));
  EXPECT_TRUE(isNonNegative(floorDiv(N, 4) - 2) == isNonNegative(N - 8));
  EXPECT_TRUE(isNonNegative(2 - floorDiv(N, 4)) == isNonNegative(11 - N));
  EXPECT_TRUE(isNonNegative(2 * floorDiv(N, 3) + 4 * M) == isNonNegative(floorDiv(N, 3) + 2 * M));
  // floor((n/2)/block.x) <= 3 for n = 7 and block.x = 1: floor(3.5) is 3.
  const Expr Half = floorDiv(N * Expr(Rational(1, 2)), Block);
  EXPECT_EQ(value(isNonNegative(3 - Half), {{"n", 7}, {"block.x", 1}}), 1);
  EXPECT_TRUE(isEqual(N, N + 1).isZero());
}

TEST(Expr, FloorsOfMultiplesGoAway) {
  EXPECT_TRUE(floorDiv(6 * N + 4, 2) == 3 * N + 2);
  EXPECT_TRUE(floorDiv(4 * N + 3, 4) == N);
  EXPECT_TRUE(floorDiv(N * Block + 2 * Block, Block) == N + 2);
  EXPECT_TRUE(floorDiv(floorDiv(N, 2) + 1, 3) == floorDiv(N + 2, 6));
  EXPECT_TRUE(floorDiv(N, -2) == floorDiv(-N, 2));
  EXPECT_TRUE(ceilDiv(N, 4) == floorDiv(N + 3, 4));
}

TEST(Expr, DivisionsRoundAsTheyShould) {
  for (int A = -20; A <= 20; ++A)
    for (int D = -7; D <= 7; ++D) {
      if (D == 0)
        continue;
      const int Floor = A / D - (A % D != 0 && (A % D < 0) != (D < 0));
      const int Ceil = A / D + (A % D != 0 && (A % D < 0) == (D < 0));
      const Values V{{"n", A}, {"m", D}};
      SCOPED_TRACE(std::to_string(A) + " by " + std::to_string(D));
      EXPECT_EQ(value(floorDiv(N, D), V), Floor);
      EXPECT_EQ(value(floorDiv(N, M), V), Floor);
      EXPECT_EQ(value(ceilDiv(N, D), V), Ceil);
      EXPECT_EQ(value(ceilDiv(N, M), V), Ceil);
      EXPECT_EQ(truncatingDiv(A, D).constant(), Rational(A / D));
      EXPECT_EQ(value(truncatingDiv(N, D), V), A / D);
      EXPECT_EQ(value(truncatingDiv(N, M), V), A / D);
    }
}

TEST(ExprText, IsWhatAPersonWouldWrite) {
  EXPECT_EQ(toPretty(2 * power(N, 3) + 3 * N * N), "2·n³ + 3·n²");
  EXPECT_EQ(toPretty((N * N + N) * Expr(Rational(1, 2))), "(n² + n)/2");
  EXPECT_EQ(toPretty(5 * N * N - 20 * N + 20), "5·(n - 2)²");
  EXPECT_EQ(toPretty(N * (N + 1) * (N + 2) * Expr(Rational(1, 6))), "n·(n + 1)·(n + 2)/6");
  EXPECT_EQ(toPretty(2 * N - N * N - 1), "-(n - 1)²");
  EXPECT_EQ(toPretty(power(N, 12) - 7), "n¹² - 7");
  EXPECT_EQ(toPretty(N - M), "n - m");
  EXPECT_EQ(toPretty(M - N), "m - n");
  EXPECT_EQ(toPretty(Expr()), "0");
  EXPECT_EQ(toPretty(Expr(Rational(-1, 2))), "-1/2");
  EXPECT_EQ(toPretty(N * Expr(Rational(3, 4))), "3·n/4");
  EXPECT_EQ(toPretty(floorDiv(N, 4) * isNonNegative(N - 1)), "⌊n/4⌋·[n ≥ 1]");
  EXPECT_EQ(toPretty(floorDiv(N + M, Block)), "⌊(m + n)/block.x⌋");
  EXPECT_EQ(toPretty(max(N, 0) + min(N, M)), "max(0, n) + min(m, n)");
  EXPECT_EQ(toPretty(symbol("trips@a.c:3:4") * N), "n·trips@a.c:3:4");
}

TEST(ExprText, ConditionsReadAsInequalities) {
  EXPECT_EQ(prettyCondition(N - 1), "n ≥ 1");
  EXPECT_EQ(prettyCondition(5 - N), "n ≤ 5");
  EXPECT_EQ(prettyCondition(N - M - 1), "n > m");
  EXPECT_EQ(prettyCondition(N - M - 3), "n ≥ m + 3");
  const ConditionalFormula Split = splitConditions((N * N - N) * isNonNegative(N - 2));
  EXPECT_EQ(toPretty(Split.Formula), "n² - n");
  ASSERT_EQ(Split.Conditions.size(), 1u);
  EXPECT_EQ(prettyCondition(Split.Conditions[0]), "n ≥ 2");
}

TEST(ExprText, SimplerConditionsAsTheHeaderSays) {
  const Expr Long = (N * N - N) * isNonNegative(N - 2) + N * isNonNegative(N - 1);
  EXPECT_TRUE(simplifyConditions(Long) == N * N * isNonNegative(N - 1));
  const Expr Apart = N * isNonNegative(N - 2) + M * isNonNegative(N - 1);
  EXPECT_TRUE(simplifyConditions(Apart) == Apart); // neither is zero at n = 1
}

TEST(ExprText, SymbolsOfAnyNameAreReadBack) {
  for (const char *Name : {"n", "block.x", "trips@a b.c:1:2", "max", "floor", "sum", "7up",
                           "ünïcode", "(n+1)", "a\"b\\", ".x"}) {
    const Expr E = 2 * symbol(Name) + floorDiv(symbol(Name), 3);
    const auto Read = parseExpr(toText(E));
    ASSERT_TRUE(Read) << Name << ": " << Read.error().What;
    EXPECT_TRUE(*Read == E) << Name;
  }
}

TEST(ExprText, ReadsWhatAPersonTypes) {
  EXPECT_TRUE(parseExpr(" 2 * n ^ 3 - 1/2*( m + 1 ) ").value() ==
              2 * power(N, 3) - Expr(Rational(1, 2)) * M - Expr(Rational(1, 2)));
  EXPECT_TRUE(parseExpr("010").value() == Expr(10)); // decimal, whatever it begins with
  EXPECT_TRUE(parseExpr("09/090").value() == Expr(Rational(1, 10)));
  EXPECT_TRUE(parseExpr("4/6").value() == Expr(Rational(2, 3)));
  EXPECT_TRUE(parseExpr("sum(i,1,n,i)").value() ==
              Expr(Rational(1, 2)) * (N * N + N) * isNonNegative(N - 1));
}

TEST(ExprText, ErrorsSayWhereAndWhat) {
  const struct {
    std::string Text;
    std::size_t Offset;
    const char *What;
  } Cases[] = {
      {"", 0, "expected a number"},
      {"n+", 2, "expected a number"},
      {"n)", 1, "unexpected character"},
      {"n m", 2, "unexpected character"},
      {"-n*-1", 3, "expected a number"},
      {"(n", 2, "expected ')'"},
      {"[n*2", 4, "expected ']'"},
      {"n^x", 2, "expected a power"},
      {"n^65", 4, "expected a power of at most 64"},
      {"1/0", 3, "expected a denominator"},
      {"n+`m", 2, "unterminated backquote"},
      {"sum(,1,n,i)", 4, "expected a variable"},
      {"sum(i,1,i,i)", 12, "depends on its own variable"},
      {"floor(n)", 8, "no function 'floor' of 1 operands"},
      {"abs(n)", 6, "no function 'abs'"},
      {std::string(300, '('), 200, "nested too deeply"},
  };
  for (const auto &[Text, Offset, What] : Cases) {
    const auto Read = parseExpr(Text);
    ASSERT_FALSE(Read) << Text;
    EXPECT_EQ(Read.error().Where, "character " + std::to_string(Offset + 1))
        << Text << ": " << Read.error().What;
    EXPECT_THAT(Read.error().What, testing::HasSubstr(What)) << Text;
  }
}

TEST(ExprValue, ErrorsSayWhatHasNoValue) {
  using Why = EvaluationError::Kind;
  const auto Unbound = evaluate(N + M, {{"n", 1}});
  ASSERT_FALSE(Unbound);
  EXPECT_EQ(Unbound.error().Why, Why::Unbound);
  EXPECT_EQ(Unbound.error().What, "m");
  for (const char *Text : {"floor(n,m)", "floor(n,0)", "floor(floor(n,0),2)"}) {
    const auto Divided = evaluate(parseExpr(Text).value(), {{"n", 1}, {"m", 0}});
    ASSERT_FALSE(Divided) << Text;
    EXPECT_EQ(Divided.error().Why, Why::DivisionByZero);
    EXPECT_THAT(Divided.error().What, testing::StartsWith("n divided by "));
  }
}

TEST(ExprValue, SubstitutesAllAtOnce) {
  EXPECT_TRUE((N - 2 * M).substitute({{"n", M}, {"m", N}}) == M - 2 * N);
  EXPECT_TRUE((N * floorDiv(N, 2)).substitute({{"n", 2 * K}}) == 2 * K * K);
}

// A quotient hides a maximum, which comes out once the quotient is multiplied away: the indicator
// of two extrema had 117 terms here, and 34,749 with a sorting kernel. The values are those of the
// comparison itself.
TEST(ExprValue, IndicatorStaysSmallWhereQuotientsHideExtrema) {
  const Expr More = max(N + Block, M) - N - Block, Started = min(Expr(1), More);
  const Expr Last = floorDiv(More + Block - Started, Block) + Started - 1;
  const Expr Lower = max(Expr(0), -floorDiv(N + K, Block));
  const Expr Upper = min(Last, floorDiv(M - 1 - N - K, Block));
  const Expr Inside = isAtLeast(Upper, Lower);
  EXPECT_LE(Inside.terms().size(), 64U);
  for (long n : {-7, 0, 5})
    for (long m : {-3, 4, 30})
      for (long k : {0, 3})
        for (long block : {1, 4, 32}) {
          const Values V = {{"n", n}, {"m", m}, {"k", k}, {"block.x", block}};
          EXPECT_EQ(value(Inside, V), Rational(value(Upper, V) >= value(Lower, V) ? 1 : 0))
              << n << " " << m << " " << k << " " << block;
        }
}

/// Each level has the one below twice: written out, 2^50 atoms.
static Expr nested(Expr Inner) {
  for (unsigned Level = 0; Level != 50; ++Level)
    Inner = floorDiv(Inner, 3) + floorDiv(Inner + 1, 2);
  return Inner;
}

TEST(Expr, WhatStandsThereSeveralTimesIsWalkedOverOnce) {
  const Expr Formula = nested(N);
  EXPECT_EQ(Formula, nested(N)); // made apart
  EXPECT_EQ(Formula.terms()[0].Factors[0].first, nested(N).terms()[0].Factors[0].first);
  EXPECT_EQ(Expr::compare(Formula, Formula + 1), -Expr::compare(Formula + 1, Formula));
  EXPECT_FALSE(Formula == nested(N + 1));
  EXPECT_TRUE(Formula.dependsOn("n"));
  EXPECT_FALSE(Formula.dependsOn("m"));
  EXPECT_EQ(Formula.substitute({{"m", K}}), Formula);
  EXPECT_EQ(Formula.substitute({{"n", M + 5}}), nested(M + 5));
  for (long n : {0, 7, 1000})
    EXPECT_EQ(Formula.substitute({{"n", n}}), nested(Expr(n)));
}
