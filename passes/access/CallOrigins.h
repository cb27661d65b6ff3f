//===- CallOrigins.h - the call that created an argument --------*- C++ -*-===//
//
// Libraries return handles: `plan = fftw_plan_dft_1d(n, …)`, `cufftPlan1d(&plan, n, …)`. The cost
// of a later call with the handle depends on the call that created it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

namespace ergon {

/// The symbol that \p Site calls: a function, whatever type the call gives it, or an alias. Null
/// for a call through a pointer.
const llvm::GlobalValue *calledName(const CallBase &Site);

/// The call of an external library function that \p Argument of \p Site comes from: its result, or
/// a local variable whose address only that call got. Null where that is not evident, and for
/// allocations.
const CallBase *originOf(const llvm::Value &Argument, const CallBase &Site,
                         const llvm::DominatorTree &DT, const llvm::TargetLibraryInfo &TLI);

} // namespace ergon
