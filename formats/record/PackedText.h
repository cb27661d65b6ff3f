//===- PackedText.h - long texts without their repetitions ------*- C++ -*-===//
//
// The record of a long function repeats keys, symbols and positions. Packed, each repetition is a
// reference to where it stood before, in printable characters, as the text stands in a JSON string:
//
//   ^LDD    the next characters are those of DD + 1 characters ago, L + 5 of them
//   ~LDDD   the same from further away
//   !c      the character c itself, where it is ^, ~ or !
//   c       the character c; quotation mark and apostrophe are exchanged, as JSON escapes the first
//
// L and D are digits of base 64: 0-9, A-Z, a-z, -, _. A reference is never to a part of a UTF-8
// sequence. (Ziv and Lempel, A Universal Algorithm for Sequential Data Compression, 1977.)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// \p Text, valid UTF-8, without repetitions; the same for the same text.
std::string packText(std::string_view Text);

/// The text that was packed; nothing where \p Packed is no packed text.
std::optional<std::string> unpackText(std::string_view Packed);

} // namespace ergon
