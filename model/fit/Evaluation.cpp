//===- Evaluation.cpp - compares a profile with measured runs -------------===//

#include "model/fit/Evaluation.h"
#include "model/energy/PreparedMachine.h"
#include "model/energy/Roofline.h"
#include "model/fit/Statistics.h"
#include "model/fit/TypicalSweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// The setting of \p Candidates at which \p Others lose least in the mean, of those at which most
/// of them ran: its position.
static std::optional<std::size_t> leastLosing(const std::vector<Setting> &Candidates,
                                              const std::vector<const Sweep *> &Others) {
  std::vector<double> Sum(Candidates.size(), 0);
  std::vector<std::size_t> Times(Candidates.size(), 0);
  for (const Sweep *Other : Others) {
    double Least = std::numeric_limits<double>::infinity();
    for (const Sample *Row : Other->Measured)
      Least = std::min(Least, *Row->EnergyJ);
    for (std::size_t I = 0; I != Candidates.size(); ++I)
      for (const Sample *Row : Other->Measured)
        if (Row->Clocks.sameClocks(Candidates[I])) {
          Sum[I] += *Row->EnergyJ / Least - 1;
          ++Times[I];
          break;
        }
  }
  const std::size_t Most = Times.empty() ? 0 : *std::ranges::max_element(Times);
  std::optional<std::size_t> Best;
  for (std::size_t I = 0; I != Sum.size() && Most > 0; ++I)
    if (Times[I] == Most && (!Best || Sum[I] < Sum[*Best]))
      Best = I;
  return Best;
}

/// That of the settings of \p S for the other families; for the other workloads where there is one
/// family.
static std::optional<std::size_t> bestFixed(const Sweep &S, const std::vector<const Sweep *> &All) {
  const std::string &Family = familyOf(*S.Measured.front());
  const bool AreFamilies = std::ranges::any_of(
      All, [&](const Sweep *Other) { return familyOf(*Other->Measured.front()) != Family; });
  std::vector<const Sweep *> Others;
  for (const Sweep *Other : All)
    if (AreFamilies ? familyOf(*Other->Measured.front()) != Family : Other != &S)
      Others.push_back(Other);
  std::vector<Setting> Candidates;
  for (const Sample *Row : S.Measured)
    Candidates.push_back(Row->Clocks);
  return leastLosing(Candidates, Others);
}

static Choices summarizeChoices(std::string Family, const std::vector<const Sweep *> &Sweeps,
                                const std::vector<const Sweep *> &All) {
  Choices Result{std::move(Family), {}, {}, {}, {}};
  auto IndexOfFirst = [](const auto &Range, auto &&Less) {
    return std::size_t(std::ranges::min_element(Range, Less) - Range.begin());
  };
  for (const Sweep *S : Sweeps) {
    S->add(IndexOfFirst(S->Predicted,
                        [](auto *Left, auto *Right) { return Left->LikelyJ < Right->LikelyJ; }),
           Result.Model);
    S->add(IndexOfFirst(S->Measured,
                        [](auto *Left, auto *Right) { return Left->TimeS < Right->TimeS; }),
           Result.Fastest);
    S->add(IndexOfFirst(S->Measured,
                        [](auto *Left, auto *Right) { return Left->TimeS > Right->TimeS; }),
           Result.Slowest);
    if (const auto Fixed = bestFixed(*S, All))
      S->add(*Fixed, Result.Fixed);
  }
  for (ChoiceSummary *Summary : {&Result.Model, &Result.Fastest, &Result.Slowest, &Result.Fixed}) {
    Summary->MeanLoss /= std::max<std::size_t>(Summary->Workloads, 1);
    Summary->MeanLossOfWrong /= std::max<std::size_t>(Summary->Wrong, 1);
  }
  return Result;
}

