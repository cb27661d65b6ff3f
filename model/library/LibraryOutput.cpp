//===- LibraryOutput.cpp - std::ostream in interpreted code ---------------===//
//
// What goes to a string is known, as the string then is. All other output only reads what it writes
// out.
//
//===----------------------------------------------------------------------===//

#include "model/library/Streams.h"

#include <algorithm>

namespace ergon::code {

namespace {
/// A stream that writes to a string.
class StreamWriter : StreamParts {
public:
  explicit StreamWriter(const LibraryCall &Call)
      : StreamParts(Call.argument(0), Call.Now.Objects) {}

  bool isKnown() const {
    return StreamParts::isKnown() && state() == 0 && buffer(Put.Current).isPointer() &&
           buffer(Put.Current).HasOffset && buffer(Get.End).isKnown();
  }
  using StreamParts::precision;
  void append(std::string_view Text) const;
};
} // namespace

void StreamWriter::append(std::string_view Text) const {
  const Value End = moved(buffer(Put.Current), std::int64_t(Text.size())), Read = buffer(Get.End);
  Objects.writeBytes(buffer(Put.Current), Text);
  setBuffer(Put.Current, End);
  setBuffer(Put.End, End);
  if (Read.isPointer() && Read.offset() < End.offset())
    setBuffer(Get.End, End);
}

/// A number of the type that has this letter in mangled names.
static std::optional<std::string> numberText(char Code, const Value &What, const Value &Precision) {
  if (Code == 'd' || Code == 'f') {
    if (!What.isReal() || !Precision.isInteger() || Precision.Bits > 100)
      return std::nullopt;
    return digitsOf(What.number(), std::chars_format::general, int(Precision.Bits));
  }
  static constexpr std::string_view Signed = "silx", Unsigned = "btjmy";
  const unsigned Bits = Code == 's' || Code == 't'   ? 16
                        : Code == 'i' || Code == 'j' ? 32
                        : Code == 'b'                ? 1
                                                     : 64;
  if (!What.isInteger())
    return std::nullopt;
  if (Signed.contains(Code))
    return digitsOf(withSign(What.Bits, Bits));
  return Unsigned.contains(Code) ? std::optional(digitsOf(lowBits(What.Bits, Bits))) : std::nullopt;
}

/// What is left to read in the buffer of another stream, which is then read.
static std::optional<std::string> takeRest(const Value &Buffer, const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const Value Current = Objects.load(moved(Buffer, StreamParts::Get.Current), 8),
              End = Objects.load(moved(Buffer, StreamParts::Get.End), 8);
  const auto Size = bytesBetween(Current, End);
  Objects.store(moved(Buffer, StreamParts::Get.Current), 8, End);
  if (!Size || *Size <= 0)
    return std::nullopt;
  const auto File = Call.Disk.rest(Current);
  if (!File)
    return Objects.bytes(Current, std::uint64_t(*Size));
  return std::uint64_t(*Size) <= MaxRead ? std::optional(std::string(*File)) : std::nullopt;
}

/// What a call writes; nothing where that is not known.
static std::optional<std::string> written(const LibraryCall &Call, const Value &Precision) {
  static constexpr std::string_view
      Member = "_ZNSolsE",
      Insert = "_ZNSo9_M_insertI",
      Characters = "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_",
      Array = "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
      String = "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_"
               "stringIS4_S5_T1_EE",
      Line = "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_";
  const std::string_view Name = Call.Name;
  const Value What = Call.argument(1), Size = Call.argument(2);
  const Memory &Objects = Call.Now.Objects;
  if (Name == "_ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE")
    return takeRest(What, Call);
  if (Name == "_ZNSo5flushEv")
    return "";
  if (Name == Line)
    return "\n";
  if (Name == Array || Name == "_ZNSo5writeEPKcl")
    return Size.isInteger() ? Objects.bytes(What, Size.Bits) : std::nullopt;
  if (Name == String)
    return textIn(What, Objects);
  const bool IsCharacters = Name.starts_with(Characters);
  if (IsCharacters && Name.substr(Characters.size()) == "PKc")
    return Objects.text(What);
  if (Name == "_ZNSo3putEc" || (IsCharacters && Name.substr(Characters.size()) == "c"))
    return What.isInteger() ? std::optional(std::string(1, char(What.Bits & 0xff))) : std::nullopt;
  if (Name.starts_with(Member) && Name.size() == Member.size() + 1)
    return numberText(Name.back(), What, Precision);
  if (Name.starts_with(Insert) && Name.substr(Insert.size() + 1) == "EERSoT_")
    return numberText(Name[Insert.size()], What, Precision);
  return std::nullopt;
}

/// Members of std::ostream, and `<<`.
std::optional<Value> callOutput(const LibraryCall &Call) {
  static constexpr std::string_view Writing[] = {
      "_ZNSo", "_ZStlsISt11char_traitsIcEE", "_ZSt16__ostream_insertIcSt11char_traitsIcEE",
      "_ZStlsIcSt11char_traitsIcESaIcEE", "_ZSt4endlIcSt11char_traitsIcEE"};
  const bool CallsBack = Call.Name.find("EPF") != Call.Name.npos; // a manipulator
  if (CallsBack ||
      std::ranges::none_of(Writing, [&](auto Start) { return Call.Name.starts_with(Start); }))
    return std::nullopt;
  const StreamWriter Stream(Call);
  const auto Text = Stream.isKnown() ? written(Call, Stream.precision()) : std::nullopt;
  if (Text)
    Stream.append(*Text);
  else
    Call.Now.Objects.forget(Call.argument(0));
  return Call.argument(0);
}

} // namespace ergon::code
