//===- PredictTables.h - a prediction in all its numbers --------*- C++ -*-===//
#pragma once

#include "formats/prediction/PredictionFormat.h"
#include "tools/view/EstimatesView.h"

#include <string>
#include <vector>

namespace ergon {

/// `gemm with n=4096`: the function and the values that were asked for.
std::string titleOf(const PredictionDocument &Document, const Function &F,
                    const std::vector<std::string> &Sets);
/// Of a run that never ends its rate, two lines; else none.
std::vector<std::string> iterationLines(const PredictionDocument &Document);

/// Prints what `ergon predict -v` says of \p F: cost, traffic, counts, calls and estimates. \p Sets
/// are the values as the command line has them.
void printTables(const PredictionDocument &Document, const Function &F,
                 const std::vector<std::string> &Sets, const SourceText &TextAt);

} // namespace ergon
