//===- TransferHints.h - copies that move what is there ---------*- C++ -*-===//
//
// Copies between host and device whose bytes are at their destination already, as an earlier run
// of the copy, another copy there, or one the other way, left them, and nothing has written to
// either end since. Kernels are no part of the host's module: a hint names those that must not
// write, and the reader of the record checks them.
//
//   invariant_transfer  in a loop, and only its own earlier run brought the same
//   redundant_copy      another copy did. Detail: the line where that stands
//
// For each copy the code is read backwards along all ways, in the whole function and then in each
// loop around it. What cannot be told apart is taken to be the same, and no hint follows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace ergon {

class Launches;
struct AnalysisContext;

class TransferHints {
public:
  TransferHints(AnalysisContext &Context, const Launches &Launcher)
      : Context(Context), Launcher(Launcher) {}

  /// Adds what the copy \p I, if it is one, shows.
  void add(const Instruction &I, std::vector<Hint> &Hints);

private:
  /// A value: equal ones are the same number where neither a writer of the location that was read,
  /// nor the base of one that was not read, runs between them.
  struct SymbolicValue {
    const llvm::Value *Base = nullptr; ///< null where it is what memory holds
    std::optional<Sight> Seen = std::nullopt;
    long Offset = 0;
    bool operator==(const SymbolicValue &) const = default;
  };
  struct CopyEnd {
    const llvm::Value *Pointer;
    SymbolicValue Address;
    bool IsDevice;
  };
  struct Copy {
    const CallBase *Site;
    CopyEnd To, From;
    llvm::Value *Length;
    SymbolicValue Bytes;
    CostClass Moves;
    const llvm::Value *Stream; ///< null: the host waits
  };
  /// What a copy repeats.
  struct Repeated {
    SmallVector<const CallBase *, 2> Left; ///< copies that left the same bytes
    std::vector<KernelArgument> IfOnlyRead = {};
  };

  AnalysisContext &Context;
  const Launches &Launcher;
  llvm::DenseMap<const CallBase *, std::optional<Copy>> Copies;
  llvm::DenseMap<const llvm::Function *, bool> Reaching;

  /// A bounded effort: instructions read for one function's copies, and of what it calls.
  unsigned StepsLeft = 20'000, CalleeStepsLeft = 20'000;

  std::optional<Sight> sightAt(const llvm::LoadInst &Load, const Instruction &Point);
  SymbolicValue valueOf(const llvm::Value &V, const Instruction &Point);
  const Instruction *allocationOf(const std::optional<Sight> &Seen);
  const std::optional<Copy> &copyAt(const Instruction &I);
  std::optional<Copy> parse(const CallBase &Site);
  static bool isOlderOrOther(const SymbolicValue &V);
  bool maySame(const CopyEnd &E, const llvm::Value &Other, const Instruction &Point);
  static bool isLeft(const Copy &C, const Copy &Earlier);
  bool keeps(const Instruction &I, const CopyEnd &Side, std::vector<KernelArgument> &If);
  bool keepsInLaunch(const CallBase &Site, const CopyEnd &Side, std::vector<KernelArgument> &If);
  bool keepsInCall(const CallBase &Site, const CopyEnd &Side, std::vector<KernelArgument> &If);
  bool reachesDevice(const llvm::Function &F);
  bool mayBeUnneeded(const Copy &C, const llvm::Loop *Scope) const;
  std::optional<Repeated> repeatedIn(const Copy &C, const llvm::Loop *Scope);
};

} // namespace ergon
