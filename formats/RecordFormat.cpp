//===- RecordFormat.cpp - cost records: reading ---------------------------===//

#include "formats/RecordFormat.h"
#include "formats/RecordKeys.h"

#include <charconv>
#include <limits>

namespace ergon {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Reading a function
//===----------------------------------------------------------------------===//

static Expr readFormula(JsonCursor At) {
  if (At.isNumber())
    return Expr(long(At.integer()));
  std::string Text = At.text();
  if (At.failed())
    return {};
  auto Parsed = parseExpr(Text);
  if (!Parsed) {
    At.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at character " +
                std::to_string(Parsed.error().Offset + 1),
            "record the program again");
    return {};
  }
  return std::move(*Parsed);
}

static std::optional<Rational> readNumber(JsonCursor At) {
  auto Result = readFormula(At).constant();
  if (!Result)
    At.fail("not a number", "record the program again");
  return Result;
}

/// `foo.c:12:3` back to its parts.
static SourceLocation readLocation(JsonCursor At) {
  SourceLocation Result;
  if (!At)
    return Result;
  std::string Text = At.text();
  std::size_t Second = Text.rfind(':');
  std::size_t First =
      Second == std::string::npos || Second == 0 ? std::string::npos : Text.rfind(':', Second - 1);
  auto Number = [&](std::size_t From, std::size_t To, unsigned &Into) {
    auto [End, Failure] = std::from_chars(Text.data() + From, Text.data() + To, Into);
    return Failure == std::errc() && End == Text.data() + To;
  };
  if (First == std::string::npos || !Number(First + 1, Second, Result.Line) ||
      !Number(Second + 1, Text.size(), Result.Column)) {
    At.fail("not a position FILE:LINE:COLUMN: " + inQuotes(Text), "record the program again");
    return Result;
  }
  Result.File = Text.substr(0, First);
  return Result;
}

template <typename T, typename Lookup>
static T readName(JsonCursor At, const char *What, Lookup &&Find) {
  std::string Text = At.text();
  if (At.failed())
    return {};
  if (auto Found = Find(Text))
    return *Found;
  At.fail(std::string("no such ") + What + ": " + inQuotes(Text),
          "record the program again with this version of Ergon");
  return {};
}

static Known readKnown(JsonCursor At) {
  auto Find = [](std::string_view Name) { return knownFromName(Name); };
  return At ? readName<Known>(At, "way of knowing", Find) : Known::Exact;
}

/// A whole number that fits.
static unsigned readUnsigned(JsonCursor At) {
  std::int64_t Value = At.integer(0);
  if (Value >= 0 && Value <= std::numeric_limits<unsigned>::max())
    return unsigned(Value);
  At.fail("not a number from 0 to 4294967295", "record the program again");
  return 0;
}

static Space readSpace(JsonCursor At) {
  return readName<Space>(At, "memory space", [](std::string_view Name) { return space(Name); });
}

static Access readAccess(JsonCursor At) {
  At.keys({"op", "space", "bytes"}, {"base", "offset", "line"});
  Access Result{};
  Result.What = readName<Access::Kind>(
      At["op"], "access", [](std::string_view Name) -> std::optional<Access::Kind> {
        for (Access::Kind What : {Access::Kind::Load, Access::Kind::Store, Access::Kind::Atomic})
          if (name(What) == Name)
            return What;
        return std::nullopt;
      });
  Result.Where = readSpace(At["space"]);
  Result.Bytes = readUnsigned(At["bytes"]);
  Result.Base = At["base"].text("");
  if (JsonCursor Offset = At["offset"])
    Result.Offset = readFormula(Offset);
  Result.Line = readUnsigned(At["line"]);
  return Result;
}

static std::array<Expr, 3> readExtent(JsonCursor At) {
  std::array<Expr, 3> Result;
  std::vector<JsonCursor> Axes = At.elements();
  if (Axes.size() != 3)
    At.fail("not three formulas, for x, y and z", "record the program again");
  for (std::size_t Axis = 0; Axis != 3 && Axis < Axes.size(); ++Axis)
    Result[Axis] = readFormula(Axes[Axis]);
  return Result;
}

static std::vector<long> readPath(JsonCursor At) {
  std::vector<long> Result;
  for (JsonCursor Step : At.elements())
    Result.push_back(long(Step.integer()));
  if (Result.empty() && !At.failed())
    At.fail("a path has at least one offset", "record the program again");
  return Result;
}

