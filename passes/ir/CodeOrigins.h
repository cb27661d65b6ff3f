//===- CodeOrigins.h - where copied code comes from -------------*- C++ -*-===//
//
// What is counted is decided on a copy, in which parallel regions are inlined. The program counts
// in the functions that it has.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"
#include "passes/ir/Probe.h"

#include <optional>
#include <vector>

namespace ergon {

/// The instructions that those of a copied module were, whatever the copy has become since.
class CodeOrigins {
public:
  /// \p Copy is as it was copied from \p M, with the bodies of some functions. Marks its
  /// instructions.
  CodeOrigins(const llvm::Module &M, llvm::Module &Copy);

  struct Counter {
    const llvm::Function *Where;
    Probe What;
  };
  /// The counter in the original that gives what \p InCopy asks for; nothing where that is in
  /// several functions, or in code that only the copy has.
  std::optional<Counter> of(const Probe &InCopy) const;

  struct Place {
    const llvm::Function *Where;
    Edges Ways;
  };
  /// What control takes in the original as often as \p InCopy; nothing in the same cases.
  std::optional<Place> placeOf(const Edges &InCopy) const;
  /// The call that \p InCopy was; null where only the copy has it.
  const CallBase *callOf(const CallBase &InCopy) const;

private:
  std::vector<const Instruction *> Originals; ///< by the numbers of the marks

  const Instruction *original(const Instruction &InCopy) const;
  const BasicBlock *block(const BasicBlock &InCopy) const;
  bool addWay(const Edge &InCopy, Edges &Result, unsigned Depth) const;
  std::optional<Edges> ways(const Edges &InCopy) const;
};

} // namespace ergon
