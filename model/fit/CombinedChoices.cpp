//===- CombinedChoices.cpp - choices by a model and by the mean -----------===//

#include "model/fit/CombinedChoices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace ergon {

CombinedChoices::CombinedChoices(const Samples &S, const Setting &Reference,
                                 std::span<const double> Joules)
    : Families(familiesOf(S)) {
  const std::vector<std::size_t> Settings = settingsOf(S);
  std::map<std::string, std::size_t> ReferenceOf;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (S.Rows[Row].Clocks.sameClocks(Reference))
      ReferenceOf.emplace(S.Rows[Row].Workload, Row);
  // Sums and numbers of the families at a setting.
  std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> OfFamily;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const std::size_t First = ReferenceOf.at(S.Rows[Row].Workload);
    Measured.push_back(std::log(*S.Rows[Row].EnergyJ / *S.Rows[First].EnergyJ));
    Model.push_back(std::log(Joules[Row] / Joules[First]));
    auto &[Sum, Number] = OfFamily[{Settings[Row], Families[Row]}];
    Sum += Measured[Row];
    ++Number;
  }
  std::map<std::size_t, std::pair<double, double>> OfSetting; // of the families' means
  for (const auto &[At, Sums] : OfFamily) {
    OfSetting[At.first].first += Sums.first / Sums.second;
    ++OfSetting[At.first].second;
  }
  Errors.resize(std::ranges::max(Families) + 1);
  std::vector<double> Rows(Errors.size());
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const auto &[Sum, Number] = OfSetting.at(Settings[Row]);
    const auto &[Own, OwnNumber] = OfFamily.at({Settings[Row], Families[Row]});
    // A setting at which no other family ran is the model's.
    Mean.push_back(Number > 1 ? (Sum - Own / OwnNumber) / (Number - 1) : Model[Row]);
    const double OfMean = Measured[Row] - Mean[Row], OfModel = Measured[Row] - Model[Row];
    Squares &E = Errors[Families[Row]];
    E.Mean += OfMean * OfMean;
    E.Model += OfModel * OfModel;
    E.Both += OfMean * OfModel;
    ++Rows[Families[Row]];
  }
  for (std::size_t Family = 0; Family != Errors.size(); ++Family)
    for (double *Sum : {&Errors[Family].Mean, &Errors[Family].Model, &Errors[Family].Both})
      *Sum /= Rows[Family];
}

double CombinedChoices::weight(std::optional<std::size_t> Without) const {
  Squares Sum;
  for (std::size_t Family = 0; Family != Errors.size(); ++Family)
    if (Family != Without) {
      Sum.Mean += Errors[Family].Mean;
      Sum.Model += Errors[Family].Model;
      Sum.Both += Errors[Family].Both;
    }
  const double Apart = Sum.Mean + Sum.Model - 2 * Sum.Both;
  return Apart > 0 ? std::clamp((Sum.Mean - Sum.Both) / Apart, 0.0, 1.0) : 0;
}

std::vector<double> CombinedChoices::combined(double MostWeight) const {
  std::vector<double> Weights, Result;
  for (std::size_t Family = 0; Family != Errors.size(); ++Family)
    Weights.push_back(std::min(weight(Family), MostWeight));
  for (std::size_t Row = 0; Row != Mean.size(); ++Row) {
    const double Weight = Weights[Families[Row]];
    Result.push_back(std::exp(Weight * Model[Row] + (1 - Weight) * Mean[Row]));
  }
  return Result;
}

} // namespace ergon
