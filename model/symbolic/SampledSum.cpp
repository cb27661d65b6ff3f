//===- SampledSum.cpp - sums of what has no formula -----------------------===//

#include "model/symbolic/SampledSum.h"
#include "model/symbolic/Expr.h"

#include <array>
#include <cstdint>

namespace ergon {

static constexpr std::size_t NumPoints = 7;
using NodePolynomial = std::array<Rational, NumPoints>; // coefficients, the lowest first

/// The product of \p P and (x - Root); the highest coefficient of \p P is 0.
static NodePolynomial timesRoot(const NodePolynomial &P, const Rational &Root) {
  NodePolynomial Result;
  for (std::size_t I = 0; I != NumPoints; ++I)
    Result[I] = (I ? P[I - 1] : Rational(0)) - P[I] * Root;
  return Result;
}

SampledIterations sampleIterations(const Rational &Trips) {
  SampledIterations Result;
  if (Trips <= 0)
    return Result;
  const Rational Whole = floorOf(Trips);
  if (Trips <= MaxWholeIterations) {
    for (std::int64_t I = 0; I < Whole.get_si(); ++I)
      Result.Points.emplace_back(I, 1);
    if (Whole != Trips) // the part of one more
      Result.Points.emplace_back(Whole, Trips - Whole);
    Result.IsWhole = Whole == Trips;
    return Result;
  }
  NodePolynomial Nodes, Sums;
  const Expr X = Expr::symbol("x");
  for (std::size_t I = 0; I != NumPoints; ++I) {
    Nodes[I] = floorOf((Whole - 1) * Rational(I, NumPoints - 1));
    Sums[I] = *sum("x", 0, Expr(Whole - 1), power(X, unsigned(I))).constant();
  }
  for (std::size_t I = 0; I != NumPoints; ++I) {
    NodePolynomial Basis{Rational(1)}; // Lagrange's, which is 1 at its node and 0 at the others
    Rational Scale(1), Weight(0);
    for (std::size_t J = 0; J != NumPoints; ++J)
      if (J != I) {
        Basis = timesRoot(Basis, Nodes[J]);
        Scale *= Nodes[I] - Nodes[J];
      }
    for (std::size_t K = 0; K != NumPoints; ++K)
      Weight += Basis[K] * Sums[K];
    Result.Points.emplace_back(Nodes[I], Weight / Scale * (Trips / Whole));
  }
  return Result;
}

} // namespace ergon
