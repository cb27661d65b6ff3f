//===- PriceErrors.cpp - how far prices may be off ------------------------===//

#include "model/fit/PriceErrors.h"
#include "model/fit/FitErrors.h"
#include "model/fit/RowResponses.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// |ln(predicted/measured)| over the error by prices, of rows where that is the larger one.
static std::vector<Weighed> leaningRows(const Machine &M, const Samples &S,
                                        std::span<const double> Errors) {
  static constexpr std::size_t MaxRows = 20'000;
  static constexpr double Least = 1e-3;
  const RowResponses Responses(M, S);
  std::map<std::string, std::vector<double>> Families;
  for (std::size_t Row : spreadPositions(S.Rows.size(), MaxRows)) {
    if (std::isnan(Errors[Row]))
      continue;
    const double ByPrices = Responses.machine().priceErrorInTime(Responses.of(Row));
    if (ByPrices > M.Fit.Quality->EnergyError->Value)
      Families[familyOf(S.Rows[Row])].push_back(
          std::abs(std::log(std::max(1 + Errors[Row], Least))) / ByPrices);
  }
  std::vector<Weighed> Result;
  for (const auto &[Family, Ratios] : Families)
    for (double Ratio : Ratios)
      Result.push_back({Ratio, 1 / double(Ratios.size())});
  return Result;
}

void narrowPriceErrors(Machine &M, const Samples &S, std::span<const double> Errors) {
  FitQuality &Quality = *M.Fit.Quality;
  if (!Quality.JointCovariance || !Quality.EnergyError)
    return;
  std::vector<Weighed> Rows = leaningRows(M, S, Errors);
  if (Rows.empty())
    return;
  std::set<std::string> Families;
  for (const Sample &Row : S.Rows)
    Families.insert(familyOf(Row));
  const double Factor = std::min(1.0, deviation95(std::move(Rows)) * student(Families.size()));
  for (std::vector<double> &Row : Quality.JointCovariance->Relative)
    for (double &Value : Row)
      Value *= Factor * Factor;
}

} // namespace ergon
