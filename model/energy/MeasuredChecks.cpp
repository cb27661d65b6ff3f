//===- MeasuredChecks.cpp - measured runs that may be no runs -------------===//

#include "model/energy/MeasuredChecks.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Energies may be of a part of what the model has, as of a package.
static constexpr double PowerFactor = 10;

std::optional<std::string> impossiblePower(double EnergyJ, double TimeS) {
  const double Watts = EnergyJ / TimeS;
  if (Watts > MostPowerW)
    return shortNumber(Watts) + " W, more than any machine draws";
  if (Watts < LeastPowerW)
    return shortNumber(Watts) + " W, less than any processor draws";
  return std::nullopt;
}

/// `3 s at 1000 MHz (--measured-time)`
static std::string nameOf(const MeasuredRun &Run) {
  std::string Result = shortNumber(Run.TimeS) + " s";
  if (Run.Clocks.CoreMhz)
    Result += " at " + shortNumber(*Run.Clocks.CoreMhz) +
              (Run.Clocks.MemMhz ? "/" + shortNumber(*Run.Clocks.MemMhz) : "") + " MHz";
  return Result + " (" + Run.Source + ")";
}

/// How many times the larger of two positive numbers is the smaller.
static double factorOf(double One, double Other) { return std::max(One / Other, Other / One); }

static void compareWithModel(const ComparedRun &Compared, std::vector<std::string> &Result) {
  const MeasuredRun &Run = Compared.Run;
  if (const double Factor = factorOf(Run.TimeS, Compared.ModelS); Factor > UnitsFactor)
    Result.push_back("measured-far: " + nameOf(Run) + " is " + shortNumber(Factor) + " times " +
                     (Run.TimeS < Compared.ModelS ? "less" : "more") +
                     " than the model says; is it of this entry, with these values, in seconds?");
  if (!Run.EnergyJ || !(Compared.ModelJ > 0))
    return;
  // In the same time, in which the model's constant power is not known here: by power.
  const double Watts = *Run.EnergyJ / Run.TimeS, ModelW = Compared.ModelJ / Compared.ModelS;
  if (const double Factor = factorOf(Watts, ModelW); Factor > PowerFactor)
    Result.push_back("measured-far: the " + shortNumber(Watts) + " W of " + nameOf(Run) + " are " +
                     shortNumber(Factor) + " times " + (Watts < ModelW ? "less" : "more") +
                     " than the model says; are they of this machine, in joules?");
}

/// Whether \p Slow has no higher clock than \p Fast and a lower one.
static bool isSlower(const Setting &Slow, const Setting &Fast) {
  const double Core = Slow.CoreMhz.value_or(0) - Fast.CoreMhz.value_or(0),
               Mem = Slow.MemMhz.value_or(0) - Fast.MemMhz.value_or(0);
  return Core <= 0 && Mem <= 0 && Core + Mem < 0;
}

std::vector<std::string> doubtsOf(std::span<const ComparedRun> Runs) {
  std::vector<std::string> Result;
  for (const ComparedRun &Run : Runs)
    compareWithModel(Run, Result);
  for (const auto &[Run, ModelS, ModelJ] : Runs)
    for (const auto &[Other, OtherS, OtherJ] : Runs) {
      if (&Run < &Other && Run.Clocks.sameClocks(Other.Clocks) &&
          factorOf(Run.TimeS, Other.TimeS) > RepeatFactor)
        Result.push_back("runs-contradict: " + nameOf(Run) + " and " + nameOf(Other) +
                         "; leave one out, or correct its --at");
      if (isSlower(Run.Clocks, Other.Clocks) && Other.TimeS > TimeRises * Run.TimeS)
        Result.push_back("runs-contradict: " + nameOf(Run) + ", and at higher clocks " +
                         nameOf(Other) + "; are their --at exchanged?");
    }
  return Result;
}

} // namespace ergon
