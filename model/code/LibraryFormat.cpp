//===- LibraryFormat.cpp - sprintf in interpreted code --------------------===//

#include "model/code/Machine.h"

#include <algorithm>
#include <cstdio>

namespace ergon::code {

/// One conversion of a value as the C library makes it; nothing where the value is not known or of
/// another kind. \p Letters are flags, width and precision.
static std::optional<std::string> converted(const std::string &Letters, bool IsLong, char Kind,
                                            const Value &What, const Memory &Objects) {
  auto Print = [](const std::string &Format, auto Number) {
    char Text[512];
    const int Length = std::snprintf(Text, sizeof Text, Format.c_str(), Number);
    return Length >= 0 && std::size_t(Length) < sizeof Text ? std::optional<std::string>(Text)
                                                            : std::nullopt;
  };
  const std::string Start = "%" + Letters;
  switch (Kind) {
  case 'd':
  case 'i':
    return What.isInteger() ? Print(Start + "lld", (long long)withSign(What.Bits, IsLong ? 64 : 32))
                            : std::nullopt;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    return What.isInteger() ? Print(Start + "ll" + Kind,
                                    (unsigned long long)lowBits(What.Bits, IsLong ? 64 : 32))
                            : std::nullopt;
  case 'c':
    return What.isInteger() ? Print(Start + "c", int(What.Bits & 0xff)) : std::nullopt;
  case 'e':
  case 'f':
  case 'g':
    return What.isReal() ? Print(Start + Kind, What.number()) : std::nullopt;
  case 's': {
    const auto Text = Objects.text(What);
    return Text ? Print(Start + "s", Text->c_str()) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// What printf prints for the format that is argument \p At.
static std::optional<std::string> printed(const LibraryCall &Call, std::size_t At) {
  const Memory &Objects = Call.Now.Objects;
  const auto Format = Objects.text(Call.argument(At));
  if (!Format)
    return std::nullopt;
  std::string Result;
  for (std::size_t I = 0; I != Format->size(); ++I) {
    if ((*Format)[I] != '%') {
      Result += (*Format)[I];
      continue;
    }
    const std::size_t Behind =
        std::min(Format->find_first_not_of("-+ #0123456789.", I + 1), Format->size());
    const std::string Letters = Format->substr(I + 1, Behind - I - 1);
    std::size_t Last = Behind;
    while (Last != Format->size() && ((*Format)[Last] == 'l' || (*Format)[Last] == 'z'))
      ++Last;
    if (Last == Format->size())
      return std::nullopt;
    const char Kind = (*Format)[Last];
    I = Last;
    if (Kind == '%') {
      Result += '%';
      continue;
    }
    const auto Next = converted(Letters, Last != Behind, Kind, Call.argument(++At), Objects);
    if (!Next)
      return std::nullopt;
    Result += *Next;
  }
  return Result;
}

std::optional<Value> callFormat(const LibraryCall &Call) {
  const bool HasSize = Call.Name == "snprintf";
  if (!HasSize && Call.Name != "sprintf")
    return std::nullopt;
  auto Text = printed(Call, HasSize ? 2 : 1);
  const Value Size = HasSize ? Call.argument(1) : Value::integer(~std::uint64_t(0));
  if (!Text || !Size.isInteger()) {
    Call.Now.Objects.forget(Call.argument(0));
    return Value::unknown();
  }
  const Value Length = Value::integer(Text->size());
  if (Size.Bits == 0)
    return Length;
  Text->resize(std::min<std::uint64_t>(Text->size(), Size.Bits - 1));
  Call.Now.Objects.writeText(Call.argument(0), *Text);
  return Length;
}

} // namespace ergon::code
