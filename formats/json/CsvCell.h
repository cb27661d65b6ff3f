//===- CsvCell.h - a cell of CSV --------------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

namespace ergon {

/// \p Text as a cell, in quotes where RFC 4180 wants them.
inline std::string csvCell(std::string_view Text) {
  if (Text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(Text);
  std::string Result = "\"";
  for (char C : Text)
    Result += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Result + "\"";
}

} // namespace ergon
