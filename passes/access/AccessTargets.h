//===- AccessTargets.h - which object an access goes to ---------*- C++ -*-===//
//
// The object that a pointer leads into and how far, as formulas: objects are
// parameters, globals, local variables, and what pointers in memory lead to.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ACCESS_ACCESSTARGETS_H
#define ERGON_PASSES_ACCESS_ACCESSTARGETS_H

#include "passes/symbolic/AnalysisContext.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <utility>

namespace llvm {
class CallBase;
class Loop;
} // namespace llvm

namespace ergon {

class AccessTargets {
public:
  explicit AccessTargets(AnalysisContext &Context) : Context(Context) {}

  /// Where a pointer leads, as Access has it. What is not known is left out.
  struct Aim {
    std::string Base{};
    std::optional<Expr> Offset{}, Row{};

    /// Moves base, offset and row into \p Result.
    void putInto(Access &Result) && {
      Result.Base = std::move(Base);
      Result.Offset = std::move(Offset);
      Result.Row = std::move(Row);
    }
  };
  /// Where \p Pointer leads, as seen by code in \p Scope (null: outside of all loops).
  Aim aimOf(const llvm::Value &Pointer, const llvm::Loop *Scope);
  /// Of pointers that take turns where each leads, and the share of the runs that have it, 1 or 0;
  /// of others there is one.
  std::vector<std::pair<Expr, Aim>> aimsOf(const llvm::Value &Pointer, const llvm::Loop *Scope);

  /// What \p I accesses, and the share of its runs that go there: of pointers that take
  /// turns an access for each turn. Nothing where it accesses no memory by itself.
  std::optional<std::vector<std::pair<Expr, Access>>> accessOf(const llvm::Instruction &I,
                                                               const llvm::Loop *Scope);

  /// The object whose pointer \p I loads from a fixed address, if it may be another one than on
  /// entry.
  std::optional<PointerLoad> pointerLoadOf(const llvm::Instruction &I, const llvm::Loop *Scope);
  /// The pointer that \p I puts into memory at a fixed address.
  std::optional<PointerStore> pointerStoreOf(const llvm::Instruction &I, const llvm::Loop *Scope);
  /// What \p Site returns the address of; empty where it returns none, or it has no use.
  std::string resultOf(const llvm::CallBase &Site);
  /// Where the pointer leads that the function returns.
  std::optional<PointedLocation> returned();

  /// Of the objects so far, those of which more is known than their name.
  const std::vector<SizedObject> &sizedObjects() const { return Sized; }

private:
  AnalysisContext &Context;
  std::vector<SizedObject> Sized;
  llvm::DenseMap<const llvm::Value *, std::string> Named;
  llvm::StringSet<> Taken;              ///< names
  llvm::StringMap<unsigned> NextNumber; ///< by name: what may follow it
  unsigned Unnamed = 0;                 ///< objects without a name in the source
  /// By object and offset: what pointers lead to on entry, and all of a table's.
  std::map<std::pair<std::string, std::optional<std::int64_t>>, std::string> Reached;
  /// What others lead to: nothing where it is not one object.
  llvm::DenseMap<const llvm::LoadInst *, std::string> Loaded;
  llvm::DenseMap<const llvm::SCEV *, unsigned> Starts; ///< of addresses without a formula, numbered

  bool isFixed(const llvm::Value &Pointer) const;
  Aim pointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  Aim newlyPointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  /// What pointedTo() was asked for: each pointer of a list depends on the one before.
  llvm::DenseMap<std::pair<const llvm::LoadInst *, const llvm::Loop *>, Aim> Pointed;
  Aim reachedThrough(const AccessPath &Pointer);
  std::string addPointed(SizedObject::Through Pointer, std::string Name);
  std::string pointedFrom(SizedObject::Through Pointer, std::string Name);
  std::string fresh(std::string Name);
  void keep(const llvm::Value &Object, const std::string &Name);
  std::string nameOf(const llvm::Value &Object);
  bool goesOn(const llvm::SCEVAddRecExpr &Run);
  std::optional<UnknownStart> startOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
  std::optional<Expr> offsetOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
};

} // namespace ergon

#endif
