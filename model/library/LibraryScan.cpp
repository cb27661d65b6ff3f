//===- LibraryScan.cpp - scanf in interpreted code ------------------------===//

#include "model/library/LibraryTexts.h"

#include <algorithm>
#include <charconv>
#include <type_traits>

namespace ergon::code {

namespace {
/// `%*5ld`: what it is, how many characters it takes at most, and whether and how it is stored.
struct Conversion {
  char Kind = 0;
  bool IsStored = true;
  std::size_t Width = std::string_view::npos;
  unsigned Bytes = 4;
  std::string_view Set{}; ///< between brackets
};

class Scan {
public:
  Scan(std::string_view Text, std::string_view Format, const LibraryCall &Call, std::size_t First)
      : Text(Text), Rest(Text), Format(Format), Call(Call), Next(First) {}

  /// False where something is not known, from argument next() on.
  bool run();
  Scanned result() const {
    return {IsEnded && Converted == 0 ? -1 : Converted, Text.size() - Rest.size(), IsAtEnd};
  }
  std::size_t next() const { return Next; }

private:
  enum class Outcome { Done, Mismatch, Ended, Unknown };
  std::string_view Text, Rest, Format;
  const LibraryCall &Call;
  std::size_t Next;
  int Converted = 0;
  bool IsAtEnd = false; ///< more was looked for behind the text's end
  bool IsEnded = false; ///< a conversion, or a character of the format, had no text left

