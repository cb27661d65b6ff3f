//===- LoopTree.h - regions of blocks as the model's loops ------*- C++ -*-===//
//
// Builds the model's loop tree from regions of basic blocks: counts, accesses, calls and hints of
// each block.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/access/AccessTargets.h"
#include "passes/access/ForwardedLoads.h"
#include "passes/analysis/BlockTally.h"
#include "passes/device/DeviceBlocks.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/ir/Probe.h"
#include "passes/ir/PromotedAccesses.h"
#include "passes/lint/Hints.h"
#include "passes/lint/TransferHints.h"
#include "passes/opcodes/OperationCounts.h"
#include "passes/symbolic/AnalysisContext.h"
#include "passes/symbolic/Launches.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

class LoopTreeBuilder {
public:
  /// \p Counted, if not null, receives the calls through pointers that a run is to count, and \p
  /// Numbered the blocks, which then have numbers.
  LoopTreeBuilder(AnalysisContext &Context, CountRequest *Counted, DeviceBlocks *Numbered)
      : Context(Context), Counted(Counted), Numbered(Numbered),
        Cycle(Counted ? Counted->Cycle : nullptr), Opcodes(Context), Mixer(Context),
        Launcher(Context), Targets(Context), Forwarded(Context), Transfers(Context, Launcher),
        Hints(Context, Opcodes, Transfers) {}

  /// The loop, or function body, of \p R.
  Loop build(const Region &R);
  /// The targets of accesses in all loops so far.
  AccessTargets &targets() { return Targets; }

private:
  AnalysisContext &Context;
  CountRequest *Counted;
  DeviceBlocks *Numbered;
  unsigned NumberedLoop = 0;                           ///< the current one, in `Numbered`
  const llvm::DenseSet<const llvm::Function *> *Cycle; ///< as in `CountRequest`
  OperationCounts Opcodes;
  InstructionMixer Mixer;
  Launches Launcher;
  AccessTargets Targets;
  ForwardedLoads Forwarded;
  TransferHints Transfers;
  HintFinder Hints;

  /// Counts of code with the same execution count, exact and bounds.
  struct Tallies {
    BlockTally Counted, AtMost;
    /// Accesses to variables of unoptimized code, by offset in the frame.
    llvm::DenseMap<long, std::size_t> Promoted{};
  };
  /// Of the current loop: number of accesses, calls and loops so far.
  unsigned Order = 0;
  /// Accesses that go to one object in only some runs of their block.
  std::vector<std::pair<Expr, Access>> Sometimes;
  /// Copied and set bytes that a run counts.
  std::vector<Block> Copied;

  void addBlock(const BasicBlock &B, const Region &R, Block &Target, Tallies &Sum);
  void addAccesses(const Instruction &I, const Region &R, Block &Target,
                   std::optional<unsigned> JoinedBytes);
  void addSometimes(Loop &Result);
  std::string addPlace(Probe Place);
  std::string countedPlace(const Expr &Formula, const Edges &Ways);
  void addPromoted(const PromotedAccess &Promoted, Block &Target, Tallies &Sum);

  // LoopTreeCalls.cpp
  void addCall(const CallBase &Site, const Region &R, Block &Target);
  void addLaunches(const CallBase &Site, const Region &R, Block &Target);
  void addPredicated(const CallBase &Site, Block &Target);
  std::vector<std::optional<Expr>> argumentsOf(const CallBase &Site, const Region &R);
  void addGlobals(const CallBase &Site, const Region &R, std::map<std::string, Expr> &Values);
  std::optional<Expr> valueOf(llvm::Value &Passed, const CallBase &Site, const Region &R);
  std::optional<PassedObject> objectOf(const llvm::Value &Actual, const CallBase &Site,
                                       unsigned Number, const Region &R,
                                       std::optional<Expr> &Value);
  void addFilled(const CallBase &Site, const Region &R, std::vector<PassedObject> &Objects);
  void addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R, Block &Target);
  void addPointers(const CallBase &Site, const Region &R, Call &Result);
};

} // namespace ergon
