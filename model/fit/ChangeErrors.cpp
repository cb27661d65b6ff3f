//===- ChangeErrors.cpp - errors of the change with the clocks ------------===//

#include "model/fit/ChangeErrors.h"
#include "model/energy/MeasuredModel.h"
#include "model/fit/FitErrors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
/// What one workload's known run leaves unexplained at its other settings.
struct KnownSweep {
  std::string Family;
  Setting Known;
  std::vector<Setting> At;
  std::vector<double> Logs; ///< ln(measured/predicted)
};

/// The rows of one workload that were predicted; the first is the known run.
using SweepRows = std::vector<std::size_t>;
} // namespace

static std::vector<SweepRows> sweepRows(const Samples &S, std::span<const double> Errors) {
  std::map<std::string, SweepRows> ByName;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (!std::isnan(Errors[Row]) && S.Rows[Row].Clocks.CoreMhz)
      ByName[S.Rows[Row].Workload].push_back(Row);
  std::vector<SweepRows> Result;
  for (auto &[Workload, Found] : ByName) {
    std::ranges::sort(Found, std::greater{}, [&](std::size_t Row) {
      return std::tuple(*S.Rows[Row].Clocks.CoreMhz, S.Rows[Row].Clocks.MemMhz.value_or(0), Row);
    });
    std::erase_if(Found, [&](std::size_t Row) {
      return Row != Found.front() && S.Rows[Row].Clocks.sameClocks(S.Rows[Found.front()].Clocks);
    });
    if (Found.size() > 1)
      Result.push_back(std::move(Found));
  }
  return Result;
}

/// \p Left gives ln(measured/predicted) of a row.
template <typename Function>
static KnownSweep sweepFrom(const Samples &S, const SweepRows &Found, Function Left) {
  KnownSweep Result{familyOf(S.Rows[Found.front()]), S.Rows[Found.front()].Clocks, {}, {}};
  for (std::size_t Row : std::span(Found).subspan(1)) {
    Result.At.push_back(S.Rows[Row].Clocks);
    Result.Logs.push_back(Left(Row));
  }
  return Result;
}

/// The slopes that explain a workload best from its known run; 0 over a clock that is the same
/// everywhere.
static std::array<double, 2> slopesOf(const KnownSweep &Found, ClockRegression::Prior P) {
  static constexpr double Any = 10, None = 1e-4;
  P.Level = None;
  P.Slopes = {.Core = Any, .Mem = Any, .Correlation = 0};
  const ClockRegression Best(P, Found.Known, Found.At, Found.Logs);
  return {Best.slope(Domain::Core), Best.slope(Domain::Mem)};
}

/// From all \p Sweeps, families weighing the same, and \p Elsewhere, which is known of other
/// machines.
static std::optional<SlopeErrors> slopeErrors(const std::vector<KnownSweep> &Sweeps,
                                              const ClockRegression::Prior &Elsewhere) {
  /// What is known of other machines counts as so many families.
  static constexpr double Before = 2;
  /// Slopes never go together more than this.
  static constexpr double Closest = 0.98;
  std::map<std::string, std::pair<double, double>> Families; // numbers of sweeps and of rows
  for (const KnownSweep &Next : Sweeps) {
    auto &[Number, OfRows] = Families[Next.Family];
    ++Number;
    OfRows += double(Next.At.size());
  }
  if (Families.size() < 2)
    return std::nullopt;
  const double All = Before + double(Families.size());
  const SlopeErrors &Known = Elsewhere.Slopes;
  double Core = Before * Known.Core * Known.Core, Mem = Before * Known.Mem * Known.Mem, Both = 0;
  bool CoreVaries = false, MemVaries = false;
  for (const KnownSweep &Next : Sweeps) {
    const auto [OfCore, OfMem] = slopesOf(Next, Elsewhere);
    const double Weight = 1 / Families.at(Next.Family).first;
    Core += Weight * OfCore * OfCore;
    Mem += Weight * OfMem * OfMem;
    Both += Weight * OfCore * OfMem;
    for (const Setting &At : Next.At) {
      CoreVaries |= At.mhz(Domain::Core) != Next.Known.mhz(Domain::Core);
      MemVaries |= At.mhz(Domain::Mem) != Next.Known.mhz(Domain::Mem);
    }
  }
  SlopeErrors Result{CoreVaries ? std::sqrt(Core / All) : Known.Core,
                     MemVaries ? std::sqrt(Mem / All) : Known.Mem,
                     std::clamp(Both / std::sqrt(Core * Mem), -Closest, Closest)};
  // Few programs may be far off, and be more than the tails of a normal distribution.
  ClockRegression::Prior P = Elsewhere;
  P.Slopes = Result;
  std::vector<Weighed> Ratios;
  for (const KnownSweep &Next : Sweeps) {
    const std::array<double, 1> Exact{0};
    const ClockRegression Alone(P, Next.Known, std::span(&Next.Known, 1), Exact);
    for (std::size_t K = 0; K != Next.At.size(); ++K) {
      const double Left = std::abs(Next.Logs[K]), Error = Alone.error(Next.At[K]),
                   Beside = Alone.errorBesideSlopes(Next.At[K]),
                   BySlopes = std::sqrt(Error * Error - Beside * Beside),
                   Within = Deviations95 * Beside;
      // Slopes have to make up for what else does not hold a row.
      const double Needed = std::sqrt(std::max(0.0, Left * Left - Within * Within)) / BySlopes;
      Ratios.push_back({std::max(Left / Error, Needed), 1 / Families.at(Next.Family).second});
    }
  }
  const double Factor = deviation95(std::move(Ratios)) * student(std::size_t(All) + 1);
  if (CoreVaries)
    Result.Core *= Factor;
  if (MemVaries)
    Result.Mem *= Factor;
  return Result;
}

std::optional<SlopeErrors> timeSlopeErrors(const Samples &S, std::span<const double> Errors) {
  std::vector<KnownSweep> Sweeps;
  for (const SweepRows &Found : sweepRows(S, Errors)) {
    const Sample &First = S.Rows[Found.front()];
    const MeasuredModel Model({{First.Clocks, First.TimeS, {}, ""}}, [&](const Setting &At) {
      const std::size_t Row = *std::ranges::find_if(
          Found, [&](std::size_t Other) { return S.Rows[Other].Clocks.sameClocks(At); });
      return ModelledRun{S.Rows[Row].TimeS * (1 + Errors[Row]), [](double) { return 0.0; }};
    });
    Sweeps.push_back(sweepFrom(S, Found, [&](std::size_t Row) {
      return std::log(S.Rows[Row].TimeS / Model.at(S.Rows[Row].Clocks).TimeS);
    }));
  }
  return slopeErrors(Sweeps, MeasuredModel::timePrior());
}

std::optional<SlopeErrors> powerSlopeErrors(const Samples &S, std::span<const double> Errors) {
  static constexpr double Least = 1e-3;
  auto OfLog = [](double Error) { return std::log(std::max(1 + Error, Least)); };
  std::vector<KnownSweep> Sweeps;
  for (const SweepRows &Found : sweepRows(S, Errors))
    Sweeps.push_back(sweepFrom(S, Found, [&](std::size_t Row) {
      return OfLog(Errors[Found.front()]) - OfLog(Errors[Row]);
    }));
  return slopeErrors(Sweeps, MeasuredModel::powerPrior());
}

} // namespace ergon
