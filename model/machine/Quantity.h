//===- Quantity.h - numbers and their sources -------------------*- C++ -*-===//
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace ergon {

/// `estimated`: follows from other numbers by a law that the source states.
enum class SourceKind { Datasheet, Measured, Fitted, Published, Estimated };
inline constexpr std::array<std::string_view, 5> SourceKindNames = {
    "datasheet", "measured", "fitted", "published", "estimated"};
/// The word in documents.
inline std::string_view name(SourceKind Kind) { return SourceKindNames[std::size_t(Kind)]; }

/// The source of a number.
struct Source {
  SourceKind Kind = SourceKind::Published;
  std::string Reference;  ///< document and place in it, or what was run
  std::string Date;       ///< of the reference: YYYY, YYYY-MM or YYYY-MM-DD
  std::string Derivation; ///< how the numbers follow from the reference; empty: it states them
  /// One standard deviation relative to the value, or why it is unknown.
  std::variant<double, std::string> Uncertainty;
};

/// A number and the key of its source among those of its document.
struct Quantity {
  double Value = 0;
  std::string Source;

  bool operator==(const Quantity &) const = default;
};

} // namespace ergon
