//===- NonNegativeLeastSquares.h - least squares ----------------*- C++ -*-===//
#pragma once

#include <Eigen/Core>

namespace ergon {

/// The b ≥ 0 that minimises |X·b - t|², by the active-set method of Lawson and Hanson ("Solving
/// Least Squares Problems", 1974, chapter 23), from \p Gram = Xᵀ·X (n by n) and \p Rhs = Xᵀ·t (n).
/// Columns of X should have similar norms. Among linearly dependent columns, the first to enter
/// keeps the others at 0.
Eigen::VectorXd nonNegativeLeastSquares(const Eigen::MatrixXd &Gram, const Eigen::VectorXd &Rhs);

} // namespace ergon
