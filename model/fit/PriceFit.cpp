//===- PriceFit.cpp - costs by least squares ------------------------------===//

#include "model/fit/PriceFit.h"
#include "model/fit/NonNegativeLeastSquares.h"

#include <algorithm>
#include <cmath>

namespace ergon {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = FitRows;

/// The weight of a published cost ratio relative to one sample row.
static constexpr double PriorWeight = 0.1;

/// Equations that pull costs toward published ratios: cost_k/ratio_k = s for a common s, the last
/// unknown. They decide where samples hardly distinguish classes (0011-fits.md).
static MatrixXd priorRows(const VectorXd &Ratios, std::size_t SampleRows) {
  const Eigen::Index Unknowns = Ratios.size() + 1;
  std::vector<Eigen::Index> Known;
  for (Eigen::Index K = 0; K != Ratios.size(); ++K)
    if (Ratios[K] > 0)
      Known.push_back(K);
  if (Known.size() < 2)
    return MatrixXd(0, Unknowns);
  MatrixXd Result = MatrixXd::Zero(Known.size(), Unknowns);
  const double Weight = std::sqrt(PriorWeight * SampleRows);
  for (std::size_t Row = 0; Row != Known.size(); ++Row) {
    Result(Row, Known[Row]) = Weight / Ratios[Known[Row]];
    Result(Row, Unknowns - 1) = -Weight;
  }
  return Result;
}

VectorXd pricesOf(const FitTable &Table, const MatrixXd &Gram, const VectorXd &Rhs,
                  std::size_t Rows) {
  const MatrixXd Prior = priorRows(Table.Ratios, Rows);
  const Eigen::Index Size = Rhs.size();
  if (Prior.rows() == 0)
    return nonNegativeLeastSquares(Gram, Rhs);
  MatrixXd Whole = Prior.transpose() * Prior;
  Whole.topLeftCorner(Size, Size) += Gram;
  VectorXd Right = VectorXd::Zero(Size + 1);
  Right.head(Size) = Rhs;
  return nonNegativeLeastSquares(Whole, Right).head(Size);
}

/// Watts by the formula, one row each.
static VectorXd formulaWatts(const FitTable &Table, const MatrixXd &Columns, const VectorXd &Prices,
                             double Exponent) {
  const Eigen::Index Dynamic = Table.DynamicColumns;
  VectorXd Sum = Columns.leftCols(Dynamic) * Prices.head(Dynamic);
  if (Exponent < 1)
    Sum = Table.ReferenceW * (Sum / Table.ReferenceW).array().max(0).pow(Exponent).matrix();
  return Sum + Columns.rightCols(Columns.cols() - Dynamic) * Prices.tail(Columns.cols() - Dynamic);
}

Linearized linearized(const FitTable &Table, const FitPart &Part, double Saturation,
                      const VectorXd &Prices) {
  const MatrixXd &Columns = Part.Columns;
  const Eigen::ArrayXd Roots = Part.Roots;
  Linearized Result{Columns.array().colwise() * (Roots / Part.Watts.array()), Roots};
  if (Saturation == 1)
    return Result;
  // P_ref^(1-a)·D^a by its tangent at the present D.
  const Eigen::Index Dynamic = Table.DynamicColumns;
  const Eigen::ArrayXd Sum =
      (Columns.leftCols(Dynamic) * Prices.head(Dynamic)).array().max(1e-3 * Table.ReferenceW);
  // Of a power's logarithm, which Eigen computes for several rows at once.
  const Eigen::ArrayXd Slope =
      Saturation * ((1 - Saturation) * (Table.ReferenceW / Sum).log()).exp();
  const Eigen::ArrayXd Rest = Sum * Slope * (1 / Saturation - 1);
  Result.Columns.leftCols(Dynamic).array().colwise() *= Slope;
  Result.Target = (Roots * (1 - Rest / Part.Watts.array())).matrix();
  return Result;
}

void PriceSums::add(const Linearized &L) {
  // Products of whole columns, each pair once: the matrices of a part are small and tall.
  for (Eigen::Index Left = 0; Left != Rhs.size(); ++Left) {
    const auto Column = L.Columns.col(Left);
    for (Eigen::Index Right = 0; Right <= Left; ++Right)
      Gram(Left, Right) = Gram(Right, Left) += Column.dot(L.Columns.col(Right));
    Rhs[Left] += Column.dot(L.Target);
  }
}

VectorXd fitPrices(const FitTable &Table, const VisitParts &Visit, double Saturation, int Steps) {
  VectorXd Prices;
  auto Fit = [&](double Exponent) {
    PriceSums Sums(Table.Names.size());
    std::size_t Rows = 0;
    Visit([&](const FitPart &Part) {
      Sums.add(linearized(Table, Part, Exponent, Prices));
      Rows += std::size_t(Part.Watts.size());
    });
    return pricesOf(Table, Sums.Gram, Sums.Rhs, Rows);
  };
  Prices = Fit(1);
  if (Saturation == 1)
    return Prices;
  for (int Step = 0; Step != Steps; ++Step) {
    const VectorXd Next = Fit(Saturation);
    Prices = Step < 2 ? Next : VectorXd(0.5 * (Prices + Next));
  }
  return Prices;
}

VectorXd fitPrices(const FitTable &Table, const Rows &R, const FitShape &Shape) {
  auto Visit = [&](const std::function<void(const FitPart &)> &Do) {
    inParts(R, [&](Eigen::Index, const Rows &Part) { Do({Table, Part, Shape}); });
  };
  return fitPrices(Table, Visit, Shape.Saturation);
}

VectorXd logResiduals(const FitTable &Table, const FitPart &Part, double Saturation,
                      const VectorXd &Prices) {
  const VectorXd Watts = formulaWatts(Table, Part.Columns, Prices, Saturation);
  return (Part.Watts.array() / Watts.array().max(1e-9)).log().matrix();
}

VectorXd logResiduals(const FitTable &Table, const Rows &R, const FitShape &Shape,
                      const VectorXd &Prices) {
  VectorXd Result(Eigen::Index(R.size()));
  inParts(R, [&](Eigen::Index First, const Rows &Part) {
    Result.segment(First, Eigen::Index(Part.size())) =
        logResiduals(Table, {Table, Part, Shape}, Shape.Saturation, Prices);
  });
  return Result;
}

} // namespace ergon
