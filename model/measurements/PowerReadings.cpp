//===- PowerReadings.cpp - power over time, and its integral --------------===//

#include "model/measurements/PowerReadings.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <cmath>

namespace ergon {

double readingPeriodS(std::span<const PowerReading> Readings) {
  if (Readings.size() < 2)
    return 0;
  std::vector<double> Gaps;
  for (std::size_t K = 1; K != Readings.size(); ++K)
    Gaps.push_back(Readings[K].AtS - Readings[K - 1].AtS);
  return median(std::move(Gaps));
}

/// Linear between the readings, constant outside.
static double powerAt(std::span<const PowerReading> Readings, double AtS) {
  const auto After = std::ranges::lower_bound(Readings, AtS, {}, &PowerReading::AtS);
  if (After == Readings.begin())
    return Readings.front().PowerW;
  if (After == Readings.end())
    return Readings.back().PowerW;
  const PowerReading &Before = *(After - 1);
  const double Share = (AtS - Before.AtS) / (After->AtS - Before.AtS);
  return Before.PowerW + Share * (After->PowerW - Before.PowerW);
}

std::optional<double> integratedEnergyJ(std::span<const PowerReading> Readings, double FromS,
                                        double UntilS) {
  const double Slack = readingPeriodS(Readings) / 2;
  if (Readings.empty() || !(UntilS >= FromS) || FromS < Readings.front().AtS - Slack ||
      UntilS > Readings.back().AtS + Slack)
    return std::nullopt;
  double EnergyJ = 0, LastS = FromS, LastW = powerAt(Readings, FromS);
  auto Step = [&](double AtS, double PowerW) {
    EnergyJ += (AtS - LastS) * (LastW + PowerW) / 2;
    LastS = AtS, LastW = PowerW;
  };
  for (auto Next = std::ranges::upper_bound(Readings, FromS, {}, &PowerReading::AtS);
       Next != Readings.end() && Next->AtS < UntilS; ++Next)
    Step(Next->AtS, Next->PowerW);
  Step(UntilS, powerAt(Readings, UntilS));
  return EnergyJ;
}

std::optional<double> meanPowerW(std::span<const PowerReading> Readings, double FromS,
                                 double UntilS) {
  const double Slack = 1.5 * readingPeriodS(Readings);
  const auto First = std::ranges::lower_bound(Readings, FromS, {}, &PowerReading::AtS);
  const auto End = std::ranges::upper_bound(Readings, UntilS, {}, &PowerReading::AtS);
  if (End - First < 3 || First->AtS - FromS > Slack || UntilS - (End - 1)->AtS > Slack)
    return std::nullopt;
  const double LastS = (End - 1)->AtS;
  const auto EnergyJ = integratedEnergyJ(Readings, First->AtS, LastS);
  return EnergyJ.transform([&](double Joules) { return Joules / (LastS - First->AtS); });
}

/// The median of what the readings have; nothing where none has it. \p Extent is set to the least
/// and the most of them.
static std::optional<double>
medianClock(std::span<const PowerReading> Readings, std::optional<double> PowerReading::*Clock,
            std::optional<std::pair<double, double>> *Extent = nullptr) {
  std::vector<double> Values;
  for (const PowerReading &R : Readings)
    if (R.*Clock)
      Values.push_back(*(R.*Clock));
  if (Values.empty())
    return std::nullopt;
  std::ranges::sort(Values);
  // The extreme tenths are a board's ramps.
  const std::size_t Tenth = Values.size() / 10;
  if (Extent)
    *Extent = {Values[Tenth], Values[Values.size() - 1 - Tenth]};
  return Values[Values.size() / 2];
}

std::pair<std::optional<double>, std::optional<double>>
clocksBetween(std::span<const PowerReading> Readings, double FromS, double UntilS) {
  const auto First = std::ranges::lower_bound(Readings, FromS, {}, &PowerReading::AtS);
  const auto End = std::ranges::upper_bound(Readings, UntilS, {}, &PowerReading::AtS);
  std::span<const PowerReading> Inside(First, std::max(First, End));
  if (Inside.empty() && !Readings.empty()) {
    auto Nearest = First;
    if (First == Readings.end() ||
        (First != Readings.begin() && FromS - (First - 1)->AtS < First->AtS - FromS))
      --Nearest;
    Inside = {Nearest, 1};
  }
  return {medianClock(Inside, &PowerReading::CoreMhz), medianClock(Inside, &PowerReading::MemMhz)};
}

LoadedPart loadedPart(std::span<const PowerReading> Readings) {
  LoadedPart Result;
  if (Readings.empty())
    return Result;
  const auto [Least, Most] = std::ranges::minmax(Readings, {}, &PowerReading::PowerW);
  Result.HasIdle = Most.PowerW >= 1.25 * Least.PowerW;
  const double Threshold = Result.HasIdle ? (Least.PowerW + Most.PowerW) / 2 : 0;
  std::vector<PowerReading> Loaded;
  for (const PowerReading &R : Readings)
    if (R.PowerW >= Threshold)
      Loaded.push_back(R);
  for (const PowerReading &R : Loaded)
    Result.MeanW += R.PowerW / double(Loaded.size());
  Result.Readings = Loaded.size();
  Result.DurationS = double(Loaded.size()) * readingPeriodS(Readings);
  Result.CoreMhz = medianClock(Loaded, &PowerReading::CoreMhz, &Result.Cores);
  Result.MemMhz = medianClock(Loaded, &PowerReading::MemMhz, &Result.Mems);
  auto Varies = [](const auto &Extent) {
    return Extent && Extent->second > (1 + ClockTolerance) * Extent->first;
  };
  Result.CoreVaries = Varies(Result.Cores);
  Result.MemVaries = Varies(Result.Mems);
  return Result;
}

} // namespace ergon
