//===- EffectiveClocks.cpp - clocks that differ from the requested --------===//

#include "model/fit/EffectiveClocks.h"
#include "model/fit/Statistics.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ergon {

namespace {
/// Tolerance for equal values at other clocks, beside measurement noise.
constexpr double SteadyWithin = 0.05;
/// The share of the workloads whose counts of a class must be the same at other clocks for it to be
/// work. A class of cycles follows the time and would confirm any time.
constexpr double MostWorkloads = 0.75;
/// Deviation of a factor from 1 beyond noise, and the tolerance for factors of one cause.
constexpr double OffBy = 0.1, SameWithin = 0.05;
constexpr std::size_t FewestWorkloads = 3;

/// One quantity of one workload at one memory clock, by the core's clock.
using Series = std::map<double, double>;

/// A quantity of all workloads at one setting against that of the other core clocks.
struct Shift {
  std::string Class; ///< empty for cycles: time multiplied by clock
  /// For each workload in which the others agree.
  std::vector<double> Ratios;
  std::size_t Workloads = 0; ///< all that have it at this clock and at enough others

  double factor() const { return median(Ratios); }
  /// The workloads agree on one factor beyond noise.
  bool isOff() const {
    return Ratios.size() >= FewestWorkloads && middleHalf(Ratios) < OffBy * factor() &&
           std::abs(std::log(factor())) > std::log(1 + OffBy);
  }
  bool isWork() const { return double(Ratios.size()) >= MostWorkloads * double(Workloads); }
};

/// Quantities at a setting that are off by one factor.
struct Verdict {
  double Factor = 1;
  bool CyclesOff = false;
  std::vector<std::string> Together; ///< classes that are off like the cycles
  std::vector<std::string> Alone;    ///< classes of work that are off otherwise
};
} // namespace

/// The spread of values: of many, their interquartile range.
static double spread(const std::vector<double> &Values) {
  const auto [Least, Most] = std::ranges::minmax(Values);
  return Values.size() < 5 ? Most - Least : middleHalf(Values);
}

static double memMhz(const Sample &Row) { return Row.Clocks.MemMhz.value_or(0); }

/// The series of \p Value at a memory clock, one for each workload.
template <typename Quantity>
static std::map<std::string, Series> seriesOf(const Samples &S, double MemMhz, Quantity Value) {
  std::map<std::string, std::map<double, std::vector<double>>> Repeats;
  for (const Sample &Row : S.Rows)
    if (memMhz(Row) == MemMhz)
      Repeats[Row.Workload][*Row.Clocks.CoreMhz].push_back(Value(Row));
  std::map<std::string, Series> Result;
  for (const auto &[Workload, AtClocks] : Repeats)
    for (const auto &[Mhz, Values] : AtClocks)
      Result[Workload][Mhz] = median(Values);
  return Result;
}

/// The values at a clock relative to the medians of those at the others.
static Shift shiftOf(std::string Class, const std::map<std::string, Series> &S, double Mhz) {
  Shift Result{std::move(Class), {}, 0};
  for (const auto &[Workload, Values] : S) {
    auto Position = Values.find(Mhz);
    if (Position == Values.end() || Values.size() < 3)
      continue;
    std::vector<double> Others;
    for (const auto &[V, Value] : Values)
      if (V != Mhz)
        Others.push_back(Value);
    const double Middle = median(Others);
    if (Middle <= 0 || Position->second <= 0)
      continue;
    ++Result.Workloads;
    if (spread(Others) <= SteadyWithin * Middle)
      Result.Ratios.push_back(Position->second / Middle);
  }
  return Result;
}

static Verdict judge(const Shift &Cycles, const std::vector<Shift> &Classes) {
  Verdict Result;
  Result.CyclesOff = Cycles.isOff();
  std::vector<double> Ratios;
  if (Result.CyclesOff)
    Ratios = Cycles.Ratios;
  bool WorkIsOff = false;
  for (const Shift &Class : Classes) {
    if (!Class.isOff())
      continue;
    if (Result.CyclesOff && std::abs(std::log(Class.factor() / Cycles.factor())) < SameWithin) {
      Ratios.insert(Ratios.end(), Class.Ratios.begin(), Class.Ratios.end());
      Result.Together.push_back(Class.Class);
      WorkIsOff |= Class.isWork();
    } else if (Class.isWork()) {
      Result.Alone.push_back(Class.Class + " (" + shortNumber(Class.factor()) + " times)");
    }
  }
  if (!WorkIsOff) {
    Result.Together.clear();
    Ratios = Cycles.Ratios;
  }
  if (Result.CyclesOff)
    Result.Factor = median(Ratios);
  return Result;
}

