//===- DeviceValues.h - a GPU's special registers as formulas ---*- C++ -*-===//
//
// Thread and block indices and launch dimensions, from the intrinsics that read special registers
// and from inline PTX that moves one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

/// The number of a thread in its group of \p Width neighbours; of 32: its lane in the warp.
Expr laneOfThread(long Width);

/// The value that \p Site reads from a special register, if known.
std::optional<Expr> deviceRegister(const CallBase &Site);

/// Whether \p I may be another number in each thread of a kernel: it is computed from a thread's or
/// a block's index, or read at a place that is.
bool differsByThread(const Instruction &I);

} // namespace ergon
