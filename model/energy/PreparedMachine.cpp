//===- PreparedMachine.cpp - a machine's costs and their errors -----------===//

#include "model/energy/PreparedMachine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

double figureOf(double EnergyJ, double TimeS, Figure F) {
  auto Power = [](double Base, int Exponent) {
    double Result = 1;
    for (int Times = 0; Times != std::abs(Exponent); ++Times)
      Result *= Base;
    return Exponent < 0 ? 1 / Result : Result;
  };
  return Power(EnergyJ, F.Energy) * Power(TimeS, F.Time);
}

static std::vector<SettingCosts> costsAt(const Machine &M, std::span<const Setting> Settings,
                                         std::span<const std::string> Classes) {
  std::vector<SettingCosts> Result;
  Result.reserve(Settings.size());
  for (const Setting &Clocks : Settings)
    Result.emplace_back(M, Clocks, Classes);
  return Result;
}

PreparedMachine::PreparedMachine(const Machine &M, std::vector<Setting> AtSettings,
                                 std::vector<std::string> OfClasses)
    : Settings(std::move(AtSettings)), Classes(std::move(OfClasses)),
      Own(std::make_unique<Machine>(M)) {
  Costs = costsAt(*Own, Settings, Classes);
  Machine Uncorrected = M;
  Uncorrected.Fit.Corrects.reset();
  Formula = costsAt(Uncorrected, Settings, Classes);
  addCoefficients(std::move(Uncorrected));
  addCovariances();
  if (!M.Fit.Quality)
    return;
  // Errors that the fit cannot separate may all differ between settings.
  auto Either = [](const std::optional<Quantity> &First, const std::optional<Quantity> &Then) {
    return First ? First->Value : Then ? Then->Value : 0;
  };
  Change = M.Fit.Quality->Change.value_or(ChangeErrors{});
  EnergyError = Either(M.Fit.Quality->EnergyError, std::nullopt);
  TimeError = Either(M.Fit.Quality->TimeError, std::nullopt);
  TimeErrorBelow = Either(M.Fit.Quality->TimeErrorBelow, M.Fit.Quality->TimeError);
  EnergyChoiceError = Either(M.Fit.Quality->EnergyChoiceError, M.Fit.Quality->EnergyError);
  TimeChoiceError = Either(M.Fit.Quality->TimeChoiceError, M.Fit.Quality->TimeError);
}

static bool isOf(const Machine &M, const Quantity &Q, SourceKind Kind) {
  auto Found = M.Sources.find(Q.Source); // hand-made models may have no sources
  return Found != M.Sources.end() && Found->second.Kind == Kind;
}

/// Whether the errors on held-out samples include this coefficient's contribution: a fitted one, or
/// one by the law that was held against these samples.
static bool isPartOfFitError(const Machine &M, const std::string &Name, const Quantity &Q) {
  if (!M.Fit.Quality || !(isOf(M, Q, SourceKind::Fitted) || isOf(M, Q, SourceKind::Estimated)))
    return false;
  return (Name.starts_with("throughput.") ? M.Fit.Quality->TimeError : M.Fit.Quality->EnergyError)
      .has_value();
}

void PreparedMachine::addCoefficients(Machine Uncorrected) {
  for (const auto &[Name, Q] : Uncorrected.coefficients()) {
    const double Value = Q->Value;
    Q->Value = Value * (1 + Step);
    Coefficient Next{Name, false, costsAt(Uncorrected, Settings, Classes), false};
    Q->Value = Value;
    if (Next.Raised != Formula)
      Coefficients.push_back(std::move(Next));
  }
}

void PreparedMachine::addCovariances() {
  const Machine &M = *Own;
  const auto Quantities = M.coefficients();
  const Covariance *JointCovariance =
      M.Fit.Quality && M.Fit.Quality->JointCovariance ? &*M.Fit.Quality->JointCovariance : nullptr;
  auto Place = [&](const std::string &Name) -> std::optional<std::size_t> {
    if (!JointCovariance)
      return std::nullopt;
    auto Found = std::ranges::find(JointCovariance->Coefficients, Name);
    if (Found == JointCovariance->Coefficients.end())
      return std::nullopt;
    return Found - JointCovariance->Coefficients.begin();
  };
  const std::size_t Size = Coefficients.size();
  Covariances.assign(Size, std::vector<double>(Size, 0));
  for (std::size_t I = 0; I != Size; ++I) {
    Coefficient &C = Coefficients[I];
    const Quantity &Q = *Quantities.at(C.Name);
    C.IsEstimated = isOf(M, Q, SourceKind::Estimated);
    auto S = M.Sources.find(Q.Source);
    const double *Sd = S == M.Sources.end() ? nullptr : std::get_if<double>(&S->second.Uncertainty);
    if (const auto Row = Place(C.Name)) {
      C.IsStated = true;
      for (std::size_t J = 0; J != Size; ++J)
        if (const auto Column = Place(Coefficients[J].Name))
          Covariances[I][J] = JointCovariance->Relative[*Row][*Column];
    } else if (Sd) {
      C.IsStated = true;
      Covariances[I][I] = *Sd * *Sd;
    } else {
      C.IsStated = S != M.Sources.end() && isPartOfFitError(M, C.Name, Q);
    }
  }
}

