//===- FileName.cpp - names of files as text ------------------------------===//

#include "formats/json/FileName.h"

#include <algorithm>

namespace ergon {

static constexpr std::string_view Digits = "0123456789abcdef";

static std::size_t digit(char C) { return Digits.find(C); }

/// `\xe9`
static bool beginsWithByte(std::string_view Text) {
  return Text.size() >= 4 && Text.starts_with("\\x") && digit(Text[2]) < 16 && digit(Text[3]) < 16;
}

static std::string toText(std::string_view From, bool IsName) {
  std::string Result;
  while (!From.empty()) {
    const std::size_t Length = IsName && beginsWithByte(From) ? 0 : utf8Length(From);
    if (Length == 0) {
      const auto Byte = static_cast<unsigned char>(From[0]);
      ((Result += "\\x") += Digits[Byte >> 4]) += Digits[Byte & 15];
    } else {
      Result += From.substr(0, Length);
    }
    From.remove_prefix(std::max<std::size_t>(Length, 1));
  }
  return Result;
}

std::string textOfName(std::string_view Name) { return toText(Name, /*IsName=*/true); }

std::string validText(std::string_view Text) { return toText(Text, /*IsName=*/false); }

std::string nameOfText(std::string_view Text) {
  std::string Result;
  while (!Text.empty()) {
    const bool IsByte = beginsWithByte(Text);
    Result += IsByte ? char(digit(Text[2]) << 4 | digit(Text[3])) : Text[0];
    Text.remove_prefix(IsByte ? 4 : 1);
  }
  return Result;
}

} // namespace ergon
