//===- SampleChecks.cpp - plausibility of samples -------------------------===//

#include "model/fit/SampleChecks.h"
#include "model/fit/CollinearClasses.h"
#include "model/fit/ColumnChecks.h"
#include "model/fit/CountOutliers.h"
#include "model/fit/EffectiveClocks.h"
#include "model/fit/Statistics.h"
#include "model/fit/SweepChecks.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace ergon {

/// Beyond this clock of a core the unit is another one.
static constexpr double OtherUnitMhz = 2 * MostCoreMhz;
static constexpr double LeastMv = 20, MostMv = 20000;
/// Smaller voltage drops are measurement noise.
static constexpr double VoltageNoise = 0.01;

namespace {
/// Checks and corrects the samples.
class Checker {
public:
  Checker(Samples &Checked, SampleReport &Result) : S(Checked), Report(Result) {}

  void checkUnits();
  void dropDuplicates();
  void dropBlanks();
  void dropZeros();
  void checkExtent();
  void checkVoltages();

private:
  Samples &S;
  SampleReport &Report;

  void warn(std::string Id, std::string Text) {
    Report.Findings.push_back({std::move(Id), Severity::Warning, std::move(Text)});
  }
  void refuse(std::string Id, std::string Text) {
    Report.Findings.push_back({std::move(Id), Severity::Error, std::move(Text)});
  }
  /// The lines of the rows where \p Matches holds.
  std::vector<std::size_t> lines(const std::function<bool(const Sample &)> &Matches) const;
  void checkPowers();
  void checkPowersApart();
  void dropClasses(const std::function<bool(std::size_t)> &Matches);
};
} // namespace

