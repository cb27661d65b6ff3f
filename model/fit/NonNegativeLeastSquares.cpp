//===- NonNegativeLeastSquares.cpp - non-negative least squares -----------===//

#include "model/fit/NonNegativeLeastSquares.h"

#include <Eigen/Cholesky>

#include <vector>

namespace ergon {

using Indices = std::vector<Eigen::Index>;

/// The unconstrained least-squares solution in the columns \p Free (the passive set), with the
/// other coefficients at 0.
static Eigen::VectorXd solveFree(const Eigen::MatrixXd &Gram, const Eigen::VectorXd &Rhs,
                                 const Indices &Free) {
  Eigen::VectorXd Result = Eigen::VectorXd::Zero(Rhs.size());
  const Eigen::MatrixXd FreeGram = Gram(Free, Free);
  const Eigen::VectorXd FreeRhs = Rhs(Free), Solution = FreeGram.ldlt().solve(FreeRhs);
  Result(Free) = Solution;
  return Result;
}

Eigen::VectorXd nonNegativeLeastSquares(const Eigen::MatrixXd &Gram, const Eigen::VectorXd &Rhs) {
  const Eigen::Index Size = Rhs.size();
  const double Tolerance = 1e-10 * Rhs.cwiseAbs().maxCoeff();
  Eigen::VectorXd Best = Eigen::VectorXd::Zero(Size);
  Indices Free;
  std::vector<bool> IsFree(Size), IsRefused(Size);
  // Each iteration moves a column to the passive set; far more iterations than columns indicate
  // rounding errors.
  for (Eigen::Index Iteration = 0; Iteration != 4 * Size; ++Iteration) {
    const Eigen::VectorXd Gain = Rhs - Gram * Best;
    Eigen::Index Next = -1;
    for (Eigen::Index K = 0; K != Size; ++K)
      if (!IsFree[K] && !IsRefused[K] && Gain[K] > Tolerance && (Next < 0 || Gain[K] > Gain[Next]))
        Next = K;
    if (Next < 0)
      break;
    IsFree[Next] = true;
    Free.push_back(Next);
    Eigen::VectorXd Trial = solveFree(Gram, Rhs, Free);
    if (!(Trial[Next] > 0)) { // linearly dependent on the free columns
      IsFree[Next] = false;
      IsRefused[Next] = true;
      Free.pop_back();
      continue;
    }
    while (true) {
      // Moves toward the trial until a coefficient reaches 0; that coefficient leaves the passive
      // set.
      double Step = 1;
      Eigen::Index Leaving = -1;
      for (Eigen::Index K : Free)
        if (const double Reach = Trial[K] <= 0 ? Best[K] / (Best[K] - Trial[K]) : 1; Reach < Step) {
          Step = Reach;
          Leaving = K;
        }
      if (Leaving < 0)
        break;
      Best += Step * (Trial - Best);
      Best[Leaving] = 0;
      IsFree[Leaving] = false;
      std::erase(Free, Leaving);
      Trial = solveFree(Gram, Rhs, Free);
    }
    Best = Trial;
    IsRefused.assign(Size, false);
  }
  return Best;
}

} // namespace ergon
