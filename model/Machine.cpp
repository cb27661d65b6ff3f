//===- Machine.cpp - what operations cost on a machine --------------------===//

#include "model/Machine.h"

#include <algorithm>
#include <utility>

namespace ergon {

std::optional<double> Setting::volts(Domain D) const {
  const std::optional<double> &Mv = D == Domain::Core ? CoreMv : MemMv;
  if (!Mv)
    return std::nullopt;
  return *Mv / 1000;
}

const Setting *Machine::findSetting(std::optional<double> CoreMhz,
                                    std::optional<double> MemMhz) const {
  const Setting *Found = nullptr;
  for (const Setting &S : Settings) {
    if ((CoreMhz && S.CoreMhz != CoreMhz) || (MemMhz && S.MemMhz != MemMhz))
      continue;
    if (Found)
      return nullptr;
    Found = &S;
  }
  return Found;
}

std::optional<double> Machine::energyPerUnit(const std::string &Class, const Setting &At) const {
  auto Found = Energies.find(Class);
  if (Found == Energies.end())
    return std::nullopt;
  const EnergyCost &Cost = Found->second;
  if (!Cost.Rail)
    return Cost.Coefficient.Value;
  const std::optional<double> V = At.volts(*Cost.Rail);
  if (!V)
    return std::nullopt;
  return Cost.Coefficient.Value * *V * *V; // 2016, eq. 6 and 7
}

std::optional<double> Machine::timePerUnit(const std::string &Class, const Setting &At) const {
  auto Found = Throughputs.find(Class);
  if (Found == Throughputs.end())
    return std::nullopt;
  const Throughput &Rate = Found->second;
  if (!Rate.Clock)
    return 1 / Rate.PerS.Value;
  const std::optional<double> Mhz = At.mhz(*Rate.Clock);
  if (!Mhz)
    return std::nullopt;
  return Rate.AtMhz / (*Mhz * Rate.PerS.Value);
}

std::optional<double> Machine::constantPower(const Setting &At) const {
  if (!Constant.MiscW)
    return std::nullopt;
  double Watts = Constant.MiscW->Value;
  const std::pair<Domain, const std::optional<Quantity> &> Leakages[] = {
      {Domain::Core, Constant.CoreWPerV}, {Domain::Mem, Constant.MemWPerV}};
  for (auto &[D, PerVolt] : Leakages) {
    if (!PerVolt)
      continue;
    const std::optional<double> V = At.volts(D);
    if (!V)
      return std::nullopt;
    Watts += PerVolt->Value * *V; // 2016, eq. 8
  }
  return Watts;
}

std::map<std::string, Quantity *> Machine::coefficients() {
  std::map<std::string, Quantity *> Result;
  if (Constant.MiscW)
    Result["constant_power.misc_w"] = &*Constant.MiscW;
  if (Constant.CoreWPerV)
    Result["constant_power.core_w_per_v"] = &*Constant.CoreWPerV;
  if (Constant.MemWPerV)
    Result["constant_power.mem_w_per_v"] = &*Constant.MemWPerV;
  if (PowerCap)
    Result["power_cap_w"] = &*PowerCap;
  for (auto &[Class, Cost] : Energies)
    Result["energy." + Class] = &Cost.Coefficient;
  for (auto &[Class, Rate] : Throughputs)
    Result["throughput." + Class] = &Rate.PerS;
  return Result;
}

std::map<std::string, const Quantity *> Machine::coefficients() const {
  const auto Writable = const_cast<Machine *>(this)->coefficients();
  return {Writable.begin(), Writable.end()};
}

bool isClassName(std::string_view Name) {
  auto IsLetter = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  };
  auto IsDigit = [](char C) { return C >= '0' && C <= '9'; };
  return !Name.empty() && IsLetter(Name.front()) &&
         std::ranges::all_of(Name, [&](char C) { return IsLetter(C) || IsDigit(C); }) &&
         Name != "constant" && Name != "power_cap" && Name != "none";
}

} // namespace ergon
