//===- FormulaCursor.h - a position in a formula's text ---------*- C++ -*-===//
//
// Shared by the parsers of exact expressions (ExprParse.cpp) and real-valued formulas
// (Formula.cpp). It keeps the first error, after which nothing is left to read, and limits the
// nesting depth.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// Reads a formula character by character; both parsers use it.
class FormulaCursor {
public:
  /// Starts at the first character of \p Text, which must outlive the cursor.
  explicit FormulaCursor(std::string_view Text) : Text(Text) {}

  /// The next character; NUL at the end.
  char peek() const { return Position < Text.size() ? Text[Position] : '\0'; }
  /// The unread rest.
  std::string_view rest() const { return Text.substr(Position); }
  /// Skips \p Count characters; there must be that many.
  void skip(std::size_t Count) { Position += Count; }
  void skipSpaces();
  /// Skips \p C and the spaces around it if it is next; otherwise only spaces.
  bool accept(char C);
  /// Skips and returns the characters that satisfy \p IsInner.
  template <typename Predicate> std::string_view takeWhile(Predicate IsInner) {
    const std::size_t Start = Position;
    while (Position < Text.size() && IsInner(Text[Position]))
      ++Position;
    return Text.substr(Start, Position - Start);
  }

  /// Records an error here unless there is one already, and discards the rest.
  void fail(std::string What);
  bool failed() const { return Failure.has_value(); }
  /// At the end: the first error, with its character, from 1, in Where.
  std::optional<Error> finish();

  /// False, with an error, where nesting is too deep for the stack.
  bool enter();
  void leave() { --Depth; }

  /// ASCII characters, whatever the locale.
  static bool isDigit(char C) { return C >= '0' && C <= '9'; }
  static bool isLetter(char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  }
  /// A character of a symbol after the first one, including `.`.
  static bool isInner(char C) { return isLetter(C) || isDigit(C) || C == '.'; }

private:
  static constexpr unsigned MaxDepth = 200;
  std::string_view Text;
  std::size_t Position = 0;
  unsigned Depth = 0;
  std::optional<Error> Failure;
};

} // namespace ergon
