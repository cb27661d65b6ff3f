//===- MeasuredModel.cpp - a model that measured runs correct -------------===//

#include "model/energy/MeasuredModel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ergon {

//===----------------------------------------------------------------------===//
// Regression over the clocks
//===----------------------------------------------------------------------===//

using Matrix = std::array<std::array<double, 3>, 3>;

/// The inverse of a symmetric positive definite matrix, by cofactors.
static Matrix inverse(const Matrix &A) {
  auto Cofactor = [&](std::size_t I, std::size_t J) {
    const std::size_t R0 = (I + 1) % 3, R1 = (I + 2) % 3, C0 = (J + 1) % 3, C1 = (J + 2) % 3;
    return A[R0][C0] * A[R1][C1] - A[R0][C1] * A[R1][C0];
  };
  double Determinant = 0;
  for (std::size_t J = 0; J != 3; ++J)
    Determinant += A[0][J] * Cofactor(0, J);
  Matrix Result;
  for (std::size_t I = 0; I != 3; ++I)
    for (std::size_t J = 0; J != 3; ++J)
      Result[J][I] = Cofactor(I, J) / Determinant;
  return Result;
}

static double logRatio(std::optional<double> Above, std::optional<double> Below) {
  return Above && Below && *Above > 0 && *Below > 0 ? std::log(*Above / *Below) : 0;
}

ClockRegression::Vector ClockRegression::features(const Setting &S) const {
  return {1, logRatio(Origin.mhz(Domain::Core), S.mhz(Domain::Core)),
          logRatio(Origin.mhz(Domain::Mem), S.mhz(Domain::Mem))};
}

ClockRegression::ClockRegression(const Prior &P, const Setting &Origin, std::span<const Setting> At,
                                 std::span<const double> Values)
    : P(P), Origin(Origin), At(At.begin(), At.end()) {
  const auto &[Core, Mem, Correlation] = P.Slopes;
  const double Apart = 1 - Correlation * Correlation;
  Matrix Precision{};
  Vector Sum{};
  Precision[0][0] = 1 / (P.Level * P.Level);
  Precision[1][1] = 1 / (Core * Core * Apart);
  Precision[2][2] = 1 / (Mem * Mem * Apart);
  Precision[1][2] = Precision[2][1] = -Correlation / (Core * Mem * Apart);
  for (std::size_t K = 0; K != At.size(); ++K) {
    const Vector X = features(At[K]);
    for (std::size_t I = 0; I != Size; ++I) {
      Sum[I] += X[I] * Values[K] / (P.Noise * P.Noise);
      for (std::size_t J = 0; J != Size; ++J)
        Precision[I][J] += X[I] * X[J] / (P.Noise * P.Noise);
    }
  }
  Covariance = inverse(Precision);
  for (std::size_t I = 0; I != Size; ++I)
    for (std::size_t J = 0; J != Size; ++J)
      Mean[I] += Covariance[I][J] * Sum[J];
  double Squares = 0;
  for (std::size_t K = 0; K != At.size(); ++K)
    Squares += std::pow(Values[K] - mean(At[K]), 2);
  if (At.size() > 1)
    Disagree = std::max(1.0, std::sqrt(Squares / double(At.size() - 1)) / P.Noise);
}

double ClockRegression::mean(const Setting &S) const {
  const Vector X = features(S);
  double Result = 0;
  for (std::size_t I = 0; I != Size; ++I)
    Result += X[I] * Mean[I];
  return Result;
}

double ClockRegression::variance(const Vector &Direction) const {
  double Result = 0;
  for (std::size_t I = 0; I != Size; ++I)
    for (std::size_t J = 0; J != Size; ++J)
      Result += Direction[I] * Covariance[I][J] * Direction[J];
  return Result;
}

double ClockRegression::bend(const Setting &S) const {
  double Nearest = std::numeric_limits<double>::infinity();
  for (const Setting &Known : At)
    Nearest = std::min(Nearest, std::hypot(logRatio(Known.mhz(Domain::Core), S.mhz(Domain::Core)),
                                           logRatio(Known.mhz(Domain::Mem), S.mhz(Domain::Mem))));
  // Where runs say that the model is off in how it changes, it is off in how that changes, too.
  static constexpr double OfSlope = 0.8;
  return Nearest * std::hypot(P.Bend, OfSlope * Mean[1], OfSlope * Mean[2]);
}

double ClockRegression::errorBesideSlopes(const Setting &S) const {
  return std::hypot(Disagree * std::sqrt(Covariance[0][0]), Disagree * P.Noise, bend(S));
}

