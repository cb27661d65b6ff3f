//===- ClockScaling.cpp - rates at several clocks -------------------------===//

#include "calibration/ClockScaling.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

namespace ergon {

/// The best rates of classes by those of \p Clock that \p Others has too.
static std::map<std::string, Throughput> rates(const AtClock &Clock, const AtClock &Others,
                                               unsigned LineBytes) {
  std::vector<Measured> InBoth;
  std::ranges::copy_if(Clock.Measurements, std::back_inserter(InBoth), [&](const Measured &M) {
    return std::ranges::find(Others.Measurements, M.Probed, &Measured::Probed) !=
           Others.Measurements.end();
  });
  Machine Result;
  fillMachine(Result, InBoth, {}, {}, LineBytes, "");
  return Result.Timing.Throughputs;
}

namespace {
/// The squared errors of the two scalings of a class.
struct SumsOfSquares {
  double ScalesWithCoreClock = 0, Constant = 0;
  unsigned Clocks = 0;
};
} // namespace

std::vector<ClockScaling> clockScalings(const std::vector<AtClock> &ByClock, unsigned LineBytes) {
  const AtClock &First = ByClock.front();
  std::map<std::string, SumsOfSquares> Sums;
  for (const auto &[Class, Rate] : rates(First, First, LineBytes))
    Sums[Class]; // whether or not another clock has it
  for (const AtClock &Clock : std::span(ByClock).subspan(1)) {
    const auto RatesAtFirst = rates(First, Clock, LineBytes),
               RatesAtClock = rates(Clock, First, LineBytes);
    const double LogClockRatio = std::log(Clock.CoreMhz / First.CoreMhz);
    for (const auto &[Class, Rate] : RatesAtFirst) {
      const double LogRateRatio = std::log(RatesAtClock.at(Class).PerS.Value / Rate.PerS.Value);
      SumsOfSquares &Target = Sums[Class];
      Target.ScalesWithCoreClock += std::pow(LogRateRatio - LogClockRatio, 2);
      Target.Constant += std::pow(LogRateRatio, 2);
      ++Target.Clocks;
    }
  }
  std::vector<ClockScaling> Result;
  for (const auto &[Class, Sum] : Sums) {
    ClockScaling &New =
        Result.emplace_back(ClockScaling{Class, Sum.ScalesWithCoreClock <= Sum.Constant});
    if (Sum.Clocks)
      New.Error = std::sqrt(std::min(Sum.ScalesWithCoreClock, Sum.Constant) / Sum.Clocks);
  }
  return Result;
}

void describeClocks(Machine &M, const std::vector<double> &CoreMhz,
                    const std::vector<ClockScaling> &Scalings, const std::string &Source) {
  M.Settings.clear();
  for (double Mhz : CoreMhz) {
    Setting &New = M.Settings.emplace_back();
    New.CoreMhz = Mhz;
    New.Source = Source;
  }
  M.Default = 0;
  for (const ClockScaling &Scaling : Scalings) {
    Throughput &Rate = M.Timing.Throughputs.at(Scaling.Class);
    if (Scaling.ScalesWithCoreClock) {
      Rate.Clock = Domain::Core;
      Rate.AtMhz = CoreMhz.front();
    }
    if (!M.Fit.Quality || !M.Fit.Quality->JointCovariance)
      continue;
    Covariance &Errors = *M.Fit.Quality->JointCovariance;
    const auto Found = std::ranges::find(Errors.Coefficients, "throughput." + Scaling.Class);
    if (const std::size_t K = Found - Errors.Coefficients.begin(); K != Errors.Coefficients.size())
      Errors.Relative[K][K] += std::pow(Scaling.Error.value_or(0), 2);
  }
}

} // namespace ergon
