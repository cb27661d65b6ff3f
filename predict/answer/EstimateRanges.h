//===- EstimateRanges.h - intervals of estimated counts ---------*- C++ -*-===//
#pragma once

#include "predict/answer/EstimatedCounts.h"

#include <string>
#include <vector>

namespace ergon {

/// Adds the interval of \p Class to \p Result: from the amount of \p Least to that of \p Most.
/// Where symbols without an end are at their estimates instead, the most is that of \p Near: if
/// that is less, the class has no end.
void addRange(EstimatedCounts &Result, const std::string &Class, const CountValues &Least,
              const CountValues &Most, const CountValues &Near);

/// The amount of \p Class; 0 where it is not counted.
Rational amountOf(const CountValues &Counts, const std::string &Class);

/// Makes all intervals of \p Result without an end.
void openHighEnds(EstimatedCounts &Result);

/// Makes \p Value the nearest whole number; returns whether it changes.
bool roundOff(Rational &Value);

/// Makes spreads shares of their sum, the largest first.
void setShares(std::vector<SymbolEstimate> &Estimates);

} // namespace ergon
