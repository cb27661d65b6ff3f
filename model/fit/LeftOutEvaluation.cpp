//===- LeftOutEvaluation.cpp - evaluates fits without each family ---------===//

#include "model/fit/Evaluation.h"
#include "model/fit/ProfileFit.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <utility>

namespace ergon {

std::expected<Evaluation, Error> evaluateLeftOut(const Samples &S, const EnergyFitOptions &Options,
                                                 TimeFrom From,
                                                 const std::vector<Setting> &MeasuredAt) {
  const std::vector<std::size_t> Families = familiesOf(S);
  const std::size_t Number = std::ranges::max(Families) + 1;
  if (Number < 2)
    return std::unexpected(Error{"all workloads are one family, which nothing else can predict", "",
                                 "name families with --family, or measure other programs"});
  EnergyFitOptions OfFold = Options;
  OfFold.Progress = {};
  Evaluation Result;
  Result.Rows.resize(S.Rows.size());
  for (std::size_t Family = 0; Family != Number; ++Family) {
    if (Options.Progress)
      Options.Progress(Family, Number, "families");
    std::vector<std::size_t> Rest, Out;
    for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
      (Families[Row] == Family ? Out : Rest).push_back(Row);
    const auto Fit = fitProfile(selected(S, Rest), OfFold, From == TimeFrom::Predicted);
    if (!Fit)
      return std::unexpected(Fit.error());
    const auto Left = evaluate(Fit->Energy.Fitted, selected(S, Out), From, MeasuredAt);
    if (!Left)
      return std::unexpected(Left.error());
    for (std::size_t Row = 0; Row != Out.size(); ++Row)
      Result.Rows[Out[Row]] = Left->Rows[Row];
    unite(Result.Unpriced, Left->Unpriced);
    unite(Result.Untimed, Left->Untimed);
  }
  compare(S, MeasuredAt, Result);
  return Result;
}

std::optional<ChoiceLosses> choiceLosses(const Samples &S, const EnergyFitOptions &Options) {
  static constexpr std::size_t MaxFittedRows = 200'000;
  const std::vector<std::size_t> Families = familiesOf(S);
  if (!Options.HeldOut.empty() || (std::ranges::max(Families) + 1) * S.Rows.size() > MaxFittedRows)
    return std::nullopt;
  EnergyFitOptions Plain = Options;
  Plain.Validates = false;
  const auto Left = evaluateLeftOut(S, Plain, TimeFrom::Predicted);
  const auto Fixed = bestFixedSetting(S);
  if (!Left || Left->ByFamily.empty() || !Fixed || Left->ByFamily.front().Fixed.Workloads == 0)
    return std::nullopt;
  const Choices &All = Left->ByFamily.front();
  return ChoiceLosses{All.Model.Workloads,
                      All.Model.MeanLoss,
                      All.Fastest.MeanLoss,
                      All.Slowest.MeanLoss,
                      All.Fixed.MeanLoss,
                      *Fixed,
                      ""};
}

} // namespace ergon
