//===- PredictionFormat.cpp - ergon-prediction/1 --------------------------===//

#include "formats/prediction/PredictionFormat.h"
#include "formats/prediction/PredictionJson.h"
#include "formats/prediction/TrafficFormat.h"

namespace ergon {

using Json = nlohmann::ordered_json;

static Json rounds(const LaunchRounds &Of) {
  Json Result = {{"blocks", Of.Blocks.Blocks},
                 {"threads_per_block", Of.ThreadsPerBlock},
                 {"multiprocessors", Of.Multiprocessors},
                 {"resident_blocks", Of.Resident.Blocks},
                 {"limited_by", Of.Resident.LimitedBy},
                 {"known", name(Known::Bound)}};
  if (Of.Resident.Blocks) {
    Result["blocks_at_once"] = Of.Blocks.PerRound;
    Result["rounds"] = Of.Blocks.rounds();
    Result["tail_blocks"] = Of.Blocks.tail();
    Result["filled"] = Of.Blocks.filled();
  }
  return Result;
}

static Json loops(const ProgramTime &Of) {
  Json Result = Json::array();
  for (const LoopTime &Each : Of.Loops) {
    Json &Next = Result.emplace_back();
    if (Each.At.isValid())
      Next["at"] = Each.At.text();
    Next["time_s"] = Each.Time.S;
    Next["bound"] = Each.Time.Bound;
    Next["core_s"] = Each.CoreS;
    Next["memory_s"] = Each.MemoryS;
  }
  return Result;
}

static Json jsonOf(const PartValues &Part) {
  Json Result = {{"name", Part.Name}};
  if (Part.Launches)
    Result["launches"] = jsonOf(*Part.Launches);
  Result["counts"] = jsonOf(Part.Values);
  if (!Part.Between.empty())
    Result["intervals"] = jsonOf(Part.Between);
  return Result;
}

/// Time, energy and power, as far as they are known, and the time of each loop.
static void addCosts(const PredictionDocument &Document, Json &Result) {
  if (const auto &Cost = Document.OnMachine) {
    Result["time_s"] = jsonOf(Cost->TimeS);
    Result["energy_j"] = jsonOf(Cost->EnergyJ);
    Result["power_w"] = jsonOf(Cost->PowerW);
    Result["intensity"] = Cost->Intensity;
    Result["bound"] = Cost->Bound;
    Result["breakdown_j"] = Cost->BreakdownJ;
    Result["unpriced"] = Cost->Unpriced;
    Result["untimed"] = Cost->Untimed;
    if (!Cost->NotCovered.empty())
      Result["not_covered"] = Cost->NotCovered;
    if (!Cost->ErrorNotStated.empty())
      Result["error_not_stated"] = Cost->ErrorNotStated;
  }
  if (Document.Time) {
    if (!Document.OnMachine) {
      Result["time_s"] =
          jsonOf(Interval{Document.Time->TimeS, Document.Time->TimeS, Document.Time->TimeS});
      Result["bound"] = Document.Time->Bound;
    }
    Result["loops"] = loops(*Document.Time);
  }
}

std::string writePrediction(const PredictionDocument &Document) {
  Json Result = {{"schema", "ergon-prediction/1"},
                 {"entry", Document.Entry},
                 {"function", Document.Function},
                 {"snapshot", Document.Snapshot},
                 {"bindings", jsonOf(Document.Bindings)}};
  if (!Document.Between.empty())
    Result["between"] = jsonOf(Document.Between);
  if (!Document.Defaults.empty())
    Result["defaults"] = jsonOf(Document.Defaults);
  if (!Document.Machine.empty()) {
    Result["machine"] = Document.Machine;
    Result["setting"] = jsonOf(Document.At);
  }
  Result["counts"] = jsonOf(Document.Counts.Values);
  if (!Document.Counts.Between.empty())
    Result["intervals"] = jsonOf(Document.Counts.Between);
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
  for (const PartValues &Part : Document.Counts.Parts)
    Result["parts"].push_back(jsonOf(Part));
  if (!Document.Counts.LibraryCalls.empty()) {
    Json &Calls = Result["library_calls"] = Json::object();
    for (const auto &[Name, Times] : Document.Counts.LibraryCalls)
      Calls[Name] = Times.constant() ? jsonOf(*Times.constant()) : Json(toText(Times));
  }
  Result["unbound"] = Document.Counts.Unbound;
  if (!Document.Counts.Needs.empty())
    Result["needs"] = Document.Counts.Needs;
  if (!Document.Unknowns.empty()) {
    Json &Unknowns = Result["unknowns"] = Json::array();
    for (const Unknown &Each : Document.Unknowns)
      Unknowns.push_back({{"symbol", Each.Symbol}, {"at", Each.At.text()}, {"why", Each.Why}});
  }
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
