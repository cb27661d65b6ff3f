//===- LibraryStreams.cpp - std::istream in interpreted code --------------===//
//
// Streams that read what a std::string or a file holds. Members that a program has inline read the
// stream's state and its buffer where libstdc++'s ABI has them: bits/basic_ios.h, streambuf,
// sstream and fstream of GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/code/LibraryTexts.h"
#include "model/code/Machine.h"

#include <algorithm>
#include <span>

namespace ergon::code {

/// Offsets in std::basic_ios, in std::streambuf, in std::ctype, and in a table of virtual
/// functions.
static constexpr std::int64_t WidthAt = 16, FlagsAt = 24, StateAt = 32, BufferAt = 232,
                              FacetAt = 240;
/// std::ios_base's flags of a new stream: numbers are decimal, spaces before them are skipped.
static constexpr std::uint64_t NewFlags = 0x1002;
static constexpr std::int64_t BeginAt = 8, CurrentAt = 16, EndAt = 24;
/// In std::filebuf: the C library's file, null while none is open. In std::istream: gcount().
static constexpr std::int64_t OpenAt = 104, CountAt = 8;
static constexpr std::int64_t IsWidenedAt = 56;
static constexpr std::int64_t ToIosAt = -24;
/// std::ios_base's states.
static constexpr std::uint64_t AtTextEnd = 2, Failed = 4;

namespace {
/// A stream that reads a known text.
class Reader {
public:
  /// The stream that is the first argument. isKnown() says whether it is one.
  explicit Reader(const LibraryCall &Call);
  bool isKnown() const { return Text && State.isInteger(); }

  /// False where what is read would not be known.
  bool readNumber(char Code, const Value &To);
  bool readWord(const Value &String);
  bool readLine(const Value &String, const Value &End);
  /// Characters one by one: -1 at the end.
  int readCharacter(bool Takes);
  bool readBytes(const Value &To, const Value &Bytes);
  bool ignore(const Value &Characters, const Value &End);
  /// The place in the text, or -1 where the stream failed before.
  std::int64_t place();
  /// \p From is 0 for the beginning, 1 for the current place, 2 for the end.
  bool seek(const Value &To, std::uint64_t From);

private:
  Memory &Objects;
  Value Stream, Ios, Buffer, Begin, Current;
  Value State;
  std::optional<std::string> Held;      ///< where the text is no file's
  std::optional<std::string_view> Text; ///< what is left to read

