//===- Rational.cpp - exact rational numbers ------------------------------===//

#include "model/symbolic/Rational.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace ergon {

static constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

static mpz_class fromWide(unsigned __int128 Value) {
  mpz_class Result = static_cast<std::uint64_t>(Value >> 64);
  return (Result << 64) + static_cast<std::uint64_t>(Value);
}

Rational::Rational(const mpz_class &Numerator, const mpz_class &Denominator) {
  if (Denominator == 1 && Numerator.fits_slong_p()) {
    assign(Numerator.get_si(), 1);
    return;
  }
  mpq_class Value(Numerator, Denominator);
  Value.canonicalize();
  assign(std::move(Value));
}

/// The reduced quotient of any two numbers except the smallest of the type.
void Rational::assign(Wide Numerator, Wide Denominator) {
  if (Denominator < 0) {
    Numerator = -Numerator;
    Denominator = -Denominator;
  }
  bool Negative = Numerator < 0;
  if (Negative)
    Numerator = -Numerator;
  if (Numerator <= Largest && Denominator <= Largest) {
    std::int64_t Divisor =
        Denominator == 1 ? 1 : std::gcd(std::int64_t(Numerator), std::int64_t(Denominator));
    Num = std::int64_t(Negative ? -Numerator : Numerator) / Divisor;
    Den = std::int64_t(Denominator) / Divisor;
    Big.reset();
    return;
  }
  mpq_class Value(fromWide(static_cast<unsigned __int128>(Numerator)),
                  fromWide(static_cast<unsigned __int128>(Denominator)));
  Value.canonicalize();
  assign(Negative ? mpq_class(-Value) : std::move(Value));
}

/// A number in lowest terms.
void Rational::assign(mpq_class Value) {
  mpz_class Size = abs(Value.get_num());
  if (Size <= Largest && Value.get_den() <= Largest) {
    Num = Value.get_num().get_si();
    Den = Value.get_den().get_si();
    Big.reset();
  } else {
    Num = 0;
    Den = 1;
    Big = std::make_unique<mpq_class>(std::move(Value));
  }
}

std::string Rational::get_str() const {
  if (Big)
    return Big->get_str();
  return Den == 1 ? std::to_string(Num) : std::to_string(Num) + "/" + std::to_string(Den);
}

/// Rounds to nearest, ties to even. GMP's conversion truncates.
double Rational::get_d() const {
  static constexpr std::int64_t Exact = std::int64_t(1) << 53;
  if (!Big && (Den == 1 || (std::abs(Num) <= Exact && Den <= Exact)))
    return double(Num) / double(Den);
  mpz_class Numerator = abs(get_num()), Denominator = get_den(), Quotient;
  // Scales the quotient to 62 or 63 bits; the last bit is set where any below is.
  auto Places = [](const mpz_class &MC) { return std::int64_t(mpz_sizeinbase(MC.get_mpz_t(), 2)); };
  const std::int64_t Shift = 62 - Places(Numerator) + Places(Denominator);
  mpz_class &Scaled = Shift > 0 ? Numerator : Denominator;
  Scaled = Scaled << unsigned(std::abs(Shift));
  mpz_fdiv_q(Quotient.get_mpz_t(), Numerator.get_mpz_t(), Denominator.get_mpz_t());
  const bool HasRest = !(Quotient * Denominator == Numerator);
  const std::int64_t Whole = Quotient.get_si() | std::int64_t(HasRest);
  static constexpr std::int64_t Farthest = 5000; // zero or infinite by then
  const double Result = std::ldexp(double(Whole), int(std::clamp(-Shift, -Farthest, Farthest)));
  return sign() < 0 ? -Result : Result;
}

Rational &Rational::operator+=(const Rational &Other) {
  std::int64_t Whole;
  if (isSmallInteger() && Other.isSmallInteger() &&
      !__builtin_add_overflow(Num, Other.Num, &Whole) && Whole >= -Largest)
    Num = Whole;
  else if (Big || Other.Big)
    assign(mpq_class(toGmp() + Other.toGmp()));
  else if (Den == Other.Den)
    assign(Wide(Num) + Other.Num, Den);
  else
    assign(Wide(Num) * Other.Den + Wide(Other.Num) * Den, Wide(Den) * Other.Den);
  return *this;
}

Rational &Rational::operator*=(const Rational &Other) {
  std::int64_t Whole;
  if (isSmallInteger() && Other.isSmallInteger() &&
      !__builtin_mul_overflow(Num, Other.Num, &Whole) && Whole >= -Largest)
    Num = Whole;
  else if (Big || Other.Big)
    assign(mpq_class(toGmp() * Other.toGmp()));
  else
    assign(Wide(Num) * Other.Num, Wide(Den) * Other.Den);
  return *this;
}

Rational &Rational::operator/=(const Rational &Other) {
  if (Big || Other.Big)
    assign(mpq_class(toGmp() / Other.toGmp()));
  else
    assign(Wide(Num) * Other.Den, Wide(Den) * Other.Num);
  return *this;
}

Rational Rational::operator-() const {
  Rational Result;
  if (Big) {
    Result.assign(mpq_class(-*Big));
  } else {
    Result.Num = -Num;
    Result.Den = Den;
  }
  return Result;
}

std::strong_ordering Rational::compareSlowly(const Rational &Left, const Rational &Right) {
  if (Left.Big || Right.Big) {
    if (Left.sign() != Right.sign())
      return Left.sign() <=> Right.sign();
    if (Left.isInteger() && Right.isInteger() && !(Left.Big && Right.Big)) // at least one does not
                                                                           // fit a word
      return (Left.Big ? Left.sign() : -Right.sign()) <=> 0;
    return cmp(Left.toGmp(), Right.toGmp()) <=> 0;
  }
  return Rational::Wide(Left.Num) * Right.Den <=> Rational::Wide(Right.Num) * Left.Den;
}

const Rational &twoTo(unsigned Exponent) {
  static thread_local std::map<unsigned, Rational> Known;
  auto [Found, IsNew] = Known.try_emplace(Exponent);
  if (IsNew)
    Found->second = Rational(mpz_class(1) << Exponent);
  return Found->second;
}

mpz_class floorOf(const Rational &Value) {
  mpz_class Result, Numerator = Value.get_num(), Denominator = Value.get_den();
  mpz_fdiv_q(Result.get_mpz_t(), Numerator.get_mpz_t(), Denominator.get_mpz_t());
  return Result;
}

} // namespace ergon
