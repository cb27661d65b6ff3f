//===- HardwareFormatWrite.cpp - writes the hardware part of a profile ----===//

#include "formats/json/SourceFormat.h"
#include "formats/profile/HardwareFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static Json domainPower(const DomainPower &Power) {
  Json Result = Json::object();
  if (Power.CoreMhz)
    Result["core_mhz"] = *Power.CoreMhz;
  Result["flops"] = Power.FlopsClass;
  Result["cores"] = {{"constant_w", Json(Power.CoresConstantW)},
                     {"flops_w", Json(Power.CoresFlopsW)},
                     {"bytes_w", Json::object()}};
  for (const auto &[Class, Q] : Power.CoresBytesW)
    Result["cores"]["bytes_w"][Class] = Json(Q);
  if (Power.UncoreConstantW && Power.UncoreDramW)
    Result["uncore"] = {{"constant_w", Json(*Power.UncoreConstantW)},
                        {"dram_w", Json(*Power.UncoreDramW)}};
  return Result;
}

void addHardware(Json &Profile, const Machine &M) {
  if (M.Power.BytesPaid)
    Profile["byte_energy"] = {{"paid", name(*M.Power.BytesPaid)},
                              {"source", M.Power.BytesPaidSource}};
  for (const DomainPower &Power : M.Power.DomainPowers)
    Profile["domain_power"].push_back(domainPower(Power));
  for (const auto &[Class, Peak] : M.Hardware.Peaks)
    Profile["datasheet"]["peak"][Class] = {
        {"per_clock", Peak.PerClock}, {"mhz", Peak.Mhz}, {"source", Peak.Source}};
  for (const auto &[Key, Range] : M.Hardware.Ranges)
    Profile["datasheet"]["range"][Key] = {
        {"min", Range.Min}, {"max", Range.Max}, {"source", Range.Source}};
}

} // namespace ergon
