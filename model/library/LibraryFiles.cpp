//===- LibraryFiles.cpp - files of the C library in interpreted code ------===//
//
// An open file is an object with the place that is read next, a pointer into the file, and whether
// its end was met. Nothing of it is known once other code had it.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryTexts.h"

#include <algorithm>

namespace ergon::code {

namespace {
class OpenFile {
public:
  OpenFile(const Value &Handle, const LibraryCall &Call)
      : Handle(Handle), Objects(Call.Now.Objects), Place(Objects.load(Handle, 8)),
        Text(Call.Disk.textOf(Place)), Left(Call.Disk.rest(Place)) {}

  static Value open(const Value &Place, Memory &Objects) {
    const Value Handle = Value::pointer(Objects.add(Object()), 0);
    Objects.store(Handle, 8, Place);
    Objects.store(moved(Handle, EndAt), 4, Value::integer(0));
    return Handle;
  }

  bool isKnown() const { return Left.has_value(); }
  std::string_view rest() const { return *Left; }
  std::size_t size() const { return Text->size(); }
  std::uint64_t place() const { return Place.Bits; }
  /// The character before the place; zero at the beginning, and behind the end.
  char last() const {
    const std::uint64_t Before = place() - 1;
    return Before < Text->size() ? (*Text)[Before] : '\0';
  }
  Value hasMetEnd() const { return Objects.load(moved(Handle, EndAt), 4); }
  void take(std::size_t Length, bool MeetsEnd);
  void go(const Value &To);

private:
  static constexpr std::int64_t EndAt = 8;
  Value Handle;
  Memory &Objects;
  Value Place;
  std::optional<std::string_view> Text, Left;
};
} // namespace

void OpenFile::take(std::size_t Length, bool MeetsEnd) {
  Objects.store(Handle, 8, moved(Place, std::int64_t(Length)));
  if (MeetsEnd)
    Objects.store(moved(Handle, EndAt), 4, Value::integer(1));
}

/// \p To is the offset in the file.
void OpenFile::go(const Value &To) {
  Objects.store(Handle, 8,
                To.isInteger() ? Value::pointer(Place.Object, std::int64_t(To.Bits))
                               : Value::unknown());
  Objects.store(moved(Handle, EndAt), 4, Value::integer(0));
}

static std::optional<Value> open(const LibraryCall &Call) {
  const auto Mode = Call.Now.Objects.text(Call.argument(1));
  if (!Mode || !Mode->starts_with('r') || Mode->contains('+')) {
    Call.Disk.change(Call.argument(0), Call.Now.Objects);
    return std::nullopt;
  }
  const Value Place = Call.Disk.open(Call.argument(0), Call.Now.Objects);
  if (!Place.isPointer())
    return std::nullopt;
  return OpenFile::open(Place, Call.Now.Objects);
}

static Value readLine(const LibraryCall &Call, OpenFile &File) {
  Memory &Objects = Call.Now.Objects;
  const Value To = Call.argument(0), Size = Call.argument(1);
  if (!Size.isInteger() || Size.Bits == 0) {
    Objects.forget(To);
    File.go(Value::unknown());
    return Value::unknown();
  }
  const std::string_view Rest = File.rest();
  const std::size_t Most = Size.Bits - 1; // characters
  if (Rest.empty() && Most != 0) {
    File.take(0, /*MeetsEnd=*/true);
    return Value::integer(0);
  }
  const std::size_t Length = std::min(std::min(Rest.find('\n'), Rest.size() - 1) + 1, Most);
  const std::string_view Line = Rest.substr(0, Length);
  File.take(Length, Length == Rest.size() && Length != Most && !Line.ends_with('\n'));
  Objects.writeText(To, Line);
  return To;
}

/// getline: into the buffer that it is given, or into a larger one.
static Value readWholeLine(const LibraryCall &Call, OpenFile &File) {
  static constexpr std::uint64_t FirstSize = 120; // of glibc
  Memory &Objects = Call.Now.Objects;
  const Value Lines = Call.argument(0), Sizes = Call.argument(1);
  const std::string_view Rest = File.rest();
  const std::string_view Line = Rest.substr(0, std::min(Rest.find('\n'), Rest.size()) + 1);
  Value Buffer = Objects.load(Lines, 8), Size = Objects.load(Sizes, 8);
  const bool HasNone = Buffer == Value::integer(0) || Size == Value::integer(0);
  if (!HasNone && (!Buffer.isPointer() || !Size.isInteger() || Line.size() >= Size.Bits)) {
    Objects.giveAway(Buffer); // it may be where the line is read to
    Size = Value::unknown();
  } else if (HasNone) {
    Size = Line.size() < FirstSize ? Value::integer(FirstSize) : Value::unknown();
  }
  if (HasNone || !Size.isKnown())
    Buffer = Value::pointer(Objects.add(Object()), 0);
  Objects.store(Lines, 8, Buffer);
  Objects.store(Sizes, 8, Size);
  File.take(Line.size(), !Line.ends_with('\n'));
  if (Line.empty())
    return Call.returned(-1);
  Objects.writeText(Buffer, Line);
  return Call.returned(std::int64_t(Line.size()));
}

static Value readBytes(const LibraryCall &Call, OpenFile &File) {
  Memory &Objects = Call.Now.Objects;
  const Value To = Call.argument(0), Size = Call.argument(1), Items = Call.argument(2);
  if (!Size.isInteger() || !Items.isInteger() || Size.Bits == 0) {
    Objects.forget(To);
    File.go(Value::unknown());
    return Value::unknown();
  }
  const std::string_view Rest = File.rest();
  const bool IsShort = Items.Bits > Rest.size() / Size.Bits;
  const std::uint64_t Read = IsShort ? Rest.size() / Size.Bits : Items.Bits;
  const std::size_t Length = IsShort ? Rest.size() : Read * Size.Bits;
  if (Length <= MaxRead)
    Objects.writeBytes(To, Rest.substr(0, Length));
  else
    Objects.forget(To);
  File.take(Length, IsShort);
  return Value::integer(Read);
}

static Value seek(const LibraryCall &Call, OpenFile &File) {
  const Value By = Call.argument(1), From = Call.argument(2);
  if (!By.isInteger() || !From.isInteger() || From.Bits > 2) {
    File.go(Value::unknown());
    return Value::unknown();
  }
  const std::uint64_t Start[] = {0, File.place(), File.size()};
  const auto To = std::int64_t(Start[From.Bits] + By.Bits);
  if (To < 0)
    return Call.returned(-1);
  File.go(Value::integer(std::uint64_t(To)));
  return Call.returned(0);
}

static std::optional<Value> read(const LibraryCall &Call, OpenFile &File) {
  const std::string_view Name = Call.Name;
  if (Name == "fgetc" || Name == "getc") {
    const std::string_view Rest = File.rest();
    File.take(!Rest.empty(), Rest.empty());
    return Call.returned(Rest.empty() ? -1 : static_cast<unsigned char>(Rest.front()));
  }
  if (Name == "ungetc") {
    const Value Back = Call.argument(0);
    if (Back == Call.returned(-1))
      return Back;
    const auto Last = static_cast<unsigned char>(File.last());
    const bool IsSame = File.place() != 0 && Back.isInteger() && (Back.Bits & 0xff) == Last;
    File.go(IsSame ? Value::integer(File.place() - 1) : Value::unknown());
    return Back.isInteger() ? Value::integer(Back.Bits & 0xff) : Value::unknown();
  }
  if (Name == "fgets")
    return readLine(Call, File);
  if (Name == "__getdelim" && Call.argument(2) != Value::integer('\n')) {
    File.go(Value::unknown());
    return std::nullopt;
  }
  if (Name == "getline" || Name == "__getdelim")
    return readWholeLine(Call, File);
  if (Name == "fread")
    return readBytes(Call, File);
  if (Name == "fseek" || Name == "fseeko")
    return seek(Call, File);
  if (Name == "rewind") {
    File.go(Value::integer(0));
    return Value::unknown();
  }
  if (Name == "ftell" || Name == "ftello")
    return Value::integer(File.place());
  if (Name == "feof")
    return File.hasMetEnd();
  if (Name == "ferror" || Name == "fclose")
    return Call.returned(0);
  const auto Done = scanText(File.rest(), Call, 1);
  if (!Done) {
    File.go(Value::unknown());
    return Value::unknown();
  }
  File.take(Done->Length, Done->IsAtEnd);
  return Call.returned(Done->Result);
}

/// By name: which argument is the file.
static std::optional<std::size_t> fileOf(std::string_view Name) {
  using Reader = std::pair<std::string_view, std::size_t>;
  static constexpr Reader Readers[] = {
      {"fgetc", 0},           {"getc", 0},      {"ungetc", 1}, {"fgets", 2},
      {"getline", 2},         {"fread", 3},     {"fseek", 0},  {"fseeko", 0},
      {"rewind", 0},          {"ftell", 0},     {"ftello", 0}, {"feof", 0},
      {"ferror", 0},          {"fclose", 0},    {"fscanf", 0}, {"__isoc99_fscanf", 0},
      {"__isoc23_fscanf", 0}, {"__getdelim", 3}};
  const Reader *Found = std::ranges::find(Readers, Name, &Reader::first);
  return Found == std::end(Readers) ? std::nullopt : std::optional(Found->second);
}

std::optional<Value> callFiles(const LibraryCall &Call) {
  if (Call.Name == "fopen" || Call.Name == "fopen64")
    return open(Call);
  static constexpr std::string_view Changing[] = {"creat",  "open",   "open64",  "remove",
                                                  "rename", "unlink", "truncate"};
  if (std::ranges::find(Changing, Call.Name) != std::end(Changing)) {
    for (const Value &Name : Call.Arguments)
      if (Name.isPointer() || !Name.isKnown())
        Call.Disk.change(Name, Call.Now.Objects);
    return Value::unknown();
  }
  if (Call.Name == "chdir" || Call.Name == "system") {
    Call.Disk.changeAll();
    return Value::unknown();
  }
  const auto Which = fileOf(Call.Name);
  if (!Which)
    return std::nullopt;
  OpenFile File(Call.argument(*Which), Call);
  return File.isKnown() ? read(Call, File) : std::nullopt;
}

} // namespace ergon::code
