//===- RunProfile.cpp - profile data of an earlier run --------------------===//

#include "passes/tripcount/RunProfile.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ProfDataUtils.h"

namespace ergon {

RunProfile::RunProfile(const llvm::Function &F, const llvm::LoopInfo &LI,
                       const llvm::DominatorTree &DT)
    : LI(LI), DT(DT), IsMeasured(F.getEntryCount().has_value()) {}

std::vector<std::optional<Rational>> RunProfile::shares(const BasicBlock &From,
                                                        ArrayRef<const BasicBlock *> Among) const {
  std::vector<std::optional<Rational>> Result(Among.size());
  const Instruction &Terminator = *From.getTerminator();
  SmallVector<uint32_t, 4> Weights;
  if (!IsMeasured || llvm::hasBranchWeightOrigin(Terminator) ||
      !llvm::extractBranchWeights(Terminator, Weights) ||
      Weights.size() != Terminator.getNumSuccessors())
    return Result;
  llvm::DenseMap<const BasicBlock *, std::uint64_t> Taken;
  for (const BasicBlock *Successor : Among)
    Taken[Successor] = 0;
  std::uint64_t All = 0;
  for (unsigned I = 0; I != Weights.size(); ++I)
    if (auto Found = Taken.find(Terminator.getSuccessor(I)); Found != Taken.end()) {
      Found->second += Weights[I];
      All += Weights[I];
    }
  for (std::size_t I = 0; All && I != Among.size(); ++I)
    Result[I] = Rational(Taken.lookup(Among[I]), All);
  return Result;
}

std::optional<Rational> RunProfile::share(const BasicBlock &From, const BasicBlock &To,
                                          ArrayRef<const BasicBlock *> Among) const {
  const auto Found = llvm::find(Among, &To);
  return Found == Among.end() ? std::nullopt : shares(From, Among)[Found - Among.begin()];
}

/// Each exit that is tested in every iteration takes its share of what the ones before it leave.
std::optional<RunProfile::Leaving> RunProfile::leaving(const llvm::Loop &L,
                                                       const BasicBlock *Exit) const {
  if (!IsMeasured)
    return std::nullopt;
  const BasicBlock *Latch = L.getLoopLatch();
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *From : Exiting)
    if (!Latch || LI.getLoopFor(From) != &L || !DT.dominates(From, Latch))
      return std::nullopt;
  llvm::sort(Exiting,
             [&](const BasicBlock *A, const BasicBlock *B) { return DT.properlyDominates(A, B); });
  Rational Stays = 1, Wanted = 0;
  for (const BasicBlock *From : Exiting) {
    SmallVector<const BasicBlock *, 4> Targets(llvm::successors(From));
    Rational Left = 0;
    const auto Shares = shares(*From, Targets);
    for (std::size_t I = 0; I != Targets.size(); ++I) {
      if (L.contains(Targets[I]) || llvm::is_contained(ArrayRef(Targets).take_front(I), Targets[I]))
        continue;
      if (!Shares[I])
        return std::nullopt;
      Left += *Shares[I];
    }
    if (From == Exit)
      Wanted = Stays * Left;
    Stays *= Rational(1) - Left;
  }
  Rational Leaves = Rational(1) - Stays;
  return Leaves == 0 ? std::nullopt : std::optional(Leaving{Leaves, Wanted / Leaves});
}

std::optional<Rational> RunProfile::trips(const llvm::Loop &L) const {
  auto Found = leaving(L, nullptr);
  return Found ? std::optional(Rational(1) / Found->InOneIteration) : std::nullopt;
}

std::optional<Rational> RunProfile::leaves(const llvm::Loop &L, const BasicBlock &From) const {
  auto Found = leaving(L, &From);
  return Found ? std::optional(Found->FromBlock) : std::nullopt;
}

} // namespace ergon
