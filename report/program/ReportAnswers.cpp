//===- ReportAnswers.cpp - tables of functions, lines, loops, settings ----===//

#include "formats/prediction/PredictionJson.h"
#include "model/energy/Tuning.h"
#include "model/machine/CostClass.h"
#include "model/program/LoopTotals.h"
#include "predict/profile/ProgramProfile.h"
#include "predict/text/Text.h"
#include "report/program/ReportProgram.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Why there is no time and energy.
static std::string whyNot(const PredictionDocument &Document) {
  if (!Document.Counts.Unbound.empty())
    return "no value for " + joined(Document.Counts.Unbound);
  if (!Document.NotPriced.empty())
    return "the profile has no cost for " + joined(Document.NotPriced);
  return "no machine is chosen";
}

static double flopsOf(const std::map<std::string, Rational> &Values) {
  double Result = 0;
  for (const auto &[Class, Value] : Values)
    if (isFlops(Class))
      Result += Value.get_d();
  return Result;
}

static bool needsFlops(const CountValues &Values) {
  return std::ranges::any_of(Values.Needs, [](const auto &Item) { return isFlops(Item.first); });
}

//===----------------------------------------------------------------------===//
// Documents of commands
//===----------------------------------------------------------------------===//

std::expected<std::string, Error> ReportProgram::prediction(const ReportRequest &Asked) {
  auto Shown = shown(Asked);
  auto Target = target(Asked);
  if (!Shown || !Target)
    return std::unexpected(Shown ? Target.error() : Shown.error());
  auto Document = predictFor(**Shown, Asked, *Target, Spread::Computed);
  if (!Document)
    return std::unexpected(Document.error());
  return writePrediction(*Document);
}

std::expected<std::string, Error> ReportProgram::profile(const ReportRequest &Asked) {
  auto Shown = shown(Asked);
  auto Target = target(Asked);
  if (!Shown || !Target)
    return std::unexpected(Shown ? Target.error() : Shown.error());
  auto Document = predictFor(**Shown, Asked, *Target, Spread::Computed);
  auto Entry = predictor(**Shown, Asked, *Target);
  if (!Document || !Entry)
    return std::unexpected(Document ? Entry.error() : Document.error());
  if (const auto Missing = neededFor(*Document); !Missing.empty())
    return std::unexpected(
        Error{"no value for " + joined(Missing), "/set", "give one of each", ""});
  const ProgramProfile Profile = profileOf((*Entry)->function(), (*Entry)->lookup(),
                                           std::move(*Document), Target->M ? &*Target->M : nullptr,
                                           {.Measured = Target->Measured, .Advice = Store.get()});
  if ((*Entry)->failure())
    return std::unexpected(*(*Entry)->failure());
  return writeProfile(Profile);
}

//===----------------------------------------------------------------------===//
// Functions and settings
//===----------------------------------------------------------------------===//

static Json rowOf(const PredictionDocument &Document) {
  Json Result = {{"energy_j", nullptr}, {"time_s", nullptr}};
  if (Document.OnMachine) {
    Result["energy_j"] = Document.OnMachine->EnergyJ.Value;
    Result["time_s"] = Document.OnMachine->TimeS.Value;
    Result["power_w"] = Document.OnMachine->PowerW.Value;
    Result["bound"] = Document.OnMachine->Bound;
    Result["unpriced"] = Document.OnMachine->Unpriced;
  } else {
    if (Document.Time)
      Result["time_s"] = Document.Time->TimeS;
    Result["why"] = whyNot(Document);
  }
  Result["flops"] = needsFlops(Document.Counts) ? Json() : Json(flopsOf(Document.Counts.Values));
  const auto Dram = Document.Counts.Values.find("bytes_dram");
  Result["bytes_dram"] = Dram == Document.Counts.Values.end() ? Json() : Json(Dram->second.get_d());
  Result["unbound"] = Document.Counts.Unbound;
  Result["estimated"] = Json::array();
  for (const SymbolEstimate &E : Document.Estimates)
    Result["estimated"].push_back(E.What.Symbol);
  return Result;
}

