//===- IntegerTest.cpp ----------------------------------------------------===//
//
// What stands for GMP in WebAssembly against GMP itself.
//
//===----------------------------------------------------------------------===//

#include <gmpxx.h>

// Here, as GMP's header makes other names of the functions that are called as its own.
#include "report/wasm/adapters/Integer.cpp"

#include <gtest/gtest.h>

#include <random>

using ergon::adapted::Fraction;
using ergon::adapted::Integer;

namespace {
/// A number of any length up to 200 bits, or near 2^63, of either sign.
std::string numberFrom(std::mt19937_64 &Random) {
  mpz_class Result = 0;
  for (int Word = 0; Word != 4; ++Word)
    Result = (Result << 64) + static_cast<unsigned long>(Random());
  Result >>= 56 + Random() % 200;
  if (Random() % 8 == 0)
    Result = (mpz_class(1) << 63) + long(Random() % 3) - 1;
  return (Random() % 2 ? mpz_class(-Result) : Result).get_str();
}

int signOf(int Value) { return (Value > 0) - (Value < 0); }
} // namespace

TEST(AdaptedInteger, IsGmps) {
  std::mt19937_64 Random(41);
  for (int Round = 0; Round != 20000; ++Round) {
    const std::string First = numberFrom(Random), Second = numberFrom(Random);
    const mpz_class X(First, 10), Y(Second, 10);
    const Integer A(First, 10), B(Second, 10);
    ASSERT_EQ(A.get_str(), First);
    EXPECT_EQ(Integer(A + B).get_str(), mpz_class(X + Y).get_str());
    EXPECT_EQ(Integer(A - B).get_str(), mpz_class(X - Y).get_str());
    EXPECT_EQ(Integer(A * B).get_str(), mpz_class(X * Y).get_str());
    EXPECT_EQ(Integer(A << 7).get_str(), mpz_class(X << 7).get_str());
    EXPECT_EQ(gcd(A, B).get_str(), mpz_class(gcd(X, Y)).get_str());
    EXPECT_EQ(lcm(A, B).get_str(), mpz_class(lcm(X, Y)).get_str());
    EXPECT_EQ(A < B, X < Y);
    EXPECT_EQ(A == B, X == Y);
    EXPECT_EQ(sgn(A), signOf(sgn(X)));
    EXPECT_EQ(A.get_d(), X.get_d()) << First;
    EXPECT_EQ(A.fits_slong_p(), X.fits_slong_p());
    EXPECT_EQ(A.get_ui(), X.get_ui());
    if (X.fits_slong_p())
      EXPECT_EQ(A.get_si(), X.get_si());
    EXPECT_EQ(mpz_sizeinbase(A.get_mpz_t(), 2), mpz_sizeinbase(X.get_mpz_t(), 2));
    if (Y != 0) {
      mpz_class Floor;
      mpz_fdiv_q(Floor.get_mpz_t(), X.get_mpz_t(), Y.get_mpz_t());
      Integer Result;
      mpz_fdiv_q(Result.get_mpz_t(), A.get_mpz_t(), B.get_mpz_t());
      EXPECT_EQ(Result.get_str(), Floor.get_str()) << First << " / " << Second;
    }
  }
}

TEST(AdaptedInteger, PowersAndRootsAreGmps) {
  std::mt19937_64 Random(42);
  for (int Round = 0; Round != 2000; ++Round) {
    const std::string Base = std::to_string(Random() >> (34 + Random() % 29));
    const unsigned Times = unsigned(Random() % 40);
    mpz_class X;
    Integer A;
    mpz_pow_ui(X.get_mpz_t(), mpz_class(Base, 10).get_mpz_t(), Times);
    mpz_pow_ui(A.get_mpz_t(), Integer(Base, 10).get_mpz_t(), Times);
    ASSERT_EQ(A.get_str(), X.get_str());
    mpz_ui_pow_ui(X.get_mpz_t(), 10, Times);
    mpz_ui_pow_ui(A.get_mpz_t(), 10, Times);
    ASSERT_EQ(A.get_str(), X.get_str());
    mpz_pow_ui(X.get_mpz_t(), mpz_class(Base, 10).get_mpz_t(), Times + 2);
    X += Random() % 2;
    if (X <= 0)
      continue;
    mpz_class Root;
    Integer Found;
    const int IsExact = mpz_root(Root.get_mpz_t(), X.get_mpz_t(), Times + 2);
    EXPECT_EQ(mpz_root(Found.get_mpz_t(), Integer(X.get_str(), 10).get_mpz_t(), Times + 2) != 0,
              IsExact != 0);
    EXPECT_EQ(Found.get_str(), Root.get_str());
  }
}

TEST(AdaptedInteger, ReadsWhatGmpReads) {
  for (const char *Text : {"0", "-12", "0x1f", "0X4c00080b", "0b101", "017", "", "-", "0x", "12a",
                           "08", "1 2", "+3"}) {
    mpz_class X;
    Integer A;
    if (std::string_view(Text) == "1 2") // GMP leaves white space out
      continue;
    ASSERT_EQ(A.set_str(Text, 0) == 0, X.set_str(Text, 0) == 0) << Text;
    if (X.set_str(Text, 0) == 0)
      EXPECT_EQ(A.get_str(), X.get_str()) << Text;
  }
}

TEST(AdaptedInteger, FractionsAreGmps) {
  std::mt19937_64 Random(43);
  for (int Round = 0; Round != 20000; ++Round) {
    const std::string N1 = numberFrom(Random), D1 = numberFrom(Random), N2 = numberFrom(Random),
                      D2 = numberFrom(Random);
    if (D1 == "0" || D2 == "0" || N2 == "0")
      continue;
    mpq_class X{mpz_class(N1, 10), mpz_class(D1, 10)}, Y{mpz_class(N2, 10), mpz_class(D2, 10)};
    Fraction A{Integer(N1, 10), Integer(D1, 10)}, B{Integer(N2, 10), Integer(D2, 10)};
    X.canonicalize();
    Y.canonicalize();
    A.canonicalize();
    B.canonicalize();
    ASSERT_EQ(A.get_str(), X.get_str());
    EXPECT_EQ((A + B).get_str(), mpq_class(X + Y).get_str());
    EXPECT_EQ((A * B).get_str(), mpq_class(X * Y).get_str());
    EXPECT_EQ((A / B).get_str(), mpq_class(X / Y).get_str());
    EXPECT_EQ(signOf(cmp(A, B)), signOf(cmp(X, Y)));
    EXPECT_EQ(A.get_d(), X.get_d()) << X.get_str();
  }
}
