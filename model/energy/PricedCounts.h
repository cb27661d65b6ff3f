//===- PricedCounts.h - counts as a machine's prices want them --*- C++ -*-===//
#pragma once

#include "model/machine/Machine.h"
#include "model/program/Prediction.h"

namespace ergon {

/// \p Counts with the classes that the prices of \p M are for: on a GPU `int_ops` are the integer
/// instructions of machine code, where that was counted, and the flops of f32 and f64 contain the
/// steps of divisions and functions, where those have no price of their own. `latency_cycles` are
/// at least those of the multiprocessor with most blocks, by the rates of \p M.
CountValues pricedCounts(const Machine &M, CountValues Counts);

} // namespace ergon