double ClockRegression::error(const Setting &S) const {
  return std::hypot(Disagree * std::sqrt(variance(features(S))), Disagree * P.Noise, bend(S));
}

double ClockRegression::errorOfDifference(const Setting &Left, const Setting &Right) const {
  if (Left.sameClocks(Right))
    return 0;
  Vector Difference = features(Left);
  const Vector Other = features(Right);
  for (std::size_t I = 0; I != Size; ++I)
    Difference[I] -= Other[I];
  const double Bends = std::hypot(bend(Left), bend(Right));
  return std::hypot(Disagree * std::sqrt(variance(Difference)), Disagree * std::sqrt(2) * P.Noise,
                    Bends);
}

//===----------------------------------------------------------------------===//
// Time and power
//===----------------------------------------------------------------------===//

// Chosen on the kernels of the GTX 1080 Ti and of the RTX 8000 (docs/decisions/0043).
static constexpr SlopeErrors SlopesElsewhere{.Core = 0.2, .Mem = 0.1, .Correlation = 0};

ClockRegression::Prior MeasuredModel::timePrior(const ChangeErrors &Change) {
  return {.Level = 1, .Slopes = Change.Time.value_or(SlopesElsewhere), .Noise = 0.01, .Bend = 0.06};
}

ClockRegression::Prior MeasuredModel::powerPrior(const ChangeErrors &Change) {
  return {
      .Level = 1, .Slopes = Change.Power.value_or(SlopesElsewhere), .Noise = 0.015, .Bend = 0.12};
}

MeasuredModel::MeasuredModel(std::vector<MeasuredRun> Measured, Model M, const ChangeErrors &Change)
    : Runs(std::move(Measured)), Modelled(std::move(M)) {
  First = std::ranges::max_element(Runs, {},
                                   [](const MeasuredRun &Run) {
                                     return std::pair(Run.Clocks.CoreMhz.value_or(0),
                                                      Run.Clocks.MemMhz.value_or(0));
                                   }) -
          Runs.begin();
  std::vector<double> ModelS, Times, Powers;
  std::vector<Setting> At, Metered;
  for (const MeasuredRun &Run : Runs) {
    const ModelledRun Here = Modelled(Run.Clocks);
    ModelS.push_back(Here.TimeS);
    At.push_back(Run.Clocks);
    if (Run.EnergyJ) {
      Metered.push_back(Run.Clocks);
      Powers.push_back(std::log(*Run.EnergyJ / Here.EnergyJ(Run.TimeS)));
    }
  }
  FirstModelS = ModelS[First];
  MemShare = bestMemShare(ModelS);
  // What is known beforehand holds back what runs say, so that it may not be too sure.
  ChangeErrors Known = Change;
  for (std::optional<SlopeErrors> *Slopes : {&Known.Time, &Known.Power})
    if (*Slopes && knownSettings() > 1)
      *Slopes = {std::max((*Slopes)->Core, SlopesElsewhere.Core),
                 std::max((*Slopes)->Mem, SlopesElsewhere.Mem), (*Slopes)->Correlation};
  for (std::size_t I = 0; I != Runs.size(); ++I)
    Times.push_back(std::log(Runs[I].TimeS / movedS(At[I], ModelS[I])));
  Time.emplace(timePrior(Known), At[First], At, Times);
  if (!Metered.empty())
    Power.emplace(powerPrior(Known), At[First], Metered, Powers);
}

/// The model's time \p ModelS at \p S, moved to what the first run took: what it does not explain
/// follows the clocks.
double MeasuredModel::movedS(const Setting &S, double ModelS) const {
  const double FirstS = Runs[First].TimeS;
  if (FirstS < FirstModelS)
    return ModelS * FirstS / FirstModelS;
  auto Follows = [&](Domain D) { return std::exp(logRatio(Runs[First].Clocks.mhz(D), S.mhz(D))); };
  return ModelS + (FirstS - FirstModelS) *
                      ((1 - MemShare) * Follows(Domain::Core) + MemShare * Follows(Domain::Mem));
}