std::expected<Json, Error> ReportProgram::functions(const ReportRequest &Asked) {
  auto Target = target(Asked);
  if (!Target)
    return std::unexpected(Target.error());
  const std::size_t From = std::min(Asked.From.value_or(0), Functions.size());
  const std::size_t End =
      From + std::min(Asked.Count.value_or(Functions.size()), Functions.size() - From);
  Json Result = {{"rows", Json::array()}, {"total", Functions.size()}};
  for (std::size_t Id = From; Id != End; ++Id) {
    auto Document = predictFor(Functions[Id], Asked, *Target, Spread::Skipped);
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
  auto Shown = shown(Asked);
  auto M = machine(Asked);
  if (!Shown || !M)
    return std::unexpected(Shown ? M.error() : Shown.error());
  if (!*M)
    return std::unexpected(Error{"it is not said on which machine", "/machine", "name one", ""});
  Json Result = {{"points", Json::array()}};
  std::vector<Option> Known;
  for (std::size_t Number = 0; Number != (*M)->Settings.size(); ++Number) {
    const Setting &Clocks = (*M)->Settings[Number];
    ReportRequest Request = Asked;
    Request.Clocks = Clocks;
    auto Target = target(Request);
    auto Document = Target ? predictFor(**Shown, Request, *Target, Spread::Skipped)
                           : std::unexpected(Target.error());
    Json Point = jsonOf(Clocks);
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
  for (const Option &O : Known)
    Result["points"][O.Setting]["pareto"] = O.IsOnFront;
  return Result;
}

//===----------------------------------------------------------------------===//
// Lines and loops
//===----------------------------------------------------------------------===//

static Json formulasOf(const Counts &C) {
  Json Result = Json::object();
  for (const auto &[Class, Amount] : C)
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

static Json rowOf(const FunctionLines::Row &R, const PredictionDocument &Whole) {
  Known How = Known::Exact;
  for (const auto &[Class, KnownA] : R.Counts.KnownAs)
    How = std::max(How, KnownA);
  Json Result = {{"line", R.Part->Line},
                 {"energy_j", R.EnergyJ ? Json(*R.EnergyJ) : Json()},
                 {"flops", needsFlops(R.Counts) ? Json() : Json(flopsOf(R.Counts.Values))},
                 {"bytes", bytesOf(R.Counts.Values)},
                 {"times", toPretty(R.Part->Times)},
                 {"known", name(How)},
                 {"formulas", formulasOf(R.Part->InSymbols.Values)}};
  if (!R.Part->Calls.empty())
    Result["calls"] = R.Part->Calls;
  if (!R.Counts.Unbound.empty())
    Result["why"] = "no value for " + joined(R.Counts.Unbound);
  else if (!R.EnergyJ)
    Result["why"] = whyNot(Whole);
  return Result;
}

std::expected<Json, Error> ReportProgram::lines(const ReportRequest &Asked) {
  auto Shown = shown(Asked);
  auto Target = target(Asked);
  if (!Shown || !Target)
    return std::unexpected(Shown ? Target.error() : Shown.error());
  auto Whole = predictFor(**Shown, Asked, *Target, Spread::Skipped);
  auto Entry = predictor(**Shown, Asked, *Target);
  auto Loaded = load(**Shown);
  if (!Whole || !Loaded)
    return std::unexpected(Whole ? Loaded.error() : Whole.error());
  if (!(*Shown)->Lines)
    (*Shown)->Lines = std::make_unique<FunctionLines>(**Loaded, All->lookup(Failure));
  auto Table = (*Shown)->Lines->share(*Whole, *(*Entry)->bound());
  if (!Table)
    return std::unexpected(Table.error());
  Json Result = {{"files", Json::array()}, {"rest", Json::array()}};
  std::string File; // rows are sorted by it
  for (const FunctionLines::Row &R : Table->Rows) {
    if (Result["files"].empty() || R.Part->File != File) {
      File = R.Part->File;
      Result["files"].push_back({{"path", shownPath(**Shown, File)}, {"rows", Json::array()}});
    }
    Result["files"].back()["rows"].push_back(rowOf(R, *Whole));
  }
  for (const FunctionLines::Remainder &Element : Table->Rest)
    Result["rest"].push_back({{"what", Element.What}, {"energy_j", Element.EnergyJ}});
  return Result;
}

namespace {
/// Lists the loops of a function.
struct LoopLister {
  const Function &Listed;
  Json Loops = Json::array();
  LoopTotals Totals{Listed};

  /// \p Entries is how often \p Region's code runs in one run of the function.
  void list(const Loop &Region, std::vector<const Loop *> Around) {
    Around.push_back(&Region);
    for (const Loop &L : Region.Loops) {
      Expr Entries = L.Entries;
      for (std::size_t Depth = Around.size(); Depth-- > 1;)
        Entries =
            sum(Around[Depth]->Variable, 0, Around[Depth]->Last, Entries) * Around[Depth]->Entries;
      if (Listed.IsKernel)
        Entries = sumOverThreads(Entries, {});
      Loops.push_back({{"file", L.Location.File},
                       {"line", L.Location.Line},
                       {"end_line", nullptr},
                       {"depth", Around.size() - 1},
                       {"variable", L.Variable},
                       {"trips", toPretty(L.Last + Expr(1))},
                       {"entries", toPretty(simplifyConditions(Entries))},
                       {"known", name(L.TripsKnown)},
                       {"formulas", formulasOf(Totals.of(L))},
                       {"width", L.Shape.VectorWidth ? Json(L.Shape.VectorWidth) : Json()}});
      list(L, Around);
    }
  }
};
} // namespace

std::expected<Json, Error> ReportProgram::loops(const ReportRequest &Asked) {
  auto Shown = shown(Asked);
  if (!Shown)
    return std::unexpected(Shown.error());
  auto Loaded = load(**Shown);
  if (!Loaded)
    return std::unexpected(Loaded.error());
  LoopLister Lister{**Loaded};
  Lister.list((*Loaded)->Body, {});
  for (Json &Loop : Lister.Loops)
    Loop["file"] = shownPath(**Shown, Loop["file"].get<std::string>());
  return Json{{"loops", std::move(Lister.Loops)}};
}

} // namespace ergon
