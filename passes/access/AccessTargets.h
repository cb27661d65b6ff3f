//===- AccessTargets.h - objects and offsets of accesses --------*- C++ -*-===//
//
// The object that a pointer leads to and its offset, as formulas: objects are parameters, globals,
// local variables, and targets of pointers in memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/symbolic/AnalysisContext.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <utility>

namespace ergon {

class AccessTargets {
public:
  explicit AccessTargets(AnalysisContext &Context) : Context(Context) {}

  /// The target of a pointer, as in Access. Unknown parts are empty.
  struct Aim {
    std::string Base{};
    std::optional<Expr> Offset{}, Row{};
  };
  /// The target of \p Pointer, as seen by code in \p Scope (null: outside all loops).
  Aim aimOf(const llvm::Value &Pointer, const llvm::Loop *Scope);
  /// For alternating pointers the target of each, and the share of the runs that have it, 1 or 0;
  /// one target for all others.
  std::vector<std::pair<Expr, Aim>> aimsOf(const llvm::Value &Pointer, const llvm::Loop *Scope);

  /// What \p I accesses, and the share of its runs that do: for alternating pointers one access
  /// each. Nothing where it accesses no memory itself.
  std::optional<std::vector<std::pair<Expr, Access>>> accessOf(const Instruction &I,
                                                               const llvm::Loop *Scope);

  /// The object whose pointer \p I loads from a fixed address, if it may differ from that on entry.
  std::optional<PointerLoad> pointerLoadOf(const Instruction &I, const llvm::Loop *Scope);
  /// The pointer that \p I stores at a fixed address.
  std::optional<PointerStore> pointerStoreOf(const Instruction &I, const llvm::Loop *Scope);
  /// The object whose address \p Site returns; empty where it returns none, or the result is
  /// unused.
  std::string resultOf(const CallBase &Site);
  /// The target of the returned pointer.
  std::optional<PointedLocation> returned();

  /// The objects so far of which more than the name is known.
  const std::vector<SizedObject> &sizedObjects() const { return Sized; }

private:
  AnalysisContext &Context;
  std::vector<SizedObject> Sized;
  llvm::DenseMap<const llvm::Value *, std::string> Named;
  llvm::StringSet<> Taken;              ///< names
  llvm::StringMap<unsigned> NextNumber; ///< by name: the next suffix
  unsigned Unnamed = 0;                 ///< objects without a name in the source
  /// By object and offset: targets of pointers on entry, and of all pointers in a table.
  std::map<std::pair<std::string, std::optional<std::int64_t>>, std::string> Reached;
  /// Targets of other pointers: nothing where it is not one object.
  llvm::DenseMap<const llvm::LoadInst *, std::string> Loaded;
  llvm::DenseMap<const llvm::SCEV *, unsigned> Starts; ///< of addresses without a formula, numbered

  bool isFixed(const llvm::Value &Pointer) const;
  bool isSeenOnce(const llvm::SCEV *Of) const;
  /// With an offset where it does not lead to the object's start.
  Aim pointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  Aim newlyPointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  /// Cached results of pointedTo(): each pointer of a list depends on the one before.
  llvm::DenseMap<std::pair<const llvm::LoadInst *, const llvm::Loop *>, Aim> Pointed;
  Aim reachedThrough(const AccessPath &Pointer);
  std::string addPointed(SizedObject::Through Pointer, std::string Name);
  std::string pointedFrom(SizedObject::Through Pointer, std::string Name);
  std::string fresh(std::string Name);
  void keep(const llvm::Value &Object, const std::string &Name);
  std::string nameOf(const llvm::Value &Object);
  bool goesOn(const llvm::SCEVAddRecExpr &Run);
  std::optional<UnknownStart> startOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
  std::optional<std::uint64_t> reachOf(const llvm::SCEV *Address, unsigned Bytes);
  std::vector<std::pair<Expr, Aim>> chosenBy(const llvm::SelectInst &Choice,
                                             const llvm::SCEV *Address, const llvm::Loop *Scope);
  std::optional<Expr> offsetOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
};

/// `print<ergon-accesses>`: the object and offset that each load, store and atomic
/// operation of a function accesses, block by block, and the loop that it is in.
void printAccesses(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out);

} // namespace ergon
