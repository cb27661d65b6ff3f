//===- PredictionJson.cpp - values that predictions are made of -----------===//

#include "formats/prediction/PredictionJson.h"

#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

Json jsonOf(const Rational &Value) {
  if (const auto Word = Value.asWord())
    return *Word;
  return Value.get_d();
}

Json jsonOf(const std::map<std::string, Rational> &Values) {
  Json Result = Json::object();
  for (const auto &[Key, Value] : Values)
    Result[Key] = jsonOf(Value);
  return Result;
}

Json jsonOf(const std::map<std::string, Bounds> &Ranges) {
  Json Result = Json::object();
  for (const auto &[Key, Range] : Ranges)
    Result[Key] = {{"low", jsonOf(Range.Low)}, {"high", jsonOf(Range.High)}};
  return Result;
}

Json jsonOf(const Interval &I) { return {{"value", I.Value}, {"low", I.Low}, {"high", I.High}}; }

Json jsonOf(const Setting &Clocks) {
  Json Result = Json::object();
  if (Clocks.CoreMhz)
    Result["core_mhz"] = *Clocks.CoreMhz;
  if (Clocks.MemMhz)
    Result["mem_mhz"] = *Clocks.MemMhz;
  return Result;
}

void addMeasured(nlohmann::ordered_json &Document, const std::vector<ComparedRun> &Runs,
                 const std::optional<Setting> &Next) {
  if (Runs.empty())
    return;
  for (const auto &[Run, ModelS, ModelJ] : Runs) {
    nlohmann::ordered_json One = {
        {"source", Run.Source}, {"setting", jsonOf(Run.Clocks)}, {"time_s", Run.TimeS}};
    if (Run.EnergyJ)
      One["energy_j"] = *Run.EnergyJ;
    One["model_time_s"] = ModelS;
    One["model_energy_j"] = ModelJ;
    Document["measured"].push_back(std::move(One));
  }
  if (Next)
    Document["measure_next"] = jsonOf(*Next);
}

} // namespace ergon
