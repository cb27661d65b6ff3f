//===- Error.h - what is wrong with an input --------------------*- C++ -*-===//
//
// The one error type of all layers: what is wrong, where, and the remedy. It is in the lowest room
// so that each layer can return it. Errors that code distinguishes, such as EvaluationError, are
// enumerations and become an Error when they are reported.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace ergon {

/// Bad input, with what its author needs to correct it.
struct Error {
  std::string What;    ///< what is wrong
  std::string Where{}; ///< JSON pointer, "line 3, column 7" or "character 5"; empty for the whole
                       ///< input
  std::string Fix{};   ///< how to put it right
  std::string File{};  ///< path or option, filled in by the code that opened or read it

  /// One line without a line break: "file: where: what; fix".
  std::string line() const;
};

} // namespace ergon
