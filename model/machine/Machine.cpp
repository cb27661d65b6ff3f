//===- Machine.cpp - what operations cost on a machine --------------------===//

#include "model/machine/Machine.h"

#include <cmath>
#include <utility>

namespace ergon {

std::optional<double> Setting::volts(Domain D) const {
  const std::optional<double> &Mv = D == Domain::Core ? CoreMv : MemMv;
  if (!Mv)
    return std::nullopt;
  return *Mv / 1000;
}

std::optional<MachineKind> Machine::processor() const {
  if (Kind)
    return Kind;
  if (Topology.Gpu)
    return MachineKind::Gpu;
  return Timing.InCore ? std::optional(MachineKind::Cpu) : std::nullopt;
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

std::optional<double> Machine::volts(Domain D, const Setting &Clocks) const {
  if (D == Domain::Core && Power.CoreLaw && !Clocks.CoreMv)
    return Clocks.mhz(D) ? std::optional(Power.CoreLaw->volts(*Clocks.mhz(D))) : std::nullopt;
  return Clocks.volts(D);
}

std::optional<double> Machine::voltsSquared(Domain D, const Setting &Clocks) const {
  const std::optional<double> V = volts(D, Clocks);
  if (!V)
    return std::nullopt;
  return Power.VoltageExponent ? std::pow(*V, Power.VoltageExponent->Value) : *V * *V;
}

std::optional<double> Machine::energyPerUnit(const std::string &Class,
                                             const Setting &Clocks) const {
  auto Found = Power.Energies.find(Class);
  if (Found == Power.Energies.end())
    return std::nullopt;
  const EnergyCost &Cost = Found->second;
  if (!Cost.Rail)
    return Cost.Coefficient.Value;
  const std::optional<double> V2 = voltsSquared(*Cost.Rail, Clocks);
  if (!V2)
    return std::nullopt;
  return Cost.Coefficient.Value * *V2; // 2016, eq. 6 and 7
}

std::optional<double> Machine::timePerUnit(const std::string &Class, const Setting &Clocks) const {
  auto Found = Timing.Throughputs.find(Class);
  if (Found == Timing.Throughputs.end())
    return std::nullopt;
  const Throughput &Rate = Found->second;
  if (!Rate.Clock)
    return 1 / Rate.PerS.Value;
  const std::optional<double> Mhz = Clocks.mhz(*Rate.Clock);
  if (!Mhz)
    return std::nullopt;
  return Rate.AtMhz / (*Mhz * Rate.PerS.Value);
}

std::optional<double> Machine::constantPower(const Setting &Clocks) const {
  if (!Power.Constant.MiscW)
    return std::nullopt;
  auto Times = [](const std::optional<Quantity> &PerUnit, auto Units) -> std::optional<double> {
    if (!PerUnit)
      return 0;
    const std::optional<double> Given = Units();
    return Given ? std::optional(PerUnit->Value * *Given) : std::nullopt;
  };
  const std::optional<double> Terms[] = {
      Times(Power.Constant.CoreWPerV, [&] { return volts(Domain::Core, Clocks); }), // 2016, eq. 8
      Times(Power.Constant.MemWPerV, [&] { return volts(Domain::Mem, Clocks); }),
      Times(Power.Constant.CoreWPerMhzV2,
            [&]() -> std::optional<double> {
              const auto V2 = voltsSquared(Domain::Core, Clocks), Mhz = Clocks.mhz(Domain::Core);
              return V2 && Mhz ? std::optional(*V2 * *Mhz) : std::nullopt;
            }),
      Times(Power.Constant.MemWPerMhz, [&] { return Clocks.mhz(Domain::Mem); })};
  double Watts = Power.Constant.MiscW->Value;
  for (const std::optional<double> &Term : Terms) {
    if (!Term)
      return std::nullopt;
    Watts += *Term;
  }
  return Watts;
}

std::map<std::string, Quantity *> Machine::coefficients() {
  std::map<std::string, Quantity *> Result;
  if (Power.Constant.MiscW)
    Result["constant_power.misc_w"] = &*Power.Constant.MiscW;
  if (Power.Constant.CoreWPerV)
    Result["constant_power.core_w_per_v"] = &*Power.Constant.CoreWPerV;
  if (Power.Constant.MemWPerV)
    Result["constant_power.mem_w_per_v"] = &*Power.Constant.MemWPerV;
  if (Power.Constant.CoreWPerMhzV2)
    Result["constant_power.core_w_per_mhz_v2"] = &*Power.Constant.CoreWPerMhzV2;
  if (Power.Constant.MemWPerMhz)
    Result["constant_power.mem_w_per_mhz"] = &*Power.Constant.MemWPerMhz;
  if (Power.Cap)
    Result["power_cap_w"] = &*Power.Cap;
  if (Timing.OverlapExponent)
    Result["overlap.exponent"] = &*Timing.OverlapExponent;
  for (auto &[Class, Cost] : Power.Energies)
    Result["energy." + Class] = &Cost.Coefficient;
  for (auto &[Class, Rate] : Timing.Throughputs)
    Result["throughput." + Class] = &Rate.PerS;
  return Result;
}

std::map<std::string, const Quantity *> Machine::coefficients() const {
  const auto Writable = const_cast<Machine *>(this)->coefficients();
  return {Writable.begin(), Writable.end()};
}

} // namespace ergon
