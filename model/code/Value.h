//===- Value.h - a value of interpreted code --------------------*- C++ -*-===//
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace ergon::code {

/// A number, a pointer or a function of interpreted code; or unknown, as all that is computed from
/// an unknown value.
struct Value {
  enum class Kind : std::uint8_t { Unknown, Integer, Real, Pointer, Function };
  Kind What = Kind::Unknown;
  /// Of a pointer: false where only its object is known.
  bool HasOffset = true;
  /// Of a pointer: its object's number. Of a function: its name's number. Of an unknown value: a
  /// bit for each byte that is known nevertheless, as of a structure with padding. Of a truth
  /// value: how it is known, as a Trust.
  std::uint32_t Object = 0;
  /// An integer's bits, zero above its width; a real number's bits, as a double; a pointer's offset
  /// in bytes; the known bytes of an unknown value.
  std::uint64_t Bits = 0;

  /// A value of each kind; of a function, by its name's number.
  static Value unknown() { return {}; }
  static Value integer(std::uint64_t Bits) { return {.What = Kind::Integer, .Bits = Bits}; }
  static Value real(double Number) {
    return {.What = Kind::Real, .Bits = std::bit_cast<std::uint64_t>(Number)};
  }
  static Value pointer(std::uint32_t Object, std::int64_t Offset) {
    return {.What = Kind::Pointer, .Object = Object, .Bits = std::uint64_t(Offset)};
  }
  /// An integer of so many bytes, of which those in \p Known are known.
  static Value partly(std::uint64_t Bits, std::uint32_t Known, unsigned Bytes) {
    const std::uint32_t All = (1U << Bytes) - 1;
    std::uint64_t Mask = 0;
    for (unsigned I = 0; I != Bytes; ++I)
      Mask |= Known >> I & 1 ? std::uint64_t(0xff) << (8 * I) : 0;
    return {.What = (Known & All) == All ? Kind::Integer : Kind::Unknown,
            .Object = (Known & All) == All ? 0 : Known & All,
            .Bits = Bits & Mask};
  }
  /// How a truth value is known: for sure, for ordinary numbers, or for positive ones.
  enum Trust : std::uint32_t { Sure, Ordinary, Positive };
  static Value truth(bool Holds, std::uint32_t How) {
    return {.What = Kind::Integer, .Object = How, .Bits = std::uint64_t(Holds)};
  }
  static Value function(std::uint32_t Name) { return {.What = Kind::Function, .Object = Name}; }

  /// Of which kind it is, and what it then holds.
  bool isKnown() const { return What != Kind::Unknown; }
  bool isInteger() const { return What == Kind::Integer; }
  std::uint32_t trust() const { return isInteger() ? Object : Sure; }
  bool isReal() const { return What == Kind::Real; }
  bool isPointer() const { return What == Kind::Pointer; }
  bool isFunction() const { return What == Kind::Function; }
  /// Those of an integer, by bits.
  std::uint32_t knownBytes() const { return isInteger() ? 0xff : isKnown() ? 0 : Object; }
  std::int64_t offset() const { return std::int64_t(Bits); }
  double number() const { return std::bit_cast<double>(Bits); }
  bool operator==(const Value &) const = default;
};

/// \p Pointer, so many bytes further on.
inline Value moved(Value Pointer, std::int64_t Bytes) {
  Pointer.Bits += std::uint64_t(Bytes);
  return Pointer;
}

/// How many bytes \p End is behind \p Begin; nothing where they are no known places in one object.
inline std::optional<std::int64_t> bytesBetween(const Value &Begin, const Value &End) {
  const bool AreInOne = Begin.isPointer() && End.isPointer() && Begin.HasOffset && End.HasOffset &&
                        Begin.Object == End.Object;
  return AreInOne ? std::optional(End.offset() - Begin.offset()) : std::nullopt;
}

/// The lowest \p Width bits.
inline std::uint64_t lowBits(std::uint64_t Bits, unsigned Width) {
  return Width >= 64 ? Bits : Bits & ((std::uint64_t(1) << Width) - 1);
}

/// An integer of \p Width bits with its sign.
inline std::int64_t withSign(std::uint64_t Bits, unsigned Width) {
  return Width >= 64 ? std::int64_t(Bits) : std::int64_t(Bits << (64 - Width)) >> (64 - Width);
}

} // namespace ergon::code
