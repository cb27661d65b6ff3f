//===- IntegerFormulaTest.cpp - formulas in machine integers --------------===//
//
// Exact evaluation of the same expression is the oracle.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/IntegerFormula.h"
#include "test/support/AccessPrograms.h"

using namespace ergon;
using ergon::accesses::formula;

static const std::vector<std::string> IJ = {"i", "j"};

class SameValue : public testing::TestWithParam<const char *> {};

TEST_P(SameValue, AsExactEvaluation) {
  Expr E = formula(GetParam());
  auto Compiled = IntegerFormula::compile(E, IJ);
  ASSERT_TRUE(Compiled);
  for (long I : {-7, -1, 0, 1, 2, 13})
    for (long J : {-5, 0, 3, 64}) {
      auto Exact = E.evaluate(
          [&](const std::string &Name) { return std::optional(Rational(Name == "i" ? I : J)); });
      ASSERT_TRUE(Exact);
      EXPECT_EQ(Rational((*Compiled)(std::vector<std::int64_t>{I, J})), floorOf(*Exact))
          << GetParam() << " at " << I << ", " << J;
    }
}

INSTANTIATE_TEST_SUITE_P(Formulas, SameValue,
                         testing::Values("0", "8+16*i-3*j", "1/2*i^2-1/2*i+j",
                                         "floor(i,3)-2*floor(-5*j+1,4)", "max(i,j,2)-min(i,3*j)",
                                         "[i-j]*i+[j-2]", "i*j^2-4*i*j", "1/3*i+1/2",
                                         "floor(7*i,2+[j-1])", "8*pow(2,[i]*i)-pow(3,[j-1])*j",
                                         "log(2,max(i,j))+3*log(10,j)"));

TEST(IntegerFormula, KnowsWhatIsAffine) {
  auto Walk = IntegerFormula::compile(formula("40+8*i-16*j"), IJ);
  ASSERT_TRUE(Walk && Walk->affine());
  EXPECT_EQ(Walk->affine()->Constant, 40);
  EXPECT_EQ(Walk->affine()->Steps, (std::vector<std::int64_t>{8, -16}));
  for (const char *Other : {"i*j", "1/2*i", "floor(i,2)", "[i]"})
    EXPECT_FALSE(IntegerFormula::compile(formula(Other), IJ)->affine()) << Other;
}

TEST(IntegerFormula, LeavesWhatNeedsMore) {
  for (const char *Other : {"n", "8*i+n", "sum(k,0,i,floor(k^3,j))", "36893488147419103232*i"})
    EXPECT_FALSE(IntegerFormula::compile(formula(Other), IJ)) << Other;
}

TEST(IntegerFormula, OverflowAndDivisionByZeroAreNoCrash) {
  auto Square = IntegerFormula::compile(formula("i*i*i"), IJ);
  EXPECT_EQ((*Square)(std::vector<std::int64_t>{std::int64_t(1) << 32, 0}), 0);
  auto Quotient = IntegerFormula::compile(formula("floor(i,j)"), IJ);
  EXPECT_EQ((*Quotient)(std::vector<std::int64_t>{5, 0}), 0);
}
