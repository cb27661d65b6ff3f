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

  Function read(JsonCursor Json);

private:
  Detail HowMuch;
  FormulaCache &Formulas;

  Expr readFormula(JsonCursor Json);
  std::optional<Rational> readNumber(JsonCursor Json);
  Access readAccess(JsonCursor Json);
  std::vector<Access> readAccesses(JsonCursor Json);
  std::array<Expr, 3> readExtent(JsonCursor Json);
  PassedObject readObject(JsonCursor Json);
  std::vector<std::optional<Expr>> readArguments(JsonCursor Json);
  Call readCall(JsonCursor Json);
  InstructionMix readMix(JsonCursor Json);
  MachineLoop readMachineLoop(JsonCursor Json);
  Counts readCounts(JsonCursor Json);
  PointedLocation readPointed(JsonCursor Json);
  Block readBlock(JsonCursor Json);
  Loop readLoop(JsonCursor Json);
};
} // namespace

Expr FunctionReader::readFormula(JsonCursor Json) {
  if (Json.isNumber())
    return Expr(std::int64_t(Json.integer()));
  std::string_view Text = Json.view();
  if (Json.failed())
    return {};
  auto Parsed = Formulas.parse(Text);
  if (!Parsed) {
    Json.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " +
                  Parsed.error().Where,
              "record the program again");
    return {};
  }
  return std::move(*Parsed);
}

std::optional<Rational> FunctionReader::readNumber(JsonCursor Json) {
  auto Result = readFormula(Json).constant();
  if (!Result)
    Json.fail("not a number", "record the program again");
  return Result;
}

/// `foo.c:12:3`, or `foo.c:12` of code without a column, back to its parts.
static SourceLocation readLocation(JsonCursor Json) {
  SourceLocation Result;
  if (!Json)
    return Result;
  std::string_view Rest = Json.view();
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
    Json.fail("not a position FILE:LINE:COLUMN: " + inQuotes(std::string(Json.view())),
              "record the program again");
    return Result;
  }
  return {std::string(Rest), *Line, *Column};
}

template <typename T, typename Lookup>
static T readName(JsonCursor Json, const char *What, Lookup &&Find) {
  std::string_view Text = Json.view();
  if (Json.failed())
    return {};
  if (auto Found = Find(Text))
    return *Found;
  Json.fail(std::string("no such ") + What + ": " + inQuotes(Text),
            "record the program again with this version of Ergon");
  return {};
}

static Known readKnown(JsonCursor Json) {
  auto Find = [](std::string_view Name) { return knownFromName(Name); };
  return Json ? readName<Known>(Json, "way of knowing", Find) : Known::Exact;
}

static Space readSpace(JsonCursor Json) {
  return readName<Space>(Json, "memory space", [](std::string_view Name) { return space(Name); });
}

Access FunctionReader::readAccess(JsonCursor Json) {
  Json.keys({"op", "space", "bytes"}, {"base", "offset", "line", "column", "file", "order",
                                       "length", "row", "non_temporal", "from"});
  Access Result{};
  Result.What = readName<Access::Kind>(
      Json["op"], "access", [](std::string_view Name) -> std::optional<Access::Kind> {
        for (Access::Kind What : {Access::Kind::Load, Access::Kind::Store, Access::Kind::Atomic})
          if (name(What) == Name)
            return What;
        return std::nullopt;
      });
  Result.Where = readSpace(Json["space"]);
  Result.Bytes = readUnsigned(Json["bytes"]);
  Result.Base = Json["base"].text("");
  if (JsonCursor Offset = Json["offset"])
    Result.Offset = readFormula(Offset);
  Result.Line = readUnsigned(Json["line"]);
  Result.Column = readUnsigned(Json["column"]);
  Result.File = Json["file"].text("");
  Result.Order = readUnsigned(Json["order"]);
  if (JsonCursor Length = Json["length"])
    Result.Length = readFormula(Length);
  if (JsonCursor Row = Json["row"])
    Result.Row = readFormula(Row);
  if (JsonCursor From = Json["from"]) {
    From.keys({"start"}, {"loops", "further", "goes_on"});
    Result.From = {.Number = readUnsigned(From["start"]),
                   .Loops = readUnsigned(From["loops"]),
                   .Further = {},
                   .GoesOn = From["goes_on"].boolean(false)};
    if (JsonCursor Further = From["further"])
      Result.From->Further = readFormula(Further);
  }
  Result.NonTemporal = Json["non_temporal"].boolean(false);
  return Result;
}

std::vector<Access> FunctionReader::readAccesses(JsonCursor Json) {
  std::vector<Access> Result;
  for (JsonCursor Entry : Json.elements())
    if (HowMuch == Detail::All || Entry["space"].view("") == name(Space::Generic))
      Result.push_back(readAccess(Entry));
  return Result;
}

