//===- LibraryStrings.cpp - strings and characters in interpreted code ----===//

#include "model/library/LibraryCall.h"
#include "model/library/LibraryTexts.h"

#include <algorithm>
#include <cctype>

namespace ergon::code {

static char lower(char C) { return C >= 'A' && C <= 'Z' ? char(C - 'A' + 'a') : C; }

/// atoi, strtol and what is like them.
static std::optional<Value> readNumber(const LibraryCall &Call) {
  static constexpr std::string_view Prefix = "__isoc23_";
  std::string_view Name = Call.Name;
  if (Name.starts_with(Prefix))
    Name.remove_prefix(Prefix.size());
  const bool IsShort = Name == "atoi" || Name == "atol" || Name == "atoll";
  const bool IsLong =
      Name == "strtol" || Name == "strtoll" || Name == "strtoul" || Name == "strtoull";
  const bool IsReal = Name == "atof" || Name == "strtod" || Name == "strtof";
  if (!IsShort && !IsLong && !IsReal)
    return std::nullopt;
  const Value Start = Call.argument(0), End = Name.starts_with("ato") ? Value() : Call.argument(1);
  auto Text = Call.Now.Objects.text(Start);
  auto SetEnd = [&](const Value &At) {
    if (End.isPointer())
      Call.Now.Objects.store(End, 8, At);
  };
  Value After = Start;
  // A number that does not fit sets errno.
  auto Unknown = [&] {
    Call.Now.Objects.store(Value::pointer(Call.Library.Errno, 0), 4, Value::unknown());
    return Value::unknown();
  };
  if (IsReal) {
    auto Read = Text ? readReal(*Text, Call.Result.Bits == 32) : std::nullopt;
    After.Bits += Read ? Read->Length : 0;
    SetEnd(Read ? After : Value::unknown());
    return Read ? Value::real(Read->Number) : Unknown();
  }
  const Value Base = IsLong ? Call.argument(2) : Value::integer(10);
  auto Read =
      Text && Base.isInteger() ? readInteger(*Text, int(withSign(Base.Bits, 32))) : std::nullopt;
  After.Bits += Read ? Read->Length : 0;
  SetEnd(Read ? After : Value::unknown());
  return Read ? Call.returned(Read->Number) : Unknown();
}

/// strcmp and what is like it: -1, 0 or 1.
static std::optional<Value> compareTexts(const LibraryCall &Call) {
  const std::string_view Name = Call.Name;
  const bool IsAny = Name == "strcasecmp" || Name == "strncasecmp";
  const bool IsPart = Name == "strncmp" || Name == "strncasecmp";
  if (Name != "strcmp" && !IsAny && !IsPart)
    return std::nullopt;
  auto Left = Call.Now.Objects.text(Call.argument(0));
  auto Right = Call.Now.Objects.text(Call.argument(1));
  const Value Most = Call.argument(2);
  if (!Left || !Right || (IsPart && !Most.isInteger()))
    return Value::unknown();
  for (std::string *Each : {&*Left, &*Right}) {
    if (IsPart)
      Each->resize(std::min<std::uint64_t>(Each->size(), Most.Bits));
    if (IsAny)
      std::ranges::transform(*Each, Each->begin(), lower);
  }
  return Call.returned(*Left < *Right ? -1 : *Left > *Right);
}

static std::optional<Value> compareBytes(const LibraryCall &Call) {
  if (Call.Name != "memcmp" && Call.Name != "bcmp")
    return std::nullopt;
  const Value Bytes = Call.argument(2);
  static constexpr std::uint64_t MaxCompared = 1 << 16;
  if (!Bytes.isInteger() || Bytes.Bits > MaxCompared)
    return Value::unknown();
  Value Left = Call.argument(0), Right = Call.argument(1);
  for (std::uint64_t I = 0; I != Bytes.Bits; ++I, ++Left.Bits, ++Right.Bits) {
    const Value A = Call.Now.Objects.load(Left, 1), B = Call.Now.Objects.load(Right, 1);
    if (!A.isInteger() || !B.isInteger())
      return Value::unknown();
    if (A.Bits != B.Bits)
      return Call.returned(A.Bits < B.Bits ? -1 : 1);
  }
  return Call.returned(0);
}

/// A pointer into the first argument, to where \p Text has \p At.
static Value found(const LibraryCall &Call, std::size_t At) {
  if (At == std::string::npos)
    return Value::integer(0);
  Value Result = Call.argument(0);
  Result.Bits += At;
  return Result;
}

static std::optional<Value> searchText(const LibraryCall &Call) {
  const std::string_view Name = Call.Name;
  const bool IsCharacter = Name == "strchr" || Name == "strrchr";
  if (!IsCharacter && Name != "strstr" && Name != "strlen")
    return std::nullopt;
  auto Text = Call.Now.Objects.text(Call.argument(0));
  if (!Text)
    return Value::unknown();
  if (Name == "strlen")
    return Value::integer(Text->size());
  if (IsCharacter) {
    const Value Wanted = Call.argument(1);
    if (!Wanted.isInteger())
      return Value::unknown();
    Text->push_back('\0'); // may be looked for too
    const char C = char(Wanted.Bits & 0xff);
    return found(Call, Name == "strchr" ? Text->find(C) : Text->rfind(C));
  }
  auto Wanted = Call.Now.Objects.text(Call.argument(1));
  return Wanted ? found(Call, Text->find(*Wanted)) : Value::unknown();
}

/// memchr: where a byte is, or null.
static std::optional<Value> searchBytes(const LibraryCall &Call) {
  if (Call.Name != "memchr")
    return std::nullopt;
  const Value Wanted = Call.argument(1), Bytes = Call.argument(2);
  static constexpr std::uint64_t MaxSearched = 1 << 16;
  if (!Wanted.isInteger() || !Bytes.isInteger() || Bytes.Bits > MaxSearched)
    return Value::unknown();
  for (std::uint64_t I = 0; I != Bytes.Bits; ++I) {
    const Value Byte = Call.Now.Objects.load(moved(Call.argument(0), std::int64_t(I)), 1);
    if (!Byte.isInteger())
      return Value::unknown();
    if (Byte.Bits == (Wanted.Bits & 0xff))
      return found(Call, I);
  }
  return Value::integer(0);
}

/// strtok: the next part of a text between any of some characters, which it overwrites.
static std::optional<Value> takeToken(const LibraryCall &Call) {
  if (Call.Name != "strtok")
    return std::nullopt;
  Value &Next = Call.Now.Tokens;
  if (Call.argument(0) != Value::integer(0))
    Next = Call.argument(0);
  const auto Text = Call.Now.Objects.text(Next), Between = Call.Now.Objects.text(Call.argument(1));
  if (!Text || !Between) {
    Call.Now.Objects.forget(Next);
    Next = Value::unknown();
    return Value::unknown();
  }
  const std::size_t Start = Text->find_first_not_of(*Between);
  if (Start == Text->npos) {
    Next = moved(Next, std::int64_t(Text->size()));
    return Value::integer(0);
  }
  const std::size_t End = std::min(Text->find_first_of(*Between, Start), Text->size());
  const Value Token = moved(Next, std::int64_t(Start));
  Next = moved(Next, std::int64_t(End));
  if (End != Text->size()) {
    Call.Now.Objects.store(Next, 1, Value::integer(0));
    Next = moved(Next, 1);
  }
  return Token;
}

static std::optional<Value> copyText(const LibraryCall &Call) {
  const std::string_view Name = Call.Name;
  Memory &Objects = Call.Now.Objects;
  if (Name == "strdup") {
    const Value Result = Value::pointer(Objects.add(Object()), 0);
    if (auto Text = Objects.text(Call.argument(0)))
      Objects.writeText(Result, *Text);
    return Result;
  }
  if (Name != "strcpy" && Name != "strcat" && Name != "strncpy")
    return std::nullopt;
  Value To = Call.argument(0);
  auto Text = Objects.text(Call.argument(1));
  auto Before = Name == "strcat" ? Objects.text(To) : std::optional<std::string>("");
  const Value Most = Name == "strncpy" ? Call.argument(2) : Value::integer(1 << 16);
  if (!Text || !Before || !Most.isInteger() || !To.HasOffset || Most.Bits > (1 << 16)) {
    Objects.forget(To);
    return Call.argument(0);
  }
  To.Bits += Before->size();
  if (Name == "strncpy") {
    Text->resize(Most.Bits, '\0');
    for (char C : *Text) {
      Objects.store(To, 1, Value::integer(static_cast<unsigned char>(C)));
      ++To.Bits;
    }
  } else {
    Objects.writeText(To, *Text);
  }
  return Call.argument(0);
}

static std::optional<Value> scan(const LibraryCall &Call) {
  if (Call.Name != "sscanf" && Call.Name != "__isoc99_sscanf" && Call.Name != "__isoc23_sscanf")
    return std::nullopt;
  const auto Text = Call.Now.Objects.text(Call.argument(0));
  const auto Done = scanText(Text, Call, 1);
  return Done ? Call.returned(Done->Result) : Value::unknown();
}

std::optional<Value> callStrings(const LibraryCall &Call) {
  for (auto Try :
       {readNumber, compareTexts, compareBytes, searchText, searchBytes, takeToken, copyText, scan})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Characters in the C locale, as functions and as glibc's tables, which its macros read. What a
// function returns is the bit of the class in the table: glibc's ctype.h, little-endian.
//===----------------------------------------------------------------------===//

namespace {
struct CharacterClass {
  std::string_view Name;
  int (*Has)(int);
  unsigned Bit;
};
} // namespace
static constexpr CharacterClass CharacterClasses[] = {
    {"isupper", std::isupper, 1 << 8},    {"islower", std::islower, 1 << 9},
    {"isalpha", std::isalpha, 1 << 10},   {"isdigit", std::isdigit, 1 << 11},
    {"isxdigit", std::isxdigit, 1 << 12}, {"isspace", std::isspace, 1 << 13},
    {"isprint", std::isprint, 1 << 14},   {"isgraph", std::isgraph, 1 << 15},
    {"isblank", std::isblank, 1 << 0},    {"iscntrl", std::iscntrl, 1 << 1},
    {"ispunct", std::ispunct, 1 << 2},    {"isalnum", std::isalnum, 1 << 3}};
/// Characters from -128 on have entries; those that are not ASCII are in no class.
static constexpr int FirstEntry = -128, Entries = 384, Ascii = 128;

static Value table(std::uint32_t Number, unsigned EntryBytes) {
  return Value::pointer(Number, -FirstEntry * std::int64_t(EntryBytes));
}

void addCharacterTables(const LibraryObjects &Library, Memory &Objects) {
  auto Add = [&](std::uint32_t Number, unsigned Bytes, auto Entry) {
    Object Table(Object::Rest::Zero);
    for (int C = FirstEntry; C != FirstEntry + Entries; ++C)
      Table.store((C - FirstEntry) * std::int64_t(Bytes), Bytes,
                  Value::integer(lowBits(std::uint64_t(std::int64_t(Entry(C))), 8 * Bytes)));
    Objects.change(Number).store(0, 8, table(Objects.add(std::move(Table)), Bytes));
  };
  auto IsAscii = [](int C) { return C >= 0 && C < Ascii; };
  Add(Library.Classes, 2, [&](int C) {
    unsigned Bits = 0;
    for (const CharacterClass &Each : CharacterClasses)
      Bits |= IsAscii(C) && Each.Has(C) ? Each.Bit : 0;
    return Bits;
  });
  // Those of signed characters are as those of unsigned ones; EOF stays what it is.
  auto Other = [](int C) { return C < -1 ? C + 256 : C; };
  Add(Library.Small, 4, [&](int C) { return IsAscii(C) ? std::tolower(C) : Other(C); });
  Add(Library.Capital, 4, [&](int C) { return IsAscii(C) ? std::toupper(C) : Other(C); });
}

std::optional<Value> callCharacters(const LibraryCall &Call) {
  using Table = std::pair<std::string_view, std::uint32_t>;
  const Table Tables[] = {{"__ctype_b_loc", Call.Library.Classes},
                          {"__ctype_tolower_loc", Call.Library.Small},
                          {"__ctype_toupper_loc", Call.Library.Capital}};
  if (const Table *Found = std::ranges::find(Tables, Call.Name, &Table::first);
      Found != std::end(Tables))
    return Value::pointer(Found->second, 0);
  const CharacterClass *Found =
      std::ranges::find(CharacterClasses, Call.Name, &CharacterClass::Name);
  const bool IsLetter = Call.Name == "tolower" || Call.Name == "toupper";
  if (Found == std::end(CharacterClasses) && !IsLetter)
    return std::nullopt;
  const Value What = Call.argument(0);
  if (!What.isInteger() || What.Bits >= Ascii)
    return Value::unknown();
  const auto C = int(What.Bits);
  if (IsLetter)
    return Call.returned(Call.Name == "tolower" ? std::tolower(C) : std::toupper(C));
  return Call.returned(Found->Has(C) ? Found->Bit : 0);
}

} // namespace ergon::code
