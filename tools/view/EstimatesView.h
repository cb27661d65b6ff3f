//===- EstimatesView.h - what an answer depends on --------------*- C++ -*-===//
#pragma once

#include "model/program/SymbolEstimate.h"
#include "predict/store/RecordStore.h"

#include <functional>
#include <string>
#include <vector>

namespace ergon {

/// `12`, `0.25`, `1.5e+12`: whole numbers exactly, others with six digits.
std::string numeral(const Rational &Value);

/// `10 (0 or more)`, `0.5 (0 to 1)`
std::string rangeText(const SymbolEstimate &E);

/// The source text at a position, in one line; empty where there is none.
using SourceText = std::function<std::string(const SourceLocation &)>;
/// Of the unit of \p Ref, as far as its files may be shown and are as they were.
SourceText sourceTextOf(const FunctionRef &Ref);

/// Prints what the spread of an answer comes from, and how to bind it: the largest ten that move it
/// by 1 % or more.
void printEstimates(const std::vector<SymbolEstimate> &Estimates, const SourceText &TextAt = {});

} // namespace ergon
