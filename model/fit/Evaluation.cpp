//===- Evaluation.cpp - compares a profile with measured runs -------------===//

#include "model/fit/Evaluation.h"
#include "model/energy/Roofline.h"
#include "model/fit/RowResponses.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ergon {

namespace {
/// Predicts the rows of a table.
class RowPredictor {
public:
  RowPredictor(const Machine &M, const Samples &S) : M(M), S(S) {
    for (const Sample &Row : S.Rows) {
      Costs.emplace_back(M, profileSetting(M, Row.Clocks), S.Classes);
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
    Runs.push_back({profileSetting(M, Row.Clocks), Row.TimeS, Row.EnergyJ, ""});
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

/// Has \p Rows, of one workload with \p Runs known runs, chosen by what programs need in the mean,
/// too, as far as the fit says.
static void chooseWithMean(const Machine &M, const Samples &S, const std::vector<std::size_t> &Rows,
                           std::size_t Runs, Evaluation &Result) {
  const double Weight = M.Fit.Quality ? M.Fit.Quality->modelWeight(Runs) : 1;
  if (Weight == 1)
    return;
  const TypicalEnergy &Typical = *M.Fit.Quality->Typical;
  const Setting &First = Typical.Settings.front().Clocks;
  auto Reference = std::ranges::find_if(
      Rows, [&](std::size_t Row) { return S.Rows[Row].Clocks.sameClocks(First); });
  if (Reference == Rows.end())
    return;
  const double FirstJ = Result.Rows[*Reference].EnergyJ;
  for (std::size_t Row : Rows)
    if (const TypicalEnergy::At *Here = Typical.find(S.Rows[Row].Clocks))
      Result.Rows[Row].LikelyJ = FirstJ * Here->with(Result.Rows[Row].EnergyJ / FirstJ, Weight);
}

/// How far predictions may be off, by what \p M states.
static void addErrors(const Machine &M, const Samples &S, TimeFrom From, Evaluation &Result) {
  const RowResponses Responses(M, S);
  const PreparedMachine &Prepared = Responses.machine();
  if (!Prepared.statesErrors())
    return;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const Response Follows = Responses.of(Row);
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
      const MeasuredModel::Answer At = Known->at(profileSetting(M, Sample.Clocks));
      Result.Rows[Row] = {At.TimeS,   At.EnergyJ,   At.EnergyJ / At.TimeS,
                          At.EnergyJ, At.TimeError, At.error(1, 0)};
    }
    chooseWithMean(M, S, Rows, Known->knownSettings(), Result);
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
  std::vector<double> Joules;
  for (const RowPrediction &Row : Result.Rows)
    Joules.push_back(Row.LikelyJ);
  Result.ByFamily = choicesBy(S, Joules);
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
        chooseWithMean(M, S, Rows, 0, Result);
  }
  compare(S, MeasuredAt, Result);
  return Result;
}

} // namespace ergon
