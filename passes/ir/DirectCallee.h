//===- DirectCallee.h - the name of a direct callee -------------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace ergon {

/// The name of the function that \p V calls directly; empty for anything else.
inline StringRef directCallee(const llvm::Value &V) {
  auto *Site = dyn_cast<CallBase>(&V);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  return Callee ? Callee->getName() : "";
}

} // namespace ergon
