//===- Amount.h - numbers with units in texts -------------------*- C++ -*-===//
#pragma once

#include <expected>
#include <string_view>

namespace ergon {

/// A number of joules, of seconds or of percent.
struct Amount {
  double Value; ///< in SI units; 1 % is 0.01
  enum class Unit { Joule, Second, Percent } In;
};

/// Parses `3mJ`, `20 ms` and `1%`: a number, an SI prefix and the unit. Error: the predicate of a
/// sentence, `has an unknown prefix`.
std::expected<Amount, std::string_view> parseAmount(std::string_view Text);

/// \p Text without spaces at both ends.
std::string_view stripped(std::string_view Text);

} // namespace ergon
