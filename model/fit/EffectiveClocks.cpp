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

/// One quantity of one workload at one memory clock.
struct Series {
  std::map<double, double> AtCoreMhz;
  std::vector<double> Sorted; ///< the values
};

/// The values of a series but one.
struct Others {
  const std::vector<double> &Sorted;
  std::size_t Out; ///< the position of the one

  std::size_t size() const { return Sorted.size() - 1; }
  double operator[](std::size_t K) const { return Sorted[K < Out ? K : K + 1]; }
};

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
static double spread(const Others &Values) {
  return Values.size() < 5 ? Values[Values.size() - 1] - Values[0]
                           : sortedQuantile(Values, 0.75) - sortedQuantile(Values, 0.25);
}

static double memMhz(const Sample &Row) { return Row.Clocks.MemMhz.value_or(0); }

/// Rows with one memory clock, by position.
using RowsAtClock = std::vector<std::size_t>;

/// The series of \p Value of some rows, one for each workload.
template <typename Quantity>
static std::map<std::string, Series> seriesOf(const Samples &S, const RowsAtClock &Rows,
                                              Quantity Value) {
  std::map<std::string, std::map<double, std::vector<double>>> Repeats;
  for (std::size_t Position : Rows) {
    const Sample &Row = S.Rows[Position];
    Repeats[Row.Workload][*Row.Clocks.CoreMhz].push_back(Value(Row));
  }
  std::map<std::string, Series> Result;
  for (const auto &[Workload, AtClocks] : Repeats) {
    Series &Next = Result[Workload];
    for (const auto &[Mhz, Values] : AtClocks)
      Next.Sorted.push_back(Next.AtCoreMhz[Mhz] = median(Values));
    std::ranges::sort(Next.Sorted);
  }
  return Result;
}

/// The values at a clock relative to the medians of those at the others.
static Shift shiftOf(std::string Class, const std::map<std::string, Series> &S, double Mhz) {
  Shift Result{std::move(Class), {}, 0};
  for (const auto &[Workload, Values] : S) {
    auto Position = Values.AtCoreMhz.find(Mhz);
    if (Position == Values.AtCoreMhz.end() || Values.Sorted.size() < 3)
      continue;
    const double Value = Position->second;
    const Others Rest{Values.Sorted, std::size_t(std::ranges::lower_bound(Values.Sorted, Value) -
                                                 Values.Sorted.begin())};
    const double Middle = sortedQuantile(Rest, 0.5);
    if (Middle <= 0 || Value <= 0)
      continue;
    ++Result.Workloads;
    if (spread(Rest) <= SteadyWithin * Middle)
      Result.Ratios.push_back(Value / Middle);
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

static void correct(Samples &S, const RowsAtClock &Rows, double CoreMhz, const Verdict &V) {
  for (std::size_t Position : Rows) {
    Sample &Row = S.Rows[Position];
    if (Row.Clocks.CoreMhz != CoreMhz)
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

/// Deviations at each core clock of the rows \p Rows.
static std::map<double, Verdict> verdicts(const Samples &S, const RowsAtClock &Rows) {
  const auto Cycles = seriesOf(
      S, Rows, [](const Sample &Row) { return Row.TimeS * *Row.Clocks.mhz(Domain::Core); });
  std::vector<std::map<std::string, Series>> Counts;
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    Counts.push_back(seriesOf(S, Rows, [&](const Sample &Row) { return *Row.Counts[C]; }));
  std::set<double> CoreClocks;
  for (std::size_t Position : Rows)
    CoreClocks.insert(*S.Rows[Position].Clocks.CoreMhz);
  std::map<double, Verdict> Result;
  for (double CoreMhz : CoreClocks) {
    std::vector<Shift> Classes;
    for (std::size_t C = 0; C != S.Classes.size(); ++C)
      Classes.push_back(shiftOf(S.Classes[C], Counts[C], CoreMhz));
    Result[CoreMhz] = judge(shiftOf("", Cycles, CoreMhz), Classes);
  }
  return Result;
}

std::vector<SampleFinding> correctClocks(Samples &S) {
  std::map<double, RowsAtClock> AtMemClock;
  for (std::size_t Position = 0; Position != S.Rows.size(); ++Position)
    AtMemClock[memMhz(S.Rows[Position])].push_back(Position);
  std::vector<SampleFinding> Findings;
  for (const auto &[MemMhz, Rows] : AtMemClock) {
    // The largest deviation first: with it corrected, others may turn out right.
    std::set<double> Corrected;
    std::map<double, Verdict> Found = verdicts(S, Rows);
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
      correct(S, Rows, CoreMhz, Function);
      Corrected.insert(CoreMhz);
      std::ranges::move(tell(CoreMhz, MemMhz, Function), std::back_inserter(Findings));
      Found = verdicts(S, Rows);
    }
    for (const auto &[CoreMhz, F] : Found)
      if (!Corrected.contains(CoreMhz))
        std::ranges::move(tell(CoreMhz, MemMhz, F), std::back_inserter(Findings));
  }
  return Findings;
}

} // namespace ergon
