//===- MeasuredView.h - measured runs as text -------------------*- C++ -*-===//
#pragma once

#include "model/energy/Cost.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A line for each run with what the model alone says of it, and one for \p Next; nothing where
/// there is no run.
std::vector<std::string> measuredLines(const std::vector<ComparedRun> &Runs,
                                       const std::optional<Setting> &Next);
/// Prints these.
void printMeasured(const std::vector<ComparedRun> &Runs, const std::optional<Setting> &Next);
/// On the standard error, what makes \p Runs doubtful.
void noticeDoubts(const std::vector<ComparedRun> &Runs);

} // namespace ergon
