//===- LeftOutEvaluation.cpp - evaluates fits without each family ---------===//

#include "model/fit/Evaluation.h"
#include "model/fit/ProfileFit.h"

#include <algorithm>
#include <utility>

namespace ergon {

namespace {
/// The rows of one family and all others, with their positions.
struct Fold {
  Samples Rest, Left;
  std::vector<std::size_t> LeftRows;
};
} // namespace

static std::vector<Fold> foldsOf(const Samples &S) {
  const std::vector<std::size_t> Families = familiesOf(S);
  std::vector<Fold> Result(S.Rows.empty() ? 0 : std::ranges::max(Families) + 1);
  for (std::size_t I = 0; I != Result.size(); ++I) {
    Result[I].Rest.Classes = Result[I].Left.Classes = S.Classes;
    for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
      if (Families[Row] == I) {
        Result[I].Left.Rows.push_back(S.Rows[Row]);
        Result[I].LeftRows.push_back(Row);
      } else {
        Result[I].Rest.Rows.push_back(S.Rows[Row]);
      }
  }
  return Result;
}

static void unite(std::vector<std::string> &All, const std::vector<std::string> &Names) {
  for (const std::string &Name : Names)
    if (std::ranges::find(All, Name) == All.end())
      All.push_back(Name);
}

std::expected<Evaluation, Error> evaluateLeftOut(const Samples &S, const EnergyFitOptions &Options,
                                                 TimeFrom From,
                                                 const std::vector<Setting> &MeasuredAt) {
  const std::vector<Fold> Folds = foldsOf(S);
  if (Folds.size() < 2)
    return std::unexpected(Error{"all workloads are one family, which nothing else can predict", "",
                                 "name families with --family, or measure other programs"});
  EnergyFitOptions OfFold = Options;
  OfFold.Progress = {};
  Evaluation Result;
  Result.Rows.resize(S.Rows.size());
  for (std::size_t I = 0; I != Folds.size(); ++I) {
    if (Options.Progress)
      Options.Progress(I, Folds.size(), "families");
    const auto Fit = fitProfile(Folds[I].Rest, OfFold, From == TimeFrom::Predicted);
    if (!Fit)
      return std::unexpected(Fit.error());
    const auto Left = evaluate(Fit->Energy.Fitted, Folds[I].Left, From, MeasuredAt);
    if (!Left)
      return std::unexpected(Left.error());
    for (std::size_t Row = 0; Row != Left->Rows.size(); ++Row)
      Result.Rows[Folds[I].LeftRows[Row]] = Left->Rows[Row];
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