  bool begin();
  void finish(std::size_t Read, bool IsFailed);
  void take(std::size_t Read) {
    Objects.store(moved(Buffer, CurrentAt), 8, moved(Current, std::int64_t(Read)));
  }
  void setCount(std::size_t Read) {
    Objects.store(moved(Stream, CountAt), 8, Value::integer(Read));
  }
  void setState(std::uint64_t What) { Objects.store(moved(Ios, StateAt), 4, Value::integer(What)); }
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

Reader::Reader(const LibraryCall &Call)
    : Objects(Call.Now.Objects), Stream(Call.argument(0)), Ios(iosOf(Stream, Objects)) {
  if (!Ios.isPointer())
    return;
  if (Objects.load(moved(Ios, FlagsAt), 4) != Value::integer(NewFlags) ||
      Objects.load(moved(Ios, WidthAt), 8) != Value::integer(0))
    return; // std::hex, std::setw
  State = Objects.load(moved(Ios, StateAt), 4);
  Buffer = Objects.load(moved(Ios, BufferAt), 8);
  if (!Buffer.isPointer())
    return;
  Begin = Objects.load(moved(Buffer, BeginAt), 8);
  Current = Objects.load(moved(Buffer, CurrentAt), 8);
  const Value End = Objects.load(moved(Buffer, EndAt), 8);
  if (!Current.isPointer() || !End.isPointer() || Current.Object != End.Object ||
      !Current.HasOffset || !End.HasOffset)
    return;
  if (Text = Call.Disk.rest(Current); Text)
    return;
  Held = Objects.bytes(Current, End.Bits - Current.Bits);
  if (Held)
    Text = Held;
}

/// False where the stream failed before: nothing is read.
bool Reader::begin() {
  if (State.Bits == 0)
    return true;
  setState(State.Bits | Failed);
  return false;
}

void Reader::finish(std::size_t Read, bool IsFailed) {
  take(Read);
  setState((Read == Text->size() ? AtTextEnd : 0) | (IsFailed ? Failed : 0));
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
  if (Spaces == Text->size()) { // nothing is stored
    finish(Spaces, /*IsFailed=*/true);
    return true;
  }
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
  return End == Start || assignText(String, Text->substr(Start, End - Start), Objects);
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
    setState(0);
  return assignText(String, Text->substr(0, End), Objects);
}

int Reader::readCharacter(bool Takes) {
  setCount(0);
  if (!begin() || Text->empty()) {
    if (State.Bits == 0)
      setState(AtTextEnd | (Takes ? Failed : 0));
    return -1;
  }
  if (Takes) {
    take(1);
    setCount(1);
  }
  return static_cast<unsigned char>(Text->front());
}

bool Reader::readBytes(const Value &To, const Value &Bytes) {
  if (!Bytes.isInteger())
    return false;
  setCount(0);
  if (!begin())
    return true;
  const bool IsShort = Bytes.Bits > Text->size();
  const std::size_t Length = IsShort ? Text->size() : Bytes.Bits;
  if (Length <= MaxRead)
    Objects.writeBytes(To, Text->substr(0, Length));
  else
    Objects.forget(To);
  take(Length);
  setCount(Length);
  if (IsShort)
    setState(AtTextEnd | Failed);
  return true;
}

bool Reader::ignore(const Value &Characters, const Value &Delimiter) {
  if (!Characters.isInteger() || !Delimiter.isInteger())
    return false;
  setCount(0);
  if (!begin())
    return true;
  const auto End = int(withSign(Delimiter.Bits, 32));
  const std::size_t Found = End < 0 ? Text->npos : Text->find(char(End));
  const std::size_t Most = std::min<std::uint64_t>(Characters.Bits, Text->size() + 1);
  const std::size_t Length = std::min(Found == Text->npos ? Most : Found + 1, Most);
  take(std::min(Length, Text->size()));
  setCount(std::min(Length, Text->size()));
  setState(Length > Text->size() ? AtTextEnd : 0);
  return true;
}

std::int64_t Reader::place() {
  return begin() && Begin.isPointer() ? Current.offset() - Begin.offset() : -1;
}

bool Reader::seek(const Value &To, std::uint64_t From) {
  if (!To.isInteger() || From > 2 || !Begin.isPointer() || Begin.Object != Current.Object)
    return false;
  const std::int64_t Start[] = {Begin.offset(), Current.offset(),
                                Current.offset() + std::int64_t(Text->size())};
  const std::int64_t Place = Start[From] + std::int64_t(To.Bits);
  if (const std::uint64_t Left = State.Bits & ~AtTextEnd) {
    setState(Left | Failed);
    return true;
  }
  if (Place < Begin.offset() || Place > Start[2]) {
    setState(Failed);
    return true;
  }
  Objects.store(moved(Buffer, CurrentAt), 8, Value::pointer(Current.Object, Place));
  setState(0);
  return true;
}

/// Constructs a stream at \p Stream, with its buffer and what all streams share at these offsets.
static void construct(const Value &Stream, std::int64_t BufferOffset, std::int64_t IosOffset,
                      Memory &Objects) {
  const Value Table = Value::pointer(Objects.add(Object()), -ToIosAt),
              Facet = Value::pointer(Objects.add(Object(Object::Rest::Zero)), 0),
              Ios = moved(Stream, IosOffset), Buffer = moved(Stream, BufferOffset);
  Objects.store(moved(Table, ToIosAt), 8, Value::integer(std::uint64_t(IosOffset)));
  std::string Same(1, '\1'); // widened characters are known, and then all of them
  for (int C = 0; C != 256; ++C)
    Same += char(C);
  Objects.writeBytes(moved(Facet, IsWidenedAt), Same);
  Objects.store(Stream, 8, Table);
  Objects.store(moved(Ios, StateAt), 4, Value::integer(0));
  Objects.store(moved(Ios, FlagsAt), 4, Value::integer(NewFlags));
  Objects.store(moved(Ios, WidthAt), 8, Value::integer(0));
  Objects.store(moved(Ios, BufferAt), 8, Buffer);
  Objects.store(moved(Ios, FacetAt), 8, Facet);
}

/// \p Buffer reads \p Size bytes from \p Text on.
static void setText(const Value &Buffer, const Value &Text, std::size_t Size, Memory &Objects) {
  for (const std::int64_t At : {BeginAt, CurrentAt})
    Objects.store(moved(Buffer, At), 8, Text);
  Objects.store(moved(Buffer, EndAt), 8, moved(Text, std::int64_t(Size)));
}

namespace {
/// A class of streams: how its members' names begin, and where it has its buffer and what all
/// streams share.
struct StreamClass {
  std::string_view Name;
  std::int64_t Buffer, Ios;
};
} // namespace

/// The class of \p Among that \p Name is a member of, whose own name is then left.
static const StreamClass *classOf(std::string_view &Name, std::span<const StreamClass> Among) {
  for (const StreamClass &Each : Among)
    if (Name.starts_with(Each.Name)) {
      Name.remove_prefix(Each.Name.size());
      return &Each;
    }
  return nullptr;
}

/// Constructors and destructors of streams of strings.
static std::optional<Value> callStringStream(const LibraryCall &Call) {
  static constexpr StreamClass Classes[] = {
      {"_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE", 16, 120},
      {"_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE", 24, 128}};
  if (Call.Name == "_ZNSt6localeD1Ev" || Call.Name == "_ZNSt8ios_baseD2Ev")
    return Value::unknown();
  std::string_view Name = Call.Name;
  const StreamClass *Class = classOf(Name, Classes);
  if (!Class)
    return std::nullopt;
  if (Name == "D1Ev" || Name == "D2Ev")
    return Value::unknown();
  Memory &Objects = Call.Now.Objects;
  const Value Stream = Call.argument(0);
  const auto Text = textIn(Call.argument(1), Objects);
  if (!Name.starts_with("C") ||
      !Name.substr(2).starts_with("ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode") || !Text ||
      !Stream.isPointer() || !Stream.HasOffset)
    return std::nullopt;
  construct(Stream, Class->Buffer, Class->Ios, Objects);
  const Value Held = Value::pointer(Objects.add(Object()), 0);
  Objects.writeText(Held, *Text);
  setText(moved(Stream, Class->Buffer), Held, Text->size(), Objects);
  return Value::unknown();
}

//===----------------------------------------------------------------------===//
// Streams of files
//===----------------------------------------------------------------------===//

/// Opens the file of a name for the buffer; false where it may not be read.
static bool openFile(const Value &Buffer, const Value &Name, const Value &Mode,
                     const LibraryCall &Call) {
  static constexpr std::uint64_t AtEnd = 2, Out = 16; // std::ios_base::openmode
  if (!Mode.isInteger() || Mode.Bits & Out) {
    Call.Disk.change(Name, Call.Now.Objects);
    return false;
  }
  const Value Begin = Call.Disk.open(Name, Call.Now.Objects);
  const auto Text = Call.Disk.textOf(Begin);
  if (!Text)
    return false;
  setText(Buffer, Begin, Text->size(), Call.Now.Objects);
  Call.Now.Objects.store(moved(Buffer, OpenAt), 8, Begin);
  if (Mode.Bits & AtEnd)
    Call.Now.Objects.store(moved(Buffer, CurrentAt), 8, moved(Begin, std::int64_t(Text->size())));
  return true;
}

static void closeFile(const Value &Buffer, Memory &Objects) {
  for (const std::int64_t At : {BeginAt, CurrentAt, EndAt, OpenAt})
    Objects.store(moved(Buffer, At), 8, Value::integer(0));
}

/// std::filebuf's members and what they end in.
static std::optional<Value> callFileBuffer(const LibraryCall &Call) {
  static constexpr std::string_view Class = "_ZNSt13basic_filebufIcSt11char_traitsIcEE";
  Memory &Objects = Call.Now.Objects;
  const Value First = Call.argument(0);
  if (Call.Name == "_ZNKSt12__basic_fileIcE7is_openEv") {
    const Value Open = Objects.load(First, 8);
    return Open.isKnown() ? std::optional(Value::integer(Open.isPointer())) : std::nullopt;
  }
  if (Call.Name == "_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate") {
    Objects.store(moved(First, StateAt), 4, Call.argument(1));
    return Value::unknown();
  }
  if (!Call.Name.starts_with(Class))
    return std::nullopt;
  const std::string_view Name = Call.Name.substr(Class.size());
  if (Name == "4openEPKcSt13_Ios_Openmode")
    if (openFile(First, Call.argument(1), Call.argument(2), Call))
      return First;
  if (Name == "5closeEv" && Objects.load(moved(First, OpenAt), 8).isPointer()) {
    closeFile(First, Objects);
    return First;
  }
  Objects.forget(First);
  return Value::unknown();
}

/// Members of std::ifstream and std::fstream.
static std::optional<Value> callFileStream(const LibraryCall &Call) {
  static constexpr StreamClass Classes[] = {{"_ZNSt14basic_ifstreamIcSt11char_traitsIcEE", 16, 256},
                                            {"_ZNSt13basic_fstreamIcSt11char_traitsIcEE", 24, 264},
                                            {"_ZNSt14basic_ofstreamIcSt11char_traitsIcEE", 8, 248}};
  std::string_view Name = Call.Name;
  const StreamClass *Class = classOf(Name, Classes);
  const Value Stream = Call.argument(0);
  if (!Class || !Stream.isPointer() || !Stream.HasOffset)
    return std::nullopt;
  Memory &Objects = Call.Now.Objects;
  const Value Buffer = moved(Stream, Class->Buffer);
  if (Name == "D1Ev" || Name == "D2Ev")
    return Value::unknown();
  if (Name == "5closeEv") {
    closeFile(Buffer, Objects);
    return Value::unknown();
  }
  const bool IsMade = Name.starts_with("C1E");
  if (!IsMade && !Name.starts_with("4openE"))
    return std::nullopt;
  Name.remove_prefix(Name.find('E') + 1);
  const bool IsString = Name.starts_with("RKNSt7__cxx1112basic_string");
  if (!IsString && Name != "v" && Name != "PKcSt13_Ios_Openmode")
    return std::nullopt;
  if (IsMade) {
    construct(Stream, Class->Buffer, Class->Ios, Objects);
    closeFile(Buffer, Objects);
  }
  if (Name == "v")
    return Value::unknown();
  const Value Text = IsString ? Objects.load(Call.argument(1), 8) : Call.argument(1);
  if (!openFile(Buffer, Text, Call.argument(2), Call))
    Objects.forget(Stream);
  return Value::unknown();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Members of std::istream that read characters or go to a place.
static std::optional<Value> callMember(const LibraryCall &Call) {
  static constexpr std::string_view Class = "_ZNSi";
  static constexpr std::string_view Known[] = {
      "3getEv",    "4peekEv",   "3getERc",   "5seekgESt4fposI11__mbstate_tE",
      "4readEPcl", "6ignoreEv", "6ignoreEl", "5seekgElSt12_Ios_Seekdir",
      "5tellgEv",  "6ignoreEli"};
  if (!Call.Name.starts_with(Class))
    return std::nullopt;
  const std::string_view Name = Call.Name.substr(Class.size());
  if (std::ranges::find(Known, Name) == std::end(Known))
    return std::nullopt;
  Reader Stream(Call);
  const Value First = Call.argument(1), Second = Call.argument(2);
  auto Done = [&](bool IsKnown) {
    if (!IsKnown)
      for (const Value &Written : {Call.argument(0), First})
        Call.Now.Objects.forget(Written);
    return Call.argument(0);
  };
  if (!Stream.isKnown()) {
    const Value Same = Done(false);
    return Name == "3getEv" || Name == "4peekEv" || Name == "5tellgEv" ? Value::unknown() : Same;
  }
  if (Name == "3getEv" || Name == "4peekEv")
    return Value::integer(lowBits(std::uint64_t(Stream.readCharacter(Name == "3getEv")), 32));
  if (Name == "3getERc") {
    if (const int Read = Stream.readCharacter(/*Takes=*/true); Read >= 0)
      Call.Now.Objects.store(First, 1, Value::integer(std::uint64_t(Read)));
    return Call.argument(0);
  }
  if (Name == "4readEPcl")
    return Done(Stream.readBytes(First, Second));
  if (Name == "6ignoreEv" || Name == "6ignoreEl" || Name == "6ignoreEli")
    return Done(Stream.ignore(Name == "6ignoreEv" ? Value::integer(1) : First,
                              Name == "6ignoreEli" ? Second : Value::integer(lowBits(~0ULL, 32))));
  if (Name == "5seekgESt4fposI11__mbstate_tE")
    return Done(Stream.seek(First, 0));
  if (Name == "5seekgElSt12_Ios_Seekdir")
    return Done(Second.isInteger() && Stream.seek(First, Second.Bits));
  const Value Place = Value::pointer(Call.Now.Objects.add(Object(Object::Rest::Zero)), 0);
  Call.Now.Objects.store(Place, 8, Value::integer(std::uint64_t(Stream.place())));
  return Place;
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
  Reader Stream(Call);
  const bool IsDone = !Stream.isKnown()   ? false
                      : IsNumber          ? Stream.readNumber(Call.Name[18], Call.argument(1))
                      : IsShort           ? Stream.readNumber(Call.Name.back(), Call.argument(1))
                      : Call.Name == Word ? Stream.readWord(Call.argument(1))
                                          : Stream.readLine(Call.argument(1), Call.argument(2));
  if (!IsDone)
    for (const Value &Written : {Call.argument(0), Call.argument(1)})
      Call.Now.Objects.forget(Written);
  return Call.argument(0);
}

std::optional<Value> callStreams(const LibraryCall &Call) {
  if (!Call.Name.starts_with("_ZN") && !Call.Name.starts_with("_ZSt"))
    return std::nullopt;
  if (Call.Name == "_ZNKSt5ctypeIcE8do_widenEc")
    return Call.argument(1);
  for (auto Try : {callStringStream, callFileBuffer, callFileStream, callReading, callMember})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