std::array<Expr, 3> FunctionReader::readExtent(JsonCursor Json) {
  std::array<Expr, 3> Result;
  std::vector<JsonCursor> Axes = Json.elements();
  if (Axes.size() != 3)
    Json.fail("not three formulas, for x, y and z", "record the program again");
  for (std::size_t Axis = 0; Axis != 3 && Axis < Axes.size(); ++Axis)
    Result[Axis] = readFormula(Axes[Axis]);
  return Result;
}

PassedObject FunctionReader::readObject(JsonCursor Json) {
  Json.keys({"arg"}, {"from", "stored"});
  PassedObject Result{readUnsigned(Json["arg"]), {}, {}};
  if (JsonCursor From = Json["from"]) {
    From.keys({"path", "text"}, {"param"});
    Result.From = {std::nullopt, readPath(From["path"]), From["text"].text("")};
    if (JsonCursor Parameter = From["param"])
      Result.From->Parameter = readUnsigned(Parameter);
  }
  if (JsonCursor Stored = Json["stored"])
    for (JsonCursor Entry : Stored.elements()) {
      Entry.keys({"offset", "bytes", "value"}, {"address"});
      JsonCursor Value = Entry["value"];
      Result.Stored.push_back({std::int64_t(Entry["offset"].integer()),
                               readUnsigned(Entry["bytes"]),
                               Value.isNull() ? std::nullopt : std::optional(readFormula(Value)),
                               Entry["address"].boolean(false)});
    }
  return Result;
}

std::vector<std::optional<Expr>> FunctionReader::readArguments(JsonCursor Json) {
  std::vector<std::optional<Expr>> Result;
  for (JsonCursor Entry : Json.elements())
    Result.push_back(Entry.isNull() ? std::nullopt : std::optional(readFormula(Entry)));
  return Result;
}

Call FunctionReader::readCall(JsonCursor Json) {
  Json.keys({"args"}, {"callee", "symbol", "launch", "at", "shape", "made", "objects", "globals",
                       "pointers", "order", "result", "wrapping"});
  Call Result;
  Result.Result = Json["result"].text("");
  Result.Order = readUnsigned(Json["order"]);
  Result.Callee = Json["callee"].text("");
  Result.Symbol = Json["symbol"].text("");
  Result.IsLaunch = Json["launch"].boolean(false);
  Result.Arguments = readArguments(Json["args"]);
  if (JsonCursor Wrapping = Json["wrapping"])
    for (JsonCursor Entry : Wrapping.elements())
      Result.Wrapping.push_back(readUnsigned(Entry));
  if (JsonCursor Objects = Json["objects"])
    for (JsonCursor Element : Objects.elements())
      Result.Objects.push_back(readObject(Element));
  Result.Location = readLocation(Json["at"]);
  if (JsonCursor Shape = Json["shape"]) {
    Shape.keys({"grid", "block", "shared_bytes"});
    Result.Shape = {readExtent(Shape["grid"]), readExtent(Shape["block"]),
                    readFormula(Shape["shared_bytes"])};
  }
  if (JsonCursor Globals = Json["globals"])
    for (JsonCursor Field : Globals.elements()) {
      Field.keys({"symbol", "value"});
      Result.Globals.emplace(Field["symbol"].text(), readFormula(Field["value"]));
    }
  if (JsonCursor Made = Json["made"])
    for (JsonCursor Node : Made.elements()) {
      Node.keys({"arg", "by", "args"});
      Result.Origins.push_back(
          {readUnsigned(Node["arg"]), Node["by"].text(), readArguments(Node["args"])});
    }
  if (JsonCursor Pointers = Json["pointers"])
    for (JsonCursor Item : Pointers.elements()) {
      Item.keys({"arg", "space"}, {"base", "offset", "row", "when"});
      PointerArgument &To = Result.Pointers.emplace_back(PointerArgument{
          readUnsigned(Item["arg"]), readSpace(Item["space"]), Item["base"].text("")});
      if (JsonCursor Offset = Item["offset"]; Offset && HowMuch == Detail::All)
        To.Offset = readFormula(Offset);
      if (JsonCursor Row = Item["row"]; Row && HowMuch == Detail::All)
        To.Row = readFormula(Row);
      if (JsonCursor When = Item["when"])
        To.When = readFormula(When);
    }
  return Result;
}

InstructionMix FunctionReader::readMix(JsonCursor Json) {
  InstructionMix Result;
  for (const auto &[Key, Times] : Json.members())
    if (Key == "slots")
      Result.Slots = Times.number();
    else if (auto Kind = InstructionKind::parse(Key))
      Result.Counts.emplace(std::move(*Kind), Times.number());
    else
      Times.fail("no kind of instructions: " + inQuotes(Key), "record the program again");
  return Result;
}

