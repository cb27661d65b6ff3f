//===- Ptxas.h - the assembler of CUDA's toolkit ----------------*- C++ -*-===//
//
// Runs ptxas, of the toolkit whose library the compiler was given, or the first on the path.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/DeviceResources.h"
#include "passes/ir/LLVM.h"

#include <map>
#include <string>

namespace ergon {

struct Assembled {
  std::string Cubin;                                ///< an ELF file
  std::map<std::string, DeviceResources> Resources; ///< by function
};

/// Assembles \p Text, PTX, for \p Processor (`sm_86`). Empty where there is no assembler, it
/// refuses the text or takes longer than a minute.
Assembled assemble(StringRef Text, StringRef Processor);

} // namespace ergon