static PassedObject readObject(JsonCursor At) {
  At.keys({"arg"}, {"from", "stored"});
  PassedObject Result{readUnsigned(At["arg"]), {}, {}};
  if (JsonCursor From = At["from"]) {
    From.keys({"path", "text"}, {"param"});
    Result.From = {std::nullopt, readPath(From["path"]), From["text"].text("")};
    if (JsonCursor Parameter = From["param"])
      Result.From->Parameter = readUnsigned(Parameter);
  }
  if (JsonCursor Stored = At["stored"])
    for (JsonCursor One : Stored.elements()) {
      One.keys({"offset", "bytes", "value"}, {"address"});
      JsonCursor Value = One["value"];
      Result.Stored.push_back({long(One["offset"].integer()), readUnsigned(One["bytes"]),
                               Value.isNull() ? std::nullopt : std::optional(readFormula(Value)),
                               One["address"].boolean(false)});
    }
  return Result;
}

static std::vector<std::optional<Expr>> readArguments(JsonCursor At) {
  std::vector<std::optional<Expr>> Result;
  for (JsonCursor Each : At.elements())
    Result.push_back(Each.isNull() ? std::nullopt : std::optional(readFormula(Each)));
  return Result;
}

static Call readCall(JsonCursor At) {
  At.keys({"args"}, {"callee", "launch", "at", "shape", "made", "objects", "pointers"});
  Call Result;
  Result.Callee = At["callee"].text("");
  Result.IsLaunch = At["launch"].boolean(false);
  Result.Arguments = readArguments(At["args"]);
  if (JsonCursor Objects = At["objects"])
    for (JsonCursor One : Objects.elements())
      Result.Objects.push_back(readObject(One));
  Result.At = readLocation(At["at"]);
  if (JsonCursor Shape = At["shape"]) {
    Shape.keys({"grid", "block", "shared_bytes"});
    Result.Shape = {readExtent(Shape["grid"]), readExtent(Shape["block"]),
                    readFormula(Shape["shared_bytes"])};
  }
  if (JsonCursor Made = At["made"])
    for (JsonCursor One : Made.elements()) {
      One.keys({"arg", "by", "args"});
      Result.Origins.push_back(
          {readUnsigned(One["arg"]), One["by"].text(), readArguments(One["args"])});
    }
  if (JsonCursor Pointers = At["pointers"])
    for (JsonCursor One : Pointers.elements()) {
      One.keys({"arg", "space"}, {"base"});
      Result.Pointers.push_back(
          {readUnsigned(One["arg"]), readSpace(One["space"]), One["base"].text("")});
    }
  return Result;
}

static Block readBlock(JsonCursor At) {
  At.keys({"runs"}, {"known", "counts", "accesses", "calls"});
  Block Result;
  Result.Runs = readFormula(At["runs"]);
  Result.How = readKnown(At["known"]);
  if (JsonCursor Counts = At["counts"])
    for (const auto &[Key, Amount] : Counts.members()) {
      if (auto Class = costClass(Key))
        Result.PerRun.add(*Class, readFormula(Amount));
      else
        Amount.fail("no such cost class: " + inQuotes(Key),
                    "record the program again with this version of Ergon");
    }
  if (JsonCursor Accesses = At["accesses"])
    for (JsonCursor One : Accesses.elements())
      Result.Accesses.push_back(readAccess(One));
  if (JsonCursor Calls = At["calls"])
    for (JsonCursor One : Calls.elements())
      Result.Calls.push_back(readCall(One));
  return Result;
}

static Loop readLoop(JsonCursor At) {
  At.keys({"var", "entries", "last", "blocks"},
          {"at", "known", "loops", "vector_width", "interleave", "rest_width", "unroll"});
  Loop Result;
  Result.Variable = At["var"].text("");
  Result.At = readLocation(At["at"]);
  Result.Entries = readFormula(At["entries"]);
  Result.Last = readFormula(At["last"]);
  Result.TripsKnown = readKnown(At["known"]);
  for (const auto &[Key, Field] : ShapeKeys)
    Result.Shape.*Field = readUnsigned(At[Key]);
  for (JsonCursor One : At["blocks"].elements())
    Result.Blocks.push_back(readBlock(One));
  if (JsonCursor Loops = At["loops"])
    for (JsonCursor One : Loops.elements())
      Result.Loops.push_back(readLoop(One));
  if (!At.failed() && Result.Last.dependsOn(Result.Variable))
    At.fail("a loop's trip count depends on its own iteration number", "record the program again");
  return Result;
}

