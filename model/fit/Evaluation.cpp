//===- Evaluation.cpp - a profile against measured runs -------------------===//

#include "model/fit/Evaluation.h"
#include "model/energy/Roofline.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

/// The setting of a row as the profile knows it: voltages, and the clock that it ran at.
static Setting settingOf(const Machine &M, const Setting &Row) {
  Setting Result = Row;
  for (const Setting &Known : M.Settings)
    if (Known.sameClocks(Row)) {
      if (!Result.CoreMv)
        Result.CoreMv = Known.CoreMv;
      if (!Result.MemMv)
        Result.MemMv = Known.MemMv;
      if (!Result.ActualCoreMhz)
        Result.ActualCoreMhz = Known.ActualCoreMhz;
    }
  return Result;
}

namespace {
/// One workload's rows at its settings.
struct Sweep {
  std::vector<const Sample *> Measured;
  std::vector<const RowPrediction *> Predicted;

  /// Of what a choice loses, added to \p Into.
  void add(std::size_t Chosen, ChoiceSummary &Into) const {
    double Least = *Measured[Chosen]->EnergyJ;
    for (const Sample *Each : Measured)
      Least = std::min(Least, *Each->EnergyJ);
    const double Loss = *Measured[Chosen]->EnergyJ / Least - 1;
    ++Into.Workloads;
    Into.MeanLoss += Loss;
    Into.MaxLoss = std::max(Into.MaxLoss, Loss);
    if (Loss == 0)
      return;
    Into.MinLossOfWrong = Into.Wrong == 0 ? Loss : std::min(Into.MinLossOfWrong, Loss);
    ++Into.Wrong;
    Into.MeanLossOfWrong += Loss;
  }
};
} // namespace

static Choices summarizeChoices(std::string Family, const std::vector<const Sweep *> &Sweeps) {
  Choices Result{std::move(Family), {}, {}, {}};
  auto First = [](const auto &Of, auto &&Before) {
    return std::size_t(std::ranges::min_element(Of, Before) - Of.begin());
  };
  for (const Sweep *Each : Sweeps) {
    Each->add(First(Each->Predicted,
                    [](auto *Left, auto *Right) { return Left->EnergyJ < Right->EnergyJ; }),
              Result.Model);
    Each->add(
        First(Each->Measured, [](auto *Left, auto *Right) { return Left->TimeS < Right->TimeS; }),
        Result.Fastest);
    Each->add(
        First(Each->Measured, [](auto *Left, auto *Right) { return Left->TimeS > Right->TimeS; }),
        Result.Slowest);
  }
  for (ChoiceSummary *Each : {&Result.Model, &Result.Fastest, &Result.Slowest}) {
    Each->MeanLoss /= std::max<std::size_t>(Each->Workloads, 1);
    Each->MeanLossOfWrong /= std::max<std::size_t>(Each->Wrong, 1);
  }
  return Result;
}

static std::vector<Choices> chooseByFamily(const Samples &Of,
                                           const std::vector<RowPrediction> &Rows) {
  std::map<std::string, Sweep> Sweeps;
  for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row) {
    Sweep &Into = Sweeps[Of.Rows[Row].Workload];
    Into.Measured.push_back(&Of.Rows[Row]);
    Into.Predicted.push_back(&Rows[Row]);
  }
  std::vector<const Sweep *> All;
  std::map<std::string, std::vector<const Sweep *>> Families;
  for (const auto &[Workload, Each] : Sweeps) {
    const bool OneSetting = std::ranges::all_of(Each.Measured, [&](const Sample *Row) {
      return Row->At.sameClocks(Each.Measured.front()->At);
    });
    if (OneSetting)
      continue;
    All.push_back(&Each);
    Families[Workload.substr(0, Workload.find('/'))].push_back(&Each);
  }
  std::vector<Choices> Result;
  if (All.empty())
    return Result;
  Result.push_back(summarizeChoices("", All));
  // A family of one workload says no more than the workload.
  if (Families.size() > 1 && Families.size() < All.size())
    for (const auto &[Family, Members] : Families)
      Result.push_back(summarizeChoices(Family, Members));
  return Result;
}

std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &Of, TimeFrom By) {
  const auto Unknown = [](std::string What) {
    return std::unexpected(
        Error{std::move(What), "", "use a profile of this machine, or --time measured"});
  };
  Evaluation Result;
  for (const std::string &Class : Of.Classes) {
    if (!M.Power.Energies.contains(Class))
      Result.Unpriced.push_back(Class);
    if (!M.Timing.Throughputs.contains(Class))
      Result.Untimed.push_back(Class);
  }
  for (const auto &[Class, Cost] : M.Power.Energies)
    if (std::ranges::find(Of.Classes, Class) == Of.Classes.end())
      Result.NotCounted.push_back(Class);
  if (Result.Unpriced.size() == Of.Classes.size())
    return Unknown("the profile prices none of the classes that were counted");
  if (By == TimeFrom::Predicted && Result.Untimed.size() == Of.Classes.size())
    return Unknown("the profile has no throughput of any class that was counted, so that "
                   "time cannot be predicted");
  for (const Sample &Row : Of.Rows) {
    const SettingCosts Costs(M, settingOf(M, Row.At), Of.Classes);
    auto NotKnown = [&](std::size_t K) {
      const UnitCost &Unit = Costs.Units[K];
      return (!Unit.HasEnergy && M.Power.Energies.contains(Of.Classes[K])) ||
             (By == TimeFrom::Predicted && !Unit.HasTime &&
              M.Timing.Throughputs.contains(Of.Classes[K]));
    };
    for (std::size_t K = 0; K != Of.Classes.size(); ++K)
      if (!Costs.Pi0W || NotKnown(K))
        return Unknown("the profile does not say what " +
                       (Costs.Pi0W ? Of.Classes[K] : "constant power") +
                       " is at the setting of line " + std::to_string(Row.Line));
    std::vector<double> Counts;
    for (const std::optional<double> &Count : Row.Counts)
      Counts.push_back(Count.value_or(0));
    const PlainCost Cost =
        By == TimeFrom::Measured ? Costs.in(Row.TimeS, Counts) : Costs.of(Counts);
    Result.Rows.push_back({Cost.TimeS, Cost.EnergyJ, Cost.powerW()});
    Result.TimeErrors.push_back(Cost.TimeS / Row.TimeS - 1);
    Result.EnergyErrors.push_back(Cost.EnergyJ / *Row.EnergyJ - 1);
    Result.PowerErrors.push_back(Cost.powerW() / (*Row.EnergyJ / Row.TimeS) - 1);
  }
  Result.ByFamily = chooseByFamily(Of, Result.Rows);
  return Result;
}

} // namespace ergon
