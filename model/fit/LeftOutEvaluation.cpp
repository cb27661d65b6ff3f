//===- LeftOutEvaluation.cpp - evaluates fits without each family ---------===//

#include "model/fit/CombinedChoices.h"
#include "model/fit/Evaluation.h"
#include "model/fit/ProfileFit.h"
#include "model/fit/Statistics.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace ergon {

namespace {
/// The rows of a family and what was made of them by a fit to all others.
struct LeftOut {
  std::vector<std::size_t> Rows;
  std::vector<Evaluation> Results;
};
using Judge =
    std::function<std::expected<std::vector<Evaluation>, Error>(const Machine &, const Samples &)>;
} // namespace

/// For each family of \p S, of which there are two or more: fits the others with \p Options and has
/// the family judged by \p By.
static std::expected<std::vector<LeftOut>, Error> leaveOutFamilies(const Samples &S,
                                                                   const EnergyFitOptions &Options,
                                                                   bool WithTimes, const char *Name,
                                                                   const Judge &By) {
  const std::vector<std::size_t> Families = familiesOf(S);
  const std::size_t Number = std::ranges::max(Families) + 1;
  EnergyFitOptions OfFold = Options;
  OfFold.Progress = {};
  std::vector<LeftOut> Result(Number);
  std::vector<std::optional<Error>> Failed(Number);
  std::atomic<std::size_t> Done = 0;
  if (Options.Progress)
    Options.Progress(Done, Number, Name);
  auto LeaveOut = [&](std::size_t Family) {
    std::vector<std::size_t> Rest;
    for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
      (Families[Row] == Family ? Result[Family].Rows : Rest).push_back(Row);
    const auto Fit = fitProfile(selected(S, Rest), OfFold, WithTimes);
    if (Fit) {
      auto Judged = By(Fit->Energy.Fitted, selected(S, Result[Family].Rows));
      if (Judged)
        Result[Family].Results = std::move(*Judged);
      else
        Failed[Family] = Judged.error();
    } else {
      Failed[Family] = Fit.error();
    }
    if (Options.Progress)
      Options.Progress(++Done, Number, Name);
  };
  if (Options.ForEach)
    Options.ForEach(Number, LeaveOut);
  else
    for (std::size_t Family = 0; Family != Number; ++Family)
      LeaveOut(Family);
  for (const std::optional<Error> &Bad : Failed)
    if (Bad)
      return std::unexpected(*Bad);
  return Result;
}

std::expected<Evaluation, Error> evaluateLeftOut(const Samples &S, const EnergyFitOptions &Options,
                                                 TimeFrom From,
                                                 const std::vector<Setting> &MeasuredAt) {
  if (std::ranges::max(familiesOf(S)) == 0)
    return std::unexpected(Error{"all workloads are one family, which nothing else can predict", "",
                                 "name families with --family, or measure other programs"});
  auto Families = leaveOutFamilies(
      S, Options, From == TimeFrom::Predicted, "families",
      [&](const Machine &M, const Samples &Out) -> std::expected<std::vector<Evaluation>, Error> {
        auto Left = evaluate(M, Out, From, MeasuredAt);
        if (!Left)
          return std::unexpected(Left.error());
        return std::vector{std::move(*Left)};
      });
  if (!Families)
    return std::unexpected(Families.error());
  Evaluation Result;
  Result.Rows.resize(S.Rows.size());
  for (const LeftOut &Family : *Families) {
    const Evaluation &Left = Family.Results.front();
    for (std::size_t Row = 0; Row != Family.Rows.size(); ++Row)
      Result.Rows[Family.Rows[Row]] = Left.Rows[Row];
    unite(Result.Unpriced, Left.Unpriced);
    unite(Result.Untimed, Left.Untimed);
  }
  compare(S, MeasuredAt, Result);
  return Result;
}