static Function readFunction(JsonCursor At) {
  At.keys({"name", "demangled", "snapshot", "local", "params", "body"},
          {"weak", "kernel", "at", "cells", "unknowns", "assumptions"});
  Function Result;
  Result.Name = At["name"].text();
  Result.Demangled = At["demangled"].text();
  Result.Snapshot = At["snapshot"].text();
  Result.IsLocal = At["local"].boolean();
  Result.IsWeak = At["weak"].boolean(false);
  Result.IsKernel = At["kernel"].boolean(false);
  Result.At = readLocation(At["at"]);
  for (JsonCursor One : At["params"].elements()) {
    One.keys({"name", "type"});
    Result.Parameters.push_back({One["name"].text(), One["type"].text()});
  }
  if (JsonCursor Cells = At["cells"])
    for (JsonCursor One : Cells.elements()) {
      One.keys({"symbol", "param", "path", "bytes"}, {"behind"});
      Result.Cells.push_back({One["symbol"].text(), readUnsigned(One["param"]),
                              readPath(One["path"]), readUnsigned(One["bytes"]),
                              One["behind"] ? long(One["behind"].integer()) : 0});
    }
  if (JsonCursor Unknowns = At["unknowns"])
    for (JsonCursor One : Unknowns.elements()) {
      One.keys({"symbol", "why"}, {"at", "measured"});
      Result.Unknowns.push_back({One["symbol"].text(), readLocation(One["at"]), One["why"].text()});
      if (JsonCursor Measured = One["measured"])
        Result.Unknowns.back().Measured = readNumber(Measured);
    }
  if (JsonCursor Assumptions = At["assumptions"])
    for (JsonCursor One : Assumptions.elements()) {
      One.keys({"what"}, {"at"});
      Result.Assumptions.push_back({readLocation(One["at"]), One["what"].text()});
    }
  Result.Body = readLoop(At["body"]);
  return Result;
}

//===----------------------------------------------------------------------===//
// Finding functions
//===----------------------------------------------------------------------===//

static constexpr std::string_view FirstLineEnd = "\"functions\":[\n";
static constexpr std::string_view LastLine = "\n]}\n";

static Error recordError(std::string What, std::string Mend, const std::string &Path) {
  return {std::move(What), "", std::move(Mend), Path};
}

/// Takes `"Key":"…"` off the front of \p Line.
static std::optional<std::string> takeText(std::string_view &Line, std::string_view Key) {
  std::string Start = "\"" + std::string(Key) + "\":\"";
  if (!Line.starts_with(Start))
    return std::nullopt;
  Line.remove_prefix(Start.size());
  std::size_t End = 0;
  bool Escaped = false;
  while (End < Line.size() && Line[End] != '"') {
    bool Backslash = Line[End] == '\\';
    Escaped |= Backslash;
    End += Backslash ? 2 : 1;
  }
  if (End >= Line.size())
    return std::nullopt;
  std::string Value(Line.substr(0, End));
  if (Escaped) {
    auto Parsed = nlohmann::json::parse("\"" + Value + "\"", nullptr, false);
    if (!Parsed.is_string())
      return std::nullopt;
    Value = Parsed.get<std::string>();
  }
  Line.remove_prefix(End + 1);
  if (Line.starts_with(','))
    Line.remove_prefix(1);
  return Value;
}

/// The entry of one function's line; nothing where it is not in our layout.
static std::optional<RecordFile::Entry> readEntry(std::string_view Line) {
  RecordFile::Entry Result;
  if (Line.ends_with(','))
    Line.remove_suffix(1);
  if (!Line.starts_with('{') || !Line.ends_with('}'))
    return std::nullopt;
  Result.Line = Line;
  std::string_view Rest = Line.substr(1);
  auto Name = takeText(Rest, "name"), Demangled = takeText(Rest, "demangled"),
       Snapshot = takeText(Rest, "snapshot");
  if (!Name || !Demangled || !Snapshot)
    return std::nullopt;
  Result.Name = std::move(*Name);
  Result.Demangled = std::move(*Demangled);
  Result.Snapshot = std::move(*Snapshot);
  Result.IsLocal = Rest.starts_with("\"local\":true");
  Result.IsWeak = Rest.starts_with("\"local\":false,\"weak\":true");
  return Result;
}

