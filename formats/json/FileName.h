//===- FileName.h - names of files as text ----------------------*- C++ -*-===//
//
// The name of a file is bytes, a JSON document is UTF-8. A byte that is not UTF-8 is written
// `\xe9`, and so is the backslash of a name that reads like that, so each name has one text and
// each text one name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ergon {

/// How many bytes the UTF-8 character has that \p Text begins with; 0 where it begins with none.
constexpr std::size_t utf8Length(std::string_view Text) {
  const auto ByteAt = [&](std::size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0U;
  };
  const unsigned First = ByteAt(0);
  if (First < 0x80)
    return Text.empty() ? 0 : 1;
  // RFC 3629, section 4: no longer form than needed, no surrogates, nothing beyond U+10FFFF.
  const std::size_t Length = First >= 0xc2 && First < 0xe0   ? 2
                             : First >= 0xe0 && First < 0xf0 ? 3
                             : First >= 0xf0 && First < 0xf5 ? 4
                                                             : 0;
  const unsigned Least = First == 0xe0   ? 0xa0
                         : First == 0xf0 ? 0x90
                                         : 0x80,
                 Most = First == 0xed   ? 0x9f
                        : First == 0xf4 ? 0x8f
                                        : 0xbf;
  if (Length == 0 || ByteAt(1) < Least || ByteAt(1) > Most)
    return 0;
  for (std::size_t I = 2; I < Length; ++I)
    if (ByteAt(I) < 0x80 || ByteAt(I) > 0xbf)
      return 0;
  return Length;
}

/// The text of a file's name.
std::string textOfName(std::string_view Name);
/// The name that has that text.
std::string nameOfText(std::string_view Text);
/// \p Text with its bytes that are not UTF-8 as above, and all else as it is: for what is only
/// shown, and for names of functions.
std::string validText(std::string_view Text);

} // namespace ergon
