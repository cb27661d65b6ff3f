//===- LibraryCharacters.cpp - ctype.h in interpreted code ----------------===//
//
// Characters in the C locale, as functions and as glibc's tables, which its macros read. What a
// function returns is the bit of the class in the table: glibc's ctype.h, little-endian.
//
//===----------------------------------------------------------------------===//

#include "model/code/Machine.h"

#include <algorithm>
#include <cctype>

namespace ergon::code {

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
