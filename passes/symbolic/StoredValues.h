//===- StoredValues.h - contents of memory ----------------------*- C++ -*-===//
//
// Programs keep sizes in memory: arguments by reference, fields, globals, and the argument arrays
// of a runtime's launch call. This analysis shows whether a load reads the value on function entry,
// and which value was stored last to a location. It walks LLVM's memory SSA, built on the first
// query, over a bounded number of definitions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Unknown.h"
#include "passes/ir/FunctionAnalyses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Metadata.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class ExtractValueInst;
class MemoryAccess;
class MemoryDef;
class MemoryPhi;
} // namespace llvm

namespace ergon {

class CalleeWrites;

/// An access path: a location in memory on function entry. The base is a parameter, a global or a
/// local variable; the offsets are in bytes. With several offsets, all but the last locate the
/// pointer to the next object.
struct AccessPath {
  const llvm::Value *Base = nullptr;
  std::vector<long> Path;

  bool operator==(const AccessPath &) const = default;
};

/// What a load sees: a location, and the instructions that may have written there last; null
/// represents the caller. Without any, memory is as on function entry.
struct Sight {
  AccessPath Where;
  std::vector<const Instruction *> Writers;

  bool operator==(const Sight &) const = default;
};

/// Bytes in memory that hold one number or pointer.
struct Place {
  AccessPath Where;
  unsigned Bytes = 0;
  bool IsPointer = false;
  bool IsReal = false;    ///< a floating-point number
  llvm::AAMDNodes Tags{}; ///< of the access that asks; by its type some writers are apart
  /// Where the function has one: the pointer to it.
  const llvm::Value *Pointer = nullptr;

  /// The type of a number or pointer of that kind.
  llvm::Type &scalarType(llvm::LLVMContext &LLVM) const;
};

/// The pointer that \p Store writes, also as an integer; null where it writes something else.
llvm::Value *storedPointer(llvm::StoreInst &Store);

class StoredValues {
public:
  /// Valid until the function changes. \p AsWritten: the code is unoptimized front-end output, so a
  /// floating-point or pointer store is one in the source and, by the language's rules, changes no
  /// integer.
  StoredValues(const FunctionAnalyses &Analyses, bool AsWritten);
  ~StoredValues();

  /// The path of \p Pointer, if it is a constant distance from such a base.
  std::optional<AccessPath> pathOf(const llvm::Value &Pointer);

  /// The path that \p Load reads, if nothing in the function can have written there before: it sees
  /// the value on entry.
  std::optional<AccessPath> entryPath(const llvm::LoadInst &Load);

  /// What \p Load sees, including other writers. Two loads outside loops that see the same have the
  /// same value.
  std::optional<Sight> sightOf(const llvm::LoadInst &Load);

  /// The value of \p Bytes bytes at \p Pointer when \p Point runs, where a single store, in a loop
  /// around \p Point or in none, wrote it. Null where unknown.
  llvm::Value *storedValue(const llvm::Value &Pointer, unsigned Bytes, const Instruction &Point);

  /// Functions of other units that the answers so far assume to write no memory of this function's
  /// callers.
  const llvm::SetVector<const llvm::Function *> &assumedReaders() const { return Readers; }

  /// Parameters of which they assume that the numbers there overlap with no array that is written.
  const llvm::SetVector<const llvm::Argument *> &assumedScalars() const { return Scalars; }

  /// The base of \p Pointer and its constant offset in bytes: a value of the function, such as an
  /// argument, a call or a load.
  std::pair<const llvm::Value *, long> fromBase(const llvm::Value &Pointer) const;
  /// Whether \p I may write into the object of \p Pointer, not counting device code.
  bool mayWrite(const Instruction &I, const llvm::Value &Pointer);
  /// Whether two pointers provably lead to different objects.
  bool areApart(const llvm::Value &V, const llvm::Value &Other);

  /// The known contents of an object that a pointer argument leads to.
  struct Contents {
    /// Set where everything that the function did not visibly store is as on entry.
    std::optional<AccessPath> Entry;
    /// Functions that had the pointer before: so it is if they only read.
    std::vector<PointerTaker> After;
    /// A value at an offset from the pointer; null: overwritten with an unknown value.
    struct Item {
      long Offset;
      unsigned Bytes;
      llvm::Value *Value;
      /// As above, of this value.
      std::vector<PointerTaker> After{};
    };
    std::vector<Item> Stored; // by offset
  };
  /// The contents of the target of \p Pointer when \p Point runs.
  Contents contentsOf(const llvm::Value &Pointer, const Instruction &Point);

