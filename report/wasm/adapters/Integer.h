//===- Integer.h - exact numbers where there is no GMP ----------*- C++ -*-===//
//
// What model/ uses of GMP's C++ interface, over Boost.Multiprecision: GMP has no package for
// WebAssembly. As with GMP on a 64-bit machine, "long" numbers have 64 bits, and a double is the
// exact value with its further digits cut off. Only Integer.cpp sees Boost, whose headers take
// longer to compile than most files of model/.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_REPORT_WASM_ADAPTERS_INTEGER_H
#define ERGON_REPORT_WASM_ADAPTERS_INTEGER_H

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ergon::adapted {

struct Digits;

class Integer {
public:
  /// Zero.
  Integer() : Integer(0) {}
  /// Any integer of up to 64 bits, exactly.
  template <std::integral T>
  Integer(T Value) : Integer(Value < 0, Value < 0 ? -std::uint64_t(Value) : std::uint64_t(Value)) {}
  /// The whole part of a finite number.
  explicit Integer(double Value);
  /// Decimal digits, with a sign where there is one; they have to be right.
  Integer(const std::string &Text, int Base) : Integer(0) { set_str(Text, Base); }
  /// From the representation that Integer.cpp has.
  explicit Integer(Digits Value);

  /// 0 where \p Text is a number of \p Base: 10, or 0, where `0x`, `0b` and `0` say what it is.
  int set_str(std::string_view Text, int Base);

  /// The representation, which Integer.cpp alone looks into.
  const Digits &digits() const { return *Value; }
  /// Decimal digits, behind a `-` where it is below 0.
  std::string get_str() const;
  /// The nearest double toward 0.
  double get_d() const;
  /// Whether it fits 64 bits with a sign, as GMP's answer on a 64-bit machine.
  bool fits_slong_p() const;
  std::int64_t get_si() const;  ///< of one that fits
  std::uint64_t get_ui() const; ///< the lowest bits, without the sign
  /// GMP's functions below take numbers by address.
  Integer *get_mpz_t() { return this; }
  const Integer *get_mpz_t() const { return this; }

  /// Exact arithmetic; a shift to the left multiplies by 2^Bits.
  friend Integer operator+(const Integer &Left, const Integer &Right);
  friend Integer operator-(const Integer &Left, const Integer &Right);
  friend Integer operator*(const Integer &Left, const Integer &Right);
  friend Integer operator<<(const Integer &I, unsigned Bits);
  Integer &operator+=(const Integer &Other) { return *this = *this + Other; }
  Integer &operator*=(const Integer &Other) { return *this = *this * Other; }
  Integer operator-() const { return Integer(0) - *this; }
  /// Order and equality by value.
  friend bool operator==(const Integer &Left, const Integer &Right) {
    return (Left <=> Right) == std::strong_ordering::equal;
  }
  friend std::strong_ordering operator<=>(const Integer &Left, const Integer &Right);
  /// Absolute value, greatest common divisor and least common multiple (both at least 0), and sign:
  /// -1, 0 or 1.
  friend Integer abs(const Integer &I) { return sgn(I) < 0 ? -I : I; }
  friend Integer gcd(const Integer &Left, const Integer &Right);
  friend Integer lcm(const Integer &Left, const Integer &Right);
  friend int sgn(const Integer &I);

private:
  std::shared_ptr<const Digits> Value;

  Integer(bool IsNegative, std::uint64_t Size);
};

/// A fraction; in lowest terms, with a denominator above 0, once it was canonicalize()d.
class Fraction {
public:
  Fraction() = default;
  /// The fraction as given; \p Denominator must not be 0.
  Fraction(Integer Numerator, Integer Denominator)
      : Num(std::move(Numerator)), Den(std::move(Denominator)) {}

  /// Brings it into lowest terms with a denominator above 0.
  void canonicalize();
  const Integer &get_num() const { return Num; }
  const Integer &get_den() const { return Den; }
  /// `-3`, `1/4`: GMP's notation.
  std::string get_str() const {
    return Den == 1 ? Num.get_str() : Num.get_str() + "/" + Den.get_str();
  }
  /// The nearest double toward 0.
  double get_d() const;

  /// Exact arithmetic, in lowest terms. The divisor must not be 0.
  friend Fraction operator+(const Fraction &Left, const Fraction &Right) {
    return lowest(Left.Num * Right.Den + Right.Num * Left.Den, Left.Den * Right.Den);
  }
  friend Fraction operator*(const Fraction &Left, const Fraction &Right) {
    return lowest(Left.Num * Right.Num, Left.Den * Right.Den);
  }
  friend Fraction operator/(const Fraction &Left, const Fraction &Right) {
    return lowest(Left.Num * Right.Den, Left.Den * Right.Num);
  }
  /// The negated fraction.
  Fraction operator-() const { return {-Num, Den}; }
  friend bool operator==(const Fraction &, const Fraction &) = default;
  /// Below 0, 0 or above 0, as Left is less than, equal to or greater than Right; both
  /// canonicalize()d.
  friend int cmp(const Fraction &Left, const Fraction &Right) {
    return sgn(Left.Num * Right.Den - Right.Num * Left.Den);
  }
  /// -1, 0 or 1.
  friend int sgn(const Fraction &F) { return sgn(F.Num); }

private:
  Integer Num, Den = 1;

  static Fraction lowest(Integer Numerator, Integer Denominator) {
    Fraction Result(std::move(Numerator), std::move(Denominator));
    Result.canonicalize();
    return Result;
  }
};

// As GMP names them.
void mpz_fdiv_q(Integer *Quotient, const Integer *Numerator, const Integer *Denominator);
void mpz_pow_ui(Integer *Power, const Integer *Base, std::uint64_t Exponent);
void mpz_ui_pow_ui(Integer *Power, std::uint64_t Base, std::uint64_t Exponent);
/// The whole part of the root of a number above 0; whether it is exact.
int mpz_root(Integer *Root, const Integer *I, unsigned Degree);
/// How many bits a number has; \p Base is 2.
std::size_t mpz_sizeinbase(const Integer *I, int Base);

} // namespace ergon::adapted

#endif
