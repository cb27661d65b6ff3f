//===- LibraryScan.cpp - scanf in interpreted code ------------------------===//

#include "model/code/LibraryTexts.h"

#include <algorithm>
#include <charconv>

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
    return {Converted == 0 && Rest.empty() ? -1 : Converted, Text.size() - Rest.size(), IsAtEnd};
  }
  std::size_t next() const { return Next; }

private:
  enum class Outcome { Done, Mismatch, Unknown };
  std::string_view Text, Rest, Format;
  const LibraryCall &Call;
  std::size_t Next;
  int Converted = 0;
  bool IsAtEnd = false;

  void skipSpaces();
  Conversion takeConversion();
  Outcome convert(const Conversion &What);
  template <typename T> Outcome convertNumber(const Conversion &What, std::optional<T> Read);
  Outcome convertText(const Conversion &What);
  void store(unsigned Bytes, const Value &What) {
    Call.Now.Objects.store(Call.argument(Next), Bytes, What);
  }
};
} // namespace

void Scan::skipSpaces() {
  Rest.remove_prefix(std::size_t(std::ranges::find_if_not(Rest, isSpace) - Rest.begin()));
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
  while (Take('l') || Take('z') || Take('j') || Take('t'))
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
  std::size_t Length = 0;
  if (What.Kind == 'c') {
    Length = What.Width == Rest.npos ? 1 : What.Width;
    if (Rest.size() < Length) {
      IsAtEnd = true;
      return Outcome::Mismatch;
    }
  } else {
    auto Stops = [&](char C) { return What.Kind == 's' ? isSpace(C) : !isIn(What.Set, C); };
    Length = std::min(std::size_t(std::ranges::find_if(Rest, Stops) - Rest.begin()), What.Width);
    IsAtEnd |= Length == Rest.size();
    if (Length == 0)
      return Outcome::Mismatch;
  }
  if (What.IsStored && What.Kind == 'c')
    Call.Now.Objects.writeBytes(Call.argument(Next), Rest.substr(0, Length));
  else if (What.IsStored)
    Call.Now.Objects.writeText(Call.argument(Next), Rest.substr(0, Length));
  Rest.remove_prefix(Length);
  return Outcome::Done;
}

template <typename T>
Scan::Outcome Scan::convertNumber(const Conversion &What, std::optional<T> Read) {
  if (!Read)
    return Outcome::Unknown;
  if (Read->Length == 0)
    return Outcome::Mismatch;
  Rest.remove_prefix(Read->Length);
  IsAtEnd |= Rest.empty();
  if (!What.IsStored)
    return Outcome::Done;
  if constexpr (std::is_floating_point_v<decltype(Read->Number)>)
    store(What.Bytes, Value::real(What.Bytes == 8 ? Read->Number : double(float(Read->Number))));
  else
    store(What.Bytes, Value::integer(lowBits(std::uint64_t(Read->Number), 8 * What.Bytes)));
  return Outcome::Done;
}

Scan::Outcome Scan::convert(const Conversion &What) {
  if (What.Kind == 'c' || What.Kind == '[')
    return convertText(What);
  skipSpaces();
  const std::string_view Here = Rest.substr(0, What.Width);
  switch (What.Kind) {
  case 's':
    return convertText(What);
  case 'd':
  case 'u':
    return convertNumber(What, readInteger(Here, 10));
  case 'i':
    return convertNumber(What, readInteger(Here, 0));
  case 'x':
    return convertNumber(What, readInteger(Here, 16));
  case 'e':
  case 'f':
  case 'g':
    return convertNumber(What, readReal(Here));
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
        IsAtEnd |= Rest.empty();
        return true;
      }
      Rest.remove_prefix(1);
      Format.remove_prefix(1);
    } else {
      const Conversion What = takeConversion();
      const Outcome How = convert(What);
      if (How != Outcome::Done)
        return How == Outcome::Mismatch;
      Next += What.IsStored;
      Converted += What.IsStored;
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
