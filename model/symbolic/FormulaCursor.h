//===- FormulaCursor.h - a place in a formula's text ------------*- C++ -*-===//
//
// What the readers of the two languages of formulas share: exact expressions
// (ExprParse.cpp) and real-valued formulas (Formula.cpp). It keeps the first error,
// after which nothing is left to read, and counts how deep the text is nested.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SYMBOLIC_FORMULACURSOR_H
#define ERGON_MODEL_SYMBOLIC_FORMULACURSOR_H

#include "model/symbolic/Error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// Reads a formula character by character; both languages of formulas parse with it.
class FormulaCursor {
public:
  /// Starts at the first character of \p Text, which must outlive the cursor.
  explicit FormulaCursor(std::string_view Text) : Text(Text) {}

  /// The next character; NUL at the end.
  char peek() const { return Position < Text.size() ? Text[Position] : '\0'; }
  /// What was not read yet.
  std::string_view rest() const { return Text.substr(Position); }
  /// Goes over so many characters; there are as many.
  void skip(std::size_t Count) { Position += Count; }
  void skipSpaces();
  /// Goes over \p C and the spaces around it, where it is next; else over spaces alone.
  bool accept(char C);
  /// Goes over the characters that \p IsInner is true for, and returns them.
  template <typename Predicate> std::string_view takeWhile(Predicate IsInner) {
    const std::size_t Start = Position;
    while (Position < Text.size() && IsInner(Text[Position]))
      ++Position;
    return Text.substr(Start, Position - Start);
  }

  /// Notes an error here, unless there is one, and leaves nothing to read.
  void fail(std::string What);
  bool failed() const { return Failure.has_value(); }
  /// At the end: the first error. Where says at which character, from 1.
  std::optional<Error> finish();

  /// False, with an error, where operands are nested too deeply for the stack.
  bool enter();
  void leave() { --Depth; }

  /// ASCII characters, whatever the locale.
  static bool isDigit(char C) { return C >= '0' && C <= '9'; }
  static bool isLetter(char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  }
  /// A character of a symbol after its first: `.` too.
  static bool isInner(char C) { return isLetter(C) || isDigit(C) || C == '.'; }

private:
  static constexpr unsigned MaxDepth = 200;
  std::string_view Text;
  std::size_t Position = 0;
  unsigned Depth = 0;
  std::optional<Error> Failure;
};

} // namespace ergon

#endif
