//===- LLVM.h - names of LLVM that all passes use ---------------*- C++ -*-===//
//
// Declares LLVM's classes for headers that only refer to them, and takes its casts, its views of
// text and arrays, and the most frequent classes into namespace ergon, as clang/Basic/LLVM.h does
// for clang.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_LLVM_H
#define ERGON_PASSES_IR_LLVM_H

#include "passes/ir/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace ergon {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Instruction;

} // namespace ergon

#endif
