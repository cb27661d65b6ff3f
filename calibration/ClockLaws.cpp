//===- ClockLaws.cpp - which rates follow the clock -----------------------===//

#include "calibration/ClockLaws.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

namespace ergon {

/// The best rates of classes by those of \p Of that \p Others has too.
static std::map<std::string, Throughput> rates(const AtClock &Of, const AtClock &Others,
                                               unsigned LineBytes) {
  std::vector<Measured> InBoth;
  std::ranges::copy_if(Of.Probes, std::back_inserter(InBoth), [&](const Measured &Each) {
    return std::ranges::find(Others.Probes, Each.Of, &Measured::Of) != Others.Probes.end();
  });
  Machine Result;
  describe(Result, InBoth, {}, {}, LineBytes, "");
  return Result.Timing.Throughputs;
}

namespace {
/// The squared errors of the two laws of a class.
struct SumsOfSquares {
  double FollowsCore = 0, Same = 0;
  unsigned Clocks = 0;
};
} // namespace

std::vector<ClockLaw> clockLaws(const std::vector<AtClock> &All, unsigned LineBytes) {
  const AtClock &First = All.front();
  std::map<std::string, SumsOfSquares> Sums;
  for (const auto &[Class, Rate] : rates(First, First, LineBytes))
    Sums[Class]; // whether or not another clock has it
  for (const AtClock &Each : std::span(All).subspan(1)) {
    const auto Here = rates(First, Each, LineBytes), There = rates(Each, First, LineBytes);
    const double OfClocks = std::log(Each.CoreMhz / First.CoreMhz);
    for (const auto &[Class, Rate] : Here) {
      const double OfRates = std::log(There.at(Class).PerS.Value / Rate.PerS.Value);
      SumsOfSquares &Into = Sums[Class];
      Into.FollowsCore += std::pow(OfRates - OfClocks, 2);
      Into.Same += std::pow(OfRates, 2);
      ++Into.Clocks;
    }
  }
  std::vector<ClockLaw> Result;
  for (const auto &[Class, Of] : Sums) {
    ClockLaw &New = Result.emplace_back(ClockLaw{Class, Of.FollowsCore <= Of.Same});
    if (Of.Clocks)
      New.Error = std::sqrt(std::min(Of.FollowsCore, Of.Same) / Of.Clocks);
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
  for (const ClockLaw &Each : Laws) {
    Throughput &Rate = M.Timing.Throughputs.at(Each.Class);
    if (Each.FollowsCore) {
      Rate.Clock = Domain::Core;
      Rate.AtMhz = CoreMhz.front();
    }
    if (!M.Fit.Quality || !M.Fit.Quality->Together)
      continue;
    Covariance &Errors = *M.Fit.Quality->Together;
    const auto Found = std::ranges::find(Errors.Coefficients, "throughput." + Each.Class);
    if (const std::size_t K = Found - Errors.Coefficients.begin(); K != Errors.Coefficients.size())
      Errors.Relative[K][K] += std::pow(Each.Error.value_or(0), 2);
  }
}

} // namespace ergon