/// The share with which the runs, whose times by the model are \p ModelS, agree best. One run says
/// nothing of it.
double MeasuredModel::bestMemShare(const std::vector<double> &ModelS) {
  static constexpr unsigned Steps = 100;
  double Best = 0, Least = std::numeric_limits<double>::infinity();
  for (unsigned Step = 0; Step <= Steps && Runs.size() > 1; ++Step) {
    MemShare = double(Step) / Steps;
    double Sum = 0;
    for (std::size_t I = 0; I != Runs.size(); ++I)
      Sum += std::pow(std::log(Runs[I].TimeS / movedS(Runs[I].Clocks, ModelS[I])), 2);
    if (Sum < Least * (1 - 1e-9)) {
      Least = Sum;
      Best = MemShare;
    }
  }
  return Best;
}

/// d ln E/d ln T of \p Modelled in \p TimeS seconds.
static double energyFollows(const ModelledRun &Modelled, double TimeS) {
  static constexpr double Step = 0.01;
  const double Joules = Modelled.EnergyJ(TimeS);
  return Joules > 0 ? std::log(Modelled.EnergyJ(TimeS * (1 + Step)) / Joules) / std::log1p(Step)
                    : 1;
}

MeasuredModel::Answer MeasuredModel::at(const Setting &S) const {
  const ModelledRun Here = Modelled(S);
  Answer Result;
  Result.TimeS = movedS(S, Here.TimeS) * std::exp(Time->mean(S));
  Result.TimeError = timeError(S, Result.TimeS);
  Result.EnergyJ = Here.EnergyJ(Result.TimeS);
  if (Power) {
    Result.EnergyJ *= std::exp(Power->mean(S));
    Result.PowerError = Power->error(S);
    Result.EnergyFollows = energyFollows(Here, Result.TimeS);
  }
  return Result;
}

/// The error of the time \p TimeS at \p S. However a run's time divides between clocks, it changes
/// by no more than they do, and not against them: slopes beyond that are none.
MeasuredModel::Sides MeasuredModel::timeError(const Setting &S, double TimeS) const {
  const MeasuredRun &Known = Runs[First];
  const double Core = logRatio(Known.Clocks.mhz(Domain::Core), S.mhz(Domain::Core)),
               Mem = logRatio(Known.Clocks.mhz(Domain::Mem), S.mhz(Domain::Mem)),
               Change = std::log(TimeS / Known.TimeS), Error = Time->error(S);
  auto Within = [&](double Furthest) {
    return std::min(Error, std::max(0.0, Furthest) / Deviations95 + Time->errorBesideSlopes(S));
  };
  return {Within(Change - std::min({0.0, Core, Mem})), Within(std::max({0.0, Core, Mem}) - Change)};
}

MeasuredModel::Sides MeasuredModel::Answer::error(int EnergyPower, int TimePower,
                                                  double OfParts) const {
  const double Follows = EnergyPower * EnergyFollows + TimePower,
               ByPower = EnergyPower * PowerError.value_or(0);
  auto Toward = [&](double OfTime) {
    return std::hypot(Follows * std::hypot(OfTime, OfParts), ByPower);
  };
  const Sides Rising{Toward(TimeError.Below), Toward(TimeError.Above)};
  return Follows < 0 ? Sides{Rising.Above, Rising.Below} : Rising;
}

double MeasuredModel::errorOfRatio(const Setting &Left, const Setting &Right, int EnergyPower,
                                   int TimePower) const {
  // Power in a known time is off for other reasons than the time is.
  const double Follows = Power ? (at(Left).EnergyFollows + at(Right).EnergyFollows) / 2 : 1,
               ByTime = (EnergyPower * Follows + TimePower) * Time->errorOfDifference(Left, Right),
               ByPower = Power ? EnergyPower * Power->errorOfDifference(Left, Right) : 0;
  return std::hypot(ByTime, ByPower);
}

std::size_t MeasuredModel::knownSettings() const {
  std::size_t Result = 0;
  for (std::size_t Run = 0; Run != Runs.size(); ++Run)
    Result += std::ranges::none_of(std::span(Runs).first(Run), [&](const MeasuredRun &Before) {
      return Before.Clocks.sameClocks(Runs[Run].Clocks);
    });
  return Result;
}

std::optional<Setting> nextToMeasure(const MeasuredModel &M, std::span<const Setting> Settings) {
  /// Of an answer: below that a run would tell little.
  static constexpr double Little = 0.03;
  std::optional<Setting> Result;
  double Most = Little;
  for (const Setting &S : Settings) {
    const MeasuredModel::Answer At = M.at(S);
    const MeasuredModel::Sides Errors = M.hasPower() ? At.error(1, 0) : At.TimeError;
    if (const double Error = std::max(Errors.Below, Errors.Above); Error > Most) {
      Most = Error;
      Result = S;
    }
  }
  return Result;
}

} // namespace ergon
