//===- CsvTable.h - tables of measurements as CSV ---------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// Reads a table line by line: CSV as RFC 4180 has it, but that a cell ends on its line. The first
/// line names the columns, in any order. Keeps the first error, which ends the reading.
class CsvTable {
public:
  using Cells = std::vector<std::string>;

  /// The rows of \p Text. Hands the names of the columns to \p TakeColumns, and for each row,
  /// which knows its line, a cell and its column to \p TakeCell, then the row to \p EndRow.
  /// Errors: broken quotes, a column named twice, a row of another length, no line, no row, and
  /// what the three have failed for.
  template <typename Row>
  std::expected<std::vector<Row>, Error> rows(
      std::string_view Text, const std::function<void(const Cells &)> &TakeColumns,
      const std::function<void(const std::string &, std::string_view, Row &)> &TakeCell,
      const std::function<void(const Row &)> &EndRow = [](const Row &) {}) {
    std::vector<Row> Result;
    auto Read = read(Text, TakeColumns, [&](const Cells &Columns, const Cells &Now) {
      Row Next;
      Next.Line = Line;
      for (std::size_t K = 0; K != Now.size(); ++K)
        TakeCell(Now[K], Columns[K], Next);
      EndRow(Next);
      Result.push_back(std::move(Next));
    });
    if (!Read)
      return std::unexpected(std::move(Read.error()));
    return Result;
  }

  void fail(std::string What, std::string Fix, std::string_view Column = {});

  enum class Range {
    Any,       ///< 0 or above
    Positive,  ///< above 0
    ZeroIsNone ///< 0 says that there is none
  };
  /// The finite decimal number in a cell; nothing where it is blank, and after an error.
  std::optional<double> number(const std::string &Cell, std::string_view Column, Range R);
  /// The same of a cell that must not be blank; 0 after an error.
  double required(const std::string &Cell, std::string_view Column, Range R);
  /// A name in a cell that must not be blank.
  std::string name(const std::string &Cell, std::string_view Column);

private:
  std::expected<void, Error>
  read(std::string_view Text, const std::function<void(const Cells &)> &TakeColumns,
       const std::function<void(const Cells &Columns, const Cells &Now)> &TakeRow);

  std::size_t Line = 0; ///< that is being read, from 1
  std::optional<Error> First;
};

} // namespace ergon