/// Rows by workload, of those that ran at two settings or more.
static std::vector<Sweep> sweepsOf(const Samples &S, const std::vector<RowPrediction> &Rows) {
  std::map<std::string, Sweep> Sweeps;
  for (std::size_t RowIndex = 0; RowIndex != S.Rows.size(); ++RowIndex) {
    Sweep &Target = Sweeps[S.Rows[RowIndex].Workload];
    Target.Measured.push_back(&S.Rows[RowIndex]);
    Target.Predicted.push_back(Rows.empty() ? nullptr : &Rows[RowIndex]);
  }
  std::vector<Sweep> Result;
  for (auto &[Workload, Next] : Sweeps)
    if (std::ranges::any_of(Next.Measured, [&](const Sample *Row) {
          return !Row->Clocks.sameClocks(Next.Measured.front()->Clocks);
        }))
      Result.push_back(std::move(Next));
  return Result;
}

static std::vector<Choices> chooseByFamily(const Samples &S,
                                           const std::vector<RowPrediction> &Rows) {
  const std::vector<Sweep> Sweeps = sweepsOf(S, Rows);
  std::vector<const Sweep *> All;
  std::map<std::string, std::vector<const Sweep *>> Families;
  for (const Sweep &Next : Sweeps) {
    All.push_back(&Next);
    Families[familyOf(*Next.Measured.front())].push_back(&Next);
  }
  std::vector<Choices> Result;
  if (All.empty())
    return Result;
  Result.push_back(summarizeChoices("", All, All));
  // Families add nothing where there is only one, or where each has one workload.
  if (Families.size() > 1 && Families.size() < All.size())
    for (const auto &[Family, Members] : Families)
      Result.push_back(summarizeChoices(Family, Members, All));
  return Result;
}

std::optional<Setting> bestFixedSetting(const Samples &S) {
  const std::vector<Sweep> Sweeps = sweepsOf(S, {});
  std::vector<const Sweep *> All;
  std::vector<Setting> Candidates;
  for (const Sweep &Next : Sweeps) {
    All.push_back(&Next);
    for (const Sample *Row : Next.Measured)
      if (std::ranges::none_of(Candidates,
                               [&](const Setting &Known) { return Known.sameClocks(Row->Clocks); }))
        Candidates.push_back(Row->Clocks);
  }
  const auto Best = leastLosing(Candidates, All);
  return Best ? std::optional(Candidates[*Best]) : std::nullopt;
}

namespace {
/// Predicts the rows of a table.
class RowPredictor {
public:
  RowPredictor(const Machine &M, const Samples &S) : M(M), S(S) {
    for (const Sample &Row : S.Rows) {
      Costs.emplace_back(M, settingOf(M, Row.Clocks), S.Classes);
      std::vector<double> &OfRow = Counts.emplace_back();
      for (const std::optional<double> &Count : Row.Counts)
        OfRow.push_back(Count.value_or(0));
    }
  }

  /// What the profile has no value of for a row; empty where it has all.
  std::string missing(std::size_t Row, TimeFrom From) const;
  PlainCost cost(std::size_t Row, TimeFrom From) const {
    return From == TimeFrom::Measured ? Costs[Row].in(S.Rows[Row].TimeS, Counts[Row])
                                      : Costs[Row].of(Counts[Row]);
  }
  /// The rows of one workload with those at \p MeasuredAt known. Error: there is none at one.
  std::expected<MeasuredModel, Error> measured(const std::vector<std::size_t> &Rows,
                                               const std::vector<Setting> &MeasuredAt) const;

private:
  const Machine &M;
  const Samples &S;
  std::vector<SettingCosts> Costs;         ///< by row
  std::vector<std::vector<double>> Counts; ///< by row
};
} // namespace

std::string RowPredictor::missing(std::size_t Row, TimeFrom From) const {
  if (!Costs[Row].Pi0W)
    return "constant power";
  for (std::size_t K = 0; K != S.Classes.size(); ++K) {
    const UnitCost &Unit = Costs[Row].Units[K];
    if ((!Unit.HasEnergy && M.Power.Energies.contains(S.Classes[K])) ||
        (From == TimeFrom::Predicted && !Unit.HasTime &&
         M.Timing.Throughputs.contains(S.Classes[K])))
      return S.Classes[K];
  }
  return "";
}

