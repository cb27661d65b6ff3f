//===- HardwareFormatWrite.cpp - what a profile says of the hardware ------===//

#include "formats/json/SourceFormat.h"
#include "formats/profile/HardwareFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static Json domainPower(const DomainPower &Of) {
  Json Result = Json::object();
  if (Of.CoreMhz)
    Result["core_mhz"] = *Of.CoreMhz;
  Result["flops"] = Of.FlopsClass;
  Result["cores"] = {{"constant_w", Json(Of.CoresConstantW)},
                     {"flops_w", Json(Of.CoresFlopsW)},
                     {"bytes_w", Json::object()}};
  for (const auto &[Class, Each] : Of.CoresBytesW)
    Result["cores"]["bytes_w"][Class] = Json(Each);
  if (Of.UncoreConstantW && Of.UncoreDramW)
    Result["uncore"] = {{"constant_w", Json(*Of.UncoreConstantW)},
                        {"dram_w", Json(*Of.UncoreDramW)}};
  return Result;
}

void addHardware(Json &Profile, const Machine &M) {
  if (M.Power.BytesPaid)
    Profile["byte_energy"] = {{"paid", name(*M.Power.BytesPaid)},
                              {"source", M.Power.BytesPaidSource}};
  for (const DomainPower &Each : M.Power.DomainPowers)
    Profile["domain_power"].push_back(domainPower(Each));
  for (const auto &[Class, Each] : M.Hardware.Peaks)
    Profile["datasheet"]["peak"][Class] = {
        {"per_clock", Each.PerClock}, {"mhz", Each.Mhz}, {"source", Each.Source}};
  for (const auto &[Key, Each] : M.Hardware.Ranges)
    Profile["datasheet"]["range"][Key] = {
        {"min", Each.Min}, {"max", Each.Max}, {"source", Each.Source}};
}

} // namespace ergon
