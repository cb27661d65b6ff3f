//===- LibraryStringStreams.cpp - std::stringstream in interpreted code ---===//

#include "model/library/Streams.h"

namespace ergon::code {

static constexpr StreamClass StringStreams[] = {
    {"St7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE", 16, 120},
    {"St7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE", 8, 112},
    {"St7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE", 24, 128},
    {"St7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE", 0, 0}};
static constexpr std::uint64_t ToEnd = 2, In = 8, Out = 16; // std::ios_base::openmode
static constexpr std::int64_t ModeAt = 64, TextAt = 72;     // in std::stringbuf

/// A buffer begins to read \p Size bytes from \p Begin on, and to write at \p Current.
static void setAreas(const Value &Buffer, const Value &Begin, const Value &Current,
                     std::uint64_t Size, std::uint64_t Mode, Memory &Objects) {
  if (Mode & In)
    setText(Buffer, Begin, Size, Objects);
  if (!(Mode & Out))
    return;
  const StreamParts::Area &Put = StreamParts::Put;
  Objects.store(moved(Buffer, Put.Begin), 8, Begin);
  Objects.store(moved(Buffer, Put.Current), 8, Current);
  // What is put next is a call: there is no space for it.
  Objects.store(moved(Buffer, Put.End), 8, Current);
}

/// A buffer begins to hold \p Text.
static void holdText(const Value &Buffer, std::string_view Text, std::uint64_t Mode,
                     Memory &Objects) {
  const Value String = moved(Buffer, TextAt);
  makeText(String, Text, Objects);
  const Value Begin = Objects.load(String, 8);
  Objects.store(moved(Buffer, ModeAt), 4, Value::integer(Mode));
  setAreas(Buffer, Begin, Mode & ToEnd ? moved(Begin, std::int64_t(Text.size())) : Begin,
           Text.size(), Mode, Objects);
}

/// std::stringbuf::_M_sync, which str(…) ends in: the buffer's string is new.
static bool synchronize(const Value &Buffer, const Value &Written, Memory &Objects) {
  const Value Begin = Objects.load(moved(Buffer, TextAt), 8),
              Size = Objects.load(moved(Buffer, TextAt + 8), 8),
              Mode = Objects.load(moved(Buffer, ModeAt), 4);
  if (!Begin.isPointer() || !Size.isInteger() || !Mode.isInteger() || !Written.isInteger())
    return false;
  setAreas(Buffer, Begin, moved(Begin, std::int64_t(Written.Bits)), Size.Bits, Mode.Bits, Objects);
  return true;
}

/// What a buffer holds: all that was put, and all that can be read.
static std::optional<std::string> heldIn(const Value &Buffer, const Memory &Objects) {
  auto At = [&](std::int64_t Offset) { return Objects.load(moved(Buffer, Offset), 8); };
  const Value GetBegin = At(StreamParts::Get.Begin), GetEnd = At(StreamParts::Get.End),
              PutBegin = At(StreamParts::Put.Begin), PutEnd = At(StreamParts::Put.Current);
  const bool IsPut = PutBegin.isPointer();
  const Value Begin = IsPut ? PutBegin : GetBegin;
  Value End = IsPut ? PutEnd : GetEnd;
  if (IsPut && GetEnd.isPointer() && GetEnd.offset() > PutEnd.offset())
    End = GetEnd;
  const auto Size = bytesBetween(Begin, End);
  if (!Size || (IsPut && !GetEnd.isKnown()))
    return std::nullopt;
  return Objects.bytes(Begin, std::uint64_t(*Size));
}

/// str(), whose first argument is the string that it returns.
static Value callText(const LibraryCall &Call, const StreamClass &Class) {
  Memory &Objects = Call.Now.Objects;
  const Value Result = Call.argument(0), Stream = Call.argument(1);
  const auto Held =
      Stream.isPointer() ? heldIn(moved(Stream, Class.Buffer), Objects) : std::nullopt;
  if (!Held || !makeText(Result, *Held, Objects))
    Objects.forget(Result);
  return Value::unknown();
}

/// Members of std::stringstream and what is like it.
std::optional<Value> callStringStream(const LibraryCall &Call) {
  if (Call.Name == "_ZNSt8ios_baseD2Ev")
    return Value::unknown();
  std::string_view Name = Call.Name;
  const bool IsConstant = Name.starts_with("_ZNK");
  Name.remove_prefix(IsConstant ? 4 : 3);
  const StreamClass *Class = classOf(Name, StringStreams);
  if (!Class)
    return std::nullopt;
  if (Name == "D1Ev" || Name == "D2Ev")
    return Value::unknown();
  if (IsConstant)
    return Name == "3strEv" ? std::optional(callText(Call, *Class)) : std::nullopt;
  Memory &Objects = Call.Now.Objects;
  const Value Stream = Call.argument(0);
  if (!Stream.isPointer() || !Stream.HasOffset)
    return std::nullopt;
  static constexpr std::string_view OfText = "ERKNS_12basic_stringIcS2_S3_EE";
  const Value Buffer = moved(Stream, Class->Buffer);
  if (Name.starts_with("3str") && Name.substr(4) == OfText) {
    const auto Text = textIn(Call.argument(1), Objects);
    const Value Mode = Objects.load(moved(Buffer, ModeAt), 4);
    if (Text && Mode.isInteger())
      holdText(Buffer, *Text, Mode.Bits, Objects);
    else
      Objects.forget(Stream);
    return Value::unknown();
  }
  if (Name == "7_M_syncEPcmm") {
    if (Call.argument(2) != Value::integer(0) || !synchronize(Buffer, Call.argument(3), Objects))
      Objects.forget(Stream);
    return Value::unknown();
  }
  const bool IsBuffer = Class->Ios == 0;
  const std::uint64_t Mode = Class == &StringStreams[0]   ? In
                             : Class == &StringStreams[1] ? Out
                                                          : In | Out;
  if (IsBuffer || !Name.starts_with("C1"))
    return std::nullopt;
  Name.remove_prefix(2);
  std::optional<std::string> Text;
  Value More = Value::integer(0);
  if (Name == "Ev") {
    Text = "";
  } else if (Name == "ESt13_Ios_Openmode") {
    Text = "";
    More = Call.argument(1);
  } else if (Name.starts_with(OfText) && Name.substr(OfText.size()) == "St13_Ios_Openmode") {
    Text = textIn(Call.argument(1), Objects);
    More = Call.argument(2);
  }
  if (!Text || !More.isInteger())
    return std::nullopt;
  StreamParts::construct(Stream, Class->Buffer, Class->Ios, Objects);
  const bool IsFixed = Class != &StringStreams[2]; // what it is for does not depend on the mode
  holdText(Buffer, *Text, (IsFixed || Name == "Ev" ? Mode : 0) | More.Bits, Objects);
  return Value::unknown();
}

} // namespace ergon::code
