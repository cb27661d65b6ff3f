//===- RetryLoops.h - loops that try again ----------------------*- C++ -*-===//
//
// A loop that repeats an update of shared memory until no other thread interfered, as with
// `atomicCAS`.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Loop;
}

namespace ergon {

/// Whether \p L ends as soon as a compare-and-swap in it succeeds, or a word holds what the loop
/// has stored there. Without contention that is its first iteration.
bool retriesUpdate(const llvm::Loop &L);

} // namespace ergon
