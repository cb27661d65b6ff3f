//===- RationalTest.cpp ---------------------------------------------------===//
//
// Small and large numbers against GMP, another library, and the borders between.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/Rational.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace ergon;

static mpq_class toGmp(const Rational &R) {
  mpq_class Result(mpz_class(R.get_num().get_str()), mpz_class(R.get_den().get_str()));
  mpq_class Canonical = Result;
  Canonical.canonicalize();
  EXPECT_EQ(Canonical.get_str(), Result.get_str()) << "not in lowest terms";
  return Result;
}

TEST(Rational, ArithmeticIsGmps) {
  std::mt19937_64 Random(22);
  // Numerators and denominators of all lengths from 1 to 63 bits.
  auto Part = [&] { return long(Random() >> (1 + Random() % 63)); };
  for (int Round = 0; Round != 20000; ++Round) {
    long N1 = Part(), D1 = Part() + 1, N2 = Part(), D2 = Part() + 1;
    if (D1 <= 0 || D2 <= 0)
      continue;
    if (Round % 2)
      N1 = -N1;
    if (Round % 3)
      N2 = -N2;
    Rational A(N1, D1), B(N2, D2);
    mpq_class X(N1, D1), Y(N2, D2);
    X.canonicalize();
    Y.canonicalize();
    EXPECT_EQ(toGmp(A), X);
    EXPECT_EQ(toGmp(A + B), mpq_class(X + Y));
    EXPECT_EQ(toGmp(A - B), mpq_class(X - Y));
    EXPECT_EQ(toGmp(A * B), mpq_class(X * Y));
    if (N2 != 0)
      EXPECT_EQ(toGmp(A / B), mpq_class(X / Y));
    EXPECT_EQ(A < B, X < Y);
    EXPECT_EQ(A == B, X == Y);
    EXPECT_EQ(A.sign(), sgn(X));
    EXPECT_EQ(A.get_str(), X.get_str());
    EXPECT_DOUBLE_EQ(A.get_d(), X.get_d()); // GMP cuts off where we round
    EXPECT_EQ(A.isInteger(), X.get_den() == 1);
    mpz_class Floor;
    mpz_fdiv_q(Floor.get_mpz_t(), X.get_num_mpz_t(), X.get_den_mpz_t());
    EXPECT_EQ(floorOf(A).get_str(), Floor.get_str());
  }
}

/// A number of any length up to 200 bits, or near 2^63, of either sign.
static mpz_class integerFrom(std::mt19937_64 &Random) {
  mpz_class Result = 0;
  for (int Word = 0; Word != 4; ++Word)
    Result = (Result << 64) + static_cast<unsigned long>(Random());
  Result >>= 56 + Random() % 200;
  if (Random() % 8 == 0)
    Result = (mpz_class(1) << 63) + long(Random() % 3) - 1;
  return Random() % 2 ? mpz_class(-Result) : Result;
}

TEST(Rational, LargeIntegersAreGmps) {
  std::mt19937_64 Random(41);
  for (int Round = 0; Round != 20000; ++Round) {
    const mpz_class X = integerFrom(Random), Y = integerFrom(Random);
    const Rational A = Rational::ofDigits(X.get_str()), B = Rational::ofDigits(Y.get_str());
    ASSERT_EQ(A.get_str(), X.get_str());
    EXPECT_EQ(gcd(A, B).get_str(), mpz_class(gcd(X, Y)).get_str());
    EXPECT_EQ(lcm(A, B).get_str(), mpz_class(lcm(X, Y)).get_str());
    EXPECT_EQ(A.get_ui(), X.get_ui());
    if (X.fits_slong_p())
      EXPECT_EQ(A.get_si(), X.get_si());
    if (A.asWord())
      EXPECT_EQ(*A.asWord(), X.get_si());
    else
      EXPECT_TRUE(!X.fits_slong_p() || X == std::numeric_limits<long>::min());
    if (Y != 0) {
      mpz_class Floor;
      mpz_fdiv_q(Floor.get_mpz_t(), X.get_mpz_t(), Y.get_mpz_t());
      EXPECT_EQ(floorOf(A / B).get_str(), Floor.get_str()) << A.get_str() << " / " << B.get_str();
    }
  }
}

