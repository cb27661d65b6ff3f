//===- HostAssembly.h - counts of host inline assembly ----------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include <optional>

namespace ergon {

/// How many instructions \p Site, inline assembly of a host, has, if all of them work in general
/// registers alone: no operand or clobber is memory or a vector or floating-point register, no text
/// has an address, and none jumps or calls. Comments are no instructions.
std::optional<unsigned> registerInstructions(const CallBase &Site);

} // namespace ergon