/// Some settings of \p Common, the first and the last among them, and a row at each of the
/// workloads that have both: no more than \p MostRows, if possible.
static std::vector<std::size_t> comparableRows(const Samples &S, const std::vector<Setting> &Common,
                                               const std::vector<bool> &IsUsed,
                                               std::size_t MostRows) {
  std::map<std::string, std::vector<std::size_t>> Workloads;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (IsUsed[Row])
      Workloads[S.Rows[Row].Workload].push_back(Row);
  auto Has = [&](const std::vector<std::size_t> &Rows, const Setting &At) {
    return std::ranges::any_of(Rows,
                               [&](std::size_t Row) { return S.Rows[Row].Clocks.sameClocks(At); });
  };
  std::erase_if(Workloads, [&](const auto &Sweep) {
    return !Has(Sweep.second, Common.front()) || !Has(Sweep.second, Common.back());
  });
  std::vector<Setting> Chosen;
  for (std::size_t At :
       spreadPositions(Common.size(), MostRows / std::max<std::size_t>(Workloads.size(), 1)))
    if (At != 0 && At + 1 != Common.size())
      Chosen.push_back(Common[At]);
  Chosen.push_back(Common.front());
  Chosen.push_back(Common.back());
  std::vector<std::size_t> Result;
  for (const auto &[Workload, Rows] : Workloads)
    for (const Setting &At : Chosen) // one run at each
      if (const auto Row = std::ranges::find_if(
              Rows, [&](std::size_t Any) { return S.Rows[Any].Clocks.sameClocks(At); });
          Row != Rows.end())
        Result.push_back(*Row);
  std::ranges::sort(Result);
  return Result;
}

/// The plainer of two rules is left only for one that loses less by more than a standard error
/// (Breiman et al., "Classification and Regression Trees", 1984, section 3.4.3). \p Plainer and
/// \p Other are their losses, family by family.
static bool isBetter(const std::vector<double> &Other, const std::vector<double> &Plainer) {
  std::vector<double> Gains;
  for (std::size_t Family = 0; Family != Other.size(); ++Family)
    Gains.push_back(Plainer[Family] - Other[Family]);
  return mean(Gains) > standardDeviation(Gains) / std::sqrt(double(Gains.size()));
}

std::optional<ChoiceLosses> choiceLosses(const Samples &S, const std::vector<bool> &IsUsed,
                                         const TypicalEnergy &Typical,
                                         const EnergyFitOptions &Options) {
  /// Rows of all fits: some seconds.
  static constexpr std::size_t MaxFittedRows = 50'000;
  std::vector<Setting> Common;
  for (const TypicalEnergy::At &At : Typical.Settings)
    Common.push_back(At.Clocks);
  std::set<std::string> Names;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (IsUsed[Row])
      Names.insert(familyOf(S.Rows[Row]));
  if (Names.size() < 2)
    return std::nullopt;
  const Samples Table =
      selected(S, comparableRows(S, Common, IsUsed, MaxFittedRows / Names.size()));
  if (Table.Rows.empty() || std::ranges::max(familiesOf(Table)) == 0)
    return std::nullopt;
  EnergyFitOptions Plain = Options;
  Plain.Validates = false;
  Plain.HeldOut.clear();
  const std::vector<std::vector<Setting>> Known = {
      {}, {Common.front()}, {Common.front(), Common.back()}};
  const auto Families = leaveOutFamilies(
      Table, Plain, true, "choices",
      [&](const Machine &M, const Samples &Out) -> std::expected<std::vector<Evaluation>, Error> {
        std::vector<Evaluation> Results;
        for (const std::vector<Setting> &MeasuredAt : Known) {
          auto Left = evaluate(M, Out, TimeFrom::Predicted, MeasuredAt);
          if (!Left)
            return std::unexpected(Left.error());
          Results.push_back(std::move(*Left));
        }
        return Results;
      });
  const auto Fixed = bestFixedSetting(Table);
  if (!Families || !Fixed)
    return std::nullopt;
  ChoiceLosses Result;
  Result.FixedSetting = *Fixed;
  for (std::size_t Runs = 0; Runs != Known.size(); ++Runs) {
    std::vector<double> Joules(Table.Rows.size());
    for (const LeftOut &Family : *Families)
      for (std::size_t Row = 0; Row != Family.Rows.size(); ++Row)
        Joules[Family.Rows[Row]] = Family.Results[Runs].Rows[Row].EnergyJ;
    const Choices All = choicesBy(Table, Joules).front();
    Result.Workloads = All.Model.Workloads;
    Result.Fastest = All.Fastest.MeanLoss;
    Result.Slowest = All.Slowest.MeanLoss;
    Result.Fixed = All.Fixed.MeanLoss;
    const CombinedChoices Both(Table, Common.front(), Joules);
    const std::vector<double> ByBoth = Both.combined(), ByMean = Both.combined(0);
    const bool AsksModel = isBetter(lossesByFamily(Table, ByBoth), lossesByFamily(Table, ByMean));
    Result.ByRuns[Runs] = {.Model = All.Model.MeanLoss,
                           .Combined =
                               choicesBy(Table, AsksModel ? ByBoth : ByMean).front().Model.MeanLoss,
                           .ModelWeight = AsksModel ? Both.weight() : 0};
  }
  return Result;
}

} // namespace ergon
