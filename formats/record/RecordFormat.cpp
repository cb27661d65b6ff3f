//===- RecordFormat.cpp - cost records: reading ---------------------------===//

#include "formats/record/RecordFormat.h"
#include "formats/json/Json.h"
#include "formats/record/RecordKeys.h"
#include "formats/record/RecordTypes.h"

#include <charconv>

namespace ergon {

//===----------------------------------------------------------------------===//
// Reading a function
//===----------------------------------------------------------------------===//

std::expected<Expr, Error> FormulaCache::parse(std::string_view Text) {
  if (auto Found = Known.find(Text); Found != Known.end())
    return Found->second;
  auto Parsed = parseExpr(Text);
  if (Parsed)
    Known.emplace(Text, *Parsed);
  return Parsed;
}

namespace {
/// Reads one function of a document.
class FunctionReader {
public:
  FunctionReader(Detail HowMuch, FormulaCache &Formulas) : HowMuch(HowMuch), Formulas(Formulas) {}

  Function read(JsonCursor At);

private:
  Detail HowMuch;
  FormulaCache &Formulas;

  Expr readFormula(JsonCursor At);
  std::optional<Rational> readNumber(JsonCursor At);
  Access readAccess(JsonCursor At);
  std::vector<Access> readAccesses(JsonCursor At);
  std::array<Expr, 3> readExtent(JsonCursor At);
  PassedObject readObject(JsonCursor At);
  std::vector<std::optional<Expr>> readArguments(JsonCursor At);
  Call readCall(JsonCursor At);
  InstructionMix readMix(JsonCursor At);
  MachineLoop readMachineLoop(JsonCursor At);
  Counts readCounts(JsonCursor At);
  PointedPlace readPointed(JsonCursor At);
  Block readBlock(JsonCursor At);
  Loop readLoop(JsonCursor At);
};
} // namespace

Expr FunctionReader::readFormula(JsonCursor At) {
  if (At.isNumber())
    return Expr(std::int64_t(At.integer()));
  std::string_view Text = At.view();
  if (At.failed())
    return {};
  auto Parsed = Formulas.parse(Text);
  if (!Parsed) {
    At.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " +
                Parsed.error().Where,
            "record the program again");
    return {};
  }
  return std::move(*Parsed);
}

std::optional<Rational> FunctionReader::readNumber(JsonCursor At) {
  auto Result = readFormula(At).constant();
  if (!Result)
    At.fail("not a number", "record the program again");
  return Result;
}

/// `foo.c:12:3`, or `foo.c:12` of code without a column, back to its parts.
static SourceLocation readLocation(JsonCursor At) {
  SourceLocation Result;
  if (!At)
    return Result;
  std::string_view Rest = At.view();
  std::optional<unsigned> Line, Column;
  auto TakeNumber = [&] {
    const std::size_t Colon = Rest.rfind(':');
    unsigned Value = 0;
    if (Colon == std::string_view::npos)
      return std::optional<unsigned>();
    auto [End, Failure] =
        std::from_chars(Rest.data() + Colon + 1, Rest.data() + Rest.size(), Value);
    if (Failure != std::errc() || End != Rest.data() + Rest.size())
      return std::optional<unsigned>();
    Rest = Rest.substr(0, Colon);
    return std::optional(Value);
  };
  Column = TakeNumber();
  Line = Column ? TakeNumber() : std::nullopt;
  if (!Line)
    Line = std::exchange(Column, 0);
  if (!Line || Rest.empty()) {
    At.fail("not a position FILE:LINE:COLUMN: " + inQuotes(std::string(At.view())),
            "record the program again");
    return Result;
  }
  return {std::string(Rest), *Line, *Column};
}

