//===- ClockLaws.cpp - which rates follow the clock -----------------------===//

#include "calibration/ClockLaws.h"

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
  std::ranges::copy_if(Clock.Probes, std::back_inserter(InBoth), [&](const Measured &M) {
    return std::ranges::find(Others.Probes, M.Probed, &Measured::Probed) != Others.Probes.end();
  });
  Machine Result;
  describe(Result, InBoth, {}, {}, LineBytes, "");
  return Result.Timing.Throughputs;
}

namespace {
/// The squared errors of the two laws of a class.
struct SumsOfSquares {
  double FollowsCore = 0, Value = 0;
  unsigned Clocks = 0;
};
} // namespace

std::vector<ClockLaw> clockLaws(const std::vector<AtClock> &All, unsigned LineBytes) {
  const AtClock &First = All.front();
  std::map<std::string, SumsOfSquares> Sums;
  for (const auto &[Class, Rate] : rates(First, First, LineBytes))
    Sums[Class]; // whether or not another clock has it
  for (const AtClock &Clock : std::span(All).subspan(1)) {
    const auto Throughputs = rates(First, Clock, LineBytes), T = rates(Clock, First, LineBytes);
    const double Clocks = std::log(Clock.CoreMhz / First.CoreMhz);
    for (const auto &[Class, Rate] : Throughputs) {
      const double Rates = std::log(T.at(Class).PerS.Value / Rate.PerS.Value);
      SumsOfSquares &Target = Sums[Class];
      Target.FollowsCore += std::pow(Rates - Clocks, 2);
      Target.Value += std::pow(Rates, 2);
      ++Target.Clocks;
    }
  }
  std::vector<ClockLaw> Result;
  for (const auto &[Class, Sum] : Sums) {
    ClockLaw &New = Result.emplace_back(ClockLaw{Class, Sum.FollowsCore <= Sum.Value});
    if (Sum.Clocks)
      New.Error = std::sqrt(std::min(Sum.FollowsCore, Sum.Value) / Sum.Clocks);
  }
  return Result;
}

void describeClocks(Machine &M, const std::vector<double> &CoreMhz,
                    const std::vector<ClockLaw> &Laws, const std::string &Source) {
  M.Settings.clear();
  for (double Mhz : CoreMhz) {
    Setting &New = M.Settings.emplace_back();
    New.CoreMhz = Mhz;
    New.Source = Source;
  }
  M.Default = 0;
  for (const ClockLaw &Law : Laws) {
    Throughput &Rate = M.Timing.Throughputs.at(Law.Class);
    if (Law.FollowsCore) {
      Rate.Clock = Domain::Core;
      Rate.AtMhz = CoreMhz.front();
    }
    if (!M.Fit.Quality || !M.Fit.Quality->Together)
      continue;
    Covariance &Errors = *M.Fit.Quality->Together;
    const auto Found = std::ranges::find(Errors.Coefficients, "throughput." + Law.Class);
    if (const std::size_t K = Found - Errors.Coefficients.begin(); K != Errors.Coefficients.size())
      Errors.Relative[K][K] += std::pow(Law.Error.value_or(0), 2);
  }
}

} // namespace ergon
