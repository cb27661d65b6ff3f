//===- CacheRoofs.cpp - cache-aware rooflines -----------------------------===//

#include "model/energy/CacheRoofs.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <limits>

namespace ergon {

// Both are in eq. 1 of CARM: the utilization of a resource, T_β/T and T_φ/T.
static double shareOfBytes(double Relative) { return Relative > 1 ? 1 / Relative : 1; }
static double shareOfFlops(double Relative) { return std::min(1.0, Relative); }

double PowerHill::attainable(double Intensity) const {
  return std::min(BytesPerS * Intensity, FlopsPerS);
}

double PowerHill::power(double Intensity) const {
  const double Relative = Intensity / ridge();
  return powerOf(BytesW * shareOfBytes(Relative) + FlopsW * shareOfFlops(Relative));
}

// Eq. 3 and 4, expanded. The extracted text cuts off the denominator of eq. 4; by eq. 3 it is
// P^q·max(F_p, B·AI) + P^{v,β}·F_p + P^{v,φ}·B·AI.
double PowerHill::energy(double Flops, double Intensity) const {
  return power(Intensity) * Flops / attainable(Intensity);
}
double PowerHill::efficiency(double Intensity) const {
  return attainable(Intensity) / power(Intensity);
}

/// The smallest x from 0 to 1 with \p IsReached, which is monotone and true at 1.
template <typename Predicate> static double leastShare(Predicate IsReached) {
  double Low = 0, High = 1;
  for (int Step = 0; Step != 60; ++Step) {
    const double Middle = (Low + High) / 2;
    (IsReached(Middle) ? High : Low) = Middle;
  }
  return High;
}

double PowerHill::entryPoint(double Share) const {
  // With x = AI/ridge, ξ/ξ_max is P^φ·x/(P^q + P^{v,β} + P^{v,φ}·x) up to x = 1 and P^φ·x/(P^φ·x +
  // P^{v,β}) beyond: monotone, so it is solved for x.
  const double FullW = powerOf(FlopsW);
  if (FullW < Share * topPower()) {
    const double MostW = FullW / Share - ConstantW; // limit of variable powers
    return ridge() * BytesW /
           (Saturates ? Saturates->sumWatts(MostW) - FlopsW : FullW * (1 - Share) / Share);
  }
  if (ConstantW + BytesW == 0 && !Saturates)
    return 0;    // only flops draw power: ξ is constant
  if (Saturates) // no closed form
    return ridge() *
           leastShare([&](double X) { return X * FullW >= Share * powerOf(BytesW + FlopsW * X); });
  return ridge() * Share * (ConstantW + BytesW) / (ConstantW + (1 - Share) * FlopsW);
}

double totalPower(std::span<const PowerHill> Levels, double Intensity) {
  // A mixture's bytes have the mean of the levels' seconds and joules per byte. Its power falls
  // with the seconds where it is memory-bound and rises with the joules where it is not. So the
  // maximum is at one level, or at a mixture of two whose ridge is at this intensity: a line
  // between two hill tops.
  double Most = 0;
  for (const PowerHill &Level : Levels)
    Most = std::max(Most, Level.power(Intensity));
  for (const PowerHill &Near : Levels)
    for (const PowerHill &Far : Levels) {
      if (!(Near.ridge() < Intensity && Intensity < Far.ridge()))
        continue;
      const double Share = (Intensity - Near.ridge()) / (Far.ridge() - Near.ridge());
      const double JoulesPerByte =
          (1 - Share) * Near.BytesW / Near.BytesPerS + Share * Far.BytesW / Far.BytesPerS;
      const double BytesPerS = Near.FlopsPerS / Intensity;
      Most = std::max(Most, Near.powerOf(Near.FlopsW + JoulesPerByte * BytesPerS));
    }
  return Most;
}

double LevelRoof::attainable(double Intensity) const {
  return std::min(BytesPerS * Intensity, FlopsPerS);
}

std::vector<PowerHill> CacheRoofs::hills(PowerDomain D) const {
  std::vector<PowerHill> Result;
  for (const LevelRoof &Level : Levels)
    if (auto Hill = Level.Hills.find(D); Hill != Level.Hills.end())
      Result.push_back(Hill->second);
  return Result;
}

//===----------------------------------------------------------------------===//
// From a profile
//===----------------------------------------------------------------------===//

/// The levels, this one last, that a byte passes from \p Level to the core.
static std::span<const std::string_view> path(std::size_t Level) {
  const std::span All(MemoryLevelNames);
  return Level == 0 ? All.first(1) : All.subspan(1, Level);
}

namespace {
/// Gathers the roofs of one class of flops.
struct RoofBuilder {
  const Machine &M;
  const Setting &Clocks;
  CacheRoofs Result;
  double FlopsPerS;

