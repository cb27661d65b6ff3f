//===- NumberTexts.h - numbers at the beginning of texts --------*- C++ -*-===//
//
// strtol and strtod take the longest number that a text begins with. scanf and std::istream decide
// at each character whether they take it, and may take more than the number: `0x`, `1e`, a sign.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace ergon::code {

/// What isspace says of ASCII.
inline bool isSpace(char C) { return C == ' ' || (C >= '\t' && C <= '\r'); }

/// How many spaces \p Text begins with.
std::size_t spacesIn(std::string_view Text);

/// A number at the beginning of a text, and how many characters were taken.
template <typename T> struct NumberRead {
  T Number{};
  std::size_t Length = 0;
  bool IsNumber = false;
};

/// As strtol reads it. Nothing for a number that does not fit.
std::optional<NumberRead<std::int64_t>> readInteger(std::string_view Text, int Base);
/// As strtod reads it, and strtof where it \p IsFloat. Nothing for a hexadecimal number, and for
/// one that does not fit.
std::optional<NumberRead<double>> readReal(std::string_view Text, bool IsFloat);

/// As scanf reads them, in texts that begin with no space.
std::optional<NumberRead<std::int64_t>> scanInteger(std::string_view Text, int Base);
std::optional<NumberRead<double>> scanReal(std::string_view Text, bool IsFloat);

/// As `>>` of std::istream reads them, in texts that begin with no space. What does not fit is no
/// number, as what is none; both have the value that is stored then.
NumberRead<std::int64_t> extractInteger(std::string_view Text, unsigned Bits, bool IsSigned);
std::optional<NumberRead<double>> extractReal(std::string_view Text, bool IsFloat);

/// What std::to_chars makes of a number.
template <typename... Options> std::string digitsOf(Options... How) {
  char Text[512];
  const auto Printed = std::to_chars(Text, std::end(Text), How...);
  return {Text, Printed.ec == std::errc() ? Printed.ptr : Text};
}

} // namespace ergon::code