TEST(Rational, LargeFractionsAreGmps) {
  std::mt19937_64 Random(43);
  for (int Round = 0; Round != 20000; ++Round) {
    const mpz_class N1 = integerFrom(Random), D1 = integerFrom(Random), N2 = integerFrom(Random),
                    D2 = integerFrom(Random);
    if (D1 == 0 || D2 == 0 || N2 == 0)
      continue;
    mpq_class X(N1, D1), Y(N2, D2);
    X.canonicalize();
    Y.canonicalize();
    auto Fraction = [](const mpz_class &Numerator, const mpz_class &Denominator) {
      return Rational::ofDigits(Numerator.get_str()) / Rational::ofDigits(Denominator.get_str());
    };
    const Rational A = Fraction(N1, D1), B = Fraction(N2, D2);
    EXPECT_EQ(toGmp(A), X);
    EXPECT_EQ(toGmp(A + B), mpq_class(X + Y));
    EXPECT_EQ(toGmp(A - B), mpq_class(X - Y));
    EXPECT_EQ(toGmp(A * B), mpq_class(X * Y));
    EXPECT_EQ(toGmp(A / B), mpq_class(X / Y));
    EXPECT_EQ(toGmp(-A), mpq_class(-X));
    EXPECT_EQ(A < B, X < Y);
    EXPECT_EQ(A == B, X == Y);
    EXPECT_EQ(A.sign(), sgn(X));
    EXPECT_DOUBLE_EQ(A.get_d(), X.get_d()); // GMP cuts off where we round
  }
}

TEST(Rational, PowersOfTwoAreGmps) {
  for (unsigned Exponent : {0U, 1U, 61U, 62U, 63U, 64U, 124U, 125U, 1023U})
    EXPECT_EQ(twoTo(Exponent).get_str(), mpz_class(mpz_class(1) << Exponent).get_str());
}

TEST(Rational, GrowsAndShrinksAtTheBorder) {
  constexpr long Most = std::numeric_limits<long>::max(), Least = std::numeric_limits<long>::min();
  Rational Large = Rational(Most) + 1;
  EXPECT_EQ(Large.get_str(), "9223372036854775808");
  EXPECT_TRUE(Large - 1 == Rational(Most)); // equal to one that never was large
  EXPECT_TRUE(Rational(Least) == -Large);
  EXPECT_TRUE(-Rational(Least) == Large);
  EXPECT_TRUE(Large > Rational(Most));
  EXPECT_TRUE(Rational(Least) < Rational(-Most));
  EXPECT_EQ(Rational(std::numeric_limits<unsigned long>::max()).get_str(), "18446744073709551615");
  EXPECT_EQ((Rational(1, Most) * Rational(1, Most)).get_den(), Rational(Most) * Most);
  EXPECT_TRUE(Rational(1, Most) * Rational(1, Most) * Most == Rational(1, Most));
  EXPECT_EQ(Rational(6, -4).get_str(), "-3/2");
  EXPECT_EQ(Rational(6, 4).get_str(), "3/2");
}

TEST(Rational, CopiesAndMoves) {
  Rational Large = Rational(1L << 62) * 8, Copy = Large;
  Copy += 1;
  EXPECT_EQ(Large.get_str(), "36893488147419103232");
  EXPECT_EQ(Copy.get_str(), "36893488147419103233");
  Large = Rational(5);
  EXPECT_EQ(Large.get_str(), "5");
  Large = std::move(Copy);
  EXPECT_EQ(Large.get_str(), "36893488147419103233");
  Large += Large;
  EXPECT_EQ(Large.get_str(), "73786976294838206466");
}

TEST(Rational, DoublesAreTheNearest) {
  // 2^53 + 1 and + 3 lie between two doubles each; the even one is nearer by definition.
  const Rational Two53 = twoTo(53);
  EXPECT_EQ((Two53 + 1).get_d(), 0x1p53);
  EXPECT_EQ((Two53 + 3).get_d(), 0x1p53 + 4);
  // 10^23 lies in the middle between two doubles. 2^70 + 2^17 + 1 is beyond that between 2^70 and
  // 2^70 + 2^18.
  EXPECT_EQ(Rational::ofDigits("100000000000000000000000").get_d(), 1e23);
  const Rational Two70 = twoTo(70);
  EXPECT_EQ((Two70 + (1 << 17)).get_d(), 0x1p70);
  EXPECT_EQ((Two70 + (1 << 17) + 1).get_d(), 0x1p70 + 0x1p18);
  EXPECT_EQ((-Two70 - (1 << 17) - 1).get_d(), -0x1p70 - 0x1p18);
  // Fractions, as the compiler reads them.
  EXPECT_EQ(Rational(1, 3).get_d(), 1.0 / 3);
  EXPECT_EQ(((Two70 + 1) / 3).get_d(), 0x1p70 / 3);
  EXPECT_EQ((1 / Rational::ofDigits("10000000000000000000000000")).get_d(), 1e-25);
  // Beyond all doubles, and below them.
  const Rational Huge = Rational::ofDigits("1" + std::string(400, '0'));
  EXPECT_TRUE(std::isinf(Huge.get_d()));
  EXPECT_EQ((1 / Huge).get_d(), 0);
}
