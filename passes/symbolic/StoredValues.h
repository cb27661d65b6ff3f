//===- StoredValues.h - what memory holds -----------------------*- C++ -*-===//
//
// Programs keep their sizes in memory: arguments by reference, fields, globals,
// and the arrays of arguments that a runtime's launch call takes. This says of a
// load whether it reads what the function was entered with, and of a location
// what was stored there last. It walks LLVM's memory SSA, built when it
// is first asked, over a bounded number of definitions.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_SYMBOLIC_STOREDVALUES_H
#define ERGON_PASSES_SYMBOLIC_STOREDVALUES_H

#include "passes/ir/FunctionAnalyses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class AllocaInst;
class BatchAAResults;
class EarliestEscapeAnalysis;
class Function;
class Instruction;
class LoadInst;
class MemoryLocation;
class MemorySSA;
class StoreInst;
class Type;
class Value;
} // namespace llvm

namespace ergon {

class CalleeWrites;

/// An access path: a location in memory as the function finds it on entry. The base is a parameter,
/// a global or a local variable; the offsets are in bytes. With several offsets, the pointer to the
/// next object is read at each but the last.
struct AccessPath {
  const llvm::Value *Base = nullptr;
  std::vector<long> Path;

  bool operator==(const AccessPath &) const = default;
};

/// What a load sees: a location, and the instructions that may have written there last. Null among
/// them stands for the caller. Without any, memory is as the function found it.
struct Sight {
  AccessPath Where;
  std::vector<const llvm::Instruction *> Writers;

  bool operator==(const Sight &) const = default;
};

class StoredValues {
public:
  /// Answers hold as long as nothing changes the function. \p AsWritten: the code is what
  /// the front end made, so a store of a floating-point number or of a pointer is
  /// one in the source, and by the language's rules changes no integer.
  StoredValues(const FunctionAnalyses &Analyses, bool AsWritten);
  ~StoredValues();

  /// Where \p Pointer points, if that is a fixed distance from such a base.
  std::optional<AccessPath> pathOf(const llvm::Value &Pointer);

  /// The path that \p Load reads, if nothing in the function can have written
  /// there before: the load sees what was there on entry.
  std::optional<AccessPath> entryPath(const llvm::LoadInst &Load);

  /// What \p Load sees, whoever wrote there. Two loads outside of loops that see the
  /// same find the same value.
  std::optional<Sight> sightOf(const llvm::LoadInst &Load);

  /// The value that \p Bytes bytes at \p Pointer hold when \p Point runs, where one
  /// store, in a loop around \p Point or in none, put it there. Null where unknown.
  llvm::Value *storedValue(const llvm::Value &Pointer, unsigned Bytes,
                           const llvm::Instruction &Point);

  /// What \p Pointer lies a fixed number of bytes from, and how many: a base as it is found in the
  /// function, such as an argument, a call or a load.
  std::pair<const llvm::Value *, long> fromBase(const llvm::Value &Pointer) const;
  /// Whether \p I may write into the object that \p Pointer leads into; what runs on a device
  /// apart.
  bool mayWrite(const llvm::Instruction &I, const llvm::Value &Pointer);
  /// Whether two pointers are known to lead into different objects.
  bool areApart(const llvm::Value &V, const llvm::Value &Other);

  /// What is known of the object that a pointer argument points into.
  struct Contents {
    /// Set where all that the function did not visibly store is as on entry.
    std::optional<AccessPath> Entry;
    /// A value at an offset from the pointer; null: overwritten with something
    /// that is not known.
    struct Item {
      long Offset;
      unsigned Bytes;
      llvm::Value *Value;
    };
    std::vector<Item> Stored; // by offset
  };
  /// Of what \p Pointer points to when \p Point runs.
  Contents contentsOf(const llvm::Value &Pointer, const llvm::Instruction &Point);

  /// An integer that the function itself put into a global.
  struct Global {
    AccessPath Where;
    unsigned Bytes;
    llvm::Value *Value;
  };
  /// Those that are sure to be there when \p Point runs.
  std::vector<Global> globalsAt(const llvm::Instruction &Point);

private:
  /// Who may have written a location last.
  struct Writers {
    bool Entry = false; ///< on some way, no write since the function was entered
    std::vector<llvm::Instruction *> Who;
    bool TooMany = false;

    bool entryOnly() const { return Entry && Who.empty() && !TooMany; }
  };
  using Filter = llvm::function_ref<bool(const llvm::Instruction &)>;

  const FunctionAnalyses &Analyses;
  bool AsWritten;
  bool Started = false;
  std::unique_ptr<llvm::EarliestEscapeAnalysis> Escapes;
  std::unique_ptr<llvm::BatchAAResults> Aliases;
  std::unique_ptr<llvm::MemorySSA> Memory;
  std::unique_ptr<CalleeWrites> Calls;
  llvm::DenseMap<const llvm::LoadInst *, std::optional<AccessPath>> Loads;
  std::map<const llvm::LoadInst *, Writers> LoadWriters; ///< as writersBefore() has them
  llvm::DenseMap<const llvm::AllocaInst *, bool> Private;
  std::optional<std::vector<llvm::StoreInst *>> GlobalStores;
  unsigned Depth = 0;

  /// A bounded effort: definitions looked at for one question, and in all; uses
  /// of an object looked at for stores; instructions of a function.
  static constexpr unsigned MaxSteps = 200, MaxUses = 64, MaxInstructions = 50'000, MaxDepth = 4;
  unsigned StepsLeft = 20'000;

  bool start();
  bool leavesAlone(const llvm::Instruction &I, const llvm::MemoryLocation &Where, Filter Ignore);
  bool isPrivate(const llvm::AllocaInst &Variable);
  Writers writersBefore(const llvm::Instruction &Point, const llvm::MemoryLocation &Where,
                        Filter Ignore);
  llvm::Value *soleStore(const Writers &Candidates, const AccessPath &Where, unsigned Bytes,
                         const llvm::Instruction &Point);
  const Writers &writersBefore(const llvm::LoadInst &Load);
  bool storesOtherKind(const llvm::Instruction &I, const llvm::Type &Held) const;
  std::optional<AccessPath> entryPathUncached(const llvm::LoadInst &Load);
  std::vector<llvm::StoreInst *> storesInto(const llvm::Value &Object);
};

} // namespace ergon

#endif
