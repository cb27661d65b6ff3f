//===- LibraryStreams.cpp - std::stringstream in interpreted code ---------===//
//
// Streams that read what a std::string holds. Members that a program has inline read the stream's
// state and its buffer where libstdc++'s ABI has them: bits/basic_ios.h, streambuf and sstream of
// GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/code/LibraryTexts.h"
#include "model/code/Machine.h"

#include <algorithm>

namespace ergon::code {

/// Offsets in std::basic_ios, in std::streambuf, in std::ctype, and in a table of virtual
/// functions.
static constexpr std::int64_t StateAt = 32, BufferAt = 232, FacetAt = 240;
static constexpr std::int64_t BeginAt = 8, CurrentAt = 16, EndAt = 24;
static constexpr std::int64_t IsWidenedAt = 56;
static constexpr std::int64_t ToIosAt = -24;
/// std::ios_base's states.
static constexpr std::uint64_t AtTextEnd = 2, Failed = 4;

namespace {
/// A stream that reads a known text.
class Reader {
public:
  /// The stream at \p Stream. isKnown() says whether it is one.
  Reader(const Value &Stream, Memory &Objects);
  bool isKnown() const { return Text && State.isInteger(); }

  /// False where what is read would not be known.
  bool readNumber(char Code, const Value &To);
  bool readWord(const Value &String);
  bool readLine(const Value &String, const Value &End);

private:
  Memory &Objects;
  Value Ios, Buffer, Current;
  Value State;
  std::optional<std::string> Text; ///< what is left to read

