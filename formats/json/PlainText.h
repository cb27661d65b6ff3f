//===- PlainText.h - text that a terminal only shows ------------*- C++ -*-===//
//
// Names of symbols and files, comments and lines of code come from programs and records of unknown
// origin. Characters that a terminal, a log or a page would interpret are written as escapes, so
// that the text is shown and has no effect.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ergon {

/// A character at the start of a text, as it may be shown.
struct PlainCharacter {
  std::size_t Bytes; ///< that it takes in the text; 0: the text ends inside of it
  /// Empty: the character is shown as it is. Else its escape: `\u001b`, which JSON reads as that
  /// character, for a control character, a change of text direction or an invisible character;
  /// `\x9b` for a byte that is not UTF-8.
  std::string Escape = {};
};

/// The first character of \p Text, which is not empty. A line feed and a tab are as they are.
PlainCharacter firstCharacter(std::string_view Text);

/// \p Text on one line, with escapes as above and for line feeds.
std::string plainText(std::string_view Text);

} // namespace ergon
