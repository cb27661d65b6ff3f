//===- Choices.cpp - what rules for choosing a setting lose ---------------===//

#include "model/fit/Choices.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ergon {

namespace {
/// One workload's rows at its settings.
struct Sweep {
  std::vector<const Sample *> Measured;
  std::vector<double> Joules; ///< that the rows are chosen by; empty: none are given

  std::size_t chosen() const {
    return std::size_t(std::ranges::min_element(Joules) - Joules.begin());
  }
  double loss(std::size_t Chosen) const {
    double LeastJ = *Measured[Chosen]->EnergyJ;
    for (const Sample *S : Measured)
      LeastJ = std::min(LeastJ, *S->EnergyJ);
    return *Measured[Chosen]->EnergyJ / LeastJ - 1;
  }
  /// Adds the loss of a choice to \p Result.
  void add(std::size_t Chosen, ChoiceSummary &Result) const {
    const double Loss = loss(Chosen);
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
    S->add(S->chosen(), Result.Model);
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
static std::vector<Sweep> sweepsOf(const Samples &S, std::span<const double> Joules) {
  std::map<std::string, Sweep> Sweeps;
  for (std::size_t RowIndex = 0; RowIndex != S.Rows.size(); ++RowIndex) {
    Sweep &Target = Sweeps[S.Rows[RowIndex].Workload];
    Target.Measured.push_back(&S.Rows[RowIndex]);
    if (!Joules.empty())
      Target.Joules.push_back(Joules[RowIndex]);
  }
  std::vector<Sweep> Result;
  for (auto &[Workload, Next] : Sweeps)
    if (std::ranges::any_of(Next.Measured, [&](const Sample *Row) {
          return !Row->Clocks.sameClocks(Next.Measured.front()->Clocks);
        }))
      Result.push_back(std::move(Next));
  return Result;
}

std::vector<Choices> choicesBy(const Samples &S, std::span<const double> Joules) {
  const std::vector<Sweep> Sweeps = sweepsOf(S, Joules);
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

std::vector<double> lossesByFamily(const Samples &S, std::span<const double> Joules) {
  std::map<std::string, std::size_t> NumberOf;
  const std::vector<std::size_t> Numbers = familiesOf(S);
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    NumberOf.emplace(familyOf(S.Rows[Row]), Numbers[Row]);
  std::vector<double> Result(NumberOf.size()), Sweeps(NumberOf.size());
  for (const Sweep &Next : sweepsOf(S, Joules)) {
    const std::size_t Family = NumberOf.at(familyOf(*Next.Measured.front()));
    Result[Family] += Next.loss(Next.chosen());
    ++Sweeps[Family];
  }
  for (std::size_t Family = 0; Family != Result.size(); ++Family)
    Result[Family] /= std::max(Sweeps[Family], 1.0);
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

} // namespace ergon
