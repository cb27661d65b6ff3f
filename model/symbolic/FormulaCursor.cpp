//===- FormulaCursor.cpp - a position in a formula's text -----------------===//

#include "model/symbolic/FormulaCursor.h"

#include <utility>

namespace ergon {

void FormulaCursor::skipSpaces() {
  while (peek() == ' ')
    ++Position;
}

bool FormulaCursor::accept(char C) {
  skipSpaces();
  if (peek() != C)
    return false;
  ++Position;
  skipSpaces();
  return true;
}

void FormulaCursor::fail(std::string What) {
  if (!Failure)
    Failure = Error{std::move(What), "character " + std::to_string(Position + 1)};
  Position = Text.size();
}

std::optional<Error> FormulaCursor::finish() {
  if (!Failure && Position != Text.size())
    fail("unexpected character");
  return Failure;
}

bool FormulaCursor::enter() {
  if (++Depth <= MaxDepth)
    return true;
  fail("nested too deeply");
  return false;
}

} // namespace ergon
