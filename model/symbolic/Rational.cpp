//===- Rational.cpp - exact rational numbers ------------------------------===//

#include "model/symbolic/Rational.h"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#ifdef BOOST_NO_EXCEPTIONS
// Boost throws for a division by zero and the like, which the caller must avoid.
void boost::throw_exception(const std::exception &, const boost::source_location &) {
  __builtin_trap();
}
#endif

namespace ergon {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// With a denominator above 0.
struct Rational::Large {
  Integer Num, Den = 1;
};

static constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

static Integer roundedDown(const Integer &Numerator, const Integer &Denominator) {
  Integer Quotient, Rest;
  divide_qr(Numerator, Denominator, Quotient, Rest);
  return Rest < 0 ? Integer(Quotient - 1) : Quotient;
}

/// Large numbers have small denominators, for which one division is enough.
static Integer commonDivisor(const Integer &Numerator, const Integer &Denominator) {
  if (Denominator > std::numeric_limits<std::uint64_t>::max())
    return gcd(Numerator, Denominator);
  const auto Word = static_cast<std::uint64_t>(Denominator);
  return std::gcd(integer_modulus(Numerator, Word), Word);
}

Rational Rational::ofDigits(std::string_view Digits) {
  const bool Negative = Digits.starts_with('-');
  // Boost reads a number that begins with 0 as octal.
  Digits.remove_prefix(std::min(Digits.find_first_not_of("-0"), Digits.size()));
  Rational Result;
  if (!Digits.empty())
    Result.assign({Integer(std::string(Digits))});
  return Negative ? -Result : Result;
}

Rational Rational::wholePartOf(double Value) {
  Rational Result;
  Result.assign({Integer(Value)});
  return Result;
}

void Rational::hold(Large Value) {
  if (isLarge())
    release();
  Num = std::int64_t(reinterpret_cast<std::intptr_t>(new Large(std::move(Value))));
  Den = 0;
}

void Rational::copyLarge() {
  const Large *const Other = held();
  forget();
  hold(*Other);
}

void Rational::release() { delete held(); }

bool Rational::isSame(const Large &Left, const Large &Right) {
  return Left.Num == Right.Num && Left.Den == Right.Den;
}

Rational Rational::get_num() const {
  if (!isLarge())
    return Num;
  Rational Result;
  Result.assign({held()->Num});
  return Result;
}

Rational Rational::get_den() const {
  if (!isLarge())
    return Den;
  Rational Result;
  Result.assign({held()->Den});
  return Result;
}

bool Rational::isLargeInteger() const { return held()->Den == 1; }

int Rational::largeSign() const { return held()->Num.sign(); }

std::uint64_t Rational::lowestBits() const {
  if (!isLarge())
    return std::uint64_t(Num);
  static constexpr auto All = std::numeric_limits<std::uint64_t>::max();
  const auto Size = static_cast<std::uint64_t>(Integer(abs(held()->Num) & All));
  return sign() < 0 ? -Size : Size;
}

Rational::Large Rational::large() const { return isLarge() ? *held() : Large{Num, Den}; }

/// The reduced quotient of any two numbers except the smallest of the type.
void Rational::assign(Wide Numerator, Wide Denominator) {
  if (Denominator < 0) {
    Numerator = -Numerator;
    Denominator = -Denominator;
  }
  const Wide Size = Numerator < 0 ? -Numerator : Numerator;
  if (Size > Largest || Denominator > Largest) {
    assign({Integer(Numerator), Integer(Denominator)});
    return;
  }
  const std::int64_t Divisor =
      Denominator == 1 ? 1 : std::gcd(std::int64_t(Size), std::int64_t(Denominator));
  set(std::int64_t(Numerator) / Divisor, std::int64_t(Denominator) / Divisor);
}

/// In any terms.
void Rational::assign(Large Value) {
  if (Value.Den != 1)
    if (const Integer Divisor = commonDivisor(Value.Num, Value.Den); Divisor != 1) {
      Value.Num /= Divisor;
      Value.Den /= Divisor;
    }
  if (Value.Num <= Largest && Value.Num >= -Largest && Value.Den <= Largest) {
    set(static_cast<std::int64_t>(Value.Num), static_cast<std::int64_t>(Value.Den));
  } else {
    hold(std::move(Value));
  }
}

std::string Rational::get_str() const {
  if (isLarge())
    return held()->Num.str() + (held()->Den == 1 ? "" : "/" + held()->Den.str());
  return Den == 1 ? std::to_string(Num) : std::to_string(Num) + "/" + std::to_string(Den);
}

/// Rounds to nearest, ties to even.
double Rational::get_d() const {
  static constexpr std::int64_t Exact = std::int64_t(1) << 53;
  if (!isLarge() && (Den == 1 || (std::abs(Num) <= Exact && Den <= Exact)))
    return double(Num) / double(Den);
  auto [Numerator, Denominator] = large();
  Numerator = abs(Numerator);
  // Scales the quotient to 62 or 63 bits; the last bit is set where any below is.
  const std::int64_t Shift = 62 - std::int64_t(msb(Numerator)) + std::int64_t(msb(Denominator));
  (Shift > 0 ? Numerator : Denominator) <<= unsigned(std::abs(Shift));
  Integer Quotient, Rest;
  divide_qr(Numerator, Denominator, Quotient, Rest);
  const std::int64_t Whole = static_cast<std::int64_t>(Quotient) | std::int64_t(Rest != 0);
  static constexpr std::int64_t Farthest = 5000; // zero or infinite by then
  const double Result = std::ldexp(double(Whole), int(std::clamp(-Shift, -Farthest, Farthest)));
  return sign() < 0 ? -Result : Result;
}

Rational &Rational::operator+=(const Rational &Other) {
  std::int64_t Whole;
  if (isSmallInteger() && Other.isSmallInteger() &&
      !__builtin_add_overflow(Num, Other.Num, &Whole) && Whole >= -Largest)
    Num = Whole;
  else if (isLarge() || Other.isLarge()) {
    const Large Left = large(), Right = Other.large();
    assign({Left.Num * Right.Den + Right.Num * Left.Den, Left.Den * Right.Den});
  } else if (Den == Other.Den)
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
  else if (isLarge() || Other.isLarge()) {
    const Large Left = large(), Right = Other.large();
    assign({Left.Num * Right.Num, Left.Den * Right.Den});
  } else
    assign(Wide(Num) * Other.Num, Wide(Den) * Other.Den);
  return *this;
}

Rational &Rational::operator/=(const Rational &Other) {
  if (isLarge() || Other.isLarge()) {
    const Large Left = large(), Right = Other.large();
    const int Sign = Right.Num.sign();
    assign({Left.Num * Right.Den * Sign, Left.Den * Right.Num * Sign});
  } else
    assign(Wide(Num) * Other.Den, Wide(Den) * Other.Num);
  return *this;
}

Rational Rational::operator-() const {
  Rational Result = *this;
  if (isLarge())
    Result.held()->Num = -held()->Num;
  else
    Result.Num = -Num;
  return Result;
}

std::strong_ordering Rational::compareSlowly(const Rational &Left, const Rational &Right) {
  if (Left.isLarge() || Right.isLarge()) {
    if (Left.sign() != Right.sign())
      return Left.sign() <=> Right.sign();
    if (Left.isInteger() && Right.isInteger() &&
        !(Left.isLarge() && Right.isLarge())) // at least one does not
                                              // fit a word
      return (Left.isLarge() ? Left.sign() : -Right.sign()) <=> 0;
    const Large A = Left.large(), B = Right.large();
    return Integer(A.Num * B.Den).compare(Integer(B.Num * A.Den)) <=> 0;
  }
  return Rational::Wide(Left.Num) * Right.Den <=> Rational::Wide(Right.Num) * Left.Den;
}

Rational gcd(const Rational &Left, const Rational &Right) {
  Rational Result;
  if (Left.isLarge() || Right.isLarge())
    Result.assign({gcd(Left.large().Num, Right.large().Num)});
  else
    Result.Num = std::gcd(Left.Num, Right.Num);
  return Result;
}

Rational lcm(const Rational &Left, const Rational &Right) {
  return Left == 0 || Right == 0 ? Rational() : abs(Left / gcd(Left, Right) * Right);
}

Rational twoTo(unsigned Exponent) {
  static constexpr unsigned WordBits = 63;
  if (Exponent < WordBits)
    return std::int64_t(1) << Exponent;
  Rational Result;
  Result.assign({Integer(1) << Exponent});
  return Result;
}

Rational floorOf(const Rational &Value) {
  Rational Result;
  if (Value.isLarge())
    Result.assign({roundedDown(Value.held()->Num, Value.held()->Den)});
  else
    Result.Num = Value.Num / Value.Den - (Value.Num % Value.Den < 0);
  return Result;
}

} // namespace ergon
