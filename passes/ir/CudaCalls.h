//===- CudaCalls.h - classifies CUDA runtime functions ----------*- C++ -*-===//
//
// Properties of CUDA and HIP runtime and library calls that follow from their names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/ir/LLVM.h"

#include <string>

namespace ergon {

/// True for a function that launches a kernel argument.
bool isLaunchFunction(StringRef Name);
/// True for clang's host stub that launches a kernel.
bool isKernelStub(StringRef Name);
/// The kernel that a stub launches: `_Z5saxpyi` of `_Z20__device_stub__saxpyi`.
std::string kernelOfStub(StringRef Stub);
/// True for the calls that clang generates for `<<<…>>>`: before the stub's, and in the stub.
bool isLaunchPush(const llvm::Value &I);
bool isLaunchPop(const llvm::Value &I);

/// True for a function that waits for earlier kernels.
bool waitsForKernels(StringRef Name);

/// True where \p Name returns 0 unless the runtime fails: counts are for runs without failures
/// (docs/counting-rules.md).
bool returnsStatus(StringRef Name);

/// True for a runtime function that writes to its caller's local variables only through the
/// arguments of this call: it only reads what an array of pointers (a kernel's arguments) leads to.
bool keepsNoPointer(StringRef Name);

/// True for a runtime function that stores the address of new memory where its first argument
/// points, and writes nothing else.
bool isAllocation(StringRef Name);

/// True for a copy or memset whose destination is device memory only.
bool writesDeviceOnly(const CallBase &Site);

/// True for a function of the CUDA headers that only wraps a launch's parts or the runtime function
/// of its name: dim3's constructors, cudaMalloc<T>.
bool isLaunchHelper(const llvm::Function &F);

} // namespace ergon