static void correct(Samples &S, double CoreMhz, double MemMhz, const Verdict &V) {
  for (Sample &Row : S.Rows) {
    if (Row.Clocks.CoreMhz != CoreMhz || memMhz(Row) != MemMhz)
      continue;
    Row.Clocks.ActualCoreMhz = CoreMhz / V.Factor;
    for (std::size_t C = 0; C != S.Classes.size(); ++C)
      if (std::ranges::find(V.Together, S.Classes[C]) != V.Together.end())
        *Row.Counts[C] /= V.Factor;
  }
}

static std::vector<SampleFinding> tell(double CoreMhz, double MemMhz, const Verdict &V) {
  std::string Where = "core_mhz " + shortNumber(CoreMhz);
  if (MemMhz > 0)
    Where += " with mem_mhz " + shortNumber(MemMhz);
  const std::string Factor = shortNumber(V.Factor);
  std::vector<SampleFinding> Result;
  if (!V.Together.empty())
    Result.push_back({"clock-not-as-asked", Severity::Warning,
                      Where + ": cycles and counts of the same workloads are " + Factor +
                          " times those of other clocks, so the core ran at " +
                          shortNumber(CoreMhz / V.Factor) + " MHz: taken as that, and divided by " +
                          Factor + ": " + listed(V.Together)});
  else if (V.CyclesOff)
    Result.push_back({"cycles-differ", Severity::Warning,
                      Where + ": workloads with the same cycles at other clocks take " + Factor +
                          " times as many; did the core run at " + shortNumber(CoreMhz / V.Factor) +
                          " MHz? Taken as it stands"});
  if (!V.Alone.empty())
    Result.push_back({"counts-differ", Severity::Warning,
                      Where + ": counts of the same workloads are not those of other clocks: " +
                          listed(V.Alone) + "; check how they were measured"});
  return Result;
}

/// Deviations at each core clock of the rows with a memory clock.
static std::map<double, Verdict> verdicts(const Samples &S, double MemMhz) {
  const auto Cycles = seriesOf(
      S, MemMhz, [](const Sample &Row) { return Row.TimeS * *Row.Clocks.mhz(Domain::Core); });
  std::vector<std::map<std::string, Series>> Counts;
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    Counts.push_back(seriesOf(S, MemMhz, [&](const Sample &Row) { return *Row.Counts[C]; }));
  std::map<double, Verdict> Result;
  for (const Sample &Row : S.Rows) {
    if (memMhz(Row) != MemMhz || Result.contains(*Row.Clocks.CoreMhz))
      continue;
    std::vector<Shift> Classes;
    for (std::size_t C = 0; C != S.Classes.size(); ++C)
      Classes.push_back(shiftOf(S.Classes[C], Counts[C], *Row.Clocks.CoreMhz));
    Result[*Row.Clocks.CoreMhz] = judge(shiftOf("", Cycles, *Row.Clocks.CoreMhz), Classes);
  }
  return Result;
}

std::vector<SampleFinding> correctClocks(Samples &S) {
  std::set<double> MemClocks;
  for (const Sample &Row : S.Rows)
    MemClocks.insert(memMhz(Row));
  std::vector<SampleFinding> Findings;
  for (double MemMhz : MemClocks) {
    // The largest deviation first: with it corrected, others may turn out right.
    std::set<double> Corrected;
    std::map<double, Verdict> Found = verdicts(S, MemMhz);
    auto Badness = [&](const auto &Item) {
      return Item.second.Together.empty() || Corrected.contains(Item.first)
                 ? 0
                 : std::abs(std::log(Item.second.Factor));
    };
    while (!Found.empty()) {
      const auto Worst = std::ranges::max_element(Found, {}, Badness);
      if (Badness(*Worst) == 0)
        break;
      const auto [CoreMhz, Function] = *Worst;
      correct(S, CoreMhz, MemMhz, Function);
      Corrected.insert(CoreMhz);
      std::ranges::move(tell(CoreMhz, MemMhz, Function), std::back_inserter(Findings));
      Found = verdicts(S, MemMhz);
    }
    for (const auto &[CoreMhz, F] : Found)
      if (!Corrected.contains(CoreMhz))
        std::ranges::move(tell(CoreMhz, MemMhz, F), std::back_inserter(Findings));
  }
  return Findings;
}

} // namespace ergon