template <typename T, typename Lookup>
static T readName(JsonCursor At, const char *What, Lookup &&Find) {
  std::string_view Text = At.view();
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

static Space readSpace(JsonCursor At) {
  return readName<Space>(At, "memory space", [](std::string_view Name) { return space(Name); });
}

Access FunctionReader::readAccess(JsonCursor At) {
  At.keys({"op", "space", "bytes"}, {"base", "offset", "line", "column", "file", "order", "length",
                                     "row", "non_temporal", "from"});
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
  Result.Column = readUnsigned(At["column"]);
  Result.File = At["file"].text("");
  Result.Order = readUnsigned(At["order"]);
  if (JsonCursor Length = At["length"])
    Result.Length = readFormula(Length);
  if (JsonCursor Row = At["row"])
    Result.Row = readFormula(Row);
  if (JsonCursor From = At["from"]) {
    From.keys({"start"}, {"loops", "further", "goes_on"});
    Result.From = {.Number = readUnsigned(From["start"]),
                   .Loops = readUnsigned(From["loops"]),
                   .Further = {},
                   .GoesOn = From["goes_on"].boolean(false)};
    if (JsonCursor Further = From["further"])
      Result.From->Further = readFormula(Further);
  }
  Result.NonTemporal = At["non_temporal"].boolean(false);
  return Result;
}

std::vector<Access> FunctionReader::readAccesses(JsonCursor At) {
  std::vector<Access> Result;
  for (JsonCursor One : At.elements())
    if (HowMuch == Detail::All || One["space"].view("") == name(Space::Generic))
      Result.push_back(readAccess(One));
  return Result;
}

std::array<Expr, 3> FunctionReader::readExtent(JsonCursor At) {
  std::array<Expr, 3> Result;
  std::vector<JsonCursor> Axes = At.elements();
  if (Axes.size() != 3)
    At.fail("not three formulas, for x, y and z", "record the program again");
  for (std::size_t Axis = 0; Axis != 3 && Axis < Axes.size(); ++Axis)
    Result[Axis] = readFormula(Axes[Axis]);
  return Result;
}

PassedObject FunctionReader::readObject(JsonCursor At) {
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
      Result.Stored.push_back({std::int64_t(One["offset"].integer()), readUnsigned(One["bytes"]),
                               Value.isNull() ? std::nullopt : std::optional(readFormula(Value)),
                               One["address"].boolean(false)});
    }
  return Result;
}

std::vector<std::optional<Expr>> FunctionReader::readArguments(JsonCursor At) {
  std::vector<std::optional<Expr>> Result;
  for (JsonCursor Each : At.elements())
    Result.push_back(Each.isNull() ? std::nullopt : std::optional(readFormula(Each)));
  return Result;
}

Call FunctionReader::readCall(JsonCursor At) {
  At.keys({"args"}, {"callee", "symbol", "launch", "at", "shape", "made", "objects", "globals",
                     "pointers", "order", "result", "wrapping"});
  Call Result;
  Result.Result = At["result"].text("");
  Result.Order = readUnsigned(At["order"]);
  Result.Callee = At["callee"].text("");
  Result.Symbol = At["symbol"].text("");
  Result.IsLaunch = At["launch"].boolean(false);
  Result.Arguments = readArguments(At["args"]);
  if (JsonCursor Wrapping = At["wrapping"])
    for (JsonCursor One : Wrapping.elements())
      Result.Wrapping.push_back(readUnsigned(One));
  if (JsonCursor Objects = At["objects"])
    for (JsonCursor One : Objects.elements())
      Result.Objects.push_back(readObject(One));
  Result.At = readLocation(At["at"]);
  if (JsonCursor Shape = At["shape"]) {
    Shape.keys({"grid", "block", "shared_bytes"});
    Result.Shape = {readExtent(Shape["grid"]), readExtent(Shape["block"]),
                    readFormula(Shape["shared_bytes"])};
  }
  if (JsonCursor Globals = At["globals"])
    for (JsonCursor One : Globals.elements()) {
      One.keys({"symbol", "value"});
      Result.Globals.emplace(One["symbol"].text(), readFormula(One["value"]));
    }
  if (JsonCursor Made = At["made"])
    for (JsonCursor One : Made.elements()) {
      One.keys({"arg", "by", "args"});
      Result.Origins.push_back(
          {readUnsigned(One["arg"]), One["by"].text(), readArguments(One["args"])});
    }
  if (JsonCursor Pointers = At["pointers"])
    for (JsonCursor One : Pointers.elements()) {
      One.keys({"arg", "space"}, {"base", "offset", "row", "when"});
      PointerArgument &To = Result.Pointers.emplace_back(
          PointerArgument{readUnsigned(One["arg"]), readSpace(One["space"]), One["base"].text("")});
      if (JsonCursor Offset = One["offset"]; Offset && HowMuch == Detail::All)
        To.Offset = readFormula(Offset);
      if (JsonCursor Row = One["row"]; Row && HowMuch == Detail::All)
        To.Row = readFormula(Row);
      if (JsonCursor When = One["when"])
        To.When = readFormula(When);
    }
  return Result;
}

InstructionMix FunctionReader::readMix(JsonCursor At) {
  InstructionMix Result;
  for (const auto &[Key, Times] : At.members())
    if (Key == "slots")
      Result.Slots = Times.number();
    else if (auto Kind = InstructionKind::parse(Key))
      Result.Counts.emplace(std::move(*Kind), Times.number());
    else
      Times.fail("no kind of instructions: " + inQuotes(Key), "record the program again");
  return Result;
}

MachineLoop FunctionReader::readMachineLoop(JsonCursor At) {
  At.keys({"step"}, {"instructions", "chains", "entry"});
  MachineLoop Result;
  Result.Step = readUnsigned(At["step"]);
  if (Result.Step == 0)
    At["step"].fail("no step", "record the program again");
  if (JsonCursor Iteration = At["instructions"])
    Result.Iteration = readMix(Iteration);
  if (JsonCursor Chains = At["chains"])
    for (JsonCursor One : Chains.elements())
      Result.Chains.push_back(readMix(One));
  if (JsonCursor Entry = At["entry"])
    Result.Entry = readMix(Entry);
  return Result;
}

