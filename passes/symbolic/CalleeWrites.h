//===- CalleeWrites.h - what calls may write --------------------*- C++ -*-===//
//
// Sizes in globals and in objects are loaded again after calls. LLVM's attributes rarely show that
// a function leaves them alone: not for interposable functions, not for those that print, and not
// for single globals. This class inspects the bodies in the unit, over a bounded number of
// instructions, and knows library functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace ergon {

/// True for a library function, which accesses only the program's objects passed to it: of C, C++,
/// parallel runtimes and devices. \p F has no body.
bool isLibraryFunction(const llvm::Function &F, const llvm::TargetLibraryInfo &TLI);

/// True where \p Written leads into the object that a constructor, or a function that returns one
/// in memory, is to make, and \p Read is reached from other parameters or globals: by the rules of
/// C++ they do not lead there meanwhile.
bool isNewBeside(const llvm::Value &Written, const llvm::Value &Read);

/// True for a store of floating-point numbers through a pointer that the program keeps as one to
/// such numbers, though the store itself may be of a type that aliases all, as vectors of
/// intrinsics. `memset` and `memcpy` there store numbers too.
bool storesNumbers(const Instruction &I);

class CalleeWrites {
public:
  CalleeWrites(const llvm::TargetLibraryInfo &TLI, llvm::AAResults &AA,
               llvm::TypeBasedAAResult &Types)
      : TLI(TLI), AA(AA), Types(Types) {}

  using Filter = function_ref<bool(const Instruction &)>;
  /// True where \p Site evidently does not write \p Where. Stores in a callee that \p Ignore
  /// accepts do not count.
  bool leavesAlone(const CallBase &Site, const llvm::MemoryLocation &Where,
                   llvm::BatchAAResults &Aliases, Filter Ignore);
  /// True where all that \p Site writes evidently has other types than \p Where.
  bool isApartByType(const CallBase &Site, const llvm::MemoryLocation &Where);

private:
  /// One kind of store by a function or its callees.
  struct Write {
    /// A global, an argument, or null: through some loaded pointer.
    const llvm::Value *Object;
    /// One such store, which shows the type; null: any type.
    const Instruction *Store;

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
  bool addWrites(const Instruction &I, std::vector<Write> &Result);
  bool addCall(const CallBase &Site, std::vector<Write> &Result);
  bool writesArgumentsOnly(const CallBase &Site) const;
};

} // namespace ergon