MachineLoop FunctionReader::readMachineLoop(JsonCursor Json) {
  Json.keys({"step"}, {"instructions", "chains", "entry"});
  MachineLoop Result;
  Result.Step = readUnsigned(Json["step"]);
  if (Result.Step == 0)
    Json["step"].fail("no step", "record the program again");
  if (JsonCursor Iteration = Json["instructions"])
    Result.Iteration = readMix(Iteration);
  if (JsonCursor Chains = Json["chains"])
    for (JsonCursor Element : Chains.elements())
      Result.Chains.push_back(readMix(Element));
  if (JsonCursor Entry = Json["entry"])
    Result.Entry = readMix(Entry);
  return Result;
}

Counts FunctionReader::readCounts(JsonCursor Json) {
  Counts Result;
  const auto Members = Json.members();
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

PointedLocation FunctionReader::readPointed(JsonCursor Json) {
  Json.keys({}, {"object", "offset"});
  PointedLocation Result{Json["object"].text("")};
  if (JsonCursor Offset = Json["offset"])
    Result.Offset = readFormula(Offset);
  return Result;
}

Block FunctionReader::readBlock(JsonCursor Json) {
  Json.keys({"runs"}, {"known", "counts", "accesses", "calls", "instructions", "hints", "lines",
                       "pointer_loads", "pointer_stores"});
  Block Result;
  Result.Runs = readFormula(Json["runs"]);
  Result.How = readKnown(Json["known"]);
  if (JsonCursor Counts = Json["counts"])
    Result.PerRun = readCounts(Counts);
  if (JsonCursor Accesses = Json["accesses"])
    Result.Accesses = readAccesses(Accesses);
  if (JsonCursor Loads = Json["pointer_loads"]; Loads && HowMuch == Detail::All)
    for (JsonCursor Entry : Loads.elements()) {
      Entry.keys({"object", "order"});
      Result.PointerLoads.push_back({Entry["object"].text(), readUnsigned(Entry["order"])});
    }
  if (JsonCursor Stores = Json["pointer_stores"]; Stores && HowMuch == Detail::All)
    for (JsonCursor Element : Stores.elements()) {
      Element.keys({"object", "offset", "value"}, {"order"});
      Result.PointerStores.push_back({Element["object"].text(), readFormula(Element["offset"]),
                                      readPointed(Element["value"]),
                                      readUnsigned(Element["order"])});
    }
  if (JsonCursor Calls = Json["calls"]) {
    const std::vector<JsonCursor> Sites = Calls.elements();
    Result.Calls.reserve(Sites.size());
    for (JsonCursor Field : Sites)
      Result.Calls.push_back(readCall(Field));
  }
  if (JsonCursor Instructions = Json["instructions"]; Instructions && HowMuch == Detail::All)
    Result.Instructions = readMix(Instructions);
  if (JsonCursor Hints = Json["hints"])
    for (JsonCursor Node : Hints.elements()) {
      Node.keys({"what"}, {"at", "detail", "saves", "needed_in", "if_only_read"});
      Hint &New = Result.Hints.emplace_back();
      New.What = Node["what"].text();
      New.Location = readLocation(Node["at"]);
      New.Detail = Node["detail"].text("");
      if (JsonCursor Saves = Node["saves"])
        New.Saves = readCounts(Saves);
      if (JsonCursor Loops = Node["needed_in"])
        New.NeededIn = readUnsigned(Loops);
      if (JsonCursor Kernels = Node["if_only_read"])
        for (JsonCursor Item : Kernels.elements()) {
          Item.keys({"kernel", "argument"});
          New.IfOnlyRead.push_back(
              {std::string(Item["kernel"].text()), readUnsigned(Item["argument"])});
        }
    }
  if (JsonCursor Lines = Json["lines"]; Lines && HowMuch == Detail::All)
    for (JsonCursor J : Lines.elements()) {
      J.keys({"line", "counts"}, {"file"});
      Result.Lines.push_back(
          {readUnsigned(J["line"]), std::string(J["file"].text("")), readCounts(J["counts"])});
    }
  return Result;
}

Loop FunctionReader::readLoop(JsonCursor Json) {
  Json.keys({"var", "entries", "last", "blocks"}, {"at", "known", "loops", "order", "vector_width",
                                                   "interleave", "rest_width", "unroll", "made"});
  Loop Result;
  Result.Variable = Json["var"].text("");
  Result.Location = readLocation(Json["at"]);
  Result.Entries = readFormula(Json["entries"]);
  Result.Last = readFormula(Json["last"]);
  Result.TripsKnown = readKnown(Json["known"]);
  Result.Order = readUnsigned(Json["order"]);
  for (const auto &[Key, Field] : ShapeKeys)
    Result.Shape.*Field = readUnsigned(Json[Key]);
  if (JsonCursor Made = Json["made"]; Made && HowMuch == Detail::All)
    for (JsonCursor Entry : Made.elements())
      Result.Made.push_back(readMachineLoop(Entry));
  for (JsonCursor Element : Json["blocks"].elements())
    Result.Blocks.push_back(readBlock(Element));
  if (JsonCursor Loops = Json["loops"])
    for (JsonCursor Node : Loops.elements())
      Result.Loops.push_back(readLoop(Node));
  if (!Json.failed() && Result.Last.dependsOn(Result.Variable))
    Json.fail("a loop's trip count depends on its own iteration number",
              "record the program again");
  return Result;
}

static SizedObject readSizedObject(JsonCursor Json) {
  Json.keys({"name", "space", "bytes"}, {"symbol", "allocated", "through"});
  SizedObject Result{Json["name"].text(), readSpace(Json["space"]),
                     std::int64_t(Json["bytes"].integer())};
  Result.Symbol = Json["symbol"].text("");
  Result.IsAllocated = Json["allocated"].boolean(false);
  if (JsonCursor Through = Json["through"]) {
    Through.keys({"object"}, {"offset", "at_entry"});
    Result.Via = {Through["object"].text(), {}, Through["at_entry"].boolean(false)};
    if (JsonCursor Offset = Through["offset"])
      Result.Via->Offset = std::int64_t(Offset.integer());
  }
  return Result;
}

Function FunctionReader::read(JsonCursor Json) {
  Json.keys({"name", "demangled", "snapshot", "local", "params", "body"},
            {"weak", "aliases", "kernel", "at", "cells", "objects", "unknowns", "assumptions",
             "wraps", "annotations", "returns", "declared"});
  Function Result;
  Result.Name = Json["name"].text();
  Result.Demangled = Json["demangled"].text();
  Result.Snapshot = Json["snapshot"].text();
  Result.IsLocal = Json["local"].boolean();
  Result.IsWeak = Json["weak"].boolean(false);
  if (JsonCursor Aliases = Json["aliases"])
    for (JsonCursor Entry : Aliases.elements()) {
      Entry.keys({"name"}, {"local", "weak"});
      Result.Aliases.push_back(
          {Entry["name"].text(), Entry["local"].boolean(false), Entry["weak"].boolean(false)});
    }
  Result.IsKernel = Json["kernel"].boolean(false);
  Result.Location = readLocation(Json["at"]);
  for (JsonCursor Element : Json["params"].elements()) {
    Element.keys({"name", "type"}, {"signed"});
    Result.Parameters.push_back({.Name = Element["name"].text(),
                                 .Type = Element["type"].text(),
                                 .IsSigned = readSign(Element["signed"])});
  }
  if (JsonCursor Cells = Json["cells"])
    for (JsonCursor Field : Cells.elements())
      Result.Cells.push_back(readCell(Field));
  if (JsonCursor Declared = Json["declared"])
    for (JsonCursor Node : Declared.elements())
      Result.Declared.push_back(readDeclaredMember(Node));
  if (JsonCursor Objects = Json["objects"])
    for (JsonCursor Item : Objects.elements())
      Result.Objects.push_back(readSizedObject(Item));
  if (JsonCursor Returns = Json["returns"])
    Result.Returns = readPointed(Returns);
  if (JsonCursor Unknowns = Json["unknowns"])
    for (JsonCursor J : Unknowns.elements()) {
      J.keys({"symbol", "why"}, {"at", "measured", "most", "estimate"});
      Result.Unknowns.push_back({J["symbol"].text(), readLocation(J["at"]), J["why"].text()});
      if (JsonCursor Measured = J["measured"])
        Result.Unknowns.back().Measured = readNumber(Measured);
      if (JsonCursor Most = J["most"])
        Result.Unknowns.back().Most = readUnsigned(Most);
      if (JsonCursor Estimate = J["estimate"])
        Result.Unknowns.back().Estimate = readNumber(Estimate);
    }
  if (JsonCursor Assumptions = Json["assumptions"])
    for (JsonCursor Assumption : Assumptions.elements()) {
      Assumption.keys({"what"}, {"at"});
      Result.Assumptions.push_back({readLocation(Assumption["at"]), Assumption["what"].text()});
    }
  if (JsonCursor Wraps = Json["wraps"])
    for (JsonCursor Check : Wraps.elements()) {
      Check.keys({"if"}, {"at"});
      Result.WrapChecks.push_back({readLocation(Check["at"]), readFormula(Check["if"])});
    }
  if (JsonCursor Annotations = Json["annotations"])
    for (JsonCursor Annotation : Annotations.elements())
      Result.Annotations.push_back(Annotation.text());
  Result.Body = readLoop(Json["body"]);
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
