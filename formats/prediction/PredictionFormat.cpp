//===- PredictionFormat.cpp - ergon-prediction/1 --------------------------===//

#include "formats/prediction/PredictionFormat.h"
#include "formats/prediction/Demangle.h"
#include "formats/prediction/PredictionJson.h"
#include "formats/prediction/TrafficFormat.h"

namespace ergon {

using Json = nlohmann::ordered_json;

static Json rounds(const LaunchRounds &Rounds) {
  Json Result = {{"blocks", Rounds.Blocks.Blocks},
                 {"threads_per_block", Rounds.ThreadsPerBlock},
                 {"multiprocessors", Rounds.Multiprocessors},
                 {"resident_blocks", Rounds.Resident.Blocks},
                 {"limited_by", Rounds.Resident.LimitedBy},
                 {"known", name(Rounds.Needs.complete() ? Known::Assumed : Known::Bound)}};
  if (Rounds.Needs.complete()) {
    Result["registers"] = *Rounds.Needs.RegistersPerThread;
    Result["shared_bytes"] = *Rounds.Needs.SharedBytes;
  }
  if (Rounds.Resident.Blocks) {
    Result["blocks_at_once"] = Rounds.Blocks.PerRound;
    Result["rounds"] = Rounds.Blocks.rounds();
    Result["tail_blocks"] = Rounds.Blocks.tail();
    Result["filled"] = Rounds.Blocks.filled();
  }
  return Result;
}

static Json loops(const ProgramTime &Time) {
  Json Result = Json::array();
  for (const LoopTime &Loop : Time.Loops) {
    Json &Next = Result.emplace_back();
    if (Loop.Location.isValid())
      Next["at"] = Loop.Location.text();
    Next["time_s"] = Loop.Time.S;
    Next["bound"] = Loop.Time.Bound;
    Next["core_s"] = Loop.CoreS;
    Next["memory_s"] = Loop.MemoryS;
  }
  return Result;
}

static Json jsonOf(const ExecutedFlops &Flops) {
  return {{"low", jsonOf(Flops.Low)}, {"high", Flops.High ? jsonOf(*Flops.High) : Json()}};
}

static Json jsonOf(const LaunchValues &Launch) {
  auto Extent = [](const std::array<std::optional<Rational>, 3> &Values) {
    Json Result = Json::array();
    for (const std::optional<Rational> &Value : Values)
      Result.push_back(Value ? jsonOf(*Value) : Json());
    return Result;
  };
  Json Result = {{"at", Launch.Location.text()},
                 {"function", Launch.Function},
                 {"grid", Extent(Launch.Grid)},
                 {"block", Extent(Launch.Block)},
                 {"known", name(Launch.IsEstimated ? Known::Estimated : Known::Exact)},
                 {"counts", jsonOf(Launch.Values)}};
  if (Launch.Executed)
    Result["flops_executed"] = jsonOf(*Launch.Executed);
  return Result;
}

static Json jsonOf(const PartValues &Part) {
  Json Result = {{"name", Part.Name}};
  if (Part.Launches)
    Result["launches"] = jsonOf(*Part.Launches);
  Result["counts"] = jsonOf(Part.Values);
  if (!Part.Ranges.empty())
    Result["intervals"] = jsonOf(Part.Ranges);
  if (Part.First)
    Result["first_launch"] = jsonOf(*Part.First);
  return Result;
}

/// What the energy emits and costs: in one run, and in a year.
static void addRates(const EnergyRates &Rates, const Interval &EnergyJ, Json &Result) {
  auto Add = [&](const char *Key, const std::optional<double> &PerJ) {
    if (!PerJ)
      return;
    Result[Key] =
        jsonOf(Interval{EnergyJ.Value * *PerJ, EnergyJ.Low * *PerJ, EnergyJ.High * *PerJ});
    if (Rates.RunsPerDay)
      Result["per_year"][Key] = EnergyJ.Value * *PerJ * *Rates.RunsPerDay * DaysPerYear;
  };
  Add("co2_g", Rates.GramsPerJ);
  Add("price", Rates.PricePerJ);
  if (!Rates.Currency.empty())
    Result["currency"] = Rates.Currency;
}

/// Time, energy and power, as far as they are known, and the time of each loop.
static void addCosts(const PredictionDocument &Document, Json &Result) {
  if (const auto &Cost = Document.OnMachine) {
    Result["time_s"] = jsonOf(Cost->TimeS);
    if (Cost->hasEnergy()) {
      Result["energy_j"] = jsonOf(Cost->EnergyJ);
      Result["power_w"] = jsonOf(Cost->PowerW);
      addRates(Document.Rates, Cost->EnergyJ, Result);
    }
    Result["intensity"] = Cost->Intensity;
    Result["bound"] = Cost->Bound;
    Result["breakdown_j"] = Cost->BreakdownJ;
    Result["unpriced"] = Cost->Unpriced;
    Result["untimed"] = Cost->Untimed;
    if (!Cost->NotCovered.empty())
      Result["not_covered"] = Cost->NotCovered;
    if (!Cost->ErrorNotStated.empty())
      Result["error_not_stated"] = Cost->ErrorNotStated;
    if (!Cost->Estimated.empty())
      Result["estimated_costs"] = Cost->Estimated;
  }
  addMeasured(Result, Document.Measured, Document.MeasureNext);
  if (Document.Time) {
    if (!Document.OnMachine) {
      Result["time_s"] = jsonOf(Document.timeS());
      Result["bound"] = Document.Time->Bound;
    }
    Result["loops"] = loops(*Document.Time);
  }
}

Json jsonOf(const SymbolEstimate &E) {
  Json Result = {{"symbol", E.What.Symbol}, {"value", jsonOf(E.Value)}, {"low", jsonOf(E.Low)}};
  Result["high"] = E.High ? jsonOf(*E.High) : Json();
  Result["source"] = E.Source;
  Result["spread"] = E.Spread;
  if (E.What.Location.isValid())
    Result["at"] = E.What.Location.text();
  Result["why"] = E.What.Why;
  return Result;
}

static Json jsonOf(const std::map<std::string, Expr> &Calls) {
  Json Result = Json::object();
  for (const auto &[Name, Times] : Calls)
    Result[Name] = Times.constant() ? jsonOf(*Times.constant()) : Json(toText(Times));
  return Result;
}

/// The names of mangled functions that are called.
static Json demangledNames(const CountValues &Counts) {
  Json Result = Json::object();
  for (const auto *Calls : {&Counts.LibraryCalls, &Counts.LeftOut})
    for (const auto &[Call, Times] : *Calls) {
      const std::string Name = Call.substr(Call.starts_with("call:") ? Call.find(':') + 1 : 0);
      if (std::string Text = demangled(Name); Text != Name)
        Result[Name] = std::move(Text);
    }
  return Result;
}

static Json jsonOf(const LibraryNote &Note) {
  Json Result = {{"how", name(Note.What)}};
  if (!Note.Why.empty())
    Result["why"] = Note.Why;
  return Result;
}

static Json jsonOf(const IterationCost &Cost) {
  Json Result = {{"loops", Cost.Loops}, {"counts", jsonOf(Cost.Counts)}};
  if (Cost.TimeS)
    Result["time_s"] = *Cost.TimeS;
  if (Cost.EnergyJ)
    Result["energy_j"] = *Cost.EnergyJ;
  return Result;
}

std::string writePrediction(const PredictionDocument &Document) {
  Json Result = {{"schema", "ergon-prediction/1"},
                 {"entry", Document.Entry},
                 {"function", Document.Function},
                 {"snapshot", Document.Snapshot},
                 {"bindings", jsonOf(Document.Bindings)}};
  if (!Document.Bounds.empty())
    Result["between"] = jsonOf(Document.Bounds);
  if (!Document.Defaults.empty())
    Result["defaults"] = jsonOf(Document.Defaults);
  if (!Document.Machine.empty()) {
    Result["machine"] = Document.Machine;
    Result["setting"] = jsonOf(Document.Clocks);
  }
  Result["counts"] = jsonOf(Document.Counts.Values);
  Json Intervals = jsonOf(Document.Counts.Ranges);
  for (const auto &[Key, Least] : Document.AtLeast)
    Intervals[Key] = {{"low", jsonOf(Least)}, {"high", nullptr}};
  if (!Intervals.empty())
    Result["intervals"] = std::move(Intervals);
  if (Document.Counts.Executed)
    Result["flops_executed"] = jsonOf(*Document.Counts.Executed);
  Json &KnownAs = Result["known"] = Json::object();
  for (const auto &[Key, How] : Document.Counts.KnownAs)
    KnownAs[Key] = name(How);
  if (!Document.Counts.Wraps.empty())
    Result["wraps"] = Document.Counts.Wraps;
  if (!Document.OnMachine && (Document.Traffic || Document.LaunchTraffic))
    Result["intensity"] = intensities(Document.Counts);
  if (!Document.NotPriced.empty())
    Result["not_priced"] = Document.NotPriced;
  addCosts(Document, Result);
  if (Document.Traffic)
    Result["traffic"] = jsonOf(*Document.Traffic);
  if (Document.LaunchTraffic)
    Result["traffic"] = jsonOf(*Document.LaunchTraffic);
  if (!Document.TrafficUnknown.empty())
    Result["traffic_unknown"] = Document.TrafficUnknown;
  if (Document.Rounds)
    Result["rounds"] = rounds(*Document.Rounds);
  for (const PartValues &Part : Document.Counts.Parts) {
    Result["parts"].push_back(jsonOf(Part));
    if (auto Found = Document.OfFirstLaunches.find(Part.Name);
        Found != Document.OfFirstLaunches.end()) {
      Json &First = Result["parts"].back()["first_launch"];
      First["time_s"] = jsonOf(Found->second.TimeS);
      if (Found->second.hasEnergy())
        First["energy_j"] = jsonOf(Found->second.EnergyJ);
      First["bound"] = Found->second.Bound;
    }
  }
  if (!Document.Counts.LibraryCalls.empty())
    Result["library_calls"] = jsonOf(Document.Counts.LibraryCalls);
  if (!Document.Counts.LeftOut.empty())
    Result["left_out"] = jsonOf(Document.Counts.LeftOut);
  if (Json Names = demangledNames(Document.Counts); !Names.empty())
    Result["names"] = std::move(Names);
  for (const auto &[Name, Note] : Document.Described)
    Result["described"][Name] = jsonOf(Note);
  for (const SymbolEstimate &E : Document.Estimates)
    Result["estimated"].push_back(jsonOf(E));
  if (Document.PerIteration)
    Result["per_iteration"] = jsonOf(*Document.PerIteration);
  Result["unbound"] = Document.Counts.Unbound;
  if (!Document.Counts.Needs.empty())
    Result["needs"] = Document.Counts.Needs;
  if (!Document.Unknowns.empty()) {
    Json &Unknowns = Result["unknowns"] = Json::array();
    for (const Unknown &U : Document.Unknowns)
      Unknowns.push_back({{"symbol", U.Symbol}, {"at", U.Location.text()}, {"why", U.Why}});
  }
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
