//===- ProfileFit.cpp - a machine profile from measured runs --------------===//

#include "model/fit/ProfileFit.h"
#include "model/fit/ChangeErrors.h"
#include "model/fit/Evaluation.h"
#include "model/fit/PriceErrors.h"
#include "model/fit/TypicalSweep.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ergon {

static const std::string FitSource = "fit", SamplesSource = "samples";

/// What is known where no energy was measured: the settings.
static EnergyFit withoutEnergy(const Samples &S, const EnergyFitOptions &Options) {
  EnergyFit Result;
  Result.IsFitted = Options.HeldOut;
  Result.IsFitted.flip();
  Result.IsFitted.resize(S.Rows.size(), true);
  for (RowErrors *Errors :
       {&Result.InSample, &Result.BySetting, &Result.ByWorkload, &Result.ByFamily})
    Errors->Full = Errors->Formula = std::vector<double>(S.Rows.size(), std::nan(""));
  Result.Fitted.Settings.clear();
  for (const Sample &Row : S.Rows)
    if (std::ranges::none_of(Result.Fitted.Settings,
                             [&](const Setting &Other) { return Other.sameClocks(Row.Clocks); }))
      Result.Fitted.Settings.push_back(Row.Clocks);
  Result.Fitted.Fit.Quality.emplace();
  return Result;
}

/// Times of the rows that energy was fitted to; \p Rows gets their positions.
static TimeFit fitTimes(const Samples &S, const std::vector<bool> &IsFitted, bool Validates,
                        std::vector<std::size_t> &Rows) {
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (IsFitted[Row])
      Rows.push_back(Row);
  return fitTime(selected(S, Rows), Validates);
}

/// What was found of times into \p M: throughputs, overlap, how far they may be off.
static void addTimes(Machine &M, const TimeFit &Fit) {
  Fit.fillMachine(M, FitSource);
  if (Fit.Deviations) {
    M.Fit.Quality->TimeError = Quantity{Fit.Deviations->TooLow, FitSource};
    M.Fit.Quality->TimeErrorBelow = Quantity{Fit.Deviations->TooHigh, FitSource};
    M.Fit.Quality->TimeChoiceError = Quantity{Fit.Deviations->OfRatio, FitSource};
  }
  if (Fit.RelativeCovariance.empty())
    return;
  if (!M.Fit.Quality->JointCovariance)
    M.Fit.Quality->JointCovariance.emplace().Source = FitSource;
  std::vector<std::string> Names;
  for (const FittedThroughput &Throughput : Fit.Throughputs)
    Names.push_back("throughput." + Throughput.Class);
  M.Fit.Quality->JointCovariance->append(Names, Fit.RelativeCovariance);
}

/// How far the change with the clocks is off, where one run is known.
static void addChange(Machine &M, const Samples &S, const ProfileFit &Fit) {
  ChangeErrors Change;
  if (!Fit.Times->WithoutFamily.empty())
    Change.Time = timeSlopeErrors(selected(S, Fit.TimedRows), Fit.Times->WithoutFamily);
  Change.Power = powerSlopeErrors(S, Fit.Energy.ByFamily.Full);
  if (Change.Time || Change.Power)
    M.Fit.Quality->Change = std::move(Change);
}

/// What programs need in the mean, and whether that chooses settings better than the model.
static void addChooser(Machine &M, const Samples &S, const EnergyFitOptions &Options) {
  std::vector<bool> IsGiven = Options.HeldOut;
  IsGiven.flip();
  IsGiven.resize(S.Rows.size(), true);
  auto Typical = typicalEnergy(S, IsGiven);
  if (!Typical)
    return;
  M.Fit.Quality->Losses = choiceLosses(S, IsGiven, *Typical, Options);
  if (M.Fit.Quality->Losses)
    M.Fit.Quality->Typical = std::move(Typical);
}

/// Every number of \p M comes from the fit, every setting from the samples.
static void nameSources(Machine &M) {
  M.Sources[SamplesSource].Kind = SourceKind::Measured;
  M.Sources[FitSource].Kind = SourceKind::Fitted;
  for (auto &[Name, Coefficient] : M.coefficients())
    Coefficient->Source = FitSource;
  for (Setting &S : M.Settings)
    S.Source = SamplesSource;
  if (M.Power.CoreLaw)
    M.Power.CoreLaw->FlatToMhz.Source = M.Power.CoreLaw->RisePerMhz.Source = FitSource;
  if (M.Power.VoltageExponent)
    M.Power.VoltageExponent->Source = FitSource;
  if (M.Power.Saturates)
    M.Power.Saturates->Exponent.Source = M.Power.Saturates->ReferenceW.Source = FitSource;
  if (M.Fit.Corrects)
    M.Fit.Corrects->Source = FitSource;
  // A byte that main memory serves is counted at each level that it passes.
  if (std::ranges::count_if(M.Power.Energies, [](const auto &Item) {
        return memoryLevel(Item.first).has_value();
      }) > 1) {
    M.Power.BytesPaid = ByteEnergy::AtEachLevel;
    M.Power.BytesPaidSource = FitSource;
  }
  FitQuality &Quality = *M.Fit.Quality;
  for (std::optional<Quantity> *Q :
       {&Quality.EnergyError, &Quality.EnergyChoiceError, &Quality.TimeError,
        &Quality.TimeErrorBelow, &Quality.TimeChoiceError})
    if (*Q)
      (*Q)->Source = FitSource;
  if (Quality.JointCovariance)
    Quality.JointCovariance->Source = FitSource;
  if (Quality.Typical)
    Quality.Typical->Source = FitSource;
  if (Quality.Change)
    Quality.Change->Source = FitSource;
  if (Quality.Losses)
    Quality.Losses->Source = FitSource;
}

std::expected<ProfileFit, Error> fitProfile(const Samples &S, const EnergyFitOptions &Options,
                                            bool WithTimes) {
  const bool HasEnergy = S.Rows.front().EnergyJ.has_value(); // then all rows have it
  std::expected<EnergyFit, Error> Energy =
      HasEnergy ? fitEnergy(S, Options) : withoutEnergy(S, Options);
  if (!Energy)
    return std::unexpected(Energy.error());
  ProfileFit Result{std::move(*Energy), {}, {}};
  Machine &M = Result.Energy.Fitted;
  narrowPriceErrors(M, S, Result.Energy.ByFamily.Full);
  if (WithTimes) {
    if (Options.Progress)
      Options.Progress(0, 1, "times");
    Result.Times = fitTimes(S, Result.Energy.IsFitted, Options.Validates, Result.TimedRows);
    addTimes(M, *Result.Times);
    addChange(M, S, Result);
    if (HasEnergy && Options.Validates)
      addChooser(M, S, Options);
  }
  std::set<std::string> Families;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (Result.Energy.IsFitted[Row])
      Families.insert(familyOf(S.Rows[Row]));
  M.Fit.Quality->Families.assign(Families.begin(), Families.end());
  nameSources(M);
  return Result;
}

} // namespace ergon
