//===- Error.h - what is wrong with an input --------------------*- C++ -*-===//
//
// The one type of error of all layers: what is wrong, where, and the remedy. It stands in the
// lowest room so that each layer can return it. Reasons that code decides by, such as
// EvaluationError, are enumerations of their own and become an Error where somebody is told.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_ERROR_H
#define ERGON_MODEL_SYMBOLIC_ERROR_H

#include <string>

namespace ergon {

/// Bad input, said so that whoever made it can correct it.
struct Error {
  std::string What;    ///< what is wrong
  std::string Where{}; ///< JSON pointer, "line 3, column 7" or "character 5"; empty for all of it
  std::string Fix{};   ///< how to put it right
  std::string File{};  ///< path or option, filled in by whoever opened or read it

  /// One line without a line break: "file: where: what; fix".
  std::string line() const;
};

} // namespace ergon

#endif
