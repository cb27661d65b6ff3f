//===- RecordFile.cpp - cost records: finding functions -------------------===//

#include "formats/json/Json.h"
#include "formats/record/RecordFields.h"
#include "formats/record/RecordFormat.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

static constexpr std::string_view FirstLineEnd = "\"functions\":[\n";
static constexpr std::string_view LastLine = "\n]}\n";

static Error recordError(std::string What, std::string Fix, const std::string &Path) {
  return {std::move(What), "", std::move(Fix), Path};
}

/// Removes a text from the front of \p Line, where \p Key stands before it: `"name":"`.
static std::optional<std::string_view> takeText(std::string_view &Line, std::string_view Key,
                                                std::deque<std::string> &Unescaped) {
  if (!Line.starts_with(Key))
    return std::nullopt;
  Line.remove_prefix(Key.size());
  std::size_t End = 0;
  bool Escaped = false;
  while (End < Line.size() && Line[End] != '"') {
    bool Backslash = Line[End] == '\\';
    Escaped |= Backslash;
    End += Backslash ? 2 : 1;
  }
  if (End >= Line.size())
    return std::nullopt;
  std::string_view Value = Line.substr(0, End);
  if (Escaped) {
    auto Parsed = nlohmann::json::parse("\"" + std::string(Value) + "\"", nullptr, false);
    if (!Parsed.is_string())
      return std::nullopt;
    Value = Unescaped.emplace_back(Parsed.get<std::string>());
  }
  Line.remove_prefix(End + 1);
  if (Line.starts_with(','))
    Line.remove_prefix(1);
  return Value;
}

/// Removes the list of aliases from the front of \p Line; false where it is not in our layout.
static bool takeAliases(std::string_view &Line, std::deque<std::string> &Unescaped,
                        std::vector<RecordFile::OtherName> &Result) {
  auto Take = [&](std::string_view Text) {
    bool Found = Line.starts_with(Text);
    Line.remove_prefix(Found ? Text.size() : 0);
    return Found;
  };
  if (!Take("\"aliases\":["))
    return true;
  do {
    auto Name = takeText(Line, "{\"name\":\"", Unescaped);
    if (!Name)
      return false;
    RecordFile::OtherName &Next = Result.emplace_back(*Name);
    Next.IsLocal = Take("\"local\":true");
    Take(",");
    Next.IsWeak = Take("\"weak\":true");
    if (!Take("}"))
      return false;
  } while (Take(","));
  return Take("]");
}

/// The entry of one function's line; nothing where it is not in our layout.
static std::optional<RecordFile::Entry> readEntry(std::string_view Line,
                                                  std::deque<std::string> &Unescaped) {
  RecordFile::Entry Result;
  if (Line.ends_with(','))
    Line.remove_suffix(1);
  if (!Line.starts_with('{') || !Line.ends_with('}'))
    return std::nullopt;
  Result.Line = Line;
  std::string_view Rest = Line.substr(1);
  auto Name = takeText(Rest, "\"name\":\"", Unescaped),
       Demangled = takeText(Rest, "\"demangled\":\"", Unescaped),
       Snapshot = takeText(Rest, "\"snapshot\":\"", Unescaped);
  if (!Name || !Demangled || !Snapshot)
    return std::nullopt;
  Result.Name = *Name;
  Result.Demangled = *Demangled;
  Result.Snapshot = *Snapshot;
  Result.IsLocal = Rest.starts_with("\"local\":true");
  static constexpr std::string_view Flags[] = {"\"local\":true,", "\"local\":false,",
                                               "\"weak\":true,", "\"weak\":false,"};
  for (std::string_view Flag : Flags)
    if (Rest.starts_with(Flag)) {
      Result.IsWeak |= Flag == Flags[2];
      Rest.remove_prefix(Flag.size());
    }
  if (!takeAliases(Rest, Unescaped, Result.Aliases))
    return std::nullopt;
  return Result;
}

/// Entries of a text in our layout; nothing where it is in another.
static std::optional<std::vector<RecordFile::Entry>>
scan(std::string_view Text, std::string_view &Header, std::deque<std::string> &Unescaped) {
  std::size_t End = Text.find('\n');
  if (End == std::string_view::npos || !Text.ends_with(LastLine) ||
      !Text.substr(0, End + 1).ends_with(FirstLineEnd))
    return std::nullopt;
  Header = Text.substr(0, End + 1 - FirstLineEnd.size());
  std::vector<RecordFile::Entry> Result;
  std::size_t Last = Text.size() - (LastLine.size() - 1);
  for (std::size_t Position = End + 1; Position < Last;) {
    std::size_t Next = Text.find('\n', Position), Costs = 0;
    if (Text.substr(Next).starts_with(DetailsStart)) {
      Costs = Next - Position;
      Next = Text.find('\n', Next + 1);
    }
    auto Found = readEntry(Text.substr(Position, Next - Position), Unescaped);
    if (!Found)
      return std::nullopt;
    Found->Costs = Costs;
    Result.push_back(std::move(*Found));
    Position = Next + 1;
  }
  return Result;
}

