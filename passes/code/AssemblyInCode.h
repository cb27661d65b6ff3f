//===- AssemblyInCode.h - inline assembly in a function's code --*- C++ -*-===//
#pragma once

#include "passes/code/InitialValues.h"

#include "llvm/IR/InstrTypes.h"

#include <optional>
#include <string>

namespace ergon {

/// The lines for \p Site, host inline assembly that leaves memory alone; \p Result is its register.
/// The interpreter answers `cpuid`, and knows what text without an instruction passes through.
/// Nothing for assembly that may write memory.
std::optional<std::string> assemblyInCode(const llvm::CallBase &Site, const std::string &Result,
                                          OperandText Operand);

} // namespace ergon