  void skipSpaces();
  Conversion takeConversion();
  Outcome convert(const Conversion &What);
  void take(std::size_t Length, std::size_t Width) {
    IsAtEnd |= Length == Rest.size() && Length < Width;
    Rest.remove_prefix(Length);
  }
  template <typename T>
  Outcome convertNumber(const Conversion &What, std::optional<NumberRead<T>> Read);
  Outcome convertText(const Conversion &What);
  void store(unsigned Bytes, const Value &What) {
    Call.Now.Objects.store(Call.argument(Next), Bytes, What);
  }
};
} // namespace

void Scan::skipSpaces() {
  Rest.remove_prefix(spacesIn(Rest));
  IsAtEnd |= Rest.empty();
}

Conversion Scan::takeConversion() {
  Conversion Result;
  auto Take = [&](char C) {
    const bool Has = Format.starts_with(C);
    Format.remove_prefix(Has);
    return Has;
  };
  Take('%');
  Result.IsStored = !Take('*');
  const char *End = Format.data() + Format.size();
  if (auto Width = std::from_chars(Format.data(), End, Result.Width); Width.ec == std::errc())
    Format.remove_prefix(std::size_t(Width.ptr - Format.data()));
  if (Take('h'))
    Result.Bytes = Take('h') ? 1 : 2;
  for (const char Long : {'l', 'z', 'j', 't'})
    while (Take(Long))
      Result.Bytes = 8;
  if (Format.empty())
    return Result;
  Result.Kind = Format.front();
  Format.remove_prefix(1);
  if (Result.Kind != '[')
    return Result;
  // A bracket that comes first is one of the set.
  const std::size_t Close = Format.find(']', Format.starts_with("^") ? 2 : 1);
  Result.Set = Format.substr(0, Close);
  Format.remove_prefix(Close == Format.npos ? Format.size() : Close + 1);
  return Result;
}

/// Whether scanf's set has \p C: `a-z_`, or `^` and what it has not.
static bool isIn(std::string_view Set, char C) {
  const bool IsInverted = Set.starts_with('^');
  Set.remove_prefix(IsInverted);
  bool Found = false;
  for (std::size_t I = 0; I < Set.size(); ++I)
    if (I + 2 < Set.size() && Set[I + 1] == '-') {
      Found |= Set[I] <= C && C <= Set[I + 2];
      I += 2;
    } else {
      Found |= Set[I] == C;
    }
  return Found != IsInverted;
}

Scan::Outcome Scan::convertText(const Conversion &What) {
  if (What.Bytes == 8) // wide characters
    return Outcome::Unknown;
  auto Stops = [&](char C) {
    return What.Kind == 's' ? isSpace(C) : What.Kind == '[' && !isIn(What.Set, C);
  };
  const std::size_t Width = What.Kind == 'c' && What.Width == Rest.npos ? 1 : What.Width;
  const std::string_view Here = Rest.substr(0, Width);
  const auto Length = std::size_t(std::ranges::find_if(Here, Stops) - Here.begin());
  if (Length == 0)
    return Outcome::Mismatch;
  if (What.IsStored && What.Kind == 'c')
    Call.Now.Objects.writeBytes(Call.argument(Next), Here.substr(0, Length));
  else if (What.IsStored)
    Call.Now.Objects.writeText(Call.argument(Next), Here.substr(0, Length));
  take(Length, Width);
  return Outcome::Done;
}

template <typename T>
Scan::Outcome Scan::convertNumber(const Conversion &What, std::optional<NumberRead<T>> Read) {
  if (!Read)
    return Outcome::Unknown;
  take(Read->Length, What.Width);
  if (!Read->IsNumber)
    return Outcome::Mismatch;
  if (!What.IsStored)
    return Outcome::Done;
  if constexpr (std::is_floating_point_v<T>)
    store(What.Bytes, Value::real(Read->Number));
  else
    store(What.Bytes, Value::integer(lowBits(std::uint64_t(Read->Number), 8 * What.Bytes)));
  return Outcome::Done;
}

Scan::Outcome Scan::convert(const Conversion &What) {
  if (What.Kind == 'n') {
    if (What.IsStored)
      store(What.Bytes, Value::integer(Text.size() - Rest.size()));
    return Outcome::Done;
  }
  if (What.Kind != 'c' && What.Kind != '[')
    skipSpaces();
  if (Rest.empty()) {
    IsAtEnd = true;
    return Outcome::Ended;
  }
  const std::string_view Here = Rest.substr(0, What.Width);
  switch (What.Kind) {
  case 'c':
  case '[':
  case 's':
    return convertText(What);
  case 'd':
  case 'u':
    return convertNumber(What, scanInteger(Here, 10));
  case 'i':
    return convertNumber(What, scanInteger(Here, 0));
  case 'o':
    return convertNumber(What, scanInteger(Here, 8));
  case 'x':
  case 'X':
    return convertNumber(What, scanInteger(Here, 16));
  case 'e':
  case 'f':
  case 'g':
    return convertNumber(What, scanReal(Here, What.Bytes == 4));
  case '%':
    if (!Rest.starts_with('%'))
      return Outcome::Mismatch;
    Rest.remove_prefix(1);
    return Outcome::Done;
  default:
    return Outcome::Unknown;
  }
}

bool Scan::run() {
  while (!Format.empty()) {
    if (isSpace(Format.front())) {
      skipSpaces();
      Format.remove_prefix(1);
    } else if (Format.front() != '%') {
      if (!Rest.starts_with(Format.front())) {
        IsEnded = Rest.empty();
        IsAtEnd |= IsEnded;
        return true;
      }
      Rest.remove_prefix(1);
      Format.remove_prefix(1);
    } else {
      const Conversion What = takeConversion();
      const Outcome How = convert(What);
      IsEnded = How == Outcome::Ended;
      if (How != Outcome::Done)
        return How != Outcome::Unknown;
      const bool TakesArgument = What.IsStored && What.Kind != '%';
      Next += TakesArgument;
      Converted += TakesArgument && What.Kind != 'n';
    }
  }
  return true;
}

std::optional<Scanned> scanText(std::optional<std::string_view> Text, const LibraryCall &Call,
                                std::size_t Format) {
  const auto How = Call.Now.Objects.text(Call.argument(Format));
  std::size_t Known = Format + 1;
  if (Text && How) {
    Scan Reading(*Text, *How, Call, Known);
    if (Reading.run())
      return Reading.result();
    Known = Reading.next();
  }
  for (std::size_t I = Known; I < Call.Arguments.size(); ++I)
    Call.Now.Objects.forget(Call.Arguments[I]);
  return std::nullopt;
}

} // namespace ergon::code
