//===- EffectiveClocks.cpp - clocks that were not as asked ----------------===//

#include "model/EffectiveClocks.h"
#include "model/Statistics.h"
#include "model/Wording.h"

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
/// What is the same in all workloads at other clocks, beside measurement noise.
constexpr double SteadyWithin = 0.05;
/// How far from 1 a factor is more than noise, and how far factors of one cause are apart.
constexpr double OffBy = 0.1, SameWithin = 0.05;
constexpr std::size_t FewestWorkloads = 3;

/// One quantity of one workload at one memory clock, by the core's clock.
using Series = std::map<double, double>;

/// A quantity of all workloads at one setting against that of the other core clocks.
struct Shift {
  std::string Class; ///< empty for cycles: time multiplied by clock
  /// For each workload in which the others agree.
  std::vector<double> Ratios;

  double factor() const { return median(Ratios); }
  /// The workloads tell one factor, and it is more than noise.
  bool isOff() const {
    return Ratios.size() >= FewestWorkloads && middleHalf(Ratios) < OffBy * factor() &&
           std::abs(std::log(factor())) > std::log(1 + OffBy);
  }
};
} // namespace

/// \p At over the median of the others; nothing where these do not agree.
static std::optional<double> ratio(const Series &Of, double At) {
  auto Here = Of.find(At);
  if (Here == Of.end() || Of.size() < 3)
    return std::nullopt;
  std::vector<double> Others;
  for (const auto &[Mhz, Value] : Of)
    if (Mhz != At)
      Others.push_back(Value);
  const double Middle = median(Others);
  if (Middle <= 0 || Here->second <= 0 || middleHalf(Others) > SteadyWithin * Middle)
    return std::nullopt;
  return Here->second / Middle;
}

static double memMhz(const Sample &Row) { return Row.At.MemMhz.value_or(0); }

/// The series of \p Value at a memory clock, one for each workload.
template <typename Quantity>
static std::map<std::string, Series> seriesOf(const Samples &Of, double MemMhz, Quantity Value) {
  std::map<std::string, std::map<double, std::vector<double>>> Repeats;
  for (const Sample &Row : Of.Rows)
    if (memMhz(Row) == MemMhz)
      Repeats[Row.Workload][*Row.At.CoreMhz].push_back(Value(Row));
  std::map<std::string, Series> Result;
  for (const auto &[Workload, AtClocks] : Repeats)
    for (const auto &[Mhz, Values] : AtClocks)
      Result[Workload][Mhz] = median(Values);
  return Result;
}

static Shift shiftOf(std::string Class, const std::map<std::string, Series> &Of, double Mhz) {
  Shift Result{std::move(Class), {}};
  for (const auto &[Workload, Each] : Of)
    if (const auto Ratio = ratio(Each, Mhz))
      Result.Ratios.push_back(*Ratio);
  return Result;
}

/// What is off at one setting by the same factor as cycles; the other shifts that are off.
struct Verdict {
  double Factor = 1;
  std::vector<std::string> Together, Alone;
  bool CyclesOff = false;
};

static Verdict judge(const Shift &Cycles, const std::vector<Shift> &Classes) {
  Verdict Result;
  Result.CyclesOff = Cycles.isOff();
  std::vector<double> Ratios;
  if (Result.CyclesOff)
    Ratios = Cycles.Ratios;
  for (const Shift &Each : Classes) {
    if (!Each.isOff())
      continue;
    if (Result.CyclesOff && std::abs(std::log(Each.factor() / Cycles.factor())) < SameWithin) {
      Ratios.insert(Ratios.end(), Each.Ratios.begin(), Each.Ratios.end());
      Result.Together.push_back(Each.Class);
    } else {
      Result.Alone.push_back(Each.Class + " (" + shortNumber(Each.factor()) + " times)");
    }
  }
  if (!Ratios.empty())
    Result.Factor = median(Ratios);
  return Result;
}

static void correct(Samples &Of, double CoreMhz, double MemMhz, const Verdict &By) {
  for (Sample &Row : Of.Rows) {
    if (Row.At.CoreMhz != CoreMhz || memMhz(Row) != MemMhz)
      continue;
    Row.At.ActualCoreMhz = CoreMhz / By.Factor;
    for (std::size_t C = 0; C != Of.Classes.size(); ++C)
      if (std::ranges::find(By.Together, Of.Classes[C]) != By.Together.end())
        *Row.Counts[C] /= By.Factor;
  }
}

static std::vector<SampleFinding> tell(double CoreMhz, double MemMhz, const Verdict &Of) {
  std::string Where = "core_mhz " + shortNumber(CoreMhz);
  if (MemMhz > 0)
    Where += " with mem_mhz " + shortNumber(MemMhz);
  const std::string Factor = shortNumber(Of.Factor);
  std::vector<SampleFinding> Result;
  if (!Of.Together.empty())
    Result.push_back({"clock-not-as-asked", Severity::Warning,
                      Where + ": cycles and counts of the same workloads are " + Factor +
                          " times those of other clocks, so the core ran at " +
                          shortNumber(CoreMhz / Of.Factor) +
                          " MHz: taken as that, and divided by " + Factor + ": " +
                          listed(Of.Together)});
  else if (Of.CyclesOff)
    Result.push_back({"cycles-differ", Severity::Warning,
                      Where + ": workloads with the same cycles at other clocks take " + Factor +
                          " times as many; did the core run at " +
                          shortNumber(CoreMhz / Of.Factor) + " MHz? Taken as it stands"});
  if (!Of.Alone.empty())
    Result.push_back({"counts-differ", Severity::Warning,
                      Where + ": counts of the same workloads are not those of other clocks: " +
                          listed(Of.Alone) + "; check how they were measured"});
  return Result;
}

std::vector<SampleFinding> correctClocks(Samples &Of) {
  std::map<double, std::set<double>> Clocks; // of the core, by that of the memory
  for (const Sample &Row : Of.Rows)
    Clocks[memMhz(Row)].insert(*Row.At.CoreMhz);
  std::vector<SampleFinding> Findings;
  for (const auto &[MemMhz, CoreMhz] : Clocks) {
    const auto Cycles =
        seriesOf(Of, MemMhz, [](const Sample &Row) { return Row.TimeS * *Row.At.CoreMhz; });
    std::vector<std::map<std::string, Series>> Counts;
    for (std::size_t C = 0; C != Of.Classes.size(); ++C)
      Counts.push_back(seriesOf(Of, MemMhz, [&](const Sample &Row) { return *Row.Counts[C]; }));
    for (double Mhz : CoreMhz) {
      std::vector<Shift> Classes;
      for (std::size_t C = 0; C != Of.Classes.size(); ++C)
        Classes.push_back(shiftOf(Of.Classes[C], Counts[C], Mhz));
      const Verdict Found = judge(shiftOf("", Cycles, Mhz), Classes);
      std::ranges::move(tell(Mhz, MemMhz, Found), std::back_inserter(Findings));
      if (!Found.Together.empty())
        correct(Of, Mhz, MemMhz, Found);
    }
  }
  return Findings;
}

} // namespace ergon
