//===- Integer.cpp - exact numbers where there is no GMP ------------------===//

#include "report/wasm/adapters/Integer.h"

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

#ifdef BOOST_NO_EXCEPTIONS
// Boost throws for a division by zero and the like, which the caller must avoid.
void boost::throw_exception(const std::exception &, const boost::source_location &) {
  std::abort();
}
#endif

namespace ergon::adapted {

using Number = boost::multiprecision::cpp_int;

struct Digits : Number {
  Digits(Number Value) : Number(std::move(Value)) {}
};

static const Number &of(const Integer &Value) { return Value.digits(); }
static Integer make(Number Value) { return Integer(Digits(std::move(Value))); }

Integer::Integer(Digits Value) : Value(std::make_shared<const Digits>(std::move(Value))) {}
Integer::Integer(bool IsNegative, std::uint64_t Size)
    : Integer(Digits(IsNegative ? Number(-Number(Size)) : Number(Size))) {}
Integer::Integer(double Value) : Integer(Digits(Number(Value))) {}

int Integer::set_str(std::string_view Text, int Base) {
  const bool IsNegative = Text.starts_with('-');
  if (IsNegative)
    Text.remove_prefix(1);
  unsigned Radix = 10;
  if (Base == 0 && Text.size() > 1 && Text[0] == '0') {
    const char Kind = char(Text[1] | 0x20);
    Radix = Kind == 'x' ? 16 : Kind == 'b' ? 2 : 8;
    Text.remove_prefix(Radix == 8 ? 1 : 2);
  }
  if (Text.empty() && Radix == 10) // `0x` alone is 0, as GMP has it
    return -1;
  Number Result;
  for (const char C : Text) {
    const char Letter = char(C | 0x20);
    const unsigned Digit = C >= '0' && C <= '9'             ? unsigned(C - '0')
                           : Letter >= 'a' && Letter <= 'f' ? unsigned(Letter - 'a') + 10
                                                            : 16;
    if (Digit >= Radix)
      return -1;
    Result = Result * Radix + Digit;
  }
  *this = make(IsNegative ? Number(-Result) : Result);
  return 0;
}

std::string Integer::get_str() const { return of(*this).str(); }

bool Integer::fits_slong_p() const {
  return of(*this) >= std::numeric_limits<std::int64_t>::min() &&
         of(*this) <= std::numeric_limits<std::int64_t>::max();
}

std::int64_t Integer::get_si() const {
  const std::uint64_t Size = get_ui();
  return std::int64_t(of(*this) < 0 ? -Size : Size);
}

std::uint64_t Integer::get_ui() const {
  return static_cast<std::uint64_t>(
      Number(abs(of(*this)) & std::numeric_limits<std::uint64_t>::max()));
}

Integer operator+(const Integer &Left, const Integer &Right) { return make(of(Left) + of(Right)); }
Integer operator-(const Integer &Left, const Integer &Right) { return make(of(Left) - of(Right)); }
Integer operator*(const Integer &Left, const Integer &Right) { return make(of(Left) * of(Right)); }
Integer operator<<(const Integer &I, unsigned Bits) { return make(of(I) << Bits); }
std::strong_ordering operator<=>(const Integer &Left, const Integer &Right) {
  return of(Left).compare(of(Right)) <=> 0;
}
Integer gcd(const Integer &Left, const Integer &Right) {
  return make(boost::multiprecision::gcd(of(Left), of(Right)));
}
Integer lcm(const Integer &Left, const Integer &Right) {
  return make(boost::multiprecision::lcm(of(Left), of(Right)));
}
int sgn(const Integer &I) { return of(I).sign(); }

/// The quotient as a double whose further digits are cut off. The denominator is above 0.
static double quotient(const Number &Numerator, const Number &Denominator) {
  if (Numerator == 0)
    return 0;
  const Number Size = abs(Numerator);
  // At least 54 bits of the quotient, of which 53 are kept.
  const int Shift = 54 - (int(msb(Size)) - int(msb(Denominator)));
  Number Whole = Shift > 0 ? Number((Size << unsigned(Shift)) / Denominator)
                           : Number(Size / (Denominator << unsigned(-Shift)));
  const unsigned Surplus = unsigned(msb(Whole)) - 52;
  Whole >>= Surplus;
  const double Result = std::ldexp(double(static_cast<std::uint64_t>(Whole)), int(Surplus) - Shift);
  return Numerator < 0 ? -Result : Result;
}

double Integer::get_d() const { return quotient(of(*this), 1); }
double Fraction::get_d() const { return quotient(of(Num), of(Den)); }

void Fraction::canonicalize() {
  const Number Common = boost::multiprecision::gcd(of(Num), of(Den)) * of(Den).sign();
  if (Common != 1) {
    Num = make(of(Num) / Common);
    Den = make(of(Den) / Common);
  }
}

void mpz_fdiv_q(Integer *Quotient, const Integer *Numerator, const Integer *Denominator) {
  Number Whole, Rest;
  divide_qr(of(*Numerator), of(*Denominator), Whole, Rest);
  if (Rest != 0 && (Rest < 0) != (of(*Denominator) < 0))
    --Whole;
  *Quotient = make(std::move(Whole));
}

void mpz_pow_ui(Integer *Power, const Integer *Base, std::uint64_t Exponent) {
  *Power = make(pow(of(*Base), unsigned(Exponent)));
}

void mpz_ui_pow_ui(Integer *Power, std::uint64_t Base, std::uint64_t Exponent) {
  *Power = make(pow(Number(Base), unsigned(Exponent)));
}

int mpz_root(Integer *Root, const Integer *I, unsigned Degree) {
  // Finds the largest number whose power is not above, bit by bit from the highest.
  Number Found;
  for (unsigned Bit = unsigned(msb(of(*I))) / Degree + 1; Bit-- > 0;) {
    bit_set(Found, Bit);
    if (pow(Found, Degree) > of(*I))
      bit_unset(Found, Bit);
  }
  const bool IsExact = pow(Found, Degree) == of(*I);
  *Root = make(std::move(Found));
  return IsExact;
}

std::size_t mpz_sizeinbase(const Integer *I, int) {
  return of(*I) == 0 ? 1 : msb(Number(abs(of(*I)))) + 1;
}

} // namespace ergon::adapted
