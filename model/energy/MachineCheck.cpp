//===- MachineCheck.cpp - plausibility of a profile -----------------------===//
//
// Clocks, voltages and the datasheet; MachineCheckCosts.cpp checks the costs of operations.
//
//===----------------------------------------------------------------------===//

#include "model/energy/MachineCheck.h"
#include "model/energy/MachineCheckRules.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ergon {

// Well-optimised kernels reach a fifth of a peak and more.
static constexpr double FarBelowPeak = 1.0 / 20;
// The highest clock ever reached by a processor is 9.1 GHz; memory clocks may be stated as
// transfers, up to 32 per nanosecond. The slowest idle states have a few MHz.
static constexpr double LowestMhz = 5, HighestMhz[] = {10e3, 40e3}, NoClockMhz = 100e3;
// A rate stated at a clock this far from every setting is in another unit.
static constexpr double ClocksApart = 50;
// Transistors switch from about 200 mV on; logic has had at most 5 V, DRAM now has 1.1 to 2.5 V.
static constexpr double NoVoltageMv[] = {100, 12e3}, Voltages[] = {300, 2600};
// Capacities of l1, l2 and l3, and bytes of a line. The largest known: a l1 of 256 KB in an H100, a
// l2 of 126 MB in a B200, a l3 of 1152 MB in all parts of an EPYC 9684X; lines of 256 in a z13.
static constexpr double MinCacheBytes = 256, MaxCacheBytes[] = {1 << 20, 1 << 29, 1ul << 31};
static constexpr double LineBytes[] = {4, 1024};
// Voltage tables are measured, or have steps of 10 mV.
static constexpr double VoltageFalls = 0.98;

std::string checkText(double Value) {
  char Digits[32];
  const auto End =
      std::to_chars(Digits, Digits + sizeof(Digits), Value, std::chars_format::general, 6);
  return {Digits, End.ptr};
}

namespace {
/// One of the four numbers of a setting.
struct SettingMember {
  std::string_view Key;
  std::optional<double> Setting::*Value;
  Domain Part;
  bool IsVoltage;
};

struct HardwareChecker {
  const Machine &M;
  CheckFindings &Found;

  void checkClock(double Mhz, Domain D, const std::string &Where);
  void checkVoltage(double Mv, const std::string &Where);
  void checkUnits();
  void checkVoltageOrder(Domain D);
  void checkRanges();
  void checkPeaks();
  void checkCaches();
};
} // namespace

static constexpr SettingMember Members[] = {{"core_mhz", &Setting::CoreMhz, Domain::Core, false},
                                            {"mem_mhz", &Setting::MemMhz, Domain::Mem, false},
                                            {"core_mv", &Setting::CoreMv, Domain::Core, true},
                                            {"mem_mv", &Setting::MemMv, Domain::Mem, true}};

static std::string settingAt(std::size_t Index, std::string_view Key) {
  return "/settings/" + std::to_string(Index) + "/" + std::string(Key);
}

void HardwareChecker::checkClock(double Mhz, Domain D, const std::string &Where) {
  if (Mhz >= NoClockMhz)
    Found.impossible("clock-unit", Where, "is " + checkText(Mhz) + " MHz, which no clock is",
                     "write megahertz");
  else if (Mhz > HighestMhz[std::size_t(D)] || Mhz < LowestMhz)
    Found.implausible("clock-unit", Where,
                      "is " + checkText(Mhz) + " MHz, which no processor runs at",
                      "write megahertz");
}

void HardwareChecker::checkVoltage(double Mv, const std::string &Where) {
  if (Mv < NoVoltageMv[0] || Mv > NoVoltageMv[1])
    Found.impossible("voltage-unit", Where, "is " + checkText(Mv) + " mV, which no chip runs at",
                     "write millivolts");
  else if (Mv < Voltages[0] || Mv > Voltages[1])
    Found.implausible("voltage-unit", Where,
                      "is " + checkText(Mv) + " mV; processors and their memory have 300 to 2600",
                      "correct it, or leave the voltage out");
}

void HardwareChecker::checkUnits() {
  auto Check = [&](double Value, const SettingMember &As, const std::string &Where) {
    As.IsVoltage ? checkVoltage(Value, Where) : checkClock(Value, As.Part, Where);
  };
  for (std::size_t I = 0; I != M.Settings.size(); ++I)
    for (const SettingMember &Member : Members)
      if (const std::optional<double> Value = M.Settings[I].*Member.Value)
        Check(*Value, Member, settingAt(I, Member.Key));
  for (const auto &[Class, Rate] : M.Timing.Throughputs) {
    if (!Rate.Clock)
      continue;
    const std::string Where = "/throughput/" + Class + "/at_mhz";
    checkClock(Rate.AtMhz, *Rate.Clock, Where);
    if (std::ranges::none_of(M.Settings, [&](const Setting &S) {
          const double Ratio = S.mhz(*Rate.Clock).value_or(0) / Rate.AtMhz;
          return Ratio > 1 / ClocksApart && Ratio < ClocksApart;
        }))
      Found.implausible("clock-unit", Where, "is far from the clocks of all settings",
                        "write both in megahertz");
  }
  for (const auto &[Class, Peak] : M.Hardware.Peaks)
    checkClock(Peak.Mhz, Domain::Mem, "/datasheet/peak/" + Class + "/mhz");
  for (const SettingMember &SM : Members)
    if (auto Range = M.Hardware.Ranges.find(std::string(SM.Key));
        Range != M.Hardware.Ranges.end()) {
      const std::string Where = "/datasheet/range/" + Range->first;
      Check(Range->second.Min, SM, Where + "/min");
      Check(Range->second.Max, SM, Where + "/max");
    }
}