std::expected<MeasuredModel, Error>
RowPredictor::measured(const std::vector<std::size_t> &Rows,
                       const std::vector<Setting> &MeasuredAt) const {
  std::vector<MeasuredRun> Runs;
  for (const Setting &Wanted : MeasuredAt) {
    auto Found = std::ranges::find_if(
        Rows, [&](std::size_t Row) { return S.Rows[Row].Clocks.sameClocks(Wanted); });
    if (Found == Rows.end())
      return std::unexpected(Error{S.Rows[Rows.front()].Workload + " has no run at a setting of "
                                                                   "--measured-at",
                                   "", "name settings at which all workloads ran"});
    const Sample &Row = S.Rows[*Found];
    Runs.push_back({settingOf(M, Row.Clocks), Row.TimeS, Row.EnergyJ, ""});
  }
  return MeasuredModel(
      std::move(Runs),
      [this, Rows](const Setting &At) {
        const std::size_t Row = *std::ranges::find_if(
            Rows, [&](std::size_t Each) { return S.Rows[Each].Clocks.sameClocks(At); });
        return ModelledRun{Costs[Row].of(Counts[Row]).TimeS, [this, Row](double Seconds) {
                             return Costs[Row].in(Seconds, Counts[Row]).EnergyJ;
                           }};
      },
      M.Fit.Quality && M.Fit.Quality->Change ? *M.Fit.Quality->Change : ChangeErrors{});
}

static std::map<std::string, std::vector<std::size_t>> rowsByWorkload(const Samples &S) {
  std::map<std::string, std::vector<std::size_t>> Result;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    Result[S.Rows[Row].Workload].push_back(Row);
  return Result;
}

/// Weighs the energies of \p Rows, of one workload, against what programs need in the mean.
static void weighTypical(const Machine &M, const Samples &S, const std::vector<std::size_t> &Rows,
                         Evaluation &Result) {
  if (!M.Fit.Quality || !M.Fit.Quality->Typical)
    return;
  const TypicalEnergy &Typical = *M.Fit.Quality->Typical;
  const Setting &First = Typical.Settings.front().Clocks;
  auto Reference = std::ranges::find_if(
      Rows, [&](std::size_t Row) { return S.Rows[Row].Clocks.sameClocks(First); });
  if (Reference == Rows.end())
    return;
  const double FirstJ = Result.Rows[*Reference].EnergyJ;
  for (std::size_t Row : Rows)
    if (const TypicalEnergy::At *Here = Typical.find(S.Rows[Row].Clocks);
        Here && Row != *Reference) {
      RowPrediction &Predicted = Result.Rows[Row];
      const double ModelError = MeasuredModel::errorOfChoice(
          settingOf(M, S.Rows[Row].Clocks), settingOf(M, S.Rows[*Reference].Clocks));
      Predicted.LikelyJ =
          FirstJ * std::exp(Here->with(std::log(Predicted.EnergyJ / FirstJ), ModelError));
    }
}

/// How far predictions may be off, by what \p M states.
static void addErrors(const Machine &M, const Samples &S, TimeFrom From, Evaluation &Result) {
  const std::vector<std::size_t> Numbers = settingsOf(S);
  std::vector<Setting> Settings;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (Numbers[Row] == Settings.size())
      Settings.push_back(settingOf(M, S.Rows[Row].Clocks));
  const PreparedMachine Prepared(M, std::move(Settings), S.Classes);
  if (!Prepared.statesErrors())
    return;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    Piece Work;
    for (const std::optional<double> &Count : S.Rows[Row].Counts)
      Work.Amounts.push_back(Count.value_or(0));
    const Response Follows = Prepared.response(Numbers[Row], std::span(&Work, 1));
    RowPrediction &Predicted = Result.Rows[Row];
    if (From == TimeFrom::Measured) {
      const double Error = Prepared.errorInTime(Follows);
      Predicted.EnergyError = {Error, Error};
    } else {
      auto Error = [&](Figure F) {
        return RowPrediction::Error{Prepared.error(Follows, F, End::Low),
                                    Prepared.error(Follows, F, End::High)};
      };
      Predicted.TimeError = Error({0, 1});
      Predicted.EnergyError = Error({1, 0});
    }
  }
}

