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

} // namespace ergon