  bool begin();
  void finish(std::size_t Read, bool IsFailed);
};
} // namespace

/// Where the part of \p Stream is that all streams share.
static Value iosOf(const Value &Stream, const Memory &Objects) {
  const Value Table = Objects.load(Stream, 8);
  const Value Offset =
      Table.isPointer() ? Objects.load(moved(Table, ToIosAt), 8) : Value::unknown();
  return Stream.isPointer() && Offset.isInteger() ? moved(Stream, std::int64_t(Offset.Bits))
                                                  : Value::unknown();
}

Reader::Reader(const Value &Stream, Memory &Objects)
    : Objects(Objects), Ios(iosOf(Stream, Objects)) {
  if (!Ios.isPointer())
    return;
  State = Objects.load(moved(Ios, StateAt), 4);
  Buffer = Objects.load(moved(Ios, BufferAt), 8);
  if (!Buffer.isPointer())
    return;
  Current = Objects.load(moved(Buffer, CurrentAt), 8);
  const Value End = Objects.load(moved(Buffer, EndAt), 8);
  if (!Current.isPointer() || !End.isPointer() || Current.Object != End.Object ||
      !Current.HasOffset || !End.HasOffset)
    return;
  Text.emplace();
  for (Value At = Current; At != End; At = moved(At, 1)) {
    const Value Byte = Objects.load(At, 1);
    if (!Byte.isInteger()) {
      Text.reset();
      return;
    }
    *Text += char(Byte.Bits);
  }
}

/// False where the stream failed before: nothing is read.
bool Reader::begin() {
  if (State.Bits == 0)
    return true;
  Objects.store(moved(Ios, StateAt), 4, Value::integer(State.Bits | Failed));
  return false;
}

void Reader::finish(std::size_t Read, bool IsFailed) {
  Objects.store(moved(Buffer, CurrentAt), 8, moved(Current, std::int64_t(Read)));
  Objects.store(moved(Ios, StateAt), 4,
                Value::integer((Read == Text->size() ? AtTextEnd : 0) | (IsFailed ? Failed : 0)));
}

/// \p Code is the type's letter in mangled names.
bool Reader::readNumber(char Code, const Value &To) {
  static constexpr std::string_view Integers = "bstijlmxy", Reals = "fd";
  static constexpr unsigned Bytes[] = {1, 2, 2, 4, 4, 8, 8, 8, 8};
  if (!begin())
    return true;
  std::size_t Spaces = 0;
  while (Spaces != Text->size() && isSpace((*Text)[Spaces]))
    ++Spaces;
  if (const std::size_t Real = Reals.find(Code); Real != Reals.npos) {
    const auto Found = readReal(*Text);
    if (!Found)
      return false;
    Objects.store(To, Real == 0 ? 4 : 8, Value::real(Found->Number));
    finish(Found->Length ? Found->Length : Spaces, Found->Length == 0);
    return true;
  }
  const std::size_t Kind = Integers.find(Code);
  const auto Found = readInteger(*Text, 10);
  if (Kind == Integers.npos || !Found)
    return false;
  const unsigned Bits = 8 * Bytes[Kind];
  const bool IsSigned = std::string_view("sixl").find(Code) != std::string_view::npos;
  if (const auto Low = lowBits(std::uint64_t(Found->Number), Bits);
      (IsSigned ? withSign(Low, Bits) : std::int64_t(Low)) != Found->Number)
    return false; // it does not fit
  Objects.store(To, Bytes[Kind], Value::integer(lowBits(std::uint64_t(Found->Number), Bits)));
  finish(Found->Length ? Found->Length : Spaces, Found->Length == 0);
  return true;
}

bool Reader::readWord(const Value &String) {
  if (!begin())
    return true;
  std::size_t Start = 0;
  while (Start != Text->size() && isSpace((*Text)[Start]))
    ++Start;
  std::size_t End = Start;
  while (End != Text->size() && !isSpace((*Text)[End]))
    ++End;
  finish(End, End == Start);
  return assignText(String, std::string_view(*Text).substr(Start, End - Start), Objects);
}

bool Reader::readLine(const Value &String, const Value &Delimiter) {
  if (!Delimiter.isInteger())
    return false;
  if (!begin())
    return true;
  const std::size_t End = std::min(Text->find(char(Delimiter.Bits)), Text->size());
  const bool IsLast = End == Text->size();
  finish(IsLast ? End : End + 1, Text->empty());
  if (!IsLast) // also where the delimiter was the last character
    Objects.store(moved(Ios, StateAt), 4, Value::integer(0));
  return assignText(String, std::string_view(*Text).substr(0, End), Objects);
}

/// Constructs a stream at \p Stream, with its buffer and what all streams share at these offsets.
static bool construct(const Value &Stream, std::int64_t BufferOffset, std::int64_t IosOffset,
                      const Value &String, Memory &Objects) {
  const auto Text = textIn(String, Objects);
  if (!Text || !Stream.isPointer() || !Stream.HasOffset)
    return false;
  const Value Table = Value::pointer(Objects.add(Object()), -ToIosAt),
              Facet = Value::pointer(Objects.add(Object(Object::Rest::Zero)), 0),
              Held = Value::pointer(Objects.add(Object()), 0), Ios = moved(Stream, IosOffset),
              Buffer = moved(Stream, BufferOffset);
  Objects.writeText(Held, *Text);
  Objects.store(moved(Table, ToIosAt), 8, Value::integer(std::uint64_t(IosOffset)));
  Objects.store(moved(Facet, IsWidenedAt), 1, Value::integer(0));
  Objects.store(Stream, 8, Table);
  Objects.store(moved(Ios, StateAt), 4, Value::integer(0));
  Objects.store(moved(Ios, BufferAt), 8, Buffer);
  Objects.store(moved(Ios, FacetAt), 8, Facet);
  for (const std::int64_t At : {BeginAt, CurrentAt})
    Objects.store(moved(Buffer, At), 8, Held);
  Objects.store(moved(Buffer, EndAt), 8, moved(Held, std::int64_t(Text->size())));
  return true;
}

/// Constructors and destructors of streams of strings.
static std::optional<Value> callLife(const LibraryCall &Call) {
  static constexpr std::string_view Parts = "IcSt11char_traitsIcESaIcEE",
                                    OfString = "ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode";
  if (Call.Name == "_ZNSt6localeD1Ev" || Call.Name == "_ZNSt8ios_baseD2Ev")
    return Value::unknown();
  std::string_view Name = Call.Name;
  const bool IsInput = Name.starts_with("_ZNSt7__cxx1119basic_istringstream");
  if (!IsInput && !Name.starts_with("_ZNSt7__cxx1118basic_stringstream"))
    return std::nullopt;
  Name.remove_prefix(Name.find("stream") + std::string_view("stream").size());
  if (!Name.starts_with(Parts))
    return std::nullopt;
  Name.remove_prefix(Parts.size());
  if (Name == "D1Ev" || Name == "D2Ev")
    return Value::unknown();
  if (!Name.starts_with("C") || !Name.substr(2).starts_with(OfString))
    return std::nullopt;
  const bool IsDone = construct(Call.argument(0), IsInput ? 16 : 24, IsInput ? 120 : 128,
                                Call.argument(1), Call.Now.Objects);
  return IsDone ? std::optional(Value::unknown()) : std::nullopt;
}

/// `>>` and std::getline.
static std::optional<Value> callReading(const LibraryCall &Call) {
  static constexpr std::string_view
      Extract = "_ZNSi10_M_extractI",
      Word = "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_"
             "stringIS4_S5_T1_EE",
      Line = "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112"
             "basic_stringIS4_S5_T1_EES4_";
  const bool IsNumber = Call.Name.starts_with(Extract) && Call.Name.substr(19) == "EERSiRT_";
  const bool IsShort = Call.Name == "_ZNSirsERi" || Call.Name == "_ZNSirsERs";
  if (!IsNumber && !IsShort && Call.Name != Word && Call.Name != Line)
    return std::nullopt;
  Reader Stream(Call.argument(0), Call.Now.Objects);
  if (!Stream.isKnown())
    return std::nullopt;
  const bool IsDone = IsNumber            ? Stream.readNumber(Call.Name[18], Call.argument(1))
                      : IsShort           ? Stream.readNumber(Call.Name.back(), Call.argument(1))
                      : Call.Name == Word ? Stream.readWord(Call.argument(1))
                                          : Stream.readLine(Call.argument(1), Call.argument(2));
  return IsDone ? std::optional(Call.argument(0)) : std::nullopt;
}

std::optional<Value> callStreams(const LibraryCall &Call) {
  if (!Call.Name.starts_with("_ZN") && !Call.Name.starts_with("_ZSt"))
    return std::nullopt;
  if (Call.Name == "_ZNKSt5ctypeIcE8do_widenEc")
    return Call.argument(1);
  if (auto Result = callLife(Call))
    return Result;
  return callReading(Call);
}

} // namespace ergon::code
