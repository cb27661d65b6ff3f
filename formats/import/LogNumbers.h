//===- LogNumbers.h - numbers and units of tools' logs ----------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ergon {

/// How a log writes numbers: `1,234.5` or `1.234,5`, by the locale of who ran the tool.
enum class NumberStyle { Point, Comma };

/// The style that the cells of a log have in common; Point where nothing tells. Nothing where some
/// must be read one way, and others the other way.
class NumberStyleFinder {
public:
  /// Takes a cell into account; text without a number says nothing.
  void look(std::string_view Cell);
  /// The style of all cells so far.
  std::optional<NumberStyle> found() const;

private:
  bool HasPoint = false, HasComma = false;
};

/// A cell split into number and unit: `155.06GB/s`, `208.36 W`, `[N/A]`.
struct LogNumber {
  std::optional<double> Value; ///< nothing where the cell has no number: `[N/A]`, `-`, `Low (2)`
  std::string_view Unit;       ///< what stands behind the number
};
/// The number that \p Cell begins with.
LogNumber readNumber(std::string_view Cell, NumberStyle Style = NumberStyle::Point);

enum class LogQuantity { Time, Energy, Power, Frequency, Bytes, Count };

/// A unit's quantity, and its size in SI base units: `usecond` is Time, 1e-6.
struct LogUnit {
  LogQuantity Quantity;
  double Size;
};
/// Nothing for a unit that is not known.
std::optional<LogUnit> logUnit(std::string_view Name);
/// The size of \p Name, which must be a unit of \p Quantity; nothing where it is none.
std::optional<double> unitSize(std::string_view Name, LogQuantity Quantity);

/// Seconds since 1970 of `2019/08/23 14:54:47.307`, `2019-08-23T14:54:47`, `20190823 14:54:47` or
/// `1777708107.135`, as if it were UTC; nothing where \p Text is no time.
std::optional<double> readTimestamp(std::string_view Text);

} // namespace ergon
