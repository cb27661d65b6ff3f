//===- Evaluation.cpp - compares a profile with measured runs -------------===//

#include "model/fit/Evaluation.h"
#include "model/energy/Roofline.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

/// The profile's setting for a row: voltages, and the actual clock.
static Setting settingOf(const Machine &M, const Setting &RowSetting) {
  Setting Result = RowSetting;
  for (const Setting &Known : M.Settings)
    if (Known.sameClocks(RowSetting)) {
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

  /// Adds the loss of a choice to \p Result.
  void add(std::size_t Chosen, ChoiceSummary &Result) const {
    double LeastEnergyJ = *Measured[Chosen]->EnergyJ;
    for (const Sample *S : Measured)
      LeastEnergyJ = std::min(LeastEnergyJ, *S->EnergyJ);
    const double Loss = *Measured[Chosen]->EnergyJ / LeastEnergyJ - 1;
    ++Result.Workloads;
    Result.MeanLoss += Loss;
    Result.MaxLoss = std::max(Result.MaxLoss, Loss);
    if (Loss == 0)
      return;
    Result.MinLossOfWrong = Result.Wrong == 0 ? Loss : std::min(Result.MinLossOfWrong, Loss);
    ++Result.Wrong;
    Result.MeanLossOfWrong += Loss;
  }
};
} // namespace

static Choices summarizeChoices(std::string Family, const std::vector<const Sweep *> &Sweeps) {
  Choices Result{std::move(Family), {}, {}, {}};
  auto IndexOfFirst = [](const auto &Range, auto &&Less) {
    return std::size_t(std::ranges::min_element(Range, Less) - Range.begin());
  };
  for (const Sweep *S : Sweeps) {
    S->add(IndexOfFirst(S->Predicted,
                        [](auto *Left, auto *Right) { return Left->EnergyJ < Right->EnergyJ; }),
           Result.Model);
    S->add(IndexOfFirst(S->Measured,
                        [](auto *Left, auto *Right) { return Left->TimeS < Right->TimeS; }),
           Result.Fastest);
    S->add(IndexOfFirst(S->Measured,
                        [](auto *Left, auto *Right) { return Left->TimeS > Right->TimeS; }),
           Result.Slowest);
  }
  for (ChoiceSummary *Summary : {&Result.Model, &Result.Fastest, &Result.Slowest}) {
    Summary->MeanLoss /= std::max<std::size_t>(Summary->Workloads, 1);
    Summary->MeanLossOfWrong /= std::max<std::size_t>(Summary->Wrong, 1);
  }
  return Result;
}

static std::vector<Choices> chooseByFamily(const Samples &S,
                                           const std::vector<RowPrediction> &Rows) {
  std::map<std::string, Sweep> Sweeps;
  for (std::size_t RowIndex = 0; RowIndex != S.Rows.size(); ++RowIndex) {
    Sweep &Target = Sweeps[S.Rows[RowIndex].Workload];
    Target.Measured.push_back(&S.Rows[RowIndex]);
    Target.Predicted.push_back(&Rows[RowIndex]);
  }
  std::vector<const Sweep *> All;
  std::map<std::string, std::vector<const Sweep *>> Families;
  for (const auto &[Workload, OfWorkload] : Sweeps) {
    const bool OneSetting = std::ranges::all_of(OfWorkload.Measured, [&](const Sample *Row) {
      return Row->Clocks.sameClocks(OfWorkload.Measured.front()->Clocks);
    });
    if (OneSetting)
      continue;
    All.push_back(&OfWorkload);
    Families[Workload.substr(0, Workload.find('/'))].push_back(&OfWorkload);
  }
  std::vector<Choices> Result;
  if (All.empty())
    return Result;
  Result.push_back(summarizeChoices("", All));
  // Families add nothing where there is only one, or where each has one workload.
  if (Families.size() > 1 && Families.size() < All.size())
    for (const auto &[Family, Members] : Families)
      Result.push_back(summarizeChoices(Family, Members));
  return Result;
}

std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &S, TimeFrom From) {
  const auto Unknown = [](std::string Message) {
    return std::unexpected(
        Error{std::move(Message), "", "use a profile of this machine, or --time measured"});
  };
  Evaluation Result;
  for (const std::string &Class : S.Classes) {
    if (!M.Power.Energies.contains(Class))
      Result.Unpriced.push_back(Class);
    if (!M.Timing.Throughputs.contains(Class))
      Result.Untimed.push_back(Class);
  }
  for (const auto &[Class, Cost] : M.Power.Energies)
    if (std::ranges::find(S.Classes, Class) == S.Classes.end())
      Result.NotCounted.push_back(Class);
  if (Result.Unpriced.size() == S.Classes.size())
    return Unknown("the profile has no energy cost for any counted class");
  if (From == TimeFrom::Predicted && Result.Untimed.size() == S.Classes.size())
    return Unknown("the profile has no throughput of any counted class, so that time cannot be "
                   "predicted");
  for (const Sample &Row : S.Rows) {
    const SettingCosts Costs(M, settingOf(M, Row.Clocks), S.Classes);
    auto NotKnown = [&](std::size_t K) {
      const UnitCost &Unit = Costs.Units[K];
      return (!Unit.HasEnergy && M.Power.Energies.contains(S.Classes[K])) ||
             (From == TimeFrom::Predicted && !Unit.HasTime &&
              M.Timing.Throughputs.contains(S.Classes[K]));
    };
    for (std::size_t K = 0; K != S.Classes.size(); ++K)
      if (!Costs.Pi0W || NotKnown(K))
        return Unknown("the profile has no value of " +
                       (Costs.Pi0W ? S.Classes[K] : "constant power") +
                       " for the setting of line " + std::to_string(Row.Line));
    std::vector<double> Counts;
    for (const std::optional<double> &Count : Row.Counts)
      Counts.push_back(Count.value_or(0));
    const PlainCost Cost =
        From == TimeFrom::Measured ? Costs.in(Row.TimeS, Counts) : Costs.of(Counts);
    Result.Rows.push_back({Cost.TimeS, Cost.EnergyJ, Cost.powerW()});
    Result.TimeErrors.push_back(Cost.TimeS / Row.TimeS - 1);
    Result.EnergyErrors.push_back(Cost.EnergyJ / *Row.EnergyJ - 1);
    Result.PowerErrors.push_back(Cost.powerW() / (*Row.EnergyJ / Row.TimeS) - 1);
  }
  Result.ByFamily = chooseByFamily(S, Result.Rows);
  return Result;
}

} // namespace ergon
