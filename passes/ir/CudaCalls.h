//===- CudaCalls.h - functions of the CUDA runtime by name ------*- C++ -*-===//
//
// What a call of CUDA's or HIP's runtime, or of a library beside it, is: all that its name says.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_CUDACALLS_H
#define ERGON_PASSES_IR_CUDACALLS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace ergon {

/// True for a function that launches a kernel that it is given.
bool isLaunchFunction(llvm::StringRef Name);
/// True for the function that clang makes for the host, of a kernel's name, to launch it.
bool isKernelStub(llvm::StringRef Name);
/// The kernel that a stub launches: `_Z5saxpyi` of `_Z20__device_stub__saxpyi`.
std::string kernelOfStub(llvm::StringRef Stub);
/// True for the calls that clang makes of `<<<…>>>`: before the stub's, and in the stub.
bool isLaunchPush(const llvm::Value &I);
bool isLaunchPop(const llvm::Value &I);

/// True for a function that returns when kernels that were launched before have ended.
bool waitsForKernels(llvm::StringRef Name);

/// True where a call of \p Name returns 0 and nothing else unless the runtime
/// failed: counts are of runs in which it does not (docs/counting-rules.md).
bool returnsStatus(llvm::StringRef Name);

/// True for a function of the runtime, which writes to local variables of its caller
/// only where the arguments of this very call point: what an array of pointers that it
/// was given leads to (the arguments of a kernel), it only reads.
bool keepsNoPointer(llvm::StringRef Name);

/// True for a function of the runtime that puts the address of new memory where its first argument
/// points, and writes nothing else.
bool isAllocation(llvm::StringRef Name);

/// True for a copy or a setting whose destination the device alone has.
bool writesDeviceOnly(const llvm::CallBase &Site);

/// True for a function of the CUDA headers that only wraps a launch's parts or the
/// runtime's function of its name: dim3's constructors, cudaMalloc<T>.
bool isLaunchHelper(const llvm::Function &F);

} // namespace ergon

#endif
