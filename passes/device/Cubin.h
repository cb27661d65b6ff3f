//===- Cubin.h - what the assembler of GPUs writes --------------*- C++ -*-===//
//
// Reads the machine code of an ELF file that ptxas wrote, with the positions of its instructions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/device/MachineInstruction.h"
#include "passes/ir/LLVM.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The instructions of a function, in their order. The first is its entry.
using MachineFunction = std::vector<MachineInstruction>;

/// The functions of \p File by their names, for compute capability \p Major. Lines are the numbers
/// of positions. Empty where it is no such file.
std::map<std::string, MachineFunction> functionsOfCubin(StringRef File, int Major);

} // namespace ergon
