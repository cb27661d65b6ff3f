//===- Error.h - what is wrong with an input --------------------*- C++ -*-===//
#ifndef ERGON_FORMATS_JSON_ERROR_H
#define ERGON_FORMATS_JSON_ERROR_H

#include <expected>
#include <string>
#include <string_view>

namespace ergon {

/// What is wrong with an input, where, and how its author can fix it.
struct Error {
  std::string What;  ///< what is wrong
  std::string Where; ///< JSON pointer, or "line 3, column 7"; empty for the whole file
  std::string Fix;   ///< how to put it right
  std::string File;  ///< path, filled in by whoever opened the file

  /// One line without a line break: "file: where: what; fix".
  std::string line() const;
};

/// \p Text as a JSON string literal: quoted, control characters escaped, so that
/// it fits on one line whatever is in it.
std::string inQuotes(std::string_view Text);

/// The whole of a file. Error: it is not there or cannot be read.
std::expected<std::string, Error> readTextFile(const std::string &Path);

} // namespace ergon

#endif
