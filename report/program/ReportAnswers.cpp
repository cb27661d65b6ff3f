//===- ReportAnswers.cpp - tables of functions, lines, loops, settings ----===//

#include "formats/prediction/PredictionJson.h"
#include "model/energy/Tuning.h"
#include "model/machine/CostClass.h"
#include "model/program/LoopTotals.h"
#include "predict/text/Text.h"
#include "report/program/ReportProgram.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Why there is no time and energy.
static std::string whyNot(const PredictionDocument &Of) {
  if (!Of.Counts.Unbound.empty())
    return "no value for " + joined(Of.Counts.Unbound);
  if (!Of.NotPriced.empty())
    return "the profile has no cost for " + joined(Of.NotPriced);
  return "no machine is chosen";
}

static double flopsOf(const std::map<std::string, Rational> &Values) {
  double Result = 0;
  for (const auto &[Class, Value] : Values)
    if (isFlops(Class))
      Result += Value.get_d();
  return Result;
}

static bool needsFlops(const CountValues &Of) {
  return std::ranges::any_of(Of.Needs, [](const auto &Each) { return isFlops(Each.first); });
}

//===----------------------------------------------------------------------===//
// Functions and settings
//===----------------------------------------------------------------------===//

static Json rowOf(const PredictionDocument &Of) {
  Json Result = {{"energy_j", nullptr}, {"time_s", nullptr}};
  if (Of.OnMachine) {
    Result["energy_j"] = Of.OnMachine->EnergyJ.Value;
    Result["time_s"] = Of.OnMachine->TimeS.Value;
    Result["power_w"] = Of.OnMachine->PowerW.Value;
    Result["bound"] = Of.OnMachine->Bound;
    Result["unpriced"] = Of.OnMachine->Unpriced;
  } else {
    if (Of.Time)
      Result["time_s"] = Of.Time->TimeS;
    Result["why"] = whyNot(Of);
  }
  Result["flops"] = needsFlops(Of.Counts) ? Json() : Json(flopsOf(Of.Counts.Values));
  const auto Dram = Of.Counts.Values.find("bytes_dram");
  Result["bytes_dram"] = Dram == Of.Counts.Values.end() ? Json() : Json(Dram->second.get_d());
  Result["unbound"] = Of.Counts.Unbound;
  return Result;
}

std::expected<Json, Error> ReportProgram::functions(const ReportRequest &Asked) {
  auto On = target(Asked);
  if (!On)
    return std::unexpected(On.error());
  const std::size_t From = std::min(Asked.From.value_or(0), Functions.size());
  const std::size_t End =
      From + std::min(Asked.Count.value_or(Functions.size()), Functions.size() - From);
  Json Result = {{"rows", Json::array()}, {"total", Functions.size()}};
  for (std::size_t Id = From; Id != End; ++Id) {
    auto Document = predictFor(Functions[Id], Asked, *On);
    Json Row = Document ? rowOf(*Document)
                        : Json{{"energy_j", nullptr},
                               {"time_s", nullptr},
                               {"why", Document.error().line()},
                               {"flops", nullptr},
                               {"unbound", Json::array()}};
    Row["id"] = Id;
    Result["rows"].push_back(std::move(Row));
  }
  return Result;
}

std::expected<Json, Error> ReportProgram::settings(const ReportRequest &Asked) {
  auto Of = shown(Asked);
  auto M = machine(Asked);
  if (!Of || !M)
    return std::unexpected(Of ? M.error() : Of.error());
  if (!*M)
    return std::unexpected(Error{"it is not said on which machine", "/machine", "name one", ""});
  Json Result = {{"points", Json::array()}};
  std::vector<Option> Known;
  for (std::size_t Number = 0; Number != (*M)->Settings.size(); ++Number) {
    const Setting &At = (*M)->Settings[Number];
    ReportRequest There = Asked;
    There.CoreMhz = At.CoreMhz;
    There.MemMhz = At.MemMhz;
    auto On = target(There);
    auto Document = On ? predictFor(**Of, There, *On) : std::unexpected(On.error());
    Json Point = jsonOf(At);
    Point["time_s"] = Point["energy_j"] = nullptr;
    Point["pareto"] = false;
    if (Document && Document->OnMachine) {
      Point["time_s"] = Document->OnMachine->TimeS.Value;
      Point["energy_j"] = Document->OnMachine->EnergyJ.Value;
      Known.push_back(
          {0, Number, Document->OnMachine->TimeS.Value, Document->OnMachine->EnergyJ.Value, 0, 0});
    } else {
      Point["why"] = Document ? whyNot(*Document) : Document.error().line();
    }
    Result["points"].push_back(std::move(Point));
  }
  markFront(Known);
  for (const Option &Each : Known)
    Result["points"][Each.Setting]["pareto"] = Each.IsOnFront;
  return Result;
}

//===----------------------------------------------------------------------===//
// Lines and loops
//===----------------------------------------------------------------------===//