/// The text of a value, with an object's members in one order, which is the one that a
/// function's line and its details begin with: copies of a function are compared by their text. Of
/// an object, leaves out the member \p Without.
static std::string layOut(JsonCursor Json, std::string_view Without = {}) {
  if (!Json.isArray() && !Json.isObject())
    return Json.source();
  std::string Inside;
  auto Add = [&](const std::string &Part) { Inside += (Inside.empty() ? "" : ",") + Part; };
  if (Json.isArray()) {
    for (JsonCursor Entry : Json.elements())
      Add(layOut(Entry));
    return "[" + Inside + "]";
  }
  auto Members = Json.members();
  std::ranges::sort(Members, {}, [](const auto &Member) {
    return std::tuple(std::ranges::find(FunctionNames, Member.first), Member.first != CodeKey,
                      Member.first);
  });
  for (const auto &[Key, Value] : Members)
    if (Key != Without)
      Add(inQuotes(Key) + ":" + layOut(Value));
  return "{" + Inside + "}";
}

/// The lines of a function.
static std::string layOutFunction(JsonCursor Json) {
  std::string Result = layOut(Json, DetailsKey);
  if (const JsonCursor Details = Json[DetailsKey]) {
    Result.pop_back(); // its bracket
    Result += std::string(DetailsStart) + layOut(Details) + "}";
  }
  return Result;
}

/// The text of a record in our layout, from one in any other.
static std::expected<std::string, Error> layOut(std::string_view Text, const std::string &Path) {
  auto Parsed = parseJson(Text);
  if (!Parsed) {
    Parsed.error().File = Path;
    Parsed.error().Fix = "the record is damaged or cut off: compile that file again";
    return std::unexpected(Parsed.error());
  }
  JsonCursor Root(*Parsed), Functions = Root["functions"];
  if (!Functions.isArray())
    return std::unexpected(recordError("not a cost record: it has no list of functions",
                                       "give a folder that `ergon record` wrote", Path));
  std::string Header, Lines;
  for (const auto &[Key, Value] : Root.members())
    if (Key != "functions")
      Header += inQuotes(Key) + ":" + layOut(Value) + ",";
  if (Header.empty())
    return std::unexpected(recordError("not a cost record: it has no schema",
                                       "give a folder that `ergon record` wrote", Path));
  for (JsonCursor Json : Functions.elements()) {
    if (!Json.isObject())
      return std::unexpected(recordError("a function is not an object", "record again", Path));
    Lines += (Lines.empty() ? "\n" : ",\n") + layOutFunction(Json);
  }
  if (Parsed->First) {
    Parsed->First->File = Path;
    return std::unexpected(*Parsed->First);
  }
  return "{" + Header + "\"functions\":[" + Lines + std::string(LastLine);
}

std::expected<RecordFile, Error> RecordFile::open(FileText Text, const std::string &Path) {
  RecordFile Result;
  Result.Path = Path;
  Result.Text = std::move(Text);
  std::string_view Header;
  auto Found = scan(Result.Text.view(), Header, Result.Unescaped);
  if (!Found) {
    auto Laid = layOut(Result.Text.view(), Path);
    if (!Laid)
      return std::unexpected(Laid.error());
    Result.Text = std::move(*Laid);
    Found = scan(Result.Text.view(), Header, Result.Unescaped);
    if (!Found)
      return std::unexpected(recordError("a function has no name, demangled name or snapshot",
                                         "compile that file again", Path));
  }
  std::int64_t Count = 0;
  static thread_local JsonDocument Document; // one serves all files
  auto Head = readJson(
      std::string(Header) + "\"functions\":[]}", RecordSchema, Document, [&](JsonCursor Root) {
        Root.keys(
            {"schema", "source", "directory", "target", "compiler", "function_count", "functions"},
            {"files", "object", "types", "checksum"});
        Count = Root["function_count"].integer();
        Unit Read{Root["source"].text(), Root["object"].text(""), Root["directory"].text(""),
                  Root["target"].text(), Root["compiler"].text("")};
        Read.Checksum = Root["checksum"].text("");
        if (JsonCursor Files = Root["files"])
          for (JsonCursor Json : Files.elements()) {
            Json.keys({"path", "md5"});
            Read.Files.push_back({Json["path"].text(), Json["md5"].text()});
          }
        if (JsonCursor Types = Root["types"])
          for (JsonCursor Entry : Types.elements())
            Read.Types.push_back(readObjectType(Entry));
        return Read;
      });
  if (!Head) {
    Head.error().File = Path;
    return std::unexpected(Head.error());
  }
  if (Count != std::int64_t(Found->size()))
    return std::unexpected(recordError("the record says " + std::to_string(Count) +
                                           " functions and holds " + std::to_string(Found->size()),
                                       "it is damaged: compile that file again", Path));
  Result.Recorded = std::move(*Head);
  Result.Entries = std::move(*Found);
  return Result;
}

} // namespace ergon
