//===- ColumnChecks.cpp - columns that say less than they seem ------------===//

#include "model/fit/ColumnChecks.h"
#include "model/fit/Statistics.h"
#include "model/machine/CostClass.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ergon {

namespace {
/// Fewer rows may agree by chance.
constexpr std::size_t FewestRows = 6;
/// Relative spread that no meter of two different runs has.
constexpr double Same = 1e-3;
/// Steps of a value as a share of it beyond which it was rounded.
constexpr double CoarseStep = 0.05;
/// Joules of all energy for each counted operation or byte. The honest samples have 1e-12 to 1e-9.
constexpr double LeastUnitJ = 1e-15, MostUnitJ = 1e-6;
/// Joules of an operation or byte that a fit can give. From main memory a byte takes 0.16 to 0.33
/// nJ, all other operations less (Horowitz, ISSCC 2014, fig. 1.1.9); the highest of the shipped
/// machines and of the honest samples is 1.02 nJ, with what issuing an instruction takes.
constexpr double MostPriceJ = 1e-8;
/// Counts of the same workload at other clocks; honest: 1.4 in the median of the workloads.
constexpr double SameWork = 2;
/// Where 32-bit counters end.
constexpr double End32 = 4294967296.0;

using Findings = std::vector<SampleFinding>;
} // namespace

static void warn(Findings &Result, std::string Id, std::string Text) {
  Result.push_back({std::move(Id), Severity::Warning, std::move(Text)});
}
static void refuse(Findings &Result, std::string Id, std::string Text) {
  Result.push_back({std::move(Id), Severity::Error, std::move(Text)});
}

static bool areSame(const std::vector<double> &Values) {
  const auto [Least, Most] = std::ranges::minmax(Values);
  return Most <= Least * (1 + Same);
}

/// Values of each workload, in a column.
template <typename Value>
static std::map<std::string, std::vector<double>> byWorkload(const Samples &S, Value Of) {
  std::map<std::string, std::vector<double>> Result;
  for (const Sample &Row : S.Rows)
    Result[Row.Workload].push_back(Of(Row));
  return Result;
}

/// The share of the workloads with several core clocks that has one value at all of them.
template <typename Value> static double shareSame(const Samples &S, Value Of) {
  std::map<std::string, std::set<double>> Clocks;
  for (const Sample &Row : S.Rows)
    Clocks[Row.Workload].insert(*Row.Clocks.CoreMhz);
  std::size_t SameCount = 0, All = 0;
  for (const auto &[Workload, Values] : byWorkload(S, Of))
    if (Clocks[Workload].size() >= 3) {
      ++All;
      SameCount += std::ranges::all_of(Values, [&](double V) { return V == Values.front(); });
    }
  return All ? double(SameCount) / double(All) : 0;
}

/// The step that all of \p Values are multiples of, as a share of their median, where there are far
/// fewer values than rows; 0 otherwise.
static double step(std::vector<double> Values) {
  const double Middle = median(Values);
  const std::size_t Count = Values.size();
  std::ranges::sort(Values);
  const auto Again = std::ranges::unique(Values);
  Values.erase(Again.begin(), Again.end());
  if (Values.size() < 2 || Count < 12 || 2 * Values.size() > Count)
    return 0;
  double Least = Values.back();
  for (std::size_t K = 1; K != Values.size(); ++K)
    Least = std::min(Least, Values[K] - Values[K - 1]);
  for (double Value : Values)
    if (std::abs(Value / Least - std::round(Value / Least)) > 0.01)
      return 0;
  return Least / Middle;
}