Counts FunctionReader::readCounts(JsonCursor At) {
  Counts Result;
  const auto Members = At.members();
  Result.reserve(Members.size());
  for (const auto &[Key, Amount] : Members) {
    if (auto Class = costClass(Key))
      Result.add(*Class, readFormula(Amount));
    else
      Amount.fail("no such cost class: " + inQuotes(Key),
                  "record the program again with this version of Ergon");
  }
  return Result;
}

PointedPlace FunctionReader::readPointed(JsonCursor At) {
  At.keys({}, {"object", "offset"});
  PointedPlace Result{At["object"].text("")};
  if (JsonCursor Offset = At["offset"])
    Result.Offset = readFormula(Offset);
  return Result;
}

Block FunctionReader::readBlock(JsonCursor At) {
  At.keys({"runs"}, {"known", "counts", "accesses", "calls", "instructions", "hints", "lines",
                     "pointer_loads", "pointer_stores"});
  Block Result;
  Result.Runs = readFormula(At["runs"]);
  Result.How = readKnown(At["known"]);
  if (JsonCursor Counts = At["counts"])
    Result.PerRun = readCounts(Counts);
  if (JsonCursor Accesses = At["accesses"])
    Result.Accesses = readAccesses(Accesses);
  if (JsonCursor Loads = At["pointer_loads"]; Loads && HowMuch == Detail::All)
    for (JsonCursor One : Loads.elements()) {
      One.keys({"object", "order"});
      Result.PointerLoads.push_back({One["object"].text(), readUnsigned(One["order"])});
    }
  if (JsonCursor Stores = At["pointer_stores"]; Stores && HowMuch == Detail::All)
    for (JsonCursor One : Stores.elements()) {
      One.keys({"object", "offset", "value"}, {"order"});
      Result.PointerStores.push_back({One["object"].text(), readFormula(One["offset"]),
                                      readPointed(One["value"]), readUnsigned(One["order"])});
    }
  if (JsonCursor Calls = At["calls"]) {
    const std::vector<JsonCursor> Sites = Calls.elements();
    Result.Calls.reserve(Sites.size());
    for (JsonCursor One : Sites)
      Result.Calls.push_back(readCall(One));
  }
  if (JsonCursor Instructions = At["instructions"]; Instructions && HowMuch == Detail::All)
    Result.Instructions = readMix(Instructions);
  if (JsonCursor Hints = At["hints"])
    for (JsonCursor One : Hints.elements()) {
      One.keys({"what"}, {"at", "detail", "saves", "needed_in", "if_only_read"});
      Hint &New = Result.Hints.emplace_back();
      New.What = One["what"].text();
      New.At = readLocation(One["at"]);
      New.Detail = One["detail"].text("");
      if (JsonCursor Saves = One["saves"])
        New.Saves = readCounts(Saves);
      if (JsonCursor Loops = One["needed_in"])
        New.NeededIn = readUnsigned(Loops);
      if (JsonCursor Kernels = One["if_only_read"])
        for (JsonCursor Each : Kernels.elements()) {
          Each.keys({"kernel", "argument"});
          New.IfOnlyRead.push_back(
              {std::string(Each["kernel"].text()), readUnsigned(Each["argument"])});
        }
    }
  if (JsonCursor Lines = At["lines"]; Lines && HowMuch == Detail::All)
    for (JsonCursor One : Lines.elements()) {
      One.keys({"line", "counts"}, {"file"});
      Result.Lines.push_back({readUnsigned(One["line"]), std::string(One["file"].text("")),
                              readCounts(One["counts"])});
    }
  return Result;
}

Loop FunctionReader::readLoop(JsonCursor At) {
  At.keys({"var", "entries", "last", "blocks"}, {"at", "known", "loops", "order", "vector_width",
                                                 "interleave", "rest_width", "unroll", "made"});
  Loop Result;
  Result.Variable = At["var"].text("");
  Result.At = readLocation(At["at"]);
  Result.Entries = readFormula(At["entries"]);
  Result.Last = readFormula(At["last"]);
  Result.TripsKnown = readKnown(At["known"]);
  Result.Order = readUnsigned(At["order"]);
  for (const auto &[Key, Field] : ShapeKeys)
    Result.Shape.*Field = readUnsigned(At[Key]);
  if (JsonCursor Made = At["made"]; Made && HowMuch == Detail::All)
    for (JsonCursor One : Made.elements())
      Result.Made.push_back(readMachineLoop(One));
  for (JsonCursor One : At["blocks"].elements())
    Result.Blocks.push_back(readBlock(One));
  if (JsonCursor Loops = At["loops"])
    for (JsonCursor One : Loops.elements())
      Result.Loops.push_back(readLoop(One));
  if (!At.failed() && Result.Last.dependsOn(Result.Variable))
    At.fail("a loop's trip count depends on its own iteration number", "record the program again");
  return Result;
}

