//===- Rational.h - exact rational numbers ----------------------*- C++ -*-===//
//
// A rational number of any size. Counts and coefficients are nearly always small: those use two
// machine words. Only larger ones use Boost.Multiprecision, whose headers Rational.cpp alone reads:
// they take longer to compile than most files of model/.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// Always in lowest terms with a positive denominator, so equal numbers have equal parts. Names
/// follow GMP's C++ interface. The caller must avoid division by zero.
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
  /// The integer that \p Digits are in base 10, behind a `-` where it is below 0.
  static Rational ofDigits(std::string_view Digits);
  /// The whole part of a finite number.
  static Rational wholePartOf(double Value);

  /// Also copies the large number, if any.
  Rational(const Rational &Other) : Num(Other.Num), Den(Other.Den) {
    if (isLarge())
      copyLarge();
  }
  Rational(Rational &&Other) noexcept : Num(Other.Num), Den(Other.Den) {
    if (isLarge())
      Other.forget();
  }
  Rational &operator=(Rational Other) noexcept {
    std::swap(Num, Other.Num);
    std::swap(Den, Other.Den);
    return *this;
  }
  ~Rational() {
    if (isLarge())
      release();
  }

  Rational get_num() const;
  Rational get_den() const;
  /// `-3`, `1/4`.
  std::string get_str() const;
  double get_d() const;
  bool isInteger() const { return isLarge() ? isLargeInteger() : Den == 1; }
  /// The number, if it is an integer that fits.
  std::optional<std::int64_t> asWord() const {
    return isSmallInteger() ? std::optional(Num) : std::nullopt;
  }
  /// An integer that fits; of another one, the lowest bits of its size with its sign.
  std::int64_t get_si() const { return isLarge() ? std::int64_t(lowestBits()) : Num; }
  /// An integer of at least 0 that fits; of another one, the lowest bits of its size.
  std::uint64_t get_ui() const { return sign() < 0 ? -lowestBits() : lowestBits(); }
  /// -1, 0 or 1.
  int sign() const { return isLarge() ? largeSign() : (Num > 0) - (Num < 0); }

  /// Exact arithmetic: machine words until a result overflows, then large numbers.
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

  /// The same for equal numbers.
  std::size_t hash() const {
    return std::size_t(isLarge() ? lowestBits() : std::uint64_t(Num) * 31 + std::uint64_t(Den));
  }
  /// By value.
  friend bool operator==(const Rational &Left, const Rational &Right) {
    if (Left.isLarge() && Right.isLarge())
      return isSame(*Left.held(), *Right.held());
    return Left.Num == Right.Num && Left.Den == Right.Den;
  }
  friend std::strong_ordering operator<=>(const Rational &Left, const Rational &Right) {
    if (Left.isSmallInteger() && Right.isSmallInteger())
      return Left.Num <=> Right.Num;
    return compareSlowly(Left, Right);
  }
  /// Greatest common divisor and least common multiple of integers, at least 0.
  friend Rational gcd(const Rational &Left, const Rational &Right);
  friend Rational lcm(const Rational &Left, const Rational &Right);
  /// The largest integer at most \p Value.
  friend Rational floorOf(const Rational &Value);
  /// 2^Exponent.
  friend Rational twoTo(unsigned Exponent);

private:
  struct Large;
  // The value is Num / Den. Where Den is 0 it does not fit words, and Num is a pointer to it.
  std::int64_t Num = 0, Den = 1;

  bool isLarge() const { return Den == 0; }
  Large *held() const { return reinterpret_cast<Large *>(std::intptr_t(Num)); }
  void hold(Large Value);
  void set(std::int64_t Numerator, std::int64_t Denominator) {
    if (isLarge())
      release();
    Num = Numerator;
    Den = Denominator;
  }
  void copyLarge();
  void release();
  void forget() {
    Num = 0;
    Den = 1;
  }
  bool isSmallInteger() const { return Den == 1; }
  __extension__ using Wide = __int128;
  void assign(Wide Numerator, Wide Denominator);
  void assign(Large Value);
  static std::strong_ordering compareSlowly(const Rational &Left, const Rational &Right);
  static bool isSame(const Large &Left, const Large &Right);
  bool isLargeInteger() const;
  int largeSign() const;
  std::uint64_t lowestBits() const;
  Large large() const;
};

Rational twoTo(unsigned Exponent);

} // namespace ergon
