//===- RunSize.h - what estimates are compared by ---------------*- C++ -*-===//
#pragma once

#include "model/energy/Cost.h"
#include "model/program/Program.h"

#include <functional>
#include <map>

namespace ergon {

/// The size of a run, by which estimates are compared: seconds, or operations and bytes.
using RunSize = std::function<double(const CountValues &)>;

/// Seconds at \p Clocks of \p M; without a machine, or without time there, operations and bytes.
RunSize sizeOn(const Machine *M, const Setting &Clocks = {});

/// By how much a run of \p Size, which is that of \p T by \p SizeOf, grows with one more of each
/// class.
std::map<CostClass, double> weightsOf(const Totals &T, double Size,
                                      const std::function<double(const Totals &)> &SizeOf);

} // namespace ergon
