//===- Rational.h - exact rational numbers ----------------------*- C++ -*-===//
//
// A rational number of any size. Counts and coefficients are nearly always small: those use two
// machine words. Only larger ones use GMP, which allocates memory for numerator and denominator.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_RATIONAL_H
#define ERGON_MODEL_SYMBOLIC_RATIONAL_H

#include <compare>
#include <concepts>
#include <cstdint>
#include <gmpxx.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace ergon {

/// Always in lowest terms with a positive denominator, so equal numbers have equal parts. Names
/// follow GMP's `mpq_class`. The caller must avoid division by zero.
class Rational {
public:
  Rational() = default;
  /// Any integer, exactly.
  template <std::integral T> Rational(T Value) {
    using Word = std::numeric_limits<std::int64_t>;
    if (Value >= T(0) ? std::uint64_t(Value) <= Word::max() : std::int64_t(Value) != Word::min())
      Num = std::int64_t(Value);
    else
      assign(Value, 1);
  }
  /// A fraction, reduced to lowest terms. \p Denominator must not be 0.
  template <std::integral T, std::integral U> Rational(T Numerator, U Denominator) {
    assign(Numerator, Denominator);
  }
  Rational(const mpz_class &Value) : Rational(Value, mpz_class(1)) {}
  Rational(const mpz_class &Numerator, const mpz_class &Denominator);

  /// Also copies the GMP number, if any.
  Rational(const Rational &Other)
      : Num(Other.Num), Den(Other.Den),
        Big(Other.Big ? std::make_unique<mpq_class>(*Other.Big) : nullptr) {}
  Rational(Rational &&Other) noexcept = default;
  Rational &operator=(const Rational &Other) { return *this = Rational(Other); }
  Rational &operator=(Rational &&Other) noexcept = default;

  /// Numerator and denominator as GMP integers.
  mpz_class get_num() const { return Big ? Big->get_num() : mpz_class(Num); }
  mpz_class get_den() const { return Big ? Big->get_den() : mpz_class(Den); }
  /// `-3`, `1/4`.
  std::string get_str() const;
  double get_d() const;
  bool isInteger() const { return Big ? Big->get_den() == 1 : Den == 1; }
  /// The number, if it is an integer that fits.
  std::optional<std::int64_t> asWord() const {
    return isSmallInteger() ? std::optional(Num) : std::nullopt;
  }
  /// -1, 0 or 1.
  int sign() const { return Big ? sgn(*Big) : (Num > 0) - (Num < 0); }

  /// Exact arithmetic: machine words until a result overflows, then GMP.
  Rational &operator+=(const Rational &Other);
  Rational &operator-=(const Rational &Other) { return *this += -Other; }
  Rational &operator*=(const Rational &Other);
  Rational &operator/=(const Rational &Other);
  Rational operator-() const;
  friend Rational operator+(Rational Left, const Rational &Right) { return Left += Right; }
  friend Rational operator-(Rational Left, const Rational &Right) { return Left -= Right; }
  friend Rational operator*(Rational Left, const Rational &Right) { return Left *= Right; }
  friend Rational operator/(Rational Left, const Rational &Right) { return Left /= Right; }
  friend Rational abs(const Rational &R) { return R.sign() < 0 ? -R : R; }

  /// By value.
  friend bool operator==(const Rational &Left, const Rational &Right) {
    if (Left.Big || Right.Big)
      return Left.Big && Right.Big && *Left.Big == *Right.Big;
    return Left.Num == Right.Num && Left.Den == Right.Den;
  }
  friend std::strong_ordering operator<=>(const Rational &Left, const Rational &Right) {
    if (Left.isSmallInteger() && Right.isSmallInteger())
      return Left.Num <=> Right.Num;
    return compareSlowly(Left, Right);
  }

private:
  // The value is Num / Den unless Big is set, which then does not fit words.
  std::int64_t Num = 0, Den = 1;
  std::unique_ptr<mpq_class> Big;

  bool isSmallInteger() const { return !Big && Den == 1; }
  __extension__ using Wide = __int128;
  void assign(Wide Numerator, Wide Denominator);
  void assign(mpq_class Value);
  static std::strong_ordering compareSlowly(const Rational &Left, const Rational &Right);
  mpq_class toGmp() const { return Big ? *Big : mpq_class(Num, static_cast<std::uint64_t>(Den)); }
};

/// 2^Exponent, cached: large powers are needed often.
const Rational &twoTo(unsigned Exponent);

/// The largest integer at most \p Value.
mpz_class floorOf(const Rational &Value);

} // namespace ergon

#endif