Response PreparedMachine::response(std::size_t Setting, std::span<const Piece> Pieces) const {
  auto Total = [&](const SettingCosts &Costs) {
    PlainCost Sum;
    for (const Piece &P : Pieces) {
      const PlainCost Next = Costs.of(P.Amounts);
      Sum.TimeS += Next.TimeS;
      Sum.EnergyJ += Next.EnergyJ;
      Sum.DynamicJ += Next.DynamicJ;
    }
    return Sum;
  };
  auto Slope = [](double From, double To) {
    return From > 0 && std::isfinite(From) ? (To - From) / (From * Step) : 0;
  };
  const PlainCost Base = Total(Formula[Setting]);
  Response Result;
  Result.Setting = Setting;
  Result.TimeS = Total(Costs[Setting]).TimeS;
  Result.ConstantShare = Base.EnergyJ > 0 ? 1 - Base.DynamicJ / Base.EnergyJ : 0;
  for (const Coefficient &C : Coefficients) {
    const PlainCost Raised = Total(C.Raised[Setting]);
    Result.Time.push_back(Slope(Base.TimeS, Raised.TimeS));
    Result.Energy.push_back(Slope(Base.EnergyJ, Raised.EnergyJ));
  }
  return Result;
}

/// What \p M says of the work \p Pieces, over \p Classes, at a setting.
static MeasuredModel::Model modelOf(std::shared_ptr<const Machine> M,
                                    std::vector<std::string> Classes, std::vector<Piece> Pieces) {
  return [M, Classes, Pieces](const Setting &At) {
    // With voltages, and the clock that is really set.
    const Setting *Known = M->findSetting(At.CoreMhz, At.MemMhz);
    const SettingCosts Costs(*M, Known ? *Known : At, Classes);
    double TimeS = 0;
    for (const Piece &P : Pieces)
      TimeS += Costs.of(P.Amounts).TimeS;
    return ModelledRun{TimeS, [=, Keep = M](double Seconds) {
                         double Joules = 0;
                         for (const Piece &P : Pieces)
                           if (const double PieceS = Costs.of(P.Amounts).TimeS; PieceS > 0)
                             Joules += Costs.in(PieceS * Seconds / TimeS, P.Amounts).EnergyJ;
                         return Joules;
                       }};
  };
}

bool PreparedMachine::know(std::vector<MeasuredRun> Runs, std::span<const Piece> Pieces) {
  for (std::size_t Bound = 0; Bound != CountsOfPiece.size(); ++Bound) {
    std::vector<Piece> Work(Pieces.begin(), Pieces.end());
    for (Piece &P : Work)
      P.Amounts = P.*CountsOfPiece[Bound];
    const MeasuredModel::Model Uncorrected = modelOf(Own, Classes, std::move(Work));
    const auto HasTime = [&](const Setting &Clocks) { return Uncorrected(Clocks).TimeS > 0; };
    if (!std::ranges::all_of(Settings, HasTime) ||
        !std::ranges::all_of(Runs, HasTime, &MeasuredRun::Clocks)) {
      if (Bound == 0)
        return false;
      Corrects[Bound] = Corrects.front(); // of no work nothing can be longer
      continue;
    }
    const MeasuredModel Corrected(Runs, Uncorrected, Change);
    Corrects[Bound].clear();
    for (const Setting &Clocks : Settings) {
      const MeasuredModel::Answer At = Corrected.at(Clocks);
      const ModelledRun Here = Uncorrected(Clocks);
      const double Joules = Here.EnergyJ(At.TimeS);
      Corrects[Bound].push_back({At.TimeS / Here.TimeS, Joules > 0 ? At.EnergyJ / Joules : 1});
    }
    if (Bound == 0) {
      Modelled = Uncorrected;
      Known = Corrected;
    }
  }
  return true;
}

PlainCost PreparedMachine::cost(std::size_t Setting, std::span<const double> Amounts,
                                std::size_t Bound) const {
  const PlainCost ByModel = Costs[Setting].of(Amounts);
  if (Corrects[Bound].empty() || !(ByModel.TimeS > 0))
    return ByModel;
  const auto &[Time, Energy] = Corrects[Bound][Setting];
  PlainCost Result = Costs[Setting].in(ByModel.TimeS * Time, Amounts);
  Result.EnergyJ *= Energy;
  Result.DynamicJ *= Energy;
  Result.Bound = ByModel.Bound;
  return Result;
}

bool PreparedMachine::statesErrors() const {
  if (Known)
    return true;
  auto IsPositive = [](double Value) { return Value > 0; };
  return std::ranges::any_of(std::initializer_list<double>{EnergyError, TimeError,
                                                           EnergyChoiceError, TimeChoiceError},
                             IsPositive) ||
         std::ranges::any_of(Covariances,
                             [&](const auto &Row) { return std::ranges::any_of(Row, IsPositive); });
}

