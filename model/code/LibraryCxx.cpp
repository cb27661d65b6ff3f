//===- LibraryCxx.cpp - libstdc++ in interpreted code ---------------------===//
//
// What a program's code calls of std::string, std::ostream and std::chrono; the rest of them is in
// its own code, as templates. The layout is that of libstdc++'s ABI: bits/basic_string.h, GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/code/Machine.h"

#include <algorithm>

namespace ergon::code {

static Value moved(Value Pointer, std::uint64_t Bytes) {
  Pointer.Bits += Bytes;
  return Pointer;
}

//===----------------------------------------------------------------------===//
// std::string: a pointer to the text, its length, and a capacity or a short text
//===----------------------------------------------------------------------===//

/// Longer texts are no options.
static constexpr std::uint64_t MaxText = 1 << 16;

namespace {
struct HeldText {
  Value Begin;
  std::uint64_t Size;
};
} // namespace

static std::optional<HeldText> heldBy(const Value &String, const Memory &Objects) {
  const Value Begin = Objects.load(String, 8), Size = Objects.load(moved(String, 8), 8);
  if (!Begin.isPointer() || !Begin.HasOffset || !Size.isInteger() || Size.Bits > MaxText)
    return std::nullopt;
  return HeldText{Begin, Size.Bits};
}

static std::optional<std::string> textIn(const Value &String, const Memory &Objects) {
  auto Held = heldBy(String, Objects);
  if (!Held)
    return std::nullopt;
  std::string Result;
  for (std::uint64_t I = 0; I != Held->Size; ++I) {
    const Value Byte = Objects.load(moved(Held->Begin, I), 1);
    if (!Byte.isInteger())
      return std::nullopt;
    Result += char(Byte.Bits);
  }
  return Result;
}

/// Puts \p Added bytes of \p From in the place of \p Removed bytes of \p Old, in a new object of
/// the string; bytes of a null pointer are unknown. False where that is not known.
static bool replaceIn(const Value &String, const HeldText &Old, const Value &Start,
                      const Value &Removed, const Value &From, const Value &Added, bool SetsSize,
                      Memory &Objects) {
  if (!Start.isInteger() || !Removed.isInteger() || !Added.isInteger() || Added.Bits > MaxText ||
      Start.Bits > Old.Size || Removed.Bits > Old.Size - Start.Bits)
    return false;
  const std::uint64_t Behind = Start.Bits + Removed.Bits,
                      Size = Old.Size - Removed.Bits + Added.Bits;
  const Value Text = Value::pointer(Objects.add(Object()), 0);
  Objects.copy(Text, Old.Begin, Start);
  if (!From.isInteger())
    Objects.copy(moved(Text, Start.Bits), From, Added);
  Objects.copy(moved(Text, Start.Bits + Added.Bits), moved(Old.Begin, Behind),
               Value::integer(Old.Size - Behind));
  Objects.store(moved(Text, Size), 1, Value::integer(0));
  Objects.store(String, 8, Text);
  if (SetsSize)
    Objects.store(moved(String, 8), 8, Value::integer(Size));
  Objects.store(moved(String, 16), 8, Value::integer(Size));
  return true;
}

static std::optional<Value> callString(const LibraryCall &Call) {
  static constexpr std::string_view Class = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  std::string_view Name = Call.Name;
  if (!Name.starts_with("_ZN"))
    return std::nullopt;
  Name.remove_prefix(Name.starts_with("_ZNK") ? 4 : 3);
  if (!Name.starts_with(Class))
    return std::nullopt;
  Name.remove_prefix(Class.size());
  Memory &Objects = Call.Now.Objects;
  const Value String = Call.argument(0);
  if (Name == "7compareEPKc" || Name == "7compareERKS4_") {
    const auto Text = textIn(String, Objects);
    const auto Other =
        Name.ends_with("PKc") ? Objects.text(Call.argument(1)) : textIn(Call.argument(1), Objects);
    return Text && Other
               ? Value::integer(
                     lowBits(*Text < *Other ? ~std::uint64_t(0) : *Text > *Other, Call.Result.Bits))
               : Value::unknown();
  }
  if (Name == "7reserveEm") // a text may be moved at any time
    return Value::unknown();
  if (Name == "9_M_assignERKS4_") {
    const auto Other = heldBy(Call.argument(1), Objects);
    const bool IsDone =
        Other && replaceIn(String, {Other->Begin, 0}, Value::integer(0), Value::integer(0),
                           Other->Begin, Value::integer(Other->Size), true, Objects);
    return IsDone ? std::optional(Value::unknown()) : std::nullopt;
  }
  const auto Old = heldBy(String, Objects);
  if (!Old)
    return std::nullopt;
  const bool IsReplace = Name == "10_M_replaceEmmPKcm", IsMutate = Name == "9_M_mutateEmmPKcm";
  bool IsDone = false;
  if (Name == "9_M_appendEPKcm")
    IsDone = replaceIn(String, *Old, Value::integer(Old->Size), Value::integer(0), Call.argument(1),
                       Call.argument(2), true, Objects);
  else if (IsReplace || IsMutate)
    IsDone = replaceIn(String, *Old, Call.argument(1), Call.argument(2), Call.argument(3),
                       Call.argument(4), IsReplace, Objects);
  return IsDone ? std::optional(String) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Streams and clocks
//===----------------------------------------------------------------------===//

/// Members of std::ostream and `<<`, which only read what they write out; what clocks return.
static std::optional<Value> callOutput(const LibraryCall &Call) {
  static constexpr std::string_view Writing[] = {"_ZNSo", "_ZStlsISt11char_traitsIcEE",
                                                 "_ZSt16__ostream_insertIcSt11char_traitsIcEE",
                                                 "_ZStlsIcSt11char_traitsIcESaIcEE"};
  static constexpr std::string_view Reading[] = {"_ZNSt6chrono3_V212steady_clock3nowEv",
                                                 "_ZNSt6chrono3_V212system_clock3nowEv"};
  const bool CallsBack = Call.Name.find("EPF") != Call.Name.npos; // a manipulator
  if (!CallsBack &&
      std::ranges::any_of(Writing, [&](auto Start) { return Call.Name.starts_with(Start); }))
    return Call.argument(0);
  if (std::ranges::find(Reading, Call.Name) != std::end(Reading))
    return Value::unknown();
  return std::nullopt;
}

std::optional<Value> callCxx(const LibraryCall &Call) {
  if (!Call.Name.starts_with("_ZN") && !Call.Name.starts_with("_ZSt"))
    return std::nullopt;
  for (auto Try : {callString, callOutput})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
