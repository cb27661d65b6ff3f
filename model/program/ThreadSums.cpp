//===- ThreadSums.cpp - sums over the threads of a launch -----------------===//

#include "model/program/Program.h"

namespace ergon {

static Expr launchDimension(const char *Prefix, char Axis, const Substitution &Bound) {
  std::string Name = std::string(Prefix) + Axis;
  auto Found = Bound.find(Name);
  return Found == Bound.end() ? Expr::symbol(std::move(Name)) : Found->second;
}

Expr sumOverThreads(const Expr &PerThread, const Substitution &Bound) {
  Expr Result = PerThread;
  for (char Axis : {'x', 'y', 'z'}) {
    std::string BlockIndex = std::string("blockIdx.") + Axis;
    std::string ThreadIndex = std::string("threadIdx.") + Axis;
    Expr Grid = launchDimension("grid.", Axis, Bound);
    Expr BlockSize = launchDimension("block.", Axis, Bound);
    bool ByThread = Result.dependsOn(ThreadIndex);
    if (!ByThread && !Result.dependsOn(BlockIndex)) {
      Result *= Grid * BlockSize;
      continue;
    }
    if (ByThread) {
      // Where both occur only as blockIdx·blockDim + threadIdx, that is one index.
      std::string Global = std::string("thread.") + Axis;
      Expr Fused = Result.substitute(
          {{ThreadIndex, Expr::symbol(Global) - Expr::symbol(BlockIndex) * BlockSize}});
      if (!Fused.dependsOn(BlockIndex)) {
        Result = sum(Global, 0, Grid * BlockSize - 1, Fused);
        continue;
      }
    }
    Result = sum(ThreadIndex, 0, BlockSize - 1, Result);
    Result = sum(BlockIndex, 0, Grid - 1, Result);
  }
  return Result;
}

} // namespace ergon
