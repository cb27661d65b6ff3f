//===- Workloads.cpp - kernels with data to work on -----------------------===//

#include "verification/Workloads.h"
#include "verification/Maker.h"

namespace ergon {

const std::vector<VerifiedKernel> &verifiedKernels() {
  static const std::vector<VerifiedKernel> All = [] {
    using namespace verification;
    std::vector<VerifiedKernel> Result;
    for (const auto &VerifiedKernels :
         {streamKernels(), denseKernels(), stencilKernels(), irregularKernels(), computeKernels()})
      Result.insert(Result.end(), VerifiedKernels.begin(), VerifiedKernels.end());
    return Result;
  }();
  return All;
}

std::vector<KernelVariant> variantsForThisProcessor() {
  std::vector<KernelVariant> Result = {{"base", &ergon_functions_base}};
#ifdef ERGON_HAS_V3
  if (__builtin_cpu_supports("x86-64-v3"))
    Result.push_back({"v3", &ergon_functions_v3});
#endif
  return Result;
}

} // namespace ergon
