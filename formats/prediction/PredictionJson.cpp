//===- PredictionJson.cpp - values that predictions are made of -----------===//

#include "formats/prediction/PredictionJson.h"

#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

Json jsonOf(const Rational &Value) {
  static const mpz_class Limit = mpz_class(1) << 63;
  if (Value.isInteger() && abs(Value.get_num()) < Limit)
    return std::int64_t(Value.get_num().get_si());
  return Value.get_d();
}

Json jsonOf(const std::map<std::string, Rational> &Values) {
  Json Result = Json::object();
  for (const auto &[Key, Value] : Values)
    Result[Key] = jsonOf(Value);
  return Result;
}

Json jsonOf(const std::map<std::string, Bounds> &Between) {
  Json Result = Json::object();
  for (const auto &[Key, Range] : Between)
    Result[Key] = {{"low", jsonOf(Range.Low)}, {"high", jsonOf(Range.High)}};
  return Result;
}

Json jsonOf(const Interval &Of) {
  return {{"value", Of.Value}, {"low", Of.Low}, {"high", Of.High}};
}

Json jsonOf(const Setting &At) {
  Json Result = Json::object();
  if (At.CoreMhz)
    Result["core_mhz"] = *At.CoreMhz;
  if (At.MemMhz)
    Result["mem_mhz"] = *At.MemMhz;
  return Result;
}

} // namespace ergon
