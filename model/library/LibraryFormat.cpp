//===- LibraryFormat.cpp - sprintf in interpreted code --------------------===//

#include "model/library/LibraryTexts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ergon::code {

namespace {
/// `%-08.3lf`: flags, width, precision, length and kind.
struct Directive {
  bool IsLeft = false, HasZeros = false, HasPlus = false;
  std::size_t Width = 0;
  std::optional<int> Precision{};
  bool IsLong = false;
  char Kind = 0;
};
} // namespace

/// The characters of \p What, without padding; nothing where it is not known or of another kind.
static std::optional<std::string> textOf(const Directive &How, const Value &What,
                                         const Memory &Objects) {
  const unsigned Bits = How.IsLong ? 64 : 32;
  const std::string Sign = How.HasPlus ? "+" : "";
  switch (How.Kind) {
  case 'd':
  case 'i':
    if (!What.isInteger() || How.Precision)
      return std::nullopt;
    return (withSign(What.Bits, Bits) < 0 ? "" : Sign) + digitsOf(withSign(What.Bits, Bits));
  case 'u':
  case 'x':
  case 'o':
    if (!What.isInteger() || How.Precision)
      return std::nullopt;
    return digitsOf(lowBits(What.Bits, Bits), How.Kind == 'u' ? 10 : How.Kind == 'x' ? 16 : 8);
  case 'c':
    return What.isInteger() ? std::optional(std::string(1, char(What.Bits & 0xff))) : std::nullopt;
  case 'e':
  case 'f':
  case 'g': {
    if (!What.isReal())
      return std::nullopt;
    const auto Format = How.Kind == 'e'   ? std::chars_format::scientific
                        : How.Kind == 'f' ? std::chars_format::fixed
                                          : std::chars_format::general;
    return (std::signbit(What.number()) ? "" : Sign) +
           digitsOf(What.number(), Format, How.Precision.value_or(6));
  }
  case 's': {
    auto Text = Objects.text(What);
    if (Text && How.Precision)
      Text->resize(std::min(Text->size(), std::size_t(*How.Precision)));
    return Text;
  }
  default:
    return std::nullopt;
  }
}

static std::string padded(const Directive &How, std::string Text) {
  const std::size_t Added = How.Width - std::min(How.Width, Text.size());
  if (How.IsLeft)
    return Text.append(Added, ' ');
  const bool IsNumber = How.Kind != 's' && How.Kind != 'c' &&
                        std::ranges::any_of(Text, [](char C) { return C >= '0' && C <= '9'; });
  if (!How.HasZeros || (How.Kind != 'x' && !IsNumber)) // `inf`
    return Text.insert(0, Added, ' ');
  const bool HasSign = Text.starts_with('-') || Text.starts_with('+');
  return Text.insert(HasSign, Added, '0');
}

/// Takes a directive from the beginning of \p Format, behind its `%`; nothing for one that is not
/// known here.
static std::optional<Directive> takeDirective(std::string_view &Format) {
  Directive Result;
  for (; !Format.empty(); Format.remove_prefix(1))
    if (Format.front() == '-')
      Result.IsLeft = true;
    else if (Format.front() == '0')
      Result.HasZeros = true;
    else if (Format.front() == '+')
      Result.HasPlus = true;
    else
      break;
  auto TakeNumber = [&](auto &Number) {
    const char *End = Format.data() + Format.size();
    Format.remove_prefix(
        std::size_t(std::from_chars(Format.data(), End, Number).ptr - Format.data()));
  };
  TakeNumber(Result.Width);
  if (Format.starts_with('.')) {
    Format.remove_prefix(1);
    TakeNumber(Result.Precision.emplace(0));
  }
  for (; Format.starts_with('l') || Format.starts_with('z'); Format.remove_prefix(1))
    Result.IsLong = true;
  static constexpr std::size_t MaxWidth = 200;
  if (Format.empty() || Result.Width > MaxWidth || Result.Precision.value_or(0) > int(MaxWidth))
    return std::nullopt;
  Result.Kind = Format.front();
  if (Result.IsLong && (Result.Kind == 's' || Result.Kind == 'c')) // wide characters
    return std::nullopt;
  Format.remove_prefix(1);
  return Result;
}

/// What printf prints for the format that is argument \p At.
static std::optional<std::string> printed(const LibraryCall &Call, std::size_t At) {
  const auto Format = Call.Now.Objects.text(Call.argument(At));
  if (!Format)
    return std::nullopt;
  std::string Result;
  std::string_view Rest = *Format;
  while (!Rest.empty()) {
    const char Next = Rest.front();
    Rest.remove_prefix(1);
    if (Next != '%' || Rest.starts_with('%')) {
      Result += Next;
      Rest.remove_prefix(Next == '%');
      continue;
    }
    const auto How = takeDirective(Rest);
    const auto Text = How ? textOf(*How, Call.argument(++At), Call.Now.Objects) : std::nullopt;
    if (!Text)
      return std::nullopt;
    Result += padded(*How, *Text);
    if (Result.size() > MaxRead) // no name or option
      return std::nullopt;
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
