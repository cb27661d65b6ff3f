//===- InitialValues.h - what globals hold when the program starts -*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/GlobalVariable.h"

#include <string>

namespace ergon {

/// How code names an operand, and a type; empty for a type that it does not have.
using OperandText = llvm::function_ref<std::string(const llvm::Value &)>;
using TypeText = llvm::function_ref<std::string(const llvm::Type &)>;

/// The rest of the line `global NAME …`: `extern` and `shared` are unknown, `const` and `zero` have
/// items `offset type value`, and `constructed &f` also what \c f does before main.
std::string initialValue(const llvm::GlobalVariable &Global, OperandText Operand,
                         TypeText TypeName);

} // namespace ergon
