//===- Workloads.h - kernels with data to work on ---------------*- C++ -*-===//
//
// The kernels that `ergon verify` measures where it is given no program, each with data of a
// requested size and the values of unknowns that follow from these data.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verification/Workload.h"

#include <vector>

namespace ergon {

/// All, in a fixed order.
const std::vector<VerifiedKernel> &verifiedKernels();

/// A compilation of all kernels.
struct KernelVariant {
  const char *Name; ///< `base`, `v3`: the end of its symbols, and the folder of its records
  const KernelFunctions *Functions;
};
/// The compilations that this processor can run; the last one uses most of its instruction set.
std::vector<KernelVariant> variantsForThisProcessor();

} // namespace ergon
