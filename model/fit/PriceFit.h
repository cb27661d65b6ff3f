//===- PriceFit.h - costs by least squares ----------------------*- C++ -*-===//
//
// Costs of the columns of a table, at a voltage law and an exponent of saturation: non-negative
// least squares of relative errors, with published ratios beside the rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/EnergyFitTable.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace ergon {

using FitRows = std::vector<Eigen::Index>;

/// Calls \p Do with successive parts of \p Rows, and the position of each part's first row: the
/// columns of a part stay in a processor's cache.
template <typename Function> void inParts(const FitRows &Rows, Function Do) {
  static constexpr std::size_t MostRows = 512;
  for (std::size_t First = 0; First < Rows.size(); First += MostRows)
    Do(Eigen::Index(First),
       FitRows(Rows.begin() + std::ptrdiff_t(First),
               Rows.begin() + std::ptrdiff_t(std::min(First + MostRows, Rows.size()))));
}

/// Some rows of a table at a voltage law.
struct FitPart {
  Eigen::MatrixXd Columns;
  Eigen::VectorXd Watts; ///< measured
  Eigen::VectorXd Roots; ///< of the weights

  FitPart(const FitTable &Table, const FitRows &Rows, const FitShape &Shape)
      : Columns(Table.columns(Rows, Shape)), Watts(Table.Watts(Rows)),
        Roots(Table.RootWeights(Rows)) {}
};
/// Calls its argument with some rows, part by part.
using VisitParts = std::function<void(const std::function<void(const FitPart &)> &)>;

/// The linearized formula of a row's watts at some costs, relative to measured watts, times the
/// root of the row's weight.
struct Linearized {
  Eigen::MatrixXd Columns;
  Eigen::VectorXd Target;
};
/// Around \p Prices; without them where \p Saturation, the exponent, is 1.
Linearized linearized(const FitTable &Table, const FitPart &Part, double Saturation,
                      const Eigen::VectorXd &Prices);

/// Normal equations of costs: sums over rows.
struct PriceSums {
  Eigen::MatrixXd Gram;
  Eigen::VectorXd Rhs;

  explicit PriceSums(std::size_t Columns)
      : Gram(Eigen::MatrixXd::Zero(Eigen::Index(Columns), Eigen::Index(Columns))),
        Rhs(Eigen::VectorXd::Zero(Eigen::Index(Columns))) {}
  void add(const Linearized &L);
};

/// Costs by normal equations of rows, published ratios excluded, and the number of rows.
Eigen::VectorXd pricesOf(const FitTable &Table, const Eigen::MatrixXd &Gram,
                         const Eigen::VectorXd &Rhs, std::size_t Rows);

/// Prices for the rows that \p Visit visits, by \p Steps Gauss-Newton steps where the formula is
/// not linear.
Eigen::VectorXd fitPrices(const FitTable &Table, const VisitParts &Visit, double Saturation,
                          int Steps = 12);
Eigen::VectorXd fitPrices(const FitTable &Table, const FitRows &Rows, const FitShape &Shape);

/// ln(measured/formula) of some rows.
Eigen::VectorXd logResiduals(const FitTable &Table, const FitPart &Part, double Saturation,
                             const Eigen::VectorXd &Prices);
Eigen::VectorXd logResiduals(const FitTable &Table, const FitRows &Rows, const FitShape &Shape,
                             const Eigen::VectorXd &Prices);

} // namespace ergon
