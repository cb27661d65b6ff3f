//===- ClockLaws.cpp - which rates follow the clock -----------------------===//

#include "calibration/ClockLaws.h"

#include <algorithm>
#include <cmath>

namespace ergon {

std::vector<ClockLaw> clockLaws(const std::vector<AtClock> &All, unsigned LineBytes) {
  std::vector<Machine> AsMeasured;
  for (const AtClock &Each : All)
    describe(AsMeasured.emplace_back(), Each.Probes, {}, {}, LineBytes, "");
  std::vector<ClockLaw> Result;
  for (const auto &[Class, Rate] : AsMeasured.front().Throughputs) {
    double WithCore = 0, Same = 0;
    unsigned Number = 0;
    for (std::size_t K = 1; K != All.size(); ++K) {
      const auto Found = AsMeasured[K].Throughputs.find(Class);
      if (Found == AsMeasured[K].Throughputs.end())
        continue;
      const double Ratio = std::log(Found->second.PerS.Value / Rate.PerS.Value);
      const double OfClocks = std::log(All[K].CoreMhz / All[0].CoreMhz);
      WithCore += std::pow(Ratio - OfClocks, 2);
      Same += std::pow(Ratio, 2);
      ++Number;
    }
    ClockLaw &New = Result.emplace_back(ClockLaw{Class});
    New.FollowsCore = WithCore <= Same;
    if (Number)
      New.Error = std::sqrt(std::min(WithCore, Same) / Number);
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
    Throughput &Rate = M.Throughputs.at(Each.Class);
    if (Each.FollowsCore) {
      Rate.Clock = Domain::Core;
      Rate.AtMhz = CoreMhz.front();
    }
    if (!M.Fit || !M.Fit->Together)
      continue;
    Covariance &Errors = *M.Fit->Together;
    const auto Found = std::ranges::find(Errors.Coefficients, "throughput." + Each.Class);
    if (const std::size_t K = Found - Errors.Coefficients.begin(); K != Errors.Coefficients.size())
      Errors.Relative[K][K] += std::pow(Each.Error.value_or(0), 2);
  }
}

} // namespace ergon