/// Entries of a text in our layout; nothing where it is in another.
static std::optional<std::vector<RecordFile::Entry>> scan(std::string_view Text,
                                                          std::string_view &Header) {
  std::size_t End = Text.find('\n');
  if (End == std::string_view::npos || !Text.ends_with(LastLine) ||
      !Text.substr(0, End + 1).ends_with(FirstLineEnd))
    return std::nullopt;
  Header = Text.substr(0, End + 1 - FirstLineEnd.size());
  std::vector<RecordFile::Entry> Result;
  std::size_t Last = Text.size() - (LastLine.size() - 1);
  for (std::size_t At = End + 1; At < Last;) {
    std::size_t Next = Text.find('\n', At);
    auto Found = readEntry(Text.substr(At, Next - At));
    if (!Found)
      return std::nullopt;
    Result.push_back(std::move(*Found));
    At = Next + 1;
  }
  return Result;
}

/// The text of a record in our layout, from one in any other.
static std::expected<std::string, Error> layOut(const std::string &Text, const std::string &Path) {
  auto Parsed = parseJson(Text);
  if (!Parsed) {
    Parsed.error().File = Path;
    Parsed.error().Mend = "the record is damaged or cut off: compile that file again";
    return std::unexpected(Parsed.error());
  }
  if (!Parsed->is_object() || !Parsed->contains("functions") || !(*Parsed)["functions"].is_array())
    return std::unexpected(recordError("not a cost record: it has no list of functions",
                                       "give a folder that `ergon record` wrote", Path));
  // Keys in the order that a function's line begins with.
  std::string Lines;
  for (const auto &Each : (*Parsed)["functions"]) {
    if (!Each.is_object())
      return std::unexpected(recordError("a function is not an object", "record again", Path));
    Json Ordered = Json::object();
    for (const char *Key : {"name", "demangled", "snapshot", "local", "weak"})
      if (Each.contains(Key))
        Ordered[Key] = Each[Key];
    for (const auto &[Key, Value] : Each.items())
      Ordered[Key] = Value;
    Lines += (Lines.empty() ? "\n" : ",\n") + Ordered.dump();
  }
  Parsed->erase("functions");
  if (Parsed->empty())
    return std::unexpected(recordError("not a cost record: it has no schema",
                                       "give a folder that `ergon record` wrote", Path));
  std::string Result = Json(*Parsed).dump();
  Result.back() = ',';
  return Result + "\"functions\":[" + Lines + std::string(LastLine);
}

std::expected<RecordFile, Error> RecordFile::open(std::string Text, const std::string &Path) {
  RecordFile Result;
  Result.Path = Path;
  Result.Text = std::make_unique<std::string>(std::move(Text));
  std::string_view Header;
  auto Found = scan(*Result.Text, Header);
  if (!Found) {
    auto Laid = layOut(*Result.Text, Path);
    if (!Laid)
      return std::unexpected(Laid.error());
    *Result.Text = std::move(*Laid);
    Found = scan(*Result.Text, Header);
    if (!Found)
      return std::unexpected(recordError("a function has no name, demangled name or snapshot",
                                         "compile that file again", Path));
  }
  std::int64_t Count = 0;
  auto Head =
      readJson(std::string(Header) + "\"functions\":[]}", RecordSchema, [&](JsonCursor Root) {
        Root.keys(
            {"schema", "source", "directory", "target", "compiler", "function_count", "functions"});
        Count = Root["function_count"].integer();
        return Unit{Root["source"].text(), Root["directory"].text(""), Root["target"].text(),
                    Root["compiler"].text("")};
      });
  if (!Head) {
    Head.error().File = Path;
    return std::unexpected(Head.error());
  }
  if (Count != std::int64_t(Found->size()))
    return std::unexpected(recordError("the record says " + std::to_string(Count) +
                                           " functions and holds " + std::to_string(Found->size()),
                                       "it is damaged: compile that file again", Path));
  Result.Of = std::move(*Head);
  Result.Entries = std::move(*Found);
  return Result;
}

std::expected<Function, Error> RecordFile::load(const Entry &Which) const {
  auto Fail = [&](Error Bad) {
    Bad.File = Path;
    Bad.Where = "function " + Which.Name + (Bad.Where.empty() ? "" : ", " + Bad.Where);
    return std::unexpected(std::move(Bad));
  };
  auto Parsed = parseJson(Which.Line);
  if (!Parsed)
    return Fail(std::move(Parsed.error()));
  JsonCursor::Document Document{std::move(*Parsed), std::nullopt};
  Function Result = readFunction(JsonCursor(Document, &Document.Root));
  if (Document.First)
    return Fail(std::move(*Document.First));
  return Result;
}

} // namespace ergon
