//===- PiecewiseSumTest.cpp - sums without adding up each term ------------===//
//
// Random sums, nested up to three deep, are held against adding up every term by an evaluator of
// this file's own. Large ones are held against closed forms by hand.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/PiecewiseSum.h"
#include "model/symbolic/ExprBounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace ergon;

static Expr symbol(const std::string &Name) { return Expr::symbol(Name); }
static const Expr N = symbol("n"), M = symbol("m"), I = symbol("i"), J = symbol("j"),
                  K = symbol("k");

using Values = std::map<std::string, Rational>;

/// A sum as it stands, without a closed form.
static Expr plainSum(const std::string &Variable, const Expr &First, const Expr &Last,
                     const Expr &Summand) {
  return Expr(std::make_shared<const Atom>(Atom::Kind::Sum, Variable,
                                           std::vector<Expr>{First, Last, Summand}));
}

/// The value by its definition; nothing where a division is by zero.
static std::optional<Rational> direct(const Expr &E, Values &V);

static std::optional<Rational> direct(const Atom &A, Values &Position) {
  if (A.What == Atom::Kind::Symbol)
    return Position.at(A.Name);
  std::vector<Rational> Operands;
  for (std::size_t K = 0; K != (A.What == Atom::Kind::Sum ? 2 : A.Operands.size()); ++K) {
    auto Value = direct(A.Operands[K], Position);
    if (!Value)
      return std::nullopt;
    Operands.push_back(*Value);
  }
  switch (A.What) {
  case Atom::Kind::FloorDiv:
    if (Operands[1] == 0)
      return std::nullopt;
    return floorOf(Operands[0] / Operands[1]);
  case Atom::Kind::Max:
    return std::ranges::max(Operands);
  case Atom::Kind::Min:
    return std::ranges::min(Operands);
  case Atom::Kind::Indicator:
    return Rational(Operands[0] >= 0 ? 1 : 0);
  case Atom::Kind::Log:
    return logarithmOf(Operands[0], Operands[1]);
  case Atom::Kind::Sum: {
    Rational Total = 0;
    for (Rational V = Operands[0]; V <= Operands[1]; V += 1) {
      Values Inside = Position;
      Inside[A.Name] = V;
      auto Next = direct(A.Operands[2], Inside);
      if (!Next)
        return std::nullopt;
      Total += *Next;
    }
    return Total;
  }
  default:
    return std::nullopt;
  }
}

static std::optional<Rational> direct(const Expr &E, Values &V) {
  Rational Total = 0;
  for (const Term &T : E.terms()) {
    Rational Product = T.Coefficient;
    // What an indicator that is zero guards is not asked for.
    for (bool Indicators : {true, false})
      for (const auto &[Factor, Power] : T.Factors) {
        if ((Factor->What == Atom::Kind::Indicator) != Indicators || Product == 0)
          continue;
        auto Value = direct(*Factor, V);
        if (!Value)
          return std::nullopt;
        for (unsigned I = 0; I != Power; ++I)
          Product *= *Value;
      }
    Total += Product;
  }
  return Total;
}

static std::optional<Rational> inPieces(const Expr &Sum, const Values &V,
                                        std::uint64_t Pieces = 100'000) {
  const Atom *Only = Sum.asAtom();
  SymbolValues Lookup = [&](const std::string &Name) -> std::optional<Rational> {
    auto Found = V.find(Name);
    return Found == V.end() ? std::nullopt : std::optional(Found->second);
  };
  auto First = Only->Operands[0].evaluate(Lookup), Last = Only->Operands[1].evaluate(Lookup);
  if (!First || !Last)
    return std::nullopt;
  return piecewiseSum(*Only, *First, *Last, Lookup, Pieces);
}

namespace {
/// Random sums over variables i, j, k, each with the symbols n and m.
class RandomSums {
public:
  explicit RandomSums(unsigned Seed) : Draw(Seed) {}

  Expr next() {
    Variables.clear();
    return nest(1 + below(3));
  }

  Values point() {
    Values Result{{"n", below(40)}, {"m", below(30) - 5}};
    if (below(8) == 0) // a mean
      Result["n"] = Rational(1 + below(90), 4);
    return Result;
  }

private:
  std::mt19937 Draw;
  std::vector<Expr> Variables;