Function FunctionReader::read(JsonCursor At) {
  At.keys({"name", "demangled", "snapshot", "local", "params", "body"},
          {"weak", "aliases", "kernel", "at", "cells", "objects", "unknowns", "assumptions",
           "wraps", "annotations", "returns", "declared"});
  Function Result;
  Result.Name = At["name"].text();
  Result.Demangled = At["demangled"].text();
  Result.Snapshot = At["snapshot"].text();
  Result.IsLocal = At["local"].boolean();
  Result.IsWeak = At["weak"].boolean(false);
  if (JsonCursor Aliases = At["aliases"])
    for (JsonCursor One : Aliases.elements()) {
      One.keys({"name"}, {"local", "weak"});
      Result.Aliases.push_back(
          {One["name"].text(), One["local"].boolean(false), One["weak"].boolean(false)});
    }
  Result.IsKernel = At["kernel"].boolean(false);
  Result.At = readLocation(At["at"]);
  for (JsonCursor One : At["params"].elements()) {
    One.keys({"name", "type"}, {"signed"});
    Result.Parameters.push_back({.Name = One["name"].text(),
                                 .Type = One["type"].text(),
                                 .IsSigned = readSign(One["signed"])});
  }
  if (JsonCursor Cells = At["cells"])
    for (JsonCursor One : Cells.elements())
      Result.Cells.push_back(readCell(One));
  if (JsonCursor Declared = At["declared"])
    for (JsonCursor One : Declared.elements())
      Result.Declared.push_back(readDeclaredMember(One));
  if (JsonCursor Objects = At["objects"])
    for (JsonCursor One : Objects.elements()) {
      One.keys({"name", "space", "bytes"}, {"symbol", "allocated", "through"});
      SizedObject &New = Result.Objects.emplace_back(SizedObject{
          One["name"].text(), readSpace(One["space"]), std::int64_t(One["bytes"].integer())});
      New.Symbol = One["symbol"].text("");
      New.IsAllocated = One["allocated"].boolean(false);
      if (JsonCursor Through = One["through"]) {
        Through.keys({"object"}, {"offset", "at_entry"});
        New.Via = {Through["object"].text(), {}, Through["at_entry"].boolean(false)};
        if (JsonCursor Offset = Through["offset"])
          New.Via->Offset = std::int64_t(Offset.integer());
      }
    }
  if (JsonCursor Returns = At["returns"])
    Result.Returns = readPointed(Returns);
  if (JsonCursor Unknowns = At["unknowns"])
    for (JsonCursor One : Unknowns.elements()) {
      One.keys({"symbol", "why"}, {"at", "measured", "most"});
      Result.Unknowns.push_back({One["symbol"].text(), readLocation(One["at"]), One["why"].text()});
      if (JsonCursor Measured = One["measured"])
        Result.Unknowns.back().Measured = readNumber(Measured);
      if (JsonCursor Most = One["most"])
        Result.Unknowns.back().Most = readUnsigned(Most);
    }
  if (JsonCursor Assumptions = At["assumptions"])
    for (JsonCursor One : Assumptions.elements()) {
      One.keys({"what"}, {"at"});
      Result.Assumptions.push_back({readLocation(One["at"]), One["what"].text()});
    }
  if (JsonCursor Wraps = At["wraps"])
    for (JsonCursor One : Wraps.elements()) {
      One.keys({"if"}, {"at"});
      Result.WrapChecks.push_back({readLocation(One["at"]), readFormula(One["if"])});
    }
  if (JsonCursor Annotations = At["annotations"])
    for (JsonCursor One : Annotations.elements())
      Result.Annotations.push_back(One.text());
  Result.Body = readLoop(At["body"]);
  return Result;
}

std::expected<Function, Error> RecordFile::load(const Entry &Which, Detail HowMuch,
                                                FormulaCache &Formulas) const {
  auto Fail = [&](Error Bad) {
    Bad.File = Path;
    Bad.Where = "function " + std::string(Which.Name) + (Bad.Where.empty() ? "" : ", " + Bad.Where);
    return std::unexpected(std::move(Bad));
  };
  auto Document = parseJson(Which.Line);
  if (!Document)
    return Fail(std::move(Document.error()));
  Function Result = FunctionReader(HowMuch, Formulas).read(JsonCursor(*Document));
  if (Document->First)
    return Fail(std::move(*Document->First));
  return Result;
}

} // namespace ergon
