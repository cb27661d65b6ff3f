//===- PlainText.cpp - text that a terminal only shows --------------------===//

#include "formats/json/PlainText.h"

#include <array>
#include <cstdio>
#include <utility>

namespace ergon {

/// Control characters (C0 but tab and line feed, delete, C1), those of the Unicode Bidirectional
/// Algorithm (UAX 9, section 2), line separators, and what has no width: text must not look like
/// other text than it is. U+FFFE and U+FFFF are no characters of XML (XML 1.0, production 2).
static bool isHidden(char32_t Letter) {
  static constexpr std::pair<char32_t, char32_t> Ranges[] = {
      {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},
      {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
      {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}};
  for (const auto &[First, Last] : Ranges)
    if (Letter >= First && Letter <= Last)
      return true;
  return false;
}

/// All of isHidden() is within 16 bits.
static std::string escape(const char *Format, unsigned Number) {
  std::array<char, 8> Text;
  std::snprintf(Text.data(), Text.size(), Format, Number);
  return Text.data();
}

PlainCharacter firstCharacter(std::string_view Text) {
  const auto Byte = [&](std::size_t Position) {
    return static_cast<unsigned char>(Text[Position]);
  };
  const unsigned First = Byte(0);
  // RFC 3629, section 4: how many bytes follow, and between which numbers the second one is.
  std::size_t More = 0;
  unsigned Low = 0x80, High = 0xbf;
  char32_t Letter = First;
  if (First >= 0xc2 && First <= 0xdf) {
    More = 1;
    Letter = First & 0x1f;
  } else if (First >= 0xe0 && First <= 0xef) {
    More = 2;
    Letter = First & 0x0f;
    Low = First == 0xe0 ? 0xa0 : Low;
    High = First == 0xed ? 0x9f : High;
  } else if (First >= 0xf0 && First <= 0xf4) {
    More = 3;
    Letter = First & 0x07;
    Low = First == 0xf0 ? 0x90 : Low;
    High = First == 0xf4 ? 0x8f : High;
  } else if (First >= 0x80) {
    return {1, escape("\\x%02x", First)};
  }
  for (std::size_t Index = 1; Index <= More; ++Index, Low = 0x80, High = 0xbf) {
    if (Index == Text.size())
      return {0};
    if (Byte(Index) < Low || Byte(Index) > High)
      return {1, escape("\\x%02x", First)};
    Letter = Letter << 6 | (Byte(Index) & 0x3f);
  }
  if (isHidden(Letter))
    return {More + 1, escape("\\u%04x", unsigned(Letter))};
  return {More + 1};
}

std::string plainText(std::string_view Text) {
  std::string Result;
  while (!Text.empty()) {
    PlainCharacter Next = firstCharacter(Text);
    if (Next.Bytes == 0) // the text ends inside of a character
      Next = {1, escape("\\x%02x", static_cast<unsigned char>(Text[0]))};
    if (Text[0] == '\n')
      Next.Escape = "\\u000a";
    Result += Next.Escape.empty() ? Text.substr(0, Next.Bytes) : Next.Escape;
    Text.remove_prefix(Next.Bytes);
  }
  return Result;
}

} // namespace ergon