  int below(int Count) { return std::uniform_int_distribution<int>(0, Count - 1)(Draw); }

  Expr nest(int Depth) {
    static const char *const Names[] = {"i", "j", "k"};
    const std::string Name = Names[Variables.size()];
    const Expr First = below(3) == 0 ? Expr(below(5)) : linear(),
               Last = below(2) == 0 ? N + below(4) : bound();
    Variables.push_back(symbol(Name));
    Expr Summand = factor() * factor();
    if (Depth > 1)
      Summand = below(3) == 0 ? factor() * nest(Depth - 1) + factor() : factor() * nest(Depth - 1);
    else if (below(2) == 0)
      Summand += factor();
    Variables.pop_back();
    return Summand.isZero() ? plainSum(Name, First, Last, Expr(1))
                            : plainSum(Name, First, Last, Summand);
  }

  Expr linear() {
    Expr Result(below(9) - 3);
    for (const Expr &Variable : Variables)
      Result += Expr(below(2) == 0 ? 1 : below(7) - 3) * Variable;
    if (below(3) == 0)
      Result += Expr(below(3) - 1) * (below(2) == 0 ? N : M);
    return Result;
  }

  Expr bound() {
    switch (below(4)) {
    case 0:
      return min(N, linear() + below(9));
    case 1:
      return floorDiv(linear() + N, 1 + below(6));
    case 2:
      return N - linear();
    default:
      return linear() + below(12);
    }
  }

  Expr factor() {
    switch (below(10)) {
    case 0:
      return floorDiv(linear(), 1 + below(7));
    case 1:
      return isNonNegative(linear());
    case 2:
      return max(linear(), linear());
    case 3:
      return min(linear(), floorDiv(linear() + N, 1 + below(4)));
    case 4:
      return ceilDiv(max(linear(), linear() - 3), 2 + below(4)) + 1;
    case 5:
      return isNonNegative(linear() - floorDiv(linear(), 2 + below(3)));
    case 6:
      return below(3) == 0 ? floorDiv(linear() * linear(), 2 + below(3)) : floorDiv(N, linear());
    case 7:
      return below(3) == 0 ? isNonNegative(linear() * linear() - M) : floorLog(2, linear());
    case 8:
      return isEqual(linear() - 3 * floorDiv(linear(), 3), below(3));
    default:
      return linear();
    }
  }
};
} // namespace

