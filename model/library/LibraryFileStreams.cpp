//===- LibraryFileStreams.cpp - std::fstream in interpreted code ----------===//

#include "model/library/Streams.h"

namespace ergon::code {

namespace {
enum class Opened : std::uint8_t { Done, Failed, Unknown };
} // namespace

/// Opens the file of \p Name for \p Buffer; Writes where it is a std::ofstream.
static Opened openFile(const Value &Buffer, const Value &Name, const Value &Mode, bool Writes,
                       const LibraryCall &Call) {
  static constexpr std::uint64_t ToEnd = 2, Binary = 4, In = 8; // std::ios_base::openmode
  Memory &Objects = Call.Now.Objects;
  const Value Open = Objects.load(moved(Buffer, StreamParts::OpenAt), 8);
  if (Open.isPointer())
    return Opened::Failed;
  if (Writes || !Mode.isInteger() || Mode.Bits & ~(ToEnd | Binary | In)) {
    Call.Disk.change(Name, Objects);
    return Opened::Unknown;
  }
  const Value Begin = Call.Disk.open(Name, Objects);
  const auto Text = Call.Disk.textOf(Begin);
  if (!Text || Open != Value::integer(0))
    return Opened::Unknown;
  setText(Buffer, Begin, Text->size(), Objects);
  Objects.store(moved(Buffer, StreamParts::OpenAt), 8, Begin);
  if (Mode.Bits & ToEnd)
    Objects.store(moved(Buffer, StreamParts::Get.Current), 8,
                  moved(Begin, std::int64_t(Text->size())));
  return Opened::Done;
}

static void closeFile(const Value &Buffer, Memory &Objects) {
  setText(Buffer, Value::integer(0), 0, Objects);
  Objects.store(moved(Buffer, StreamParts::OpenAt), 8, Value::integer(0));
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
  if (!Call.Name.starts_with(Class))
    return std::nullopt;
  const std::string_view Name = Call.Name.substr(Class.size());
  if (Name == "4openEPKcSt13_Ios_Openmode")
    switch (openFile(First, Call.argument(1), Call.argument(2), /*Writes=*/false, Call)) {
    case Opened::Done:
      return First;
    case Opened::Failed:
      return Value::integer(0);
    case Opened::Unknown:
      break;
    }
  if (Name == "5closeEv") {
    const Value Open = Objects.load(moved(First, StreamParts::OpenAt), 8);
    if (Open == Value::integer(0))
      return Open;
    if (Open.isPointer()) {
      closeFile(First, Objects);
      return First;
    }
  }
  Objects.forget(First);
  return Value::unknown();
}

/// Members of std::ifstream, std::fstream and std::ofstream.
std::optional<Value> callFileStream(const LibraryCall &Call) {
  if (auto Result = callFileBuffer(Call))
    return Result;
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
    const StreamParts Parts(Stream, Objects);
    const Value Open = Objects.load(moved(Buffer, StreamParts::OpenAt), 8);
    if (Open.isPointer())
      closeFile(Buffer, Objects);
    else if (Open == Value::integer(0) && Parts.isKnown())
      Parts.setState(Parts.state() | StreamParts::Failed);
    else
      Objects.forget(Stream);
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
    StreamParts::construct(Stream, Class->Buffer, Class->Ios, Objects);
    closeFile(Buffer, Objects);
  }
  if (Name == "v")
    return Value::unknown();
  const Value Text = IsString ? Objects.load(Call.argument(1), 8) : Call.argument(1);
  const Opened How =
      openFile(Buffer, Text, Call.argument(2), /*Writes=*/Class == &Classes[2], Call);
  const StreamParts Now(Stream, Objects);
  if (How == Opened::Unknown || !Now.isKnown())
    Objects.forget(Stream);
  else
    Now.setState(How == Opened::Done ? 0 : Now.state() | StreamParts::Failed);
  return Value::unknown();
}

} // namespace ergon::code
