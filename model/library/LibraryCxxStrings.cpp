//===- LibraryCxxStrings.cpp - std::string in interpreted code ------------===//
//
// Members of std::string, which are in libstdc++ and not in the program. A string is a pointer to
// its text, its length, and a capacity or a short text: libstdc++'s ABI, bits/basic_string.h of
// GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"
#include "model/library/LibraryTexts.h"

#include <algorithm>

namespace ergon::code {

/// Longer texts are no options.
static constexpr std::uint64_t MaxText = 1 << 16;
static constexpr std::int64_t SizeAt = 8, ShortAt = 16;
static constexpr std::uint64_t NotFound = ~std::uint64_t(0);

namespace {
/// A text in memory.
struct HeldText {
  Value Begin;
  std::uint64_t Size;
};

/// A call of a member: `find`, `cm` for `find(char, size_t)`.
struct Member {
  std::string_view Name, Parameters;
};
} // namespace

static std::optional<HeldText> heldBy(const Value &String, const Memory &Objects) {
  const Value Begin = Objects.load(String, 8), Size = Objects.load(moved(String, SizeAt), 8);
  if (!Begin.isPointer() || !Begin.HasOffset || !Size.isInteger() || Size.Bits > MaxText)
    return std::nullopt;
  return HeldText{Begin, Size.Bits};
}

static std::optional<std::string> textOf(const HeldText &Held, const Memory &Objects) {
  return Objects.bytes(Held.Begin, Held.Size);
}

std::optional<std::string> textIn(const Value &String, const Memory &Objects) {
  auto Held = heldBy(String, Objects);
  return Held ? textOf(*Held, Objects) : std::nullopt;
}

/// Puts \p Added in the place of \p Removed bytes of \p Old, in a new object of the string; a null
/// pointer has unknown bytes. False where that is not known.
static bool replaceIn(const Value &String, const HeldText &Old, std::uint64_t Start,
                      std::uint64_t Removed, const HeldText &Added, bool SetsSize,
                      Memory &Objects) {
  if (Added.Size > MaxText || Start > Old.Size || Removed > Old.Size - Start)
    return false;
  const std::uint64_t Behind = Start + Removed, Size = Old.Size - Removed + Added.Size;
  const Value Text = Value::pointer(Objects.add(Object()), 0);
  auto At = [&](std::uint64_t Offset) { return moved(Text, std::int64_t(Offset)); };
  Objects.copy(Text, Old.Begin, Value::integer(Start));
  if (!Added.Begin.isInteger())
    Objects.copy(At(Start), Added.Begin, Value::integer(Added.Size));
  Objects.copy(At(Start + Added.Size), moved(Old.Begin, std::int64_t(Behind)),
               Value::integer(Old.Size - Behind));
  Objects.store(At(Size), 1, Value::integer(0));
  Objects.store(String, 8, Text);
  if (SetsSize)
    Objects.store(moved(String, SizeAt), 8, Value::integer(Size));
  Objects.store(moved(String, ShortAt), 8, Value::integer(Size));
  return true;
}

/// Another text, which nobody knows, is in the string from now on.
static void loseText(const Value &String, Memory &Objects) {
  Objects.store(String, 8, Value::pointer(Objects.add(Object()), 0));
  for (const std::int64_t At : {SizeAt, ShortAt})
    Objects.store(moved(String, At), 8, Value::unknown());
}

static HeldText held(std::string_view Text, Memory &Objects) {
  const Value Begin = Value::pointer(Objects.add(Object()), 0);
  Objects.writeText(Begin, Text);
  return {Begin, Text.size()};
}

bool assignText(const Value &String, std::string_view Text, Memory &Objects) {
  const auto Old = Text.size() <= MaxText ? heldBy(String, Objects) : std::nullopt;
  return Old && replaceIn(String, *Old, 0, Old->Size, held(Text, Objects), true, Objects);
}

bool makeText(const Value &String, std::string_view Text, Memory &Objects) {
  return String.isPointer() &&
         replaceIn(String, {moved(String, ShortAt), 0}, 0, 0, held(Text, Objects), true, Objects);
}

/// What a member is of; nothing for other functions.
static std::optional<Member> memberOf(std::string_view Name) {
  static constexpr std::string_view Class = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  if (!Name.starts_with("_ZN"))
    return std::nullopt;
  Name.remove_prefix(Name.starts_with("_ZNK") ? 4 : 3);
  if (!Name.starts_with(Class))
    return std::nullopt;
  Name.remove_prefix(Class.size());
  const std::size_t Letters = std::min(Name.find_first_not_of("0123456789"), Name.size());
  std::size_t Length = 2; // of constructors and operators
  if (Letters != 0)
    for (Length = 0; const char Digit : Name.substr(0, Letters))
      Length = 10 * Length + std::size_t(Digit - '0');
  Name.remove_prefix(Letters);
  if (Name.size() <= Length || Name[Length] != 'E')
    return std::nullopt;
  return Member{Name.substr(0, Length), Name.substr(Length + 1)};
}

/// The text that parameters from \p First on give: `c`, `mc`, a pointer or a string, each with a
/// length or a part where these follow.
static std::optional<HeldText> textGiven(const LibraryCall &Call, std::string_view Parameters,
                                         std::size_t First) {
  Memory &Objects = Call.Now.Objects;
  const Value Given = Call.argument(First), Next = Call.argument(First + 1);
  if (Parameters.starts_with("PKc")) {
    if (Parameters.starts_with("PKcm"))
      return Next.isInteger() ? std::optional(HeldText{Given, Next.Bits}) : std::nullopt;
    const auto Text = Objects.text(Given);
    return Text ? std::optional(HeldText{Given, Text->size()}) : std::nullopt;
  }
  if (Parameters.starts_with("c"))
    return Given.isInteger() ? std::optional(held(std::string(1, char(Given.Bits)), Objects))
                             : std::nullopt;
  if (Parameters == "mc")
    return Given.isInteger() && Next.isInteger() && Given.Bits <= MaxText
               ? std::optional(held(std::string(Given.Bits, char(Next.Bits)), Objects))
               : std::nullopt;
  if (!Parameters.starts_with("RKS4_") && Parameters != "OS4_")
    return std::nullopt;
  auto Other = heldBy(Given, Objects);
  if (!Other || !Parameters.starts_with("RKS4_m"))
    return Other;
  const Value Length =
      Parameters == "RKS4_mm" ? Call.argument(First + 2) : Value::integer(NotFound);
  if (!Next.isInteger() || Next.Bits > Other->Size || !Length.isInteger())
    return std::nullopt;
  return HeldText{moved(Other->Begin, std::int64_t(Next.Bits)),
                  std::min(Length.Bits, Other->Size - Next.Bits)};
}

/// `find` and what is like it: for what, from where on.
static std::optional<Value> callFind(const LibraryCall &Call, const Member &M) {
  using Find = std::size_t (*)(std::string_view, std::string_view, std::size_t);
  static constexpr std::pair<std::string_view, Find> Table[] = {
      {"find", [](auto Text, auto What, auto At) { return Text.find(What, At); }},
      {"rfind", [](auto Text, auto What, auto At) { return Text.rfind(What, At); }},
      {"find_first_of", [](auto Text, auto What, auto At) { return Text.find_first_of(What, At); }},
      {"find_last_of", [](auto Text, auto What, auto At) { return Text.find_last_of(What, At); }},
      {"find_first_not_of",
       [](auto Text, auto What, auto At) { return Text.find_first_not_of(What, At); }},
      {"find_last_not_of",
       [](auto Text, auto What, auto At) { return Text.find_last_not_of(What, At); }}};
  const auto *Found = std::ranges::find(Table, M.Name, &std::pair<std::string_view, Find>::first);
  if (Found == std::end(Table))
    return std::nullopt;
  const Memory &Objects = Call.Now.Objects;
  const auto Text = textIn(Call.argument(0), Objects);
  // A length stands behind the position.
  const bool HasLength = M.Parameters == "PKcmm";
  const Value Length = Call.argument(3), At = Call.argument(2);
  std::optional<HeldText> Held;
  if (!HasLength)
    Held = textGiven(Call, M.Parameters.substr(0, M.Parameters.size() - 1), 1);
  else if (Length.isInteger())
    Held = HeldText{Call.argument(1), Length.Bits};
  const auto What = Held && Held->Size <= MaxText ? textOf(*Held, Objects) : std::nullopt;
  return Text && What && At.isInteger()
             ? Value::integer(Found->second(*Text, *What, std::size_t(At.Bits)))
             : Value::unknown();
}

static Value compared(const std::optional<std::string> &Left,
                      const std::optional<std::string> &Right, Type Result) {
  return Left && Right ? Value::integer(lowBits(*Left < *Right   ? ~std::uint64_t(0)
                                                : *Left > *Right ? 1
                                                                 : 0,
                                                Result.Bits))
                       : Value::unknown();
}

/// Members that only read.
static std::optional<Value> callQuery(const LibraryCall &Call, const Member &M) {
  const Memory &Objects = Call.Now.Objects;
  const Value String = Call.argument(0);
  if (M.Name == "size" || M.Name == "length")
    return Objects.load(moved(String, SizeAt), 8);
  if (M.Name == "c_str" || M.Name == "data" || M.Name == "begin" || M.Name == "front" ||
      (M.Name == "_M_data" && M.Parameters == "v"))
    return Objects.load(String, 8);
  if (M.Name == "_M_local_data")
    return moved(String, ShortAt);
  const auto Held = heldBy(String, Objects);
  if (M.Name == "empty")
    return Held ? Value::integer(Held->Size == 0) : Value::unknown();
  if (M.Name == "end" || M.Name == "back")
    return Held ? moved(Held->Begin, std::int64_t(Held->Size) - (M.Name == "back"))
                : Value::unknown();
  if (M.Name == "at" || M.Name == "ix")
    return Held && Call.argument(1).isInteger()
               ? moved(Held->Begin, std::int64_t(Call.argument(1).Bits))
               : Value::unknown();
  if (M.Name == "compare") {
    auto Text = textIn(String, Objects);
    const bool IsPart = M.Parameters.starts_with("mm");
    const Value Start = Call.argument(1), Length = Call.argument(2);
    if (IsPart)
      Text = Text && Start.isInteger() && Length.isInteger() && Start.Bits <= Text->size()
                 ? std::optional(Text->substr(Start.Bits, Length.Bits))
                 : std::nullopt;
    const auto Other = textGiven(Call, M.Parameters.substr(IsPart ? 2 : 0), IsPart ? 3 : 1);
    return compared(Text, Other && Other->Size <= MaxText ? textOf(*Other, Objects) : std::nullopt,
                    Call.Result);
  }
  return callFind(Call, M);
}

/// Constructors and destructors, and what returns a string: the object begins to live.
static std::optional<Value> callConstruct(const LibraryCall &Call, const Member &M) {
  Memory &Objects = Call.Now.Objects;
  const Value String = Call.argument(0);
  if (M.Name == "D1" || M.Name == "D2" || M.Name == "_M_dispose")
    return Value::unknown();
  std::optional<HeldText> Text;
  if (M.Name == "substr") // of the argument behind the result
    Text = textGiven(Call, "RKS4_mm", 1);
  else if (M.Name == "_M_construct" && M.Parameters == "mc")
    Text = textGiven(Call, M.Parameters, 1);
  else if (M.Name != "C1" && M.Name != "C2")
    return std::nullopt;
  else if (M.Parameters == "v")
    Text = HeldText{Value::integer(0), 0};
  else
    Text = textGiven(Call, M.Parameters.substr(0, M.Parameters.find("RKS3_")), 1);
  if (!String.isPointer() || !String.HasOffset)
    return std::nullopt;
  if (!Text || !replaceIn(String, {moved(String, ShortAt), 0}, 0, 0, *Text, true, Objects))
    loseText(String, Objects);
  if (M.Parameters == "OS4_" && !assignText(Call.argument(1), "", Objects))
    Objects.forget(Call.argument(1));
  return Value::unknown();
}

/// Members that change a string's parts, which programs without optimization call.
static std::optional<Value> callPart(const LibraryCall &Call, const Member &M) {
  Memory &Objects = Call.Now.Objects;
  const Value String = Call.argument(0), What = Call.argument(1);
  if (M.Name == "_M_data" && M.Parameters == "Pc")
    Objects.store(String, 8, What);
  else if (M.Name == "_M_capacity")
    Objects.store(moved(String, ShortAt), 8, What);
  else if (M.Name == "_M_length" && M.Parameters == "m")
    Objects.store(moved(String, SizeAt), 8, What);
  else
    return std::nullopt;
  return Value::unknown();
}

/// What std::string does with characters: the last two of its arguments are a begin and an end.
static std::optional<Value> copyCharacters(const LibraryCall &Call) {
  const Value To = Call.argument(0), From = Call.argument(1), End = Call.argument(2);
  if (const auto Size = bytesBetween(From, End))
    Call.Now.Objects.copy(To, From, Value::integer(std::uint64_t(*Size)));
  else
    Call.Now.Objects.forget(To);
  return Value::unknown();
}

static std::optional<Value> setLength(const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const Value Begin = Objects.load(Call.argument(0), 8), Length = Call.argument(1);
  Objects.store(moved(Call.argument(0), SizeAt), 8, Length);
  if (Begin.isPointer() && Length.isInteger())
    Objects.store(moved(Begin, std::int64_t(Length.Bits)), 1, Value::integer(0));
  else
    Objects.forget(Begin);
  return Value::unknown();
}

/// What a member makes of the text in a known string; false where that is not known.
static bool changeText(const LibraryCall &Call, const Member &M) {
  Memory &Objects = Call.Now.Objects;
  const Value String = Call.argument(0);
  const auto Old = heldBy(String, Objects);
  if (!Old)
    return false;
  std::uint64_t Start = 0, Removed = 0;
  std::optional<HeldText> Added = HeldText{Value::integer(0), 0};
  const auto SetRange = [&](const Value &From, const Value &Length) {
    if (!From.isInteger() || !Length.isInteger() || From.Bits > Old->Size)
      return false;
    Start = From.Bits;
    Removed = std::min(Length.Bits, Old->Size - Start);
    return true;
  };
  if (M.Name == "_M_append" || M.Name == "append" || M.Name == "pL" || M.Name == "push_back") {
    Start = Old->Size;
    Added = textGiven(Call, M.Parameters, 1);
  } else if (M.Name == "_M_assign" || M.Name == "assign" || M.Name == "aS") {
    Removed = Old->Size;
    Added = textGiven(Call, M.Parameters, 1);
  } else if (M.Name == "clear") {
    Removed = Old->Size;
  } else if (M.Name == "pop_back" && Old->Size != 0) {
    Start = Old->Size - 1;
    Removed = 1;
  } else if (M.Parameters == "mm") { // erase
    if (!SetRange(Call.argument(1), Call.argument(2)))
      return false;
  } else if (M.Parameters == "mmPKcm") { // replace
    const Value Length = Call.argument(4);
    if (!SetRange(Call.argument(1), Call.argument(2)) || !Length.isInteger())
      return false;
    Added = HeldText{Call.argument(3), Length.Bits};
  } else if ((M.Name == "_M_replace_aux" || M.Name == "replace") && M.Parameters == "mmmc") {
    if (!SetRange(Call.argument(1), Call.argument(2)))
      return false;
    Added = textGiven(Call, "mc", 3);
  } else {
    return false;
  }
  return Added && replaceIn(String, *Old, Start, Removed, *Added, M.Name != "_M_mutate", Objects);
}

/// Members that change a string.
static std::optional<Value> callChange(const LibraryCall &Call, const Member &M) {
  static constexpr std::string_view Changing[] = {
      "_M_append", "append",   "pL",    "push_back", "_M_assign",  "assign",         "aS",
      "clear",     "pop_back", "erase", "_M_erase",  "_M_replace", "_M_replace_aux", "_M_mutate",
      "replace"};
  const Value String = Call.argument(0);
  if (M.Name == "reserve") // a text may be moved at any time
    return Value::unknown();
  if (std::ranges::find(Changing, M.Name) == std::end(Changing) || !String.isPointer() ||
      !String.HasOffset)
    return std::nullopt;
  if (!changeText(Call, M)) {
    loseText(String, Call.Now.Objects);
    if (M.Parameters == "OS4_") // moved from
      Call.Now.Objects.forget(Call.argument(1));
  }
  return String;
}

std::optional<Value> callCxxStrings(const LibraryCall &Call) {
  static constexpr std::string_view
      Allocator = "_ZNSaIcE",
      Holder = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_Alloc_hiderC";
  if (Call.Name.starts_with(Allocator)) // has nothing
    return Value::unknown();
  if (Call.Name.starts_with(Holder)) {
    Call.Now.Objects.store(Call.argument(0), 8, Call.argument(1));
    return Value::unknown();
  }
  const auto M = memberOf(Call.Name);
  if (!M)
    return std::nullopt;
  if (M->Name == "_M_create")
    return Value::pointer(Call.Now.Objects.add(Object()), 0);
  if (M->Name == "_S_copy_chars")
    return copyCharacters(Call);
  if (M->Name == "_M_set_length")
    return setLength(Call);
  for (auto Try : {callQuery, callConstruct, callPart, callChange})
    if (auto Result = Try(Call, *M))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
