//===- PredictionFormat.cpp - ergon-prediction/1 --------------------------===//

#include "formats/PredictionFormat.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

static Json number(const Rational &Value) {
  static const mpz_class Limit = mpz_class(1) << 63;
  if (Value.isInteger() && abs(Value.get_num()) < Limit)
    return std::int64_t(Value.get_num().get_si());
  return Value.get_d();
}

static Json numbers(const std::map<std::string, Rational> &Values) {
  Json Result = Json::object();
  for (const auto &[Key, Value] : Values)
    Result[Key] = number(Value);
  return Result;
}

static Json intervals(const std::map<std::string, Bounds> &Between) {
  Json Result = Json::object();
  for (const auto &[Key, Range] : Between)
    Result[Key] = {{"low", number(Range.Low)}, {"high", number(Range.High)}};
  return Result;
}

static Json interval(const Interval &Of) {
  return {{"value", Of.Value}, {"low", Of.Low}, {"high", Of.High}};
}

static Json setting(const Setting &At) {
  Json Result = Json::object();
  if (At.CoreMhz)
    Result["core_mhz"] = *At.CoreMhz;
  if (At.MemMhz)
    Result["mem_mhz"] = *At.MemMhz;
  return Result;
}

std::string writePrediction(const PredictionDocument &Document) {
  Json Result = {{"schema", "ergon-prediction/1"},
                 {"entry", Document.Entry},
                 {"function", Document.Function},
                 {"snapshot", Document.Snapshot},
                 {"bindings", numbers(Document.Bindings)}};
  if (!Document.Between.empty())
    Result["between"] = intervals(Document.Between);
  if (!Document.Defaults.empty())
    Result["defaults"] = numbers(Document.Defaults);
  if (!Document.Machine.empty()) {
    Result["machine"] = Document.Machine;
    Result["setting"] = setting(Document.At);
  }
  Result["counts"] = numbers(Document.Counts.Values);
  if (!Document.Counts.Between.empty())
    Result["intervals"] = intervals(Document.Counts.Between);
  Json &KnownAs = Result["known"] = Json::object();
  for (const auto &[Key, How] : Document.Counts.KnownAs)
    KnownAs[Key] = name(How);
  if (const auto &Cost = Document.OnMachine) {
    Result["time_s"] = interval(Cost->TimeS);
    Result["energy_j"] = interval(Cost->EnergyJ);
    Result["power_w"] = interval(Cost->PowerW);
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
  for (const PartValues &Part : Document.Counts.Parts) {
    Json Entry = {{"name", Part.Name}};
    if (Part.Launches)
      Entry["launches"] = number(*Part.Launches);
    Entry["counts"] = numbers(Part.Values);
    if (!Part.Between.empty())
      Entry["intervals"] = intervals(Part.Between);
    Result["parts"].push_back(std::move(Entry));
  }
  if (!Document.Counts.LibraryCalls.empty()) {
    Json &Calls = Result["library_calls"] = Json::object();
    for (const auto &[Name, Times] : Document.Counts.LibraryCalls)
      Calls[Name] = Times.constant() ? number(*Times.constant()) : Json(toText(Times));
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
