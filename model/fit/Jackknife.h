//===- Jackknife.h - jackknife covariances ----------------------*- C++ -*-===//
#pragma once

#include <Eigen/Core>

namespace ergon {

/// Covariances of coefficients by the delete-one jackknife (Efron & Stein 1981): (W - 1)/W·Σ of
/// products of deviations from the mean. \p Values has a row for each of the W > 0 fits that each
/// omit one. Exactly symmetric.
inline Eigen::MatrixXd jackknife(const Eigen::MatrixXd &Values) {
  const auto Fits = double(Values.rows());
  const Eigen::MatrixXd Away = Values.rowwise() - Values.colwise().mean();
  const Eigen::MatrixXd Covariance = (Fits - 1) / Fits * Away.transpose() * Away;
  return (Covariance + Covariance.transpose()) / 2;
}

} // namespace ergon