std::vector<std::size_t> Checker::lines(const std::function<bool(const Sample &)> &Matches) const {
  std::vector<std::size_t> Result;
  for (const Sample &Row : S.Rows)
    if (Matches(Row))
      Result.push_back(Row.Line);
  return Result;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void Checker::checkUnits() {
  struct Bounds {
    const char *Column;
    std::optional<double> Setting::*Value;
    double Least, Most;
    const char *Small, *Large, *Unit;
  };
  const Bounds Columns[] = {
      {"core_mhz", &Setting::CoreMhz, LeastMhz, OtherUnitMhz, "GHz", "kHz or Hz", "MHz"},
      {"mem_mhz", &Setting::MemMhz, LeastMhz, MostMemMhz, "GHz", "kHz or Hz", "MHz"},
      {"core_mv", &Setting::CoreMv, LeastMv, MostMv, "volts", "microvolts", "millivolts"},
      {"mem_mv", &Setting::MemMv, LeastMv, MostMv, "volts", "microvolts", "millivolts"}};
  for (const Bounds &C : Columns) {
    auto Refuse = [&](const std::vector<std::size_t> &Lines, const char *Looks) {
      if (!Lines.empty())
        refuse("units", inLines(Lines) + ": " + C.Column + " looks like " + Looks +
                            "; write it in " + C.Unit);
    };
    Refuse(
        lines([&](const Sample &Row) { return (Row.Clocks.*C.Value).value_or(C.Least) < C.Least; }),
        C.Small);
    Refuse(
        lines([&](const Sample &Row) { return (Row.Clocks.*C.Value).value_or(C.Most) > C.Most; }),
        C.Large);
  }
  if (const auto Lines = lines([](const Sample &Row) {
        return *Row.Clocks.CoreMhz > MostCoreMhz && *Row.Clocks.CoreMhz <= OtherUnitMhz;
      });
      !Lines.empty())
    refuse("clock-too-high", inLines(Lines) + ": core_mhz is above " + shortNumber(MostCoreMhz) +
                                 ", where no processor runs; has it a digit too many?");
  const auto Blank = lines([](const Sample &Row) { return !Row.EnergyJ; });
  if (Blank.empty())
    checkPowers();
  else if (Blank.size() != S.Rows.size())
    refuse("energy-partly", inLines(Blank) + ": energy_j is blank, and other rows have one; fill "
                                             "it in, or leave these rows out");
}

static double power(const Sample &Row) { return *Row.EnergyJ / Row.TimeS; }

void Checker::checkPowers() {
  auto Above = [&](double W) { return lines([W](const Sample &R) { return power(R) > W; }); };
  auto Below = [&](double W) { return lines([W](const Sample &R) { return power(R) < W; }); };
  const std::string Power = ": energy_j/time_s is ",
                    Fix = "; write energy in joules, time in seconds";
  if (const auto Lines = Above(MostPowerW); !Lines.empty())
    refuse("power-too-high", inLines(Lines) + Power + "above " + shortNumber(MostPowerW) +
                                 " W, more than any machine draws" + Fix);
  else if (const auto Lines = Above(BoardW); !Lines.empty())
    warn("power-above-a-board", inLines(Lines) + Power + "above " + shortNumber(BoardW) +
                                    " W, more than any board draws; unless this is a whole "
                                    "machine, is energy in mJ?");
  if (const auto Lines = Below(LeastPowerW); !Lines.empty())
    refuse("power-too-low", inLines(Lines) + Power + "below " + shortNumber(LeastPowerW) +
                                " W, less than any processor draws" + Fix);
  else if (const auto Lines = Below(SmallW); !Lines.empty())
    warn("power-small", inLines(Lines) + Power + "below " + shortNumber(SmallW) +
                            " W; unless this is a small processor, is time in ms?");
  checkPowersApart();
}

/// Rejects rows whose power is unrelated to that of the others.
void Checker::checkPowersApart() {
  std::map<std::tuple<double, double>, std::vector<double>> AtSetting;
  std::vector<double> All;
  auto Key = [](const Sample &Row) {
    return std::tuple(Row.Clocks.CoreMhz.value_or(0), Row.Clocks.MemMhz.value_or(0));
  };
  for (const Sample &Row : S.Rows) {
    AtSetting[Key(Row)].push_back(std::log(power(Row)));
    All.push_back(std::log(power(Row)));
  }
  // A median of one or two rows is useless.
  std::map<std::tuple<double, double>, double> Medians;
  for (const auto &[T, Powers] : AtSetting)
    Medians[T] = median(Powers.size() < 3 ? All : Powers);
  const auto Far = lines([&](const Sample &Row) {
    return std::abs(std::log(power(Row)) - Medians[Key(Row)]) > std::log(UnitsFactor);
  });
  if (!Far.empty())
    refuse("power-off", inLines(Far) + ": energy_j/time_s is more than " +
                            shortNumber(UnitsFactor) +
                            " times off the median of the other rows; is energy in mJ or time in "
                            "ms?");
}

//===----------------------------------------------------------------------===//
// Rows and classes that say nothing
//===----------------------------------------------------------------------===//

/// The same run: workload and setting.
static auto runOf(const Sample &Row) {
  return std::tuple(Row.Workload, Row.Clocks.CoreMhz, Row.Clocks.MemMhz, Row.Clocks.CoreMv,
                    Row.Clocks.MemMv);
}

/// What was seen of a run: its different rows by time, and the extent of times and energies.
namespace {
struct SeenRuns {
  std::map<double, std::vector<const Sample *>> AtTime;
  double LeastS = 0, MostS = 0, LeastJ = 0, MostJ = 0;

  bool has(const Sample &Row) const {
    const auto Found = AtTime.find(Row.TimeS);
    return Found != AtTime.end() && std::ranges::any_of(Found->second, [&](const Sample *Other) {
             return Other->EnergyJ == Row.EnergyJ && Other->Counts == Row.Counts;
           });
  }
  bool differFrom(const Sample &Row) const {
    auto Far = [](double Least, double Most, double Value) {
      return Most > RepeatFactor * Value || Value > RepeatFactor * Least;
    };
    return !AtTime.empty() && (Far(LeastS, MostS, Row.TimeS) ||
                               (Row.EnergyJ && MostJ > 0 && Far(LeastJ, MostJ, *Row.EnergyJ)));
  }
  void add(const Sample &Row) {
    const double J = Row.EnergyJ.value_or(0);
    if (AtTime.empty()) {
      LeastS = MostS = Row.TimeS;
      LeastJ = MostJ = J;
    }
    LeastS = std::min(LeastS, Row.TimeS);
    MostS = std::max(MostS, Row.TimeS);
    LeastJ = std::min(LeastJ, J);
    MostJ = std::max(MostJ, J);
    AtTime[Row.TimeS].push_back(&Row);
  }
};
} // namespace

void Checker::dropDuplicates() {
  std::map<decltype(runOf(S.Rows.front())), SeenRuns> Runs;
  std::vector<Sample> Kept;
  Kept.reserve(S.Rows.size()); // Runs points into it
  std::vector<std::size_t> Again, Apart;
  for (Sample &Row : S.Rows) {
    SeenRuns &Before = Runs[runOf(Row)];
    if (Before.has(Row)) {
      Again.push_back(Row.Line);
      continue;
    }
    if (Before.differFrom(Row))
      Apart.push_back(Row.Line);
    Kept.push_back(std::move(Row));
    Before.add(Kept.back());
  }
  S.Rows = std::move(Kept);
  if (!Again.empty())
    warn("duplicate-rows", inLines(Again) + ": the same as a row above: left out");
  if (!Apart.empty())
    warn("repeats-differ", inLines(Apart) +
                               ": time or energy of the same workload and setting is more than "
                               "20 % from that of a row above; check which one is right");
}

/// Removes the classes for which \p Matches holds.
void Checker::dropClasses(const std::function<bool(std::size_t)> &Matches) {
  Samples Kept;
  for (Sample &Row : S.Rows) {
    std::vector<std::optional<double>> Counts;
    for (std::size_t C = 0; C != S.Classes.size(); ++C)
      if (!Matches(C))
        Counts.push_back(Row.Counts[C]);
    Kept.Rows.push_back(std::move(Row));
    Kept.Rows.back().Counts = std::move(Counts);
  }
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    if (!Matches(C))
      Kept.Classes.push_back(S.Classes[C]);
  S = std::move(Kept);
}

void Checker::dropBlanks() {
  std::vector<std::size_t> Blanks(S.Classes.size());
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    Blanks[C] = lines([&](const Sample &Row) { return !Row.Counts[C]; }).size();
  std::vector<std::string> Empty, Partly;
  for (std::size_t C = 0; C != S.Classes.size(); ++C)
    if (Blanks[C] == S.Rows.size())
      Empty.push_back(S.Classes[C]);
    else if (Blanks[C])
      Partly.push_back(S.Classes[C] + " (" + std::to_string(Blanks[C]) + ")");
  if (!Empty.empty())
    warn("blank-classes", "column " + listed(Empty) + ": blank in every row: left out");
  dropClasses([&](std::size_t C) { return Blanks[C] == S.Rows.size(); });
  const std::size_t Before = S.Rows.size();
  std::erase_if(S.Rows, [](const Sample &Row) {
    return std::ranges::any_of(Row.Counts, [](const auto &Count) { return !Count; });
  });
  if (S.Classes.empty() || S.Rows.empty())
    refuse("nothing-known", "no row has all of its counts" +
                                (Partly.empty() ? "" : ": blank are " + listed(Partly)) +
                                "; fill them in, or leave out the columns that are not known");
  else if (S.Rows.size() != Before)
    warn("blank-counts", std::to_string(Before - S.Rows.size()) + " of " + std::to_string(Before) +
                             " rows left out for blank counts: of " + listed(Partly));
}

void Checker::dropZeros() {
  auto IsZero = [](const std::optional<double> &Count) { return *Count == 0; };
  std::set<std::string> Counted;
  for (const Sample &Row : S.Rows)
    if (!std::ranges::all_of(Row.Counts, IsZero))
      Counted.insert(Row.Workload);
  // A workload that is idle at all settings measures constant power.
  auto Lost = [&](const Sample &Row) {
    return std::ranges::all_of(Row.Counts, IsZero) && Counted.contains(Row.Workload);
  };
  if (const auto Lines = lines(Lost); !Lines.empty())
    warn("zero-counts",
         inLines(Lines) + ": all counts are 0, and not in other rows of the workload: left out");
  std::erase_if(S.Rows, Lost);
  std::vector<bool> Zero(S.Classes.size());
  std::vector<std::string> Names;
  for (std::size_t C = 0; C != S.Classes.size(); ++C) {
    Zero[C] = std::ranges::all_of(S.Rows, [&](const Sample &Row) { return IsZero(Row.Counts[C]); });
    if (Zero[C])
      Names.push_back(S.Classes[C]);
  }
  if (!Names.empty())
    warn("zero-classes", "column " + listed(Names) + ": 0 in every row: left out");
  dropClasses([&](std::size_t C) { return Zero[C]; });
  if (S.Classes.empty())
    refuse("nothing-counted", "every count is 0; a fit needs a class that the workloads count");
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

void Checker::checkExtent() {
  std::set<std::tuple<double, double>> Settings;
  std::set<std::string> Workloads;
  for (const Sample &Row : S.Rows) {
    Settings.emplace(*Row.Clocks.CoreMhz, Row.Clocks.MemMhz.value_or(0));
    Workloads.insert(Row.Workload);
  }
  if (Settings.size() == 1)
    warn("one-setting", "all rows are at one setting: what costs follow clocks and voltages "
                        "cannot be told; the fit holds at this setting alone");
  if (Workloads.size() < 3)
    warn("few-workloads",
         "there " + (Workloads.size() == 1 ? std::string("is 1 workload") : "are 2 workloads") +
             ": errors on others cannot be told; measure more");
}

void Checker::checkVoltages() {
  const std::tuple<const char *, std::optional<double> Setting::*, std::optional<double> Setting::*>
      Domains[] = {{"core", &Setting::CoreMhz, &Setting::CoreMv},
                   {"mem", &Setting::MemMhz, &Setting::MemMv}};
  for (const auto &[Name, Mhz, Mv] : Domains) {
    const auto Blank =
        lines([&](const Sample &Row) { return Row.Clocks.*Mhz && !(Row.Clocks.*Mv); });
    if (!Blank.empty() && std::ranges::any_of(S.Rows, [&](const Sample &Row) {
          return (Row.Clocks.*Mv).has_value();
        }))
      warn("voltage-partly", inLines(Blank) + ": " + Name +
                                 "_mv is blank, and other rows have one: no voltage is used; "
                                 "fill it in");
    std::map<double, std::vector<double>> AtClock;
    for (const Sample &Row : S.Rows)
      if (Row.Clocks.*Mhz && Row.Clocks.*Mv)
        AtClock[*(Row.Clocks.*Mhz)].push_back(*(Row.Clocks.*Mv));
    double LastMhz = 0, LastMv = 0;
    for (const auto &[Clock, Voltages] : AtClock) {
      const double Voltage = median(Voltages);
      if (Voltage < LastMv * (1 - VoltageNoise))
        warn("voltage-falls", std::string(Name) + "_mv falls from " + shortNumber(LastMv) + " at " +
                                  shortNumber(LastMhz) + " MHz to " + shortNumber(Voltage) +
                                  " at " + shortNumber(Clock) +
                                  " MHz; check that the columns belong together");
      LastMhz = Clock;
      LastMv = Voltage;
    }
  }
}

SampleReport checkSamples(Samples &S) {
  SampleReport Report;
  // First: what is not measured has any power.
  Report.Findings = checkMeasured(S);
  if (Report.hasErrors())
    return Report;
  Checker Check(S, Report);
  for (void (Checker::*Next)() :
       {&Checker::checkUnits, &Checker::dropDuplicates, &Checker::dropBlanks, &Checker::dropZeros,
        &Checker::checkExtent, &Checker::checkVoltages}) {
    (Check.*Next)();
    if (Report.hasErrors())
      return Report;
  }
  auto Add = [&](std::vector<SampleFinding> Found) {
    std::ranges::move(Found, std::back_inserter(Report.Findings));
  };
  Add(checkExchangedColumns(S));
  if (Report.hasErrors())
    return Report;
  Add(correctClocks(S));
  Add(dropCountOutliers(S));
  Add(checkSweeps(S));
  Add(checkCounts(S));
  findCollinear(S, Report);
  return Report;
}

} // namespace ergon