  bool isNamed(const std::string &Class) const;
  std::optional<double> bytesPerS(std::size_t Level) const;
  std::optional<double> joulesPerByte(std::size_t Level);
  void addDomains(LevelRoof &Roof);
  void addMachine(LevelRoof &Roof, std::size_t Level);
  void add(std::size_t Level);
};
} // namespace

bool RoofBuilder::isNamed(const std::string &Class) const {
  return M.Timing.Throughputs.contains(Class) || M.Power.Energies.contains(Class) ||
         std::ranges::any_of(M.Power.DomainPowers,
                             [&](const DomainPower &P) { return P.CoresBytesW.contains(Class); });
}

std::optional<double> RoofBuilder::bytesPerS(std::size_t Level) const {
  if (!M.timePerUnit(levelBytes(MemoryLevelNames[Level]), Clocks))
    return std::nullopt;
  double Slowest = 0;
  for (std::string_view Text : path(Level))
    Slowest = std::max(Slowest, M.timePerUnit(levelBytes(Text), Clocks).value_or(0));
  return 1 / Slowest;
}

/// The energy of a byte on its whole path from the level. Names what is unknown.
std::optional<double> RoofBuilder::joulesPerByte(std::size_t Level) {
  const std::string Name(MemoryLevelNames[Level]);
  std::string Inner; // inner levels with a cost of their own
  double Joules = 0;
  for (std::string_view Text : path(Level)) {
    if (Text != Name && !M.Power.Energies.contains(levelBytes(Text)))
      continue;
    if (Text != Name)
      Inner += (Inner.empty() ? "" : " and ") + std::string(Text);
    if (Text != Name && M.Power.BytesPaid != ByteEnergy::AtEachLevel)
      continue;
    const std::optional<double> Price = M.energyPerUnit(levelBytes(Text), Clocks);
    if (!Price) {
      Result.Unknown.push_back("energy of a byte of " + std::string(Text));
      return std::nullopt;
    }
    Joules += *Price;
  }
  if (Inner.empty() || M.Power.BytesPaid)
    return Joules;
  Result.Unknown.push_back("whether the energy of a byte of " + Name + " has that of " + Inner +
                           " in it (byte_energy)");
  return std::nullopt;
}

void RoofBuilder::addDomains(LevelRoof &Roof) {
  for (const DomainPower &P : M.Power.DomainPowers) {
    if (P.CoreMhz != Clocks.CoreMhz || P.FlopsClass != Result.FlopsClass)
      continue;
    const bool IsDram = Roof.Level == MemoryLevelNames.back();
    if (P.UncoreConstantW && P.UncoreDramW) // CARM, eq. 2: constant except for main memory
      Roof.Hills[PowerDomain::Uncore] = {FlopsPerS, Roof.BytesPerS, P.UncoreConstantW->Value, 0,
                                         IsDram ? P.UncoreDramW->Value : 0};
    auto Bytes = P.CoresBytesW.find(levelBytes(Roof.Level));
    if (Bytes == P.CoresBytesW.end()) {
      Result.Unknown.push_back("power of the cores with bytes of " + Roof.Level);
      continue;
    }
    const PowerHill &Cores =
        Roof.Hills[PowerDomain::Cores] = {FlopsPerS, Roof.BytesPerS, P.CoresConstantW.Value,
                                          P.CoresFlopsW.Value, Bytes->second.Value};
    if (auto Uncore = Roof.Hills.find(PowerDomain::Uncore); Uncore != Roof.Hills.end())
      Roof.Hills[PowerDomain::Package] = {FlopsPerS, Roof.BytesPerS,
                                          Cores.ConstantW + Uncore->second.ConstantW, Cores.FlopsW,
                                          Cores.BytesW + Uncore->second.BytesW};
  }
}

void RoofBuilder::addMachine(LevelRoof &Roof, std::size_t Level) {
  const std::optional<double> Pi0 = M.constantPower(Clocks);
  const std::optional<double> Eps = M.energyPerUnit(Result.FlopsClass, Clocks);
  if (!Pi0 || !Eps || *Pi0 + *Eps <= 0)
    return; // reported once, not for each level
  if (const std::optional<double> EpsByte = joulesPerByte(Level))
    Roof.Hills[PowerDomain::Machine] = {
        FlopsPerS,        Roof.BytesPerS, *Pi0, *Eps * FlopsPerS, *EpsByte * Roof.BytesPerS,
        M.Power.Saturates};
}

void RoofBuilder::add(std::size_t Level) {
  LevelRoof Roof{std::string(MemoryLevelNames[Level]), FlopsPerS, 0, {}};
  if (!isNamed(levelBytes(Roof.Level)))
    return;
  const std::optional<double> Rate = bytesPerS(Level);
  if (!Rate) {
    Result.Unknown.push_back("bandwidth of " + Roof.Level);
    return;
  }
  Roof.BytesPerS = *Rate;
  addDomains(Roof);
  addMachine(Roof, Level);
  Result.Levels.push_back(std::move(Roof));
}

CacheRoofs cacheRoofs(const Machine &M, const Setting &Clocks, const std::string &FlopsClass) {
  const std::optional<double> Tau = M.timePerUnit(FlopsClass, Clocks);
  RoofBuilder Builder{M, Clocks, {FlopsClass, {}, {}}, Tau ? 1 / *Tau : 0};
  if (!Tau) {
    Builder.Result.Unknown.push_back("rate of " + FlopsClass);
    return std::move(Builder.Result);
  }
  if (!M.constantPower(Clocks))
    Builder.Result.Unknown.push_back("constant power of the machine");
  if (!M.energyPerUnit(FlopsClass, Clocks))
    Builder.Result.Unknown.push_back("energy of " + FlopsClass);
  if (M.Fit.Corrects)
    Builder.Result.Unknown.push_back("how far power is from the fit's formula near its samples: "
                                     "the correction that predictions have");
  for (std::size_t Level = 0; Level != MemoryLevelNames.size(); ++Level)
    Builder.add(Level);
  return std::move(Builder.Result);
}

std::optional<double> meetingCoreMhz(const Throughput &Inner, const Throughput &Outer,
                                     const Setting &Clocks) {
  if (Inner.Clock != Domain::Core || Outer.Clock == Domain::Core)
    return std::nullopt;
  double OuterPerS = Outer.PerS.Value;
  if (Outer.Clock) {
    const std::optional<double> Mhz = Clocks.mhz(*Outer.Clock);
    if (!Mhz)
      return std::nullopt;
    OuterPerS *= *Mhz / Outer.AtMhz;
  }
  return Inner.AtMhz * OuterPerS / Inner.PerS.Value;
}

} // namespace ergon
