//===- CalleeWrites.h - what calls may write --------------------*- C++ -*-===//
//
// Sizes in globals and in objects are read again after calls. LLVM's attributes say
// of few functions that they leave those alone: none of a function that other
// definitions may replace, none of one that prints, none of one global apart from
// another. This looks into the bodies that the unit has, over a bounded number of
// instructions, and knows what libraries do not do.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_SYMBOLIC_CALLEEWRITES_H
#define ERGON_PASSES_SYMBOLIC_CALLEEWRITES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace llvm {
class AAResults;
class BatchAAResults;
class CallBase;
class Function;
class Instruction;
class MemoryLocation;
class TargetLibraryInfo;
class TypeBasedAAResult;
class Value;
} // namespace llvm

namespace ergon {

/// True for a function of a library, which knows of the program's objects only those that it is
/// given: of C, C++, of runtimes of parallel programs and of devices. \p F has no body.
bool isLibraryFunction(const llvm::Function &F, const llvm::TargetLibraryInfo &TLI);

class CalleeWrites {
public:
  CalleeWrites(const llvm::TargetLibraryInfo &TLI, llvm::AAResults &AA,
               llvm::TypeBasedAAResult &Types)
      : TLI(TLI), AA(AA), Types(Types) {}

  using Filter = llvm::function_ref<bool(const llvm::Instruction &)>;
  /// True where \p Site evidently does not write \p Where. Stores in a callee that
  /// \p Ignore holds for do not either.
  bool leavesAlone(const llvm::CallBase &Site, const llvm::MemoryLocation &Where,
                   llvm::BatchAAResults &Aliases, Filter Ignore);

private:
  /// One kind of store that a function does, itself or in what it calls.
  struct Write {
    /// A global, an argument, or null: through a pointer that it reads somewhere.
    const llvm::Value *Object;
    /// One such store, which says of what type they are; null: of any.
    const llvm::Instruction *Store;

    bool operator==(const Write &) const = default;
  };
  using Writes = std::optional<std::vector<Write>>; // nothing: it may write anything

  const llvm::TargetLibraryInfo &TLI;
  llvm::AAResults &AA;
  llvm::TypeBasedAAResult &Types;
  llvm::DenseMap<const llvm::Function *, Writes> Known;
  static constexpr std::size_t MaxWrites = 64;
  unsigned StepsLeft = 10'000;

  const Writes &writesOf(const llvm::Function &F);
  bool addWrites(const llvm::Instruction &I, std::vector<Write> &Result);
  bool addCall(const llvm::CallBase &Site, std::vector<Write> &Result);
  bool writesArgumentsOnly(const llvm::CallBase &Site) const;
};

} // namespace ergon

#endif