static Json formulasOf(const Counts &Of) {
  Json Result = Json::object();
  for (const auto &[Class, Amount] : Of)
    Result[std::string(name(Class))] = toPretty(simplifyConditions(Amount));
  return Result;
}

/// The bytes of each level of memory.
static Json bytesOf(const std::map<std::string, Rational> &Values) {
  Json Result = Json::object();
  for (const auto &[Class, Value] : Values)
    if (const auto Level = memoryLevel(Class))
      Result[std::string(*Level)] = Value.get_d();
  return Result;
}

static Json rowOf(const FunctionLines::Row &Of, const PredictionDocument &Whole) {
  Known How = Known::Exact;
  for (const auto &[Class, Each] : Of.Counts.KnownAs)
    How = std::max(How, Each);
  Json Result = {{"line", Of.Of->Line},
                 {"energy_j", Of.EnergyJ ? Json(*Of.EnergyJ) : Json()},
                 {"flops", needsFlops(Of.Counts) ? Json() : Json(flopsOf(Of.Counts.Values))},
                 {"bytes", bytesOf(Of.Counts.Values)},
                 {"times", toPretty(Of.Of->Times)},
                 {"known", name(How)},
                 {"formulas", formulasOf(Of.Of->InSymbols.Values)}};
  if (!Of.Of->Calls.empty())
    Result["calls"] = Of.Of->Calls;
  if (!Of.Counts.Unbound.empty())
    Result["why"] = "no value for " + joined(Of.Counts.Unbound);
  else if (!Of.EnergyJ)
    Result["why"] = whyNot(Whole);
  return Result;
}

std::expected<Json, Error> ReportProgram::lines(const ReportRequest &Asked) {
  auto Of = shown(Asked);
  auto On = target(Asked);
  if (!Of || !On)
    return std::unexpected(Of ? On.error() : Of.error());
  auto Entry = predictor(**Of, Asked, *On);
  auto Whole = Entry ? (*Entry)->predict(*On) : std::unexpected(Entry.error());
  auto Loaded = load(**Of);
  if (!Whole || !Loaded)
    return std::unexpected(Whole ? Loaded.error() : Whole.error());
  if (!(*Of)->Lines)
    (*Of)->Lines = std::make_unique<FunctionLines>(**Loaded, All->lookup(Failure));
  auto Table = (*Of)->Lines->share(*Whole, (*Entry)->counts()->Bound);
  if (!Table)
    return std::unexpected(Table.error());
  Json Result = {{"files", Json::array()}, {"rest", Json::array()}};
  std::string File; // rows are sorted by it
  for (const FunctionLines::Row &Each : Table->Rows) {
    if (Result["files"].empty() || Each.Of->File != File) {
      File = Each.Of->File;
      Result["files"].push_back({{"path", shownPath(**Of, File)}, {"rows", Json::array()}});
    }
    Result["files"].back()["rows"].push_back(rowOf(Each, *Whole));
  }
  for (const FunctionLines::Remainder &Each : Table->Rest)
    Result["rest"].push_back({{"what", Each.What}, {"energy_j", Each.EnergyJ}});
  return Result;
}

namespace {
/// Lists the loops of a function.
struct LoopLister {
  const Function &Of;
  Json Loops = Json::array();
  LoopTotals Totals{Of};

  /// \p Entries is how often \p Region's code runs in one run of the function.
  void list(const Loop &Region, std::vector<const Loop *> Around) {
    Around.push_back(&Region);
    for (const Loop &Each : Region.Loops) {
      Expr Entries = Each.Entries;
      for (std::size_t Depth = Around.size(); Depth-- > 1;)
        Entries =
            sum(Around[Depth]->Variable, 0, Around[Depth]->Last, Entries) * Around[Depth]->Entries;
      if (Of.IsKernel)
        Entries = sumOverThreads(Entries, {});
      Loops.push_back({{"file", Each.At.File},
                       {"line", Each.At.Line},
                       {"end_line", nullptr},
                       {"depth", Around.size() - 1},
                       {"variable", Each.Variable},
                       {"trips", toPretty(Each.Last + Expr(1))},
                       {"entries", toPretty(simplifyConditions(Entries))},
                       {"known", name(Each.TripsKnown)},
                       {"formulas", formulasOf(Totals.of(Each))},
                       {"width", Each.Shape.VectorWidth ? Json(Each.Shape.VectorWidth) : Json()}});
      list(Each, Around);
    }
  }
};
} // namespace

std::expected<Json, Error> ReportProgram::loops(const ReportRequest &Asked) {
  auto Of = shown(Asked);
  if (!Of)
    return std::unexpected(Of.error());
  auto Loaded = load(**Of);
  if (!Loaded)
    return std::unexpected(Loaded.error());
  LoopLister Lister{**Loaded};
  Lister.list((*Loaded)->Body, {});
  for (Json &Each : Lister.Loops)
    Each["file"] = shownPath(**Of, Each["file"].get<std::string>());
  return Json{{"loops", std::move(Lister.Loops)}};
}

} // namespace ergon