/// A higher clock needs at least the same voltage.
void HardwareChecker::checkVoltageOrder(Domain D) {
  auto Breaks = [&](const Setting &Fast, const Setting &Slow) {
    return Fast.mhz(D) && Slow.mhz(D) && *Slow.mhz(D) < *Fast.mhz(D) && Fast.volts(D) &&
           Slow.volts(D) && *Fast.volts(D) < VoltageFalls * *Slow.volts(D);
  };
  const std::string_view Key = D == Domain::Core ? "core_mv" : "mem_mv";
  for (std::size_t I = 0; I != M.Settings.size(); ++I) {
    auto Slow = std::ranges::find_if(
        M.Settings, [&](const Setting &Other) { return Breaks(M.Settings[I], Other); });
    if (Slow != M.Settings.end())
      Found.implausible("voltage-order", settingAt(I, Key),
                        "is below that of the slower " +
                            settingAt(std::size_t(Slow - M.Settings.begin()), Key),
                        "correct one of the two");
  }
}

void HardwareChecker::checkRanges() {
  for (const SettingMember &Member : Members) {
    auto Range = M.Hardware.Ranges.find(std::string(Member.Key));
    if (Range == M.Hardware.Ranges.end())
      continue;
    const auto &[Min, Max, Source] = Range->second;
    for (std::size_t I = 0; I != M.Settings.size(); ++I)
      if (const std::optional<double> Value = M.Settings[I].*Member.Value;
          Value && (*Value < Min || *Value > Max))
        Found.impossible("outside-range", settingAt(I, Member.Key),
                         "is " + checkText(*Value) + ", outside " + checkText(Min) + " to " +
                             checkText(Max) + " of /datasheet/range/" + Range->first,
                         "correct one of the two");
  }
}

void HardwareChecker::checkPeaks() {
  for (const auto &[Class, Peak] : M.Hardware.Peaks) {
    auto Rate = M.Timing.Throughputs.find(Class);
    if (Rate == M.Timing.Throughputs.end())
      continue;
    // Both at the clock of the datasheet's value.
    const double PerS =
        Rate->second.PerS.Value * (Rate->second.Clock ? Peak.Mhz / Rate->second.AtMhz : 1);
    const std::string What = "makes " + checkText(PerS) + " a second, ",
                      Text = checkText(Peak.perS()) + " of /datasheet/peak/" + Class;
    if (PerS > RoundedRate * Peak.perS())
      Found.impossible("above-peak", rateAt(Class), What + "above the " + Text,
                       "correct one of the two");
    else if (PerS < FarBelowPeak * Peak.perS())
      Found.implausible("below-peak", rateAt(Class), What + "less than a twentieth of the " + Text,
                        "correct one of the two");
  }
}

void HardwareChecker::checkCaches() {
  for (std::size_t I = 0; I != M.Topology.Caches.size(); ++I) {
    const Cache &C = M.Topology.Caches[I];
    const std::string Where = "/caches/" + std::to_string(I);
    const double Most =
        MaxCacheBytes[std::ranges::find(CacheLevelNames, C.Level) - CacheLevelNames.begin()];
    if (double(C.Bytes) < MinCacheBytes || double(C.Bytes) > Most)
      Found.implausible("cache-size", Where + "/bytes",
                        "is " + checkText(double(C.Bytes)) + " bytes; an " + C.Level + " has " +
                            checkText(MinCacheBytes) + " to " + checkText(Most),
                        "write bytes");
    if (C.LineBytes && (*C.LineBytes < LineBytes[0] || *C.LineBytes > LineBytes[1]))
      Found.implausible("cache-size", Where + "/line_bytes",
                        "is " + checkText(*C.LineBytes) + " bytes; lines have " +
                            checkText(LineBytes[0]) + " to " + checkText(LineBytes[1]),
                        "write bytes");
  }
}

void checkHardware(const Machine &M, CheckFindings &Found) {
  HardwareChecker Check{M, Found};
  Check.checkUnits();
  for (Domain D : {Domain::Core, Domain::Mem})
    Check.checkVoltageOrder(D);
  Check.checkRanges();
  Check.checkPeaks();
  Check.checkCaches();
}

std::vector<CheckFinding> checkMachine(const Machine &M) {
  CheckFindings Found;
  checkHardware(M, Found);
  checkCosts(M, Found);
  checkPipeline(M, Found);
  return std::move(Found.All);
}

} // namespace ergon