static std::vector<double> gradient(const Response &R, Figure F) {
  std::vector<double> Result(R.Time.size());
  for (std::size_t I = 0; I != Result.size(); ++I)
    Result[I] = F.Energy * R.Energy[I] + F.Time * R.Time[I];
  return Result;
}

double PreparedMachine::variance(const std::vector<double> &Gradient) const {
  double Sum = 0;
  for (std::size_t I = 0; I != Gradient.size(); ++I)
    for (std::size_t J = 0; J != Gradient.size(); ++J)
      Sum += Gradient[I] * Gradient[J] * Covariances[I][J];
  return std::max(0.0, Sum);
}

/// What programs that a fit did not see were off by has the errors of its coefficients in it: the
/// larger of both, so that a program that leans on an uncertain coefficient is as uncertain as
/// that.
static double larger(double OfCoefficients, double OfPrograms) {
  return std::sqrt(std::max(OfCoefficients, OfPrograms));
}

/// The error of a figure that a fit leaves unexplained. Its energy is predicted from measured time;
/// an error in time enters energy through constant power.
static double unexplained(const Response &R, Figure F, double EnergyError, double TimeError) {
  const double ByEnergy = F.Energy * EnergyError;
  const double ByTime = (F.Energy * R.ConstantShare + F.Time) * TimeError;
  return ByEnergy * ByEnergy + ByTime * ByTime;
}

double PreparedMachine::modelError(const Response &R, Figure F, End Which) const {
  // A longer run needs more energy and draws less power.
  const bool RisesWithTime = F.Energy * R.ConstantShare + F.Time > 0;
  return larger(variance(gradient(R, F)),
                unexplained(R, F, EnergyError,
                            RisesWithTime == (Which == End::High) ? TimeError : TimeErrorBelow));
}

double PreparedMachine::priceErrorInTime(const Response &R) const {
  std::vector<double> Slopes = R.Energy;
  for (std::size_t I = 0; I != Slopes.size(); ++I)
    if (R.Time[I] != 0)
      Slopes[I] -= R.ConstantShare * R.Time[I];
  return std::sqrt(variance(Slopes));
}

double PreparedMachine::errorInTime(const Response &R) const {
  return std::max(priceErrorInTime(R), EnergyError);
}

double PreparedMachine::error(const Response &R, Figure F, End Which) const {
  if (!Known)
    return modelError(R, F, Which);
  MeasuredModel::Answer At = Known->at(Settings[R.Setting]);
  // How the time of the whole divides between its parts is the model's.
  const double Part = std::abs(1 - R.TimeS / Modelled(Settings[R.Setting]).TimeS),
               OfParts = std::min(1.0, Part) * modelError(R, {0, 1});
  // In a time that is known an error of the model's time says nothing of the power.
  if (!At.PowerError)
    At.PowerError = errorInTime(R);
  const MeasuredModel::Sides Errors = At.error(F.Energy, F.Time, OfParts);
  return Which == End::Low ? Errors.Below : Errors.Above;
}

double PreparedMachine::errorOfRatio(const Response &Left, const Response &Right, Figure F) const {
  if (!Known)
    return modelErrorOfRatio(Left, Right, F);
  const double ByModel = Known->hasPower() ? 0 : F.Energy * modelErrorOfRatio(Left, Right, {1, -1});
  return std::hypot(
      Known->errorOfRatio(Settings[Left.Setting], Settings[Right.Setting], F.Energy, F.Time),
      ByModel);
}

double PreparedMachine::modelErrorOfRatio(const Response &Left, const Response &Right,
                                          Figure F) const {
  std::vector<double> Difference = gradient(Left, F), Other = gradient(Right, F);
  for (std::size_t I = 0; I != Difference.size(); ++I)
    Difference[I] -= Other[I];
  return larger(variance(Difference),
                unexplained(Left, F, EnergyChoiceError, TimeChoiceError) +
                    unexplained(Right, F, EnergyChoiceError, TimeChoiceError));
}

/// Those of \p All that the figure of this gradient depends on and that are \p Wanted.
template <typename Filter>
static std::vector<std::string> named(const std::vector<PreparedMachine::Coefficient> &All,
                                      const std::vector<double> &Slopes, Filter Wanted) {
  // Rounding produces slopes of about 1e-10 where there are none.
  constexpr double Noise = 1e-7;
  std::vector<std::string> Result;
  for (std::size_t I = 0; I != Slopes.size(); ++I)
    if (Wanted(All[I]) && std::abs(Slopes[I]) > Noise)
      Result.push_back(All[I].Name);
  return Result;
}

std::vector<std::string> PreparedMachine::notStated(const Response &R, Figure F) const {
  if (Known && (F.Energy == 0 || Known->hasPower()))
    return {}; // errors are those of what was measured
  return named(Coefficients, gradient(R, F), [](const Coefficient &C) { return !C.IsStated; });
}

std::vector<std::string> PreparedMachine::estimated(const Response &R, Figure F) const {
  return named(Coefficients, gradient(R, F), [](const Coefficient &C) { return C.IsEstimated; });
}

} // namespace ergon
