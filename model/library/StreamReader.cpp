//===- StreamReader.cpp - streams that read known texts -------------------===//

#include "model/library/Streams.h"

#include <algorithm>

namespace ergon::code {

static constexpr std::int64_t ToIosAt = -24;    ///< in a table of virtual functions
static constexpr std::int64_t IsWidenedAt = 56; ///< in std::ctype
static constexpr std::int64_t OutputAt = 16;    ///< in std::iostream: std::ostream

StreamParts::StreamParts(const Value &Stream, Memory &Objects) : Objects(Objects), Stream(Stream) {
  const Value Table = Stream.isPointer() ? Objects.load(Stream, 8) : Value::unknown(),
              Offset =
                  Table.isPointer() ? Objects.load(moved(Table, ToIosAt), 8) : Value::unknown();
  if (!Offset.isInteger())
    return;
  Ios = moved(Stream, std::int64_t(Offset.Bits));
  if (Objects.load(moved(Ios, FlagsAt), 4) != Value::integer(NewFlags) ||
      Objects.load(moved(Ios, WidthAt), 8) != Value::integer(0))
    return; // std::hex, std::setw
  State = Objects.load(moved(Ios, StateAt), 4);
  Buffer = Objects.load(moved(Ios, BufferAt), 8);
}

void StreamParts::construct(const Value &Stream, std::int64_t BufferOffset, std::int64_t IosOffset,
                            Memory &Objects) {
  const Value Facet = Value::pointer(Objects.add(Object(Object::Rest::Zero)), 0),
              Ios = moved(Stream, IosOffset), Buffer = moved(Stream, BufferOffset);
  std::string Same(1, '\1'); // widened characters are known, and then all of them
  for (int C = 0; C != 256; ++C)
    Same += char(C);
  Objects.writeBytes(moved(Facet, IsWidenedAt), Same);
  const bool HasBoth = BufferOffset > OutputAt; // std::iostream, which has two tables
  for (const std::int64_t At : {std::int64_t(0), HasBoth ? OutputAt : 0}) {
    const Value Table = Value::pointer(Objects.add(Object()), -ToIosAt);
    Objects.store(moved(Table, ToIosAt), 8, Value::integer(std::uint64_t(IosOffset - At)));
    Objects.store(moved(Stream, At), 8, Table);
  }
  Objects.store(moved(Ios, StateAt), 4, Value::integer(0));
  Objects.store(moved(Ios, FlagsAt), 4, Value::integer(NewFlags));
  Objects.store(moved(Ios, WidthAt), 8, Value::integer(0));
  Objects.store(moved(Ios, PrecisionAt), 8, Value::integer(6));
  Objects.store(moved(Ios, BufferAt), 8, Buffer);
  Objects.store(moved(Ios, FacetAt), 8, Facet);
  for (const Area &Each : {Get, Put})
    for (const std::int64_t At : {Each.Begin, Each.Current, Each.End})
      Objects.store(moved(Buffer, At), 8, Value::integer(0));
}

void setText(const Value &Buffer, const Value &Text, std::size_t Size, Memory &Objects) {
  for (const std::int64_t At : {StreamParts::Get.Begin, StreamParts::Get.Current})
    Objects.store(moved(Buffer, At), 8, Text);
  Objects.store(moved(Buffer, StreamParts::Get.End), 8, moved(Text, std::int64_t(Size)));
}

const StreamClass *classOf(std::string_view &Name, std::span<const StreamClass> Among) {
  for (const StreamClass &Each : Among)
    if (Name.starts_with(Each.Name)) {
      Name.remove_prefix(Each.Name.size());
      return &Each;
    }
  return nullptr;
}

StreamReader::StreamReader(const LibraryCall &Call)
    : StreamParts(Call.argument(0), Call.Now.Objects) {
  if (!StreamParts::isKnown())
    return;
  Begin = buffer(Get.Begin);
  Current = buffer(Get.Current);
  const auto Left = bytesBetween(Current, buffer(Get.End));
  if (!Left)
    return;
  if (Text = Call.Disk.rest(Current); Text)
    return;
  Held = Objects.bytes(Current, std::uint64_t(*Left));
  if (Held)
    Text = Held;
}

/// False where the stream failed before: nothing is read.
bool StreamReader::begin() {
  if (state() == 0)
    return true;
  setState(state() | Failed);
  return false;
}

void StreamReader::finish(std::size_t Read, bool IsFailed) {
  take(Read);
  setState((Read == Text->size() ? AtTextEnd : 0) | (IsFailed ? Failed : 0));
}

namespace {
/// How `>>` reads integers: a type's letter in mangled names, its size, and the size of the type as
/// which it is read.
struct IntegerType {
  char Code;
  unsigned Bytes, ReadBytes;
  bool IsSigned;
};
} // namespace

bool StreamReader::readNumber(char Code, const Value &To) {
  static constexpr IntegerType Integers[] = {
      {'b', 1, 8, true},  {'s', 2, 8, true},  {'t', 2, 2, false},
      {'i', 4, 8, true},  {'j', 4, 4, false}, {'l', 8, 8, true},
      {'m', 8, 8, false}, {'x', 8, 8, true},  {'y', 8, 8, false}};
  if (!begin())
    return true;
  const std::size_t Spaces = spacesIn(*Text);
  const std::string_view Here = Text->substr(Spaces);
  if (Here.empty()) { // nothing is stored
    finish(Spaces, /*IsFailed=*/true);
    return true;
  }
  if (Code == 'f' || Code == 'd') {
    const auto Found = extractReal(Here, Code == 'f');
    if (!Found)
      return false;
    Objects.store(To, Code == 'f' ? 4 : 8, Value::real(Found->Number));
    finish(Spaces + Found->Length, !Found->IsNumber);
    return true;
  }
  const IntegerType *Type = std::ranges::find(Integers, Code, &IntegerType::Code);
  if (Type == std::end(Integers))
    return false;
  const auto Found = extractInteger(Here, 8 * Type->ReadBytes, Type->IsSigned);
  // What does not fit in a shorter type is the nearest number that does; a bool is then true.
  const std::int64_t Most = Code == 'b'
                                ? 1
                                : std::int64_t(~std::uint64_t(0) >> 1 >> (64 - 8 * Type->Bytes)),
                     Least = Code == 'b' ? 0 : -Most - 1;
  const bool IsShort = Type->Bytes < Type->ReadBytes;
  const bool Fits = !IsShort || (Found.Number >= Least && Found.Number <= Most);
  const std::int64_t Number = Fits                                 ? Found.Number
                              : Code == 'b' || Found.Number > Most ? Most
                                                                   : Least;
  Objects.store(To, Type->Bytes, Value::integer(lowBits(std::uint64_t(Number), 8 * Type->Bytes)));
  finish(Spaces + Found.Length, !Found.IsNumber || !Fits);
  return true;
}

bool StreamReader::readWord(const Value &String) {
  if (!begin())
    return true;
  const std::size_t Start = spacesIn(*Text);
  const std::string_view Here = Text->substr(Start);
  const auto Length = std::size_t(std::ranges::find_if(Here, isSpace) - Here.begin());
  finish(Start + Length, Length == 0);
  return Length == 0 || assignText(String, Here.substr(0, Length), Objects);
}

bool StreamReader::readLine(const Value &String, const Value &Delimiter) {
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

bool StreamReader::readLine(const Value &To, const Value &Size, const Value &Delimiter) {
  if (!Delimiter.isInteger() || !Size.isInteger() || std::int64_t(Size.Bits) <= 0)
    return false;
  setCount(0);
  if (!begin()) {
    Objects.writeText(To, "");
    return true;
  }
  const std::size_t Most = Size.Bits - 1, Found = Text->find(char(Delimiter.Bits)),
                    Length = std::min({Found, Most, Text->size()});
  const bool HasDelimiter = Length == Found;
  Objects.writeText(To, Text->substr(0, Length));
  take(Length + HasDelimiter);
  setCount(Length + HasDelimiter);
  const bool IsEnd = !HasDelimiter && Length == Text->size();
  const bool IsFailed = IsEnd ? Length == 0 : !HasDelimiter;
  setState((IsEnd ? AtTextEnd : 0) | (IsFailed ? Failed : 0));
  return true;
}

bool StreamReader::readLetter(const Value &To) {
  if (!begin())
    return true;
  const std::size_t Spaces = spacesIn(*Text);
  if (Spaces == Text->size()) {
    finish(Spaces, /*IsFailed=*/true);
    return true;
  }
  Objects.store(To, 1, Value::integer(static_cast<unsigned char>((*Text)[Spaces])));
  take(Spaces + 1);
  return true;
}

bool StreamReader::skipSpaces() {
  if (begin())
    finish(spacesIn(*Text), /*IsFailed=*/false);
  return true;
}

int StreamReader::readCharacter(bool Takes) {
  setCount(0);
  if (!begin() || Text->empty()) {
    if (state() == 0)
      setState(AtTextEnd | (Takes ? Failed : 0));
    return -1;
  }
  if (Takes) {
    take(1);
    setCount(1);
  }
  return static_cast<unsigned char>(Text->front());
}

bool StreamReader::readBytes(const Value &To, const Value &Bytes) {
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

bool StreamReader::ignore(const Value &Characters, const Value &Delimiter) {
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

std::int64_t StreamReader::place() {
  return begin() && Begin.isPointer() ? Current.offset() - Begin.offset() : -1;
}

bool StreamReader::seek(const Value &To, std::uint64_t From) {
  if (!To.isInteger() || From > 2 || !Begin.isPointer() || Begin.Object != Current.Object)
    return false;
  const std::int64_t End = buffer(Get.End).offset(),
                     Start[] = {Begin.offset(), Current.offset(), End};
  const std::int64_t Place = Start[From] + std::int64_t(To.Bits);
  if (const std::uint64_t Left = state() & ~AtTextEnd) {
    setState(Left | Failed);
    return true;
  }
  if (Place < Begin.offset() || (Held && Place > End)) { // files have places behind their ends
    setState(Failed);
    return true;
  }
  setBuffer(Get.Current, Value::pointer(Current.Object, Place));
  setState(0);
  return true;
}

} // namespace ergon::code
