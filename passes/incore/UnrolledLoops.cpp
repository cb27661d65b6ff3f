//===- UnrolledLoops.cpp - source loops that are straight code ------------===//

#include "passes/incore/UnrolledLoops.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/opcodes/Operations.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Whether the copies of \p I in unrolled code tell how often it runs.
static bool isCounted(const Instruction &I) {
  return llvm::getLoadStorePointerOperand(&I) ||
         (isa<llvm::BinaryOperator, llvm::UnaryOperator, CallBase>(I) &&
          (I.getType()->isFPOrFPVectorTy() || I.getType()->isIntOrIntVectorTy()));
}

void UnrolledLoops::note(const llvm::LoopInfo &Before) {
  for (const llvm::Loop *L : Before.getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getStartLoc())
      continue;
    const LoopPosition Start = positionKey(L->getStartLoc());
    std::map<SourceInstruction, unsigned> Times;
    for (const BasicBlock *B : L->blocks())
      for (const Instruction &I : *B) {
        const llvm::DebugLoc &Position = I.getDebugLoc();
        if (!Position || Position.getLine() == 0 || isa<llvm::PHINode>(I) || I.isTerminator())
          continue;
        auto [Known, New] = LoopOf.try_emplace(positionKey(Position), Start);
        if (Known->second != Start)
          Known->second = std::nullopt;
        if (isCounted(I))
          ++Times[{positionKey(Position), I.getOpcode()}];
      }
    for (const auto &[Which, Count] : Times) {
      unsigned &Most = PerIteration[Which];
      Most = std::max(Most, Count);
    }
  }
}

std::optional<LoopPosition> UnrolledLoops::loopOf(const Instruction &I) const {
  const llvm::DebugLoc &Position = I.getDebugLoc();
  if (!Position || Position.getLine() == 0)
    return std::nullopt;
  auto Found = LoopOf.find(positionKey(Position));
  return Found == LoopOf.end() ? std::nullopt : Found->second;
}

namespace {
/// The code of one source loop, as it is collected.
struct Collected {
  InstructionMix Mix;
  const BasicBlock *Start = nullptr;
  /// Runs of each instruction of the source, in all lanes, over its runs in one iteration.
  std::map<SourceInstruction, double> Iterations;
  /// The longest sequence of one of them, each of which waits for the one before.
  llvm::DenseMap<const Instruction *, unsigned> Depth;
  const Instruction *Deepest = nullptr;

  void follow(const Instruction &I);
  unsigned step() const;
};
} // namespace

/// Notes how many instructions of the same kind and position \p I waits for.
void Collected::follow(const Instruction &I) {
  unsigned Before = 0;
  SmallVector<const Instruction *, 8> Work{&I};
  llvm::SmallPtrSet<const Instruction *, 16> Seen;
  // Through what stands between them: shuffles, and operations of the same iteration.
  static constexpr unsigned MaxVisited = 16;
  while (!Work.empty() && Seen.size() < MaxVisited) {
    const Instruction *User = Work.pop_back_val();
    for (const llvm::Value *Operand : User->operands()) {
      auto *Definition = dyn_cast<Instruction>(Operand);
      if (!Definition || isa<llvm::PHINode, llvm::LoadInst>(Definition) ||
          !Seen.insert(Definition).second)
        continue;
      if (auto Found = Depth.find(Definition); Found != Depth.end() &&
                                               Definition->getOpcode() == I.getOpcode() &&
                                               Definition->getDebugLoc() == I.getDebugLoc())
        Before = std::max(Before, Found->second);
      else if (Definition->getParent() == I.getParent())
        Work.push_back(Definition);
    }
  }
  Depth[&I] = Before + 1;
  if (!Deepest || Before + 1 > Depth[Deepest])
    Deepest = &I;
}

/// The iterations of the source that the code does: those of most of its instructions.
unsigned Collected::step() const {
  std::map<unsigned, unsigned> Votes;
  for (const auto &[Which, Times] : Iterations)
    if (std::abs(Times - std::round(Times)) < 1e-6)
      ++Votes[unsigned(std::round(Times))];
  auto Most = std::ranges::max_element(
      Votes, {}, [](const auto &Vote) { return std::pair(Vote.second, Vote.first); });
  return Most == Votes.end() ? 0 : Most->first;
}

std::map<LoopPosition, UnrolledLoop> UnrolledLoops::find(const llvm::Function &F,
                                                         const llvm::LoopInfo &After,
                                                         const InstructionMixer &Mixer) const {
  std::map<LoopPosition, Collected> Found;
  for (const BasicBlock &B : F) {
    // Innermost loops are described as they are, with all that they contain.
    if (const llvm::Loop *L = After.getLoopFor(&B); L && L->isInnermost())
      continue;
    for (const Instruction &I : B) {
      const auto Loop = loopOf(I);
      if (!Loop)
        continue;
      Collected &Code = Found[*Loop];
      Mixer.add(I, Code.Mix);
      auto Times = PerIteration.find({positionKey(I.getDebugLoc()), I.getOpcode()});
      if (Times == PerIteration.end())
        continue;
      // What is the same in each iteration around may have been moved out.
      if (!Code.Start || After.getLoopDepth(&B) > After.getLoopDepth(Code.Start))
        Code.Start = &B;
      llvm::Type *T =
          llvm::getLoadStorePointerOperand(&I) ? llvm::getLoadStoreType(&I) : I.getType();
      Code.Iterations[Times->first] += double(lanesOf(T)) / Times->second;
      Code.follow(I);
    }
  }
  std::map<LoopPosition, UnrolledLoop> Result;
  for (auto &[Position, Code] : Found) {
    const unsigned Step = Code.step();
    if (Step < 2)
      continue;
    UnrolledLoop &Loop = Result[Position];
    Loop.Start = Code.Start;
    Loop.Made = {Step, std::move(Code.Mix), {}, {}};
    if (const unsigned Waits = Code.Depth[Code.Deepest]; Waits > 1) {
      InstructionMix One;
      Mixer.add(*Code.Deepest, One);
      One.Slots = 0;
      Loop.Made.Chains.push_back(One * double(Waits));
    }
  }
  return Result;
}

} // namespace ergon