TEST(PiecewiseSum, IsWhatAddingUpGives) {
  // Another seed with --gtest_shuffle --gtest_random_seed.
  const int Given = testing::UnitTest::GetInstance()->random_seed();
  RandomSums Random(7 + Given);
  int Found = 0, Asked = 0;
  for (int Round = 0; Round != 200; ++Round) {
    const Expr Sum = Random.next();
    for (int Point = 0; Point != 2; ++Point) {
      Values V = Random.point();
      auto Quick = inPieces(Sum, V, 1'000);
      ++Asked;
      if (!Quick)
        continue;
      ++Found;
      auto Slow = direct(Sum, V);
      ASSERT_TRUE(Slow) << toText(Sum);
      ASSERT_EQ(*Quick, *Slow) << toText(Sum) << " at n = " << V["n"].get_str()
                               << ", m = " << V["m"].get_str();
    }
  }
  EXPECT_GT(Found, Asked * 3 / 4);
}

/// The sum of ceil(x/s) over 0 < x < n. It is n - 1 and the sum of floor(y/s) over 0 <= y < n - 1:
/// Q whole groups of s equal numbers 0..Q - 1, and R times Q.
static Rational triangle(std::int64_t Count, std::int64_t Step) {
  const std::int64_t Rows = Count - 1, Q = Rows / Step, R = Rows % Step;
  return Rational(Rows) + Rational(Step) * Q * (Q - 1) / 2 + Rational(Q) * R;
}

TEST(PiecewiseSum, TrianglesOfAnyStepTakeAFewPieces) {
  // for (i < n) for (j = i; j < n; j += s): sum of ceil((n - i)/s) for i < n.
  for (std::int64_t Step = 2; Step != 8; ++Step)
    for (std::int64_t Count : {100LL, 10'000'000LL, 2'147'483'647LL}) {
      const Expr Sum = plainSum("i", 0, N - 1, ceilDiv(max(N, I + 1) - I, Step));
      auto Value = inPieces(Sum, {{"n", Count}}, 30);
      ASSERT_TRUE(Value) << Step << " " << Count;
      // n - i is x = 1..n.
      EXPECT_EQ(*Value, Rational(triangle(Count + 1, Step))) << Step << " " << Count;
    }
}

TEST(PiecewiseSum, ThreeDeepAndTiles) {
  // i <= j in steps of 3, j <= k in steps of 2, for n a multiple of 6: held against n = 60 by
  // definition, and against the polynomial through small multiples of 6 for a large one.
  const Expr Inner = plainSum("k", 0, floorDiv(N - 1 - I - 3 * J, 2), Expr(1));
  const Expr Nest = plainSum("i", 0, N - 1, plainSum("j", 0, floorDiv(N - 1 - I, 3), Inner));
  std::vector<Rational> Small;
  for (int T = 1; T <= 5; ++T) {
    Values V{{"n", 6 * T}};
    Small.push_back(*direct(Nest, V));
    EXPECT_EQ(inPieces(Nest, V), Small.back());
  }
  // Newton's forward differences: degree 3 in t = n/6.
  std::vector<Rational> Differences;
  for (std::vector<Rational> Row = Small; !Row.empty();) {
    Differences.push_back(Row[0]);
    for (std::size_t K = 0; K + 1 != Row.size(); ++K)
      Row[K] = Row[K + 1] - Row[K];
    Row.pop_back();
  }
  EXPECT_EQ(Differences[4], Rational(0));
  const std::int64_t T = 100'000'000;
  Rational Expected = 0, Binomial = 1;
  for (int K = 0; K != 4; ++K) {
    Expected += Differences[K] * Binomial;
    Binomial = Binomial * Rational(T - 1 - K) / Rational(K + 1);
  }
  EXPECT_EQ(inPieces(Nest, {{"n", 6 * T}}, 2'000), Expected);

  // Tiles: all i < n are met once, and n - i of each.
  const Expr Tile =
      plainSum("ii", 0, floorDiv(N - 1, M),
               plainSum("i", M * symbol("ii"), min(N, M * symbol("ii") + M) - 1, N - I));
  for (std::int64_t Edge : {5, 32, 1000}) {
    const std::int64_t Count = 1'000'000'007;
    EXPECT_EQ(inPieces(Tile, {{"n", Count}, {"m", Edge}}, 200),
              Rational(Count) * Rational(Count + 1) / Rational(2));
  }
}

TEST(PiecewiseSum, LeavesWhatItCannot) {
  EXPECT_FALSE(inPieces(plainSum("i", 1, N, power(Expr(2), I)), {{"n", 50}}));
  EXPECT_FALSE(inPieces(plainSum("i", 0, N, symbol("unbound")), {{"n", 50}}));
  EXPECT_FALSE(inPieces(plainSum("i", 0, N, floorDiv(N, I)), {{"n", 50}})); // by zero first
  EXPECT_FALSE(inPieces(plainSum("i", 0, N, floorDiv(I, 7)), {{"n", 5000}}, 3));
}

TEST(PiecewiseSum, BoundsOfASumOfNumbersAreItsValue) {
  // 10^10 terms, which nobody adds up; [p] is a share.
  const Expr Sum = symbol("p") * plainSum("i", 0, N - 1, floorDiv(I, 2) * max(I, M));
  const std::int64_t Count = 10'000'000'000;
  auto Found = boundsOf(Sum, {{"n", {Count, Count}}, {"m", {0, 0}}, {"p", {0, 1}}});
  ASSERT_TRUE(Found);
  // floor(i/2)·i over pairs i = 2t, 2t + 1 is t·(4t + 1): 4·S2 + S1 for t < n/2.
  const Rational T(Count / 2), R = T * (T - 1) / Rational(2),
                               Two = (T - 1) * T * (Rational(2) * T - 1) / Rational(6);
  EXPECT_EQ(Found->High, Rational(4) * Two + R);
  EXPECT_EQ(Found->Low, Rational(0));
}
