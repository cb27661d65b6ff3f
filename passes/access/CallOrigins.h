//===- CallOrigins.h - which call made an argument --------------*- C++ -*-===//
//
// Libraries hand out handles: `plan = fftw_plan_dft_1d(n, …)`, `cufftPlan1d(&plan,
// n, …)`. What a later call with the handle costs depends on how it was made.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ACCESS_CALLORIGINS_H
#define ERGON_PASSES_ACCESS_CALLORIGINS_H

namespace llvm {
class CallBase;
class DominatorTree;
class GlobalValue;
class TargetLibraryInfo;
class Value;
} // namespace llvm

namespace ergon {

/// What \p Site calls by name: a function, whatever type the call gives it, or an alias. Null for
/// a call through a pointer.
const llvm::GlobalValue *calledName(const llvm::CallBase &Site);

/// The call of another library's function that every \p Argument of \p Site comes
/// from: its result, or the content of a local variable whose address that call
/// alone was given. Null where that is not evident, and for allocations.
const llvm::CallBase *originOf(const llvm::Value &Argument, const llvm::CallBase &Site,
                               const llvm::DominatorTree &DT, const llvm::TargetLibraryInfo &TLI);

} // namespace ergon

#endif