Findings checkMeasured(const Samples &S) {
  Findings Result;
  if (S.Rows.size() < FewestRows)
    return Result;
  const bool HasEnergy =
      std::ranges::all_of(S.Rows, [](const Sample &Row) { return Row.EnergyJ.has_value(); });
  std::vector<double> Times, Energies, Powers;
  for (const Sample &Row : S.Rows) {
    Times.push_back(Row.TimeS);
    Energies.push_back(Row.EnergyJ.value_or(0));
    Powers.push_back(Row.EnergyJ.value_or(0) / Row.TimeS);
  }
  auto Time = [](const Sample &Row) { return Row.TimeS; };
  auto Energy = [](const Sample &Row) { return *Row.EnergyJ; };
  const char *Measure = "; measure each run";
  if (areSame(Times))
    refuse(Result, "constant-times", std::string("time_s is the same in all rows") + Measure);
  else if (shareSame(S, Time) > 0.5)
    warn(Result, "times-same-at-clocks",
         std::string("time_s of most workloads is exactly the same at all core clocks") + Measure);
  if (!HasEnergy)
    return Result;
  if (areSame(Energies))
    refuse(Result, "constant-energies", std::string("energy_j is the same in all rows") + Measure);
  else if (shareSame(S, Energy) > 0.5)
    warn(Result, "energies-same-at-clocks",
         std::string("energy_j of most workloads is exactly the same at all core clocks") +
             Measure);
  else if (areSame(Powers))
    warn(Result, "constant-power",
         "energy_j is time_s times " + shortNumber(Powers.front()) +
             " W in all rows: not a measured energy; no cost of a class can be told");
  for (const auto &[Name, Values] : {std::pair{"time_s", &Times}, {"energy_j", &Energies}})
    if (const double Share = step(*Values); Share > CoarseStep)
      warn(Result, "coarse-values",
           std::string(Name) + " comes in steps of " + shortNumber(100 * Share) +
               " % of its median; write more digits, or measure longer runs");
  return Result;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Whether units of the class are operations or bytes, not launches, cycles or calls.
static bool isFineGrained(const std::string &Class) {
  return Class.starts_with("flops_") || Class.starts_with("bytes_") || Class == "int_ops" ||
         Class == "instructions" || Class.ends_with("lane_ops");
}

static bool isCycles(const std::string &Class) { return Class.ends_with("cycles"); }

bool countsTime(const std::string &Class) { return isCycles(Class) || Class.starts_with("stall"); }

static void checkUnitsOfCounts(const Samples &S, Findings &Result) {
  std::vector<double> Joules;
  for (const Sample &Row : S.Rows) {
    double Sum = 0;
    for (std::size_t C = 0; C != S.Classes.size(); ++C)
      if (isFineGrained(S.Classes[C]))
        Sum += *Row.Counts[C];
    if (Sum > 0 && Row.EnergyJ)
      Joules.push_back(*Row.EnergyJ / Sum);
  }
  if (Joules.size() >= FewestRows) {
    const double J = median(Joules);
    const std::string Is = "energy_j over all counted operations and bytes is " + shortNumber(J) +
                           " J in the median of the rows, ";
    if (J > MostUnitJ)
      warn(Result, "counts-too-low",
           Is + "far more than any takes; are counts those of one "
                "iteration, or in thousands?");
    else if (J < LeastUnitJ)
      warn(Result, "counts-too-high",
           Is + "less than any takes; are counts those of many runs, and energy of one?");
  }
  for (std::size_t C = 0; C != S.Classes.size(); ++C) {
    if (!isCycles(S.Classes[C]))
      continue;
    double Most = 0;
    for (const Sample &Row : S.Rows)
      Most = std::max(Most, *Row.Counts[C] / (Row.TimeS * *Row.Clocks.CoreMhz * 1e6));
    if (Most > 0 && Most < 0.02)
      warn(Result, "time-against-cycles",
           S.Classes[C] + " is at most " + shortNumber(100 * Most) +
               " % of time_s times core_mhz; is time in ms, or are counts those of one iteration?");
  }
}

static void checkCutOff(const Samples &S, Findings &Result) {
  for (std::size_t C = 0; C != S.Classes.size(); ++C) {
    std::map<double, std::set<std::string>> AtValue;
    std::set<std::string> Upper, All;
    double Most = 0;
    bool Whole = true;
    for (const Sample &Row : S.Rows) {
      const double Count = *Row.Counts[C];
      Most = std::max(Most, Count);
      Whole &= Count == std::floor(Count);
      if (Count > 0)
        All.insert(Row.Workload);
      if (Count >= End32 / 2)
        Upper.insert(Row.Workload);
      AtValue[Count].insert(Row.Workload);
    }
    if (const auto &Last = AtValue[Most];
        Most > 0 && All.size() >= 4 && Last.size() >= 3 && 3 * Last.size() >= All.size() &&
        AtValue.size() > 2 && (Most == End32 - 1 || Most == End32 || Most == End32 / 2 - 1))
      warn(Result, "counts-saturated",
           S.Classes[C] + " ends at " + shortNumber(Most) + " in " + std::to_string(Last.size()) +
               " workloads, where 32-bit counters end; count with 64 bits");
    else if (Whole && Most < End32 && Upper.size() >= 3 && 4 * Upper.size() >= All.size())
      warn(Result, "counts-cut-off",
           S.Classes[C] + " never reaches 2^32 and is in the upper half below it in " +
               std::to_string(Upper.size()) + " of " + std::to_string(All.size()) +
               " workloads; are counts cut to 32 bits?");
  }
}

static void checkSameWork(const Samples &S, Findings &Result) {
  std::vector<std::string> Varying;
  for (std::size_t C = 0; C != S.Classes.size(); ++C) {
    if (countsTime(S.Classes[C]))
      continue;
    auto Extent = [&](auto Of) {
      std::vector<double> Ratios;
      for (const auto &[Workload, Values] : byWorkload(S, Of)) {
        const auto [Least, Most] = std::ranges::minmax(Values);
        if (Least > 0 && Values.size() > 2)
          Ratios.push_back(Most / Least);
      }
      return Ratios;
    };
    const std::vector<double> Ratios = Extent([&](const Sample &Row) { return *Row.Counts[C]; }),
                              Totals = Extent(
                                  [&](const Sample &Row) { return *Row.Counts[C] * Row.TimeS; });
    const std::vector<double> PerS =
        Extent([&](const Sample &Row) { return *Row.Counts[C] / Row.TimeS; });
    if (Ratios.size() < 3 || median(PerS) < 1.1) // the others measure time
      continue;
    // Rates, where only with the time they are the same work.
    const bool AreRates = median(Ratios) > 1.1 && median(Totals) < 1.03;
    if (AreRates || median(Ratios) > SameWork)
      Varying.push_back(S.Classes[C] + " (" + shortNumber(median(Ratios)) + " times)");
  }
  if (!Varying.empty())
    warn(Result, "counts-vary",
         "counts of the same workload differ between rows: " + listed(Varying) +
             "; counts are totals of the run, not rates, and the same work at all clocks");
}

static void checkExchangedClasses(const Samples &S, Findings &Result) {
  const auto F32 = std::size_t(std::ranges::find(S.Classes, "flops_f32") - S.Classes.begin()),
             F64 = std::size_t(std::ranges::find(S.Classes, "flops_f64") - S.Classes.begin());
  if (F32 == S.Classes.size() || F64 == S.Classes.size())
    return;
  double Most32 = 0, Most64 = 0;
  for (const Sample &Row : S.Rows) {
    Most32 = std::max(Most32, *Row.Counts[F32] / Row.TimeS);
    Most64 = std::max(Most64, *Row.Counts[F64] / Row.TimeS);
  }
  if (Most64 > 1.5 * Most32)
    warn(Result, "swapped-classes",
         "at most " + shortNumber(Most64) + " of flops_f64 a second and " + shortNumber(Most32) +
             " of flops_f32; no processor does f64 faster: are the columns exchanged, or is no "
             "workload bound by f32?");
}

Findings checkCounts(const Samples &S) {
  Findings Result;
  checkUnitsOfCounts(S, Result);
  checkCutOff(S, Result);
  checkSameWork(S, Result);
  checkExchangedClasses(S, Result);
  return Result;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

Findings checkPrices(const EnergyFit &Fit) {
  Findings Result;
  std::vector<std::string> High;
  for (const auto &[Class, Cost] : Fit.Fitted.Power.Energies)
    if (isFineGrained(Class) && Cost.Coefficient.Value > MostPriceJ)
      High.push_back(Class + " (" + shortNumber(Cost.Coefficient.Value * 1e9) + " nJ)");
  if (!High.empty())
    warn(Result, "price-high",
         "the fit gives a unit of " + listed(High) + ", more than " +
             shortNumber(MostPriceJ * 1e9) +
             " nJ, which no machine takes; are time in ms and energy in mJ, or counts those of "
             "one iteration?");
  if (!Fit.Free.empty())
    warn(Result, "price-zero",
         "the fit gives 0 J to a unit of " + joined(Fit.Free) +
             ": code that uses them is predicted without their energy; measure workloads that "
             "these bound");
  return Result;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Without white space, in small letters.
static std::string plainName(const std::string &Name) {
  std::string Result;
  for (unsigned char C : Name)
    if (!std::isspace(C))
      Result += char(std::tolower(C));
  return Result;
}

Findings checkNames(const Samples &S) {
  Findings Result;
  std::set<std::string> Workloads;
  for (const Sample &Row : S.Rows)
    Workloads.insert(Row.Workload);
  std::map<std::string, std::string> Plain;
  std::vector<std::string> Alike;
  for (const std::string &Name : Workloads)
    if (const auto [Known, New] = Plain.emplace(plainName(Name), Name); !New)
      Alike.push_back("\"" + Known->second + "\" and \"" + Name + "\"");
  if (!Alike.empty())
    warn(Result, "names-alike",
         "workloads differ only by white space or case: " + listed(Alike) +
             "; write one name where it is one workload");
  if (Workloads.size() < S.Classes.size())
    warn(Result, "fewer-workloads-than-classes",
         std::to_string(Workloads.size()) + " workloads cannot tell the costs of " +
             std::to_string(S.Classes.size()) +
             " classes apart; measure more workloads, or leave out columns");
  std::vector<std::string> Unknown;
  for (const std::string &Class : S.Classes)
    if (!costClass(Class) && !isMachineCode(Class))
      Unknown.push_back(Class);
  if (!Unknown.empty())
    warn(Result, "class-not-counted",
         "no record of code counts " + listed(Unknown) +
             ": predictions leave such costs out; docs/counting-rules.md has the classes' names");
  return Result;
}

} // namespace ergon
