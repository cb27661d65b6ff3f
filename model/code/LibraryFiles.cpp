//===- LibraryFiles.cpp - files of the C library in interpreted code ------===//
//
// An open file is an object with the place that is read next, a pointer into the file, and whether
// its end was met. Nothing of it is known once other code had it.
//
//===----------------------------------------------------------------------===//

#include "model/code/LibraryTexts.h"

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

/// fgets; and getline, which allocates.
static Value readLine(const LibraryCall &Call, OpenFile &File) {
  Memory &Objects = Call.Now.Objects;
  const bool Allocates = Call.Name == "getline";
  const Value Size = Call.argument(1);
  if (!Allocates && !Size.isInteger()) {
    Objects.forget(Call.argument(0));
    File.go(Value::unknown());
    return Value::unknown();
  }
  const std::string_view Rest = File.rest();
  std::size_t Length = std::min(Rest.find('\n'), Rest.size() - 1) + 1;
  if (!Allocates)
    Length = std::min<std::size_t>(Length, Size.Bits ? Size.Bits - 1 : 0);
  if (Rest.empty()) {
    File.take(0, /*MeetsEnd=*/true);
    return Allocates ? Call.returned(-1) : Value::integer(0);
  }
  const std::string_view Line = Rest.substr(0, Length);
  const bool IsFull = !Allocates && Length + 1 == Size.Bits; // nothing more is looked for
  File.take(Length, Length == Rest.size() && !IsFull && !Line.ends_with('\n'));
  if (!Allocates) {
    Objects.writeText(Call.argument(0), Line);
    return Call.argument(0);
  }
  const Value Text = Value::pointer(Objects.add(Object()), 0);
  Objects.writeText(Text, Line);
  Objects.store(Call.argument(0), 8, Text);
  Objects.store(Call.argument(1), 8, Value::integer(Length + 1));
  return Call.returned(std::int64_t(Length));
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
  if (Name == "ungetc") { // what was read there is what is put back
    const Value Back = Call.argument(0);
    if (Back == Call.returned(-1) || File.place() == 0)
      return Call.returned(-1);
    File.go(Value::integer(File.place() - 1));
    return Back;
  }
  if (Name == "fgets" || Name == "getline")
    return readLine(Call, File);
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
      {"fgetc", 0},           {"getc", 0},           {"ungetc", 1}, {"fgets", 2},  {"getline", 2},
      {"fread", 3},           {"fseek", 0},          {"fseeko", 0}, {"rewind", 0}, {"ftell", 0},
      {"ftello", 0},          {"feof", 0},           {"ferror", 0}, {"fclose", 0}, {"fscanf", 0},
      {"__isoc99_fscanf", 0}, {"__isoc23_fscanf", 0}};
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
  if (Call.Name == "chdir") {
    Call.Disk.changeFolder();
    return Value::unknown();
  }
  const auto Which = fileOf(Call.Name);
  if (!Which)
    return std::nullopt;
  OpenFile File(Call.argument(*Which), Call);
  return File.isKnown() ? read(Call, File) : std::nullopt;
}

} // namespace ergon::code