/// How often stated intervals hold, of rows at none of \p MeasuredAt.
static std::optional<Evaluation::Coverage> coverage(const Samples &S,
                                                    const std::vector<Setting> &MeasuredAt,
                                                    const std::vector<RowPrediction> &Rows) {
  Evaluation::Coverage Result;
  std::vector<double> TimeWidths, EnergyWidths;
  auto Add = [](double Predicted, double Measured, const RowPrediction::Error &Error, double &Share,
                std::vector<double> &Widths) {
    const double Low = Predicted / factor95(Error.Below), High = Predicted * factor95(Error.Above);
    Share += Measured <= High && Measured >= Low;
    Widths.push_back(High / Low);
  };
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const Sample &Measured = S.Rows[Row];
    const RowPrediction &Predicted = Rows[Row];
    if (!Predicted.EnergyError || std::ranges::any_of(MeasuredAt, [&](const Setting &At) {
          return At.sameClocks(Measured.Clocks);
        }))
      continue;
    ++Result.Rows;
    if (Predicted.TimeError)
      Add(Predicted.TimeS, Measured.TimeS, *Predicted.TimeError, Result.TimeShare, TimeWidths);
    Add(Predicted.EnergyJ, *Measured.EnergyJ, *Predicted.EnergyError, Result.EnergyShare,
        EnergyWidths);
  }
  if (Result.Rows == 0)
    return std::nullopt;
  Result.TimeShare /= double(Result.Rows);
  Result.EnergyShare /= double(Result.Rows);
  Result.TimeWidth = TimeWidths.empty() ? 1 : median(TimeWidths);
  Result.EnergyWidth = median(EnergyWidths);
  return Result;
}

/// Puts what is known from measured runs in the place of \p Result's rows.
static std::optional<Error> knowMeasured(const RowPredictor &Predictor, const Machine &M,
                                         const Samples &S, const std::vector<Setting> &MeasuredAt,
                                         Evaluation &Result) {
  for (const auto &[Workload, Rows] : rowsByWorkload(S)) {
    const auto Known = Predictor.measured(Rows, MeasuredAt);
    if (!Known)
      return Known.error();
    for (std::size_t Row : Rows) {
      const Sample &Sample = S.Rows[Row];
      const MeasuredModel::Answer At = Known->at(settingOf(M, Sample.Clocks));
      Result.Rows[Row] = {At.TimeS,   At.EnergyJ,   At.EnergyJ / At.TimeS,
                          At.EnergyJ, At.TimeError, At.error(1, 0)};
    }
    if (!Known->knowsChange())
      weighTypical(M, S, Rows, Result);
  }
  return std::nullopt;
}

void compare(const Samples &S, const std::vector<Setting> &MeasuredAt, Evaluation &Result) {
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const Sample &Measured = S.Rows[Row];
    const RowPrediction &Predicted = Result.Rows[Row];
    Result.TimeErrors.push_back(Predicted.TimeS / Measured.TimeS - 1);
    Result.EnergyErrors.push_back(Predicted.EnergyJ / *Measured.EnergyJ - 1);
    Result.PowerErrors.push_back(Predicted.PowerW / (*Measured.EnergyJ / Measured.TimeS) - 1);
  }
  Result.Intervals = coverage(S, MeasuredAt, Result.Rows);
  Result.ByFamily = chooseByFamily(S, Result.Rows);
}

std::expected<Evaluation, Error> evaluate(const Machine &M, const Samples &S, TimeFrom From,
                                          const std::vector<Setting> &MeasuredAt) {
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
  const RowPredictor Predictor(M, S);
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    if (const std::string What = Predictor.missing(Row, From); !What.empty())
      return Unknown("the profile has no value of " + What + " for the setting of line " +
                     std::to_string(S.Rows[Row].Line));
    const PlainCost Cost = Predictor.cost(Row, From);
    Result.Rows.push_back({Cost.TimeS, Cost.EnergyJ, Cost.powerW(), Cost.EnergyJ});
  }
  if (!MeasuredAt.empty()) {
    if (auto Bad = knowMeasured(Predictor, M, S, MeasuredAt, Result))
      return std::unexpected(*Bad);
  } else {
    addErrors(M, S, From, Result);
    if (From == TimeFrom::Predicted)
      for (const auto &[Workload, Rows] : rowsByWorkload(S))
        weighTypical(M, S, Rows, Result);
  }
  compare(S, MeasuredAt, Result);
  return Result;
}

} // namespace ergon
