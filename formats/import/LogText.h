//===- LogText.h - lines and cells of a tool's log --------------*- C++ -*-===//
//
// Tools write tables among messages of their own and of the program that they watch. So a log is
// looked at line by line, and only a line's cells are CSV.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

struct LogLine {
  std::string_view Text;  ///< without spaces at its ends
  std::size_t Number = 0; ///< from 1
  bool IsWhole = true;    ///< ends with a line break
};

/// The lines of \p Text that are not blank, as long as that lives. Error: it is empty, UTF-16 or no
/// text.
std::expected<std::vector<LogLine>, Error> logLines(std::string_view Text);

/// The cells of a line of CSV, without spaces around them; nothing where its quotes are broken.
std::optional<std::vector<std::string>> csvCells(std::string_view Line, char Separator = ',');

/// The words of a line, which spaces separate.
std::vector<std::string> words(std::string_view Line);

/// \p Text without spaces and tabs at its ends.
std::string_view trimmed(std::string_view Text);

/// True where \p Text has \p Part.
inline bool has(std::string_view Text, std::string_view Part) {
  return Text.find(Part) != std::string_view::npos;
}

/// An error in \p Line.
Error lineError(const LogLine &Line, std::string What, std::string Fix);

/// The position of the cell that has one of \p Names, in this order; nothing where none has.
std::optional<std::size_t> columnOf(const std::vector<std::string> &Cells,
                                    std::initializer_list<std::string_view> Names);

/// What is said of a log whose last line has fewer cells than others.
std::string cutOffNote(const LogLine &Line);

} // namespace ergon