  /// What a Fortran function loads behind calls of which some had the pointer: what it was before
  /// them, if these only read.
  struct Reloaded {
    std::optional<AccessPath> Entry; ///< what it was on entry
    llvm::Value *Stored = nullptr;   ///< or this value
    std::vector<PointerTaker> After; ///< empty: no call had it
  };
  std::optional<Reloaded> reloadedBy(const llvm::LoadInst &Load);

  /// An integer that the function itself stored in a global.
  struct Global {
    AccessPath Where;
    unsigned Bytes;
    llvm::Value *Value;
  };
  /// Those that certainly hold when \p Point runs.
  std::vector<Global> globalsAt(const Instruction &Point);

  /// The last writer of a place: a definition, or the PHI in which several meet.
  struct Origin {
    enum class Kind { Entry, Store, Zero, Copy, Call, Join, Unknown } What = Kind::Unknown;
    const llvm::MemoryAccess *At = nullptr;
  };
  /// The state of memory before \p Point, and at the end of \p B; null where unknown.
  const llvm::MemoryAccess *before(const Instruction &Point);
  const llvm::MemoryAccess *atEnd(const BasicBlock &B);
  /// Who wrote \p Wanted, seen from \p From.
  Origin originOf(const Place &Wanted, const llvm::MemoryAccess *From);
  /// The location of a pointer that a stored value, or the value on entry, is.
  std::optional<AccessPath> pathOf(const llvm::Value &Pointer, const llvm::MemoryAccess *From);
  /// Where the pointer at \p Wanted leads, seen from \p From.
  std::optional<AccessPath> pointerAt(const Place &Wanted, const llvm::MemoryAccess *From);

private:
  /// The possible last writers of a location.
  struct Writers {
    bool Entry = false; ///< on some path, no write since function entry
    std::vector<Instruction *> Who;
    bool TooMany = false;

    bool entryOnly() const { return Entry && Who.empty() && !TooMany; }
  };
  using Filter = function_ref<bool(const Instruction &)>;

  const FunctionAnalyses &Analyses;
  bool AsWritten;
  bool Started = false;
  std::unique_ptr<llvm::EarliestEscapeAnalysis> Escapes;
  std::unique_ptr<llvm::BatchAAResults> Aliases;
  std::unique_ptr<llvm::MemorySSA> Memory;
  std::unique_ptr<CalleeWrites> Calls;
  llvm::DenseMap<const llvm::LoadInst *, std::optional<AccessPath>> Loads;
  std::map<const llvm::LoadInst *, Writers> LoadWriters; ///< results of writersBefore()
  llvm::DenseMap<const llvm::AllocaInst *, bool> Private;
  std::optional<std::vector<llvm::StoreInst *>> GlobalStores;
  llvm::SetVector<const llvm::Function *> Readers;
  llvm::SetVector<const llvm::Argument *> Scalars;
  unsigned Depth = 0;

  /// Limits: definitions visited per query, and in all; uses of an object inspected for stores;
  /// instructions of a function.
  static constexpr unsigned MaxSteps = 200, MaxUses = 64, MaxInstructions = 50'000, MaxDepth = 4;
  unsigned StepsLeft = 20'000;

  bool start();
  Origin kindOf(const llvm::MemoryDef &Definition, const Place &Wanted);
  bool isApart(const Instruction &Writer, const Place &Wanted);
  bool leavesAlone(const Instruction &I, const llvm::MemoryLocation &Where, Filter Ignore);
  bool isPrivate(const llvm::AllocaInst &Variable);
  bool isTakenBy(const Instruction &I, const llvm::Value &Base, const llvm::MemoryLocation &Where,
                 std::vector<PointerTaker> &Takers);
  void addCopied(const AccessPath &To, const Instruction &Point, Contents &Result);
  bool isForeignCallWithout(const Instruction &Writer, const llvm::Argument &Own);
  static bool ignoreNone(const Instruction &) { return false; }
  Writers writersBefore(const Instruction &Point, const llvm::MemoryLocation &Where,
                        Filter Ignore = ignoreNone);
  llvm::StoreInst *exactStore(Instruction &Writer, const AccessPath &Where, unsigned Bytes);
  llvm::Value *storedEachTime(const Writers &Candidates, const AccessPath &Where, unsigned Bytes,
                              const Instruction &Point);
  llvm::Value *lastStored(const Writers &Candidates, const AccessPath &Where, unsigned Bytes,
                          const Instruction &Point);
  llvm::Value *soleStore(const Writers &Candidates, const AccessPath &Where, unsigned Bytes,
                         const Instruction &Point);
  const Writers &writersBefore(const llvm::LoadInst &Load);
  bool storesOtherKind(const Instruction &I, const llvm::Type &Held) const;
  std::optional<AccessPath> entryPathUncached(const llvm::LoadInst &Load);
  std::vector<llvm::StoreInst *> storesInto(const llvm::Value &Object);
};

} // namespace ergon
