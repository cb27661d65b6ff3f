//===- RecordFormatWrite.cpp - cost records: writing ----------------------===//

#include "formats/FileName.h"
#include "formats/RecordFormat.h"
#include "formats/RecordKeys.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

/// All texts as validText() has them.
static void makeValid(Json &Part) {
  if (Part.is_string())
    Part = validText(Part.get_ref<const std::string &>());
  else if (Part.is_structured())
    for (Json &Each : Part)
      makeValid(Each);
}

static std::string dump(Json Document) {
  const auto Written = [&] {
    return Document.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string Result = Written();
  // A path or a name need not be UTF-8. That is rare, and shows by the sign for it.
  if (Result.contains("\xef\xbf\xbd")) {
    makeValid(Document);
    Result = Written();
  }
  return Result;
}

/// Small whole numbers as numbers, all else as text.
static Json formula(const Expr &Value) {
  if (auto Number = Value.constant();
      Number && Number->isInteger() && abs(*Number) < Rational(1L << 53))
    return Number->get_num().get_si();
  return toText(Value);
}

static Json writeShape(const LaunchShape &Of) {
  Json Result = {{"shared_bytes", formula(Of.SharedBytes)}};
  for (std::size_t Axis = 0; Axis != 3; ++Axis) {
    Result["grid"].push_back(formula(Of.Grid[Axis]));
    Result["block"].push_back(formula(Of.Block[Axis]));
  }
  return Result;
}

static Json writeArguments(const std::vector<std::optional<Expr>> &Of) {
  Json Result = Json::array();
  for (const auto &Each : Of)
    Result.push_back(Each ? formula(*Each) : Json(nullptr));
  return Result;
}

static Json writeObject(const PassedObject &Each) {
  Json Result = {{"arg", Each.Argument}};
  if (Each.From) {
    Json &From = Result["from"] = Json::object();
    if (Each.From->Parameter)
      From["param"] = *Each.From->Parameter;
    From["path"] = Each.From->Path;
    From["text"] = Each.From->Text;
  }
  for (const PassedObject::Item &One : Each.Stored) {
    Json Entry = {{"offset", One.Offset},
                  {"bytes", One.Bytes},
                  {"value", One.Value ? formula(*One.Value) : Json(nullptr)}};
    if (One.IsAddress)
      Entry["address"] = true;
    Result["stored"].push_back(std::move(Entry));
  }
  return Result;
}

static Json writeCall(const Call &Site) {
  Json Entry = Json::object();
  if (!Site.Callee.empty())
    Entry["callee"] = Site.Callee;
  if (!Site.Symbol.empty())
    Entry["symbol"] = Site.Symbol;
  if (Site.IsLaunch)
    Entry["launch"] = true;
  Entry["args"] = writeArguments(Site.Arguments);
  for (const PassedObject &One : Site.Objects)
    Entry["objects"].push_back(writeObject(One));
  for (const auto &[Symbol, Value] : Site.Globals)
    Entry["globals"].push_back({{"symbol", Symbol}, {"value", formula(Value)}});
  if (Site.At.isValid())
    Entry["at"] = Site.At.text();
  if (Site.Shape)
    Entry["shape"] = writeShape(*Site.Shape);
  for (const PointerArgument &To : Site.Pointers) {
    Json Pointer = {{"arg", To.Argument}, {"space", name(To.Where)}};
    if (!To.Base.empty())
      Pointer["base"] = To.Base;
    if (To.Offset)
      Pointer["offset"] = formula(*To.Offset);
    Entry["pointers"].push_back(std::move(Pointer));
  }
  for (const MadeBy &Each : Site.Origins)
    Entry["made"].push_back(
        {{"arg", Each.Number}, {"by", Each.Callee}, {"args", writeArguments(Each.Arguments)}});
  if (Site.Order)
    Entry["order"] = Site.Order;
  return Entry;
}

/// `{"slots": 3, "add f64 256": 1}`
static Json writeMix(const InstructionMix &Of) {
  Json Result = Json::object();
  if (Of.Slots != 0)
    Result["slots"] = Of.Slots;
  for (const auto &[Kind, Times] : Of.Counts)
    Result[Kind.text()] = Times;
  return Result;
}

static Json writeMachineLoop(const MachineLoop &Of) {
  Json Result = {{"step", Of.Step}};
  if (Of.Iteration)
    Result["instructions"] = writeMix(*Of.Iteration);
  for (const InstructionMix &Each : Of.Chains)
    Result["chains"].push_back(writeMix(Each));
  if (!Of.Entry.empty())
    Result["entry"] = writeMix(Of.Entry);
  return Result;
}

static Json writeStart(const UnknownStart &Of) {
  Json Result = {{"start", Of.Number}};
  if (Of.Loops)
    Result["loops"] = Of.Loops;
  if (!Of.Further.isZero())
    Result["further"] = formula(Of.Further);
  if (Of.GoesOn)
    Result["goes_on"] = true;
  return Result;
}

static Json writeCounts(const Counts &Of) {
  Json Result = Json::object();
  for (const auto &[Class, Amount] : Of)
    Result[std::string(name(Class))] = formula(Amount);
  return Result;
}

static Json writeHint(const Hint &Of) {
  Json Result = {{"what", Of.What}};
  if (Of.At.isValid())
    Result["at"] = Of.At.text();
  if (!Of.Detail.empty())
    Result["detail"] = Of.Detail;
  if (!Of.Saves.empty())
    Result["saves"] = writeCounts(Of.Saves);
  if (Of.NeededIn)
    Result["needed_in"] = Of.NeededIn;
  for (const KernelArgument &Each : Of.IfOnlyRead)
    Result["if_only_read"].push_back({{"kernel", Each.Kernel}, {"argument", Each.Argument}});
  return Result;
}

static Json writeBlock(const Block &Each) {
  Json Result = Json::object();
  Result["runs"] = formula(Each.Runs);
  if (Each.How != Known::Exact)
    Result["known"] = name(Each.How);
  if (!Each.PerRun.empty())
    Result["counts"] = writeCounts(Each.PerRun);
  for (const Access &One : Each.Accesses) {
    Json Entry = {{"op", name(One.What)}, {"space", name(One.Where)}, {"bytes", One.Bytes}};
    if (!One.Base.empty())
      Entry["base"] = One.Base;
    if (One.Offset)
      Entry["offset"] = formula(*One.Offset);
    if (One.Line)
      Entry["line"] = One.Line;
    if (One.Column)
      Entry["column"] = One.Column;
    if (!One.File.empty())
      Entry["file"] = One.File;
    if (One.Order)
      Entry["order"] = One.Order;
    if (One.Length)
      Entry["length"] = formula(*One.Length);
    if (One.Row)
      Entry["row"] = formula(*One.Row);
    if (One.NonTemporal)
      Entry["non_temporal"] = true;
    if (One.From)
      Entry["from"] = writeStart(*One.From);
    Result["accesses"].push_back(std::move(Entry));
  }
  for (const Call &Site : Each.Calls)
    Result["calls"].push_back(writeCall(Site));
  if (!Each.Instructions.empty())
    Result["instructions"] = writeMix(Each.Instructions);
  for (const Hint &One : Each.Hints)
    Result["hints"].push_back(writeHint(One));
  for (const LineCost &One : Each.Lines) {
    Json Entry = {{"line", One.Line}};
    if (!One.File.empty())
      Entry["file"] = One.File;
    Entry["counts"] = writeCounts(One.PerRun);
    Result["lines"].push_back(std::move(Entry));
  }
  return Result;
}

static Json writeLoop(const Loop &Each) {
  Json Result = Json::object();
  Result["var"] = Each.Variable;
  if (Each.At.isValid())
    Result["at"] = Each.At.text();
  Result["entries"] = formula(Each.Entries);
  Result["last"] = formula(Each.Last);
  if (Each.TripsKnown != Known::Exact)
    Result["known"] = name(Each.TripsKnown);
  for (const auto &[Key, Field] : ShapeKeys)
    if (Each.Shape.*Field != 0)
      Result[Key] = Each.Shape.*Field;
  for (const MachineLoop &One : Each.Made)
    Result["made"].push_back(writeMachineLoop(One));
  if (Each.Order)
    Result["order"] = Each.Order;
  Json &Blocks = Result["blocks"] = Json::array();
  for (const Block &One : Each.Blocks)
    Blocks.push_back(writeBlock(One));
  for (const Loop &Inner : Each.Loops)
    Result["loops"].push_back(writeLoop(Inner));
  return Result;
}

static Json writeFunction(const Function &Each) {
  // The names come first: RecordFile finds them there.
  Json Result = {{"name", Each.Name}, {"demangled", Each.Demangled}, {"snapshot", Each.Snapshot}};
  Result["local"] = Each.IsLocal;
  if (Each.IsWeak)
    Result["weak"] = true;
  for (const Alias &One : Each.Aliases) {
    Json Entry = {{"name", One.Name}};
    if (One.IsLocal)
      Entry["local"] = true;
    if (One.IsWeak)
      Entry["weak"] = true;
    Result["aliases"].push_back(std::move(Entry));
  }
  if (Each.IsKernel)
    Result["kernel"] = true;
  if (Each.At.isValid())
    Result["at"] = Each.At.text();
  Json &Parameters = Result["params"] = Json::array();
  for (const Parameter &One : Each.Parameters) {
    Parameters.push_back({{"name", One.Name}, {"type", One.Type}});
    if (One.IsSigned)
      Parameters.back()["signed"] = *One.IsSigned;
  }
  for (const Cell &One : Each.Cells) {
    Json Entry = {
        {"symbol", One.Symbol}, {"param", One.Parameter}, {"path", One.Path}, {"bytes", One.Bytes}};
    if (One.Behind != 0)
      Entry["behind"] = One.Behind;
    if (One.IsSigned)
      Entry["signed"] = *One.IsSigned;
    Result["cells"].push_back(std::move(Entry));
  }
  for (const SizedObject &One : Each.Objects)
    Result["objects"].push_back(
        {{"name", One.Name}, {"space", name(One.Where)}, {"bytes", One.Bytes}});
  for (const Unknown &One : Each.Unknowns) {
    Json Entry = {{"symbol", One.Symbol}, {"why", One.Why}};
    if (One.At.isValid())
      Entry["at"] = One.At.text();
    if (One.Measured)
      Entry["measured"] = toText(Expr(*One.Measured));
    if (One.Most)
      Entry["most"] = One.Most;
    Result["unknowns"].push_back(std::move(Entry));
  }
  for (const Assumption &One : Each.Assumptions) {
    Json Entry = {{"what", One.What}};
    if (One.At.isValid())
      Entry["at"] = One.At.text();
    Result["assumptions"].push_back(std::move(Entry));
  }
  for (const WrapCheck &One : Each.WrapChecks) {
    Json Entry = {{"if", formula(One.Wraps)}};
    if (One.At.isValid())
      Entry["at"] = One.At.text();
    Result["wraps"].push_back(std::move(Entry));
  }
  for (const std::string &One : Each.Annotations)
    Result["annotations"].push_back(One);
  Result["body"] = writeLoop(Each.Body);
  return Result;
}

/// The first line without its line break.
static std::string headerOf(const Unit &Of, std::size_t Functions) {
  Json Header = {{"schema", RecordSchema},     {"source", Of.Source}, {"object", Of.Object},
                 {"directory", Of.Directory},  {"target", Of.Target}, {"compiler", Of.Compiler},
                 {"function_count", Functions}};
  for (const SourceFile &Each : Of.Files)
    Header["files"].push_back({{"path", Each.Path}, {"md5", Each.Md5}});
  std::string Result = dump(Header);
  Result.back() = ',';
  return Result + "\"functions\":[";
}

std::string writeRecord(const Unit &Of, const std::vector<Function> &Functions) {
  std::string Result = headerOf(Of, Functions.size());
  for (std::size_t I = 0; I != Functions.size(); ++I)
    Result += (I ? ",\n" : "\n") + dump(writeFunction(Functions[I]));
  Result += "\n]}\n";
  return Result;
}

std::string movedRecord(const RecordFile &Of, const Unit &To) {
  std::string Result = headerOf(To, Of.functions().size());
  for (std::size_t I = 0; I != Of.functions().size(); ++I) {
    Result += I ? ",\n" : "\n";
    Result += Of.functions()[I].Line;
  }
  return Result + "\n]}\n";
}

} // namespace ergon
