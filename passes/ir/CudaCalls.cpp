//===- CudaCalls.cpp - functions of the CUDA runtime by name --------------===//

#include "passes/ir/CudaCalls.h"
#include "passes/ir/DirectCallee.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

namespace ergon {

bool isLaunchFunction(StringRef Name) {
  Name.consume_back("_ptsz"); // --default-stream per-thread
  return Name == "cudaLaunchKernelExC" || Name == "cudaGraphLaunch" || Name == "cudaLaunchKernel" ||
         Name == "cudaLaunchCooperativeKernel" || Name == "hipLaunchKernel" ||
         Name == "hipLaunchCooperativeKernel";
}

bool isLaunchPush(const llvm::Value &I) {
  StringRef Name = directCallee(I);
  return Name == "__cudaPushCallConfiguration" || Name == "__hipPushCallConfiguration";
}

bool isLaunchPop(const llvm::Value &I) {
  StringRef Name = directCallee(I);
  return Name == "__cudaPopCallConfiguration" || Name == "__hipPopCallConfiguration";
}

bool waitsForKernels(StringRef Name) {
  bool IsCopy = Name.contains("Memcpy") || Name.contains("Memset");
  return returnsStatus(Name) && (Name.contains("Synchronize") || Name.contains("Free") ||
                                 (IsCopy && !Name.contains("Async")));
}

bool keepsNoPointer(StringRef Name) {
  return Name.starts_with("__cudaPopCall") || Name.starts_with("__hipPopCall") ||
         returnsStatus(Name);
}

bool isAllocation(StringRef Name) {
  return llvm::is_contained({"cudaMalloc", "cudaMallocHost", "cudaMallocManaged", "cudaMallocAsync",
                             "cudaHostAlloc", "hipMalloc", "hipMallocManaged", "hipMallocAsync",
                             "hipHostMalloc", "cuMemAlloc_v2", "cuMemAllocAsync"},
                            Name);
}

bool writesDeviceOnly(const CallBase &Site) {
  StringRef Name = directCallee(Site);
  if (!returnsStatus(Name))
    return false;
  if (Name.contains("Memset") || Name.contains("HtoD") || Name.contains("DtoD") ||
      Name.contains("MemcpyToSymbol"))
    return true;
  // From enum cudaMemcpyKind, the last argument except for a stream.
  static constexpr std::uint64_t HostToDevice = 1, DeviceToDevice = 3;
  for (const llvm::Use &Argument : llvm::reverse(Site.args()))
    if (auto *Kind = dyn_cast<llvm::ConstantInt>(Argument))
      return Name.contains("Memcpy") && !Name.contains("Peer") &&
             (Kind->equalsInt(HostToDevice) || Kind->equalsInt(DeviceToDevice));
    else if (!Argument->getType()->isPointerTy())
      return false;
  return false;
}

bool returnsStatus(StringRef Name) {
  // A query returns whether work is done, not a failure.
  if (Name.contains("Query") || Name.starts_with("cublasI"))
    return Name == "cublasInit";
  if (Name.starts_with("__cudaPushCall") || Name.starts_with("__hipPushCall"))
    return true;
  for (StringRef Library : {"cublas", "cufft", "curand", "cusparse", "cusolver", "nccl"})
    if (Name.starts_with(Library))
      return true;
  return (Name.consume_front("cuda") || Name.consume_front("cu") || Name.consume_front("hip")) &&
         !Name.empty() && llvm::isUpper(Name[0]);
}

bool isLaunchHelper(const llvm::Function &F) {
  if (F.isDeclaration())
    return false;
  StringRef Name = F.getName();
  if (Name.starts_with("_ZN4dim3C") || Name.starts_with("_ZN4dim3cv") ||
      Name.starts_with("_ZNK4dim3cv"))
    return true;
  return Name.contains("cuda") && llvm::any_of(llvm::instructions(F), [&](const auto &I) {
           StringRef Called = directCallee(I);
           return Called.starts_with("cuda") &&
                  Name.contains((llvm::Twine(Called.size()) + Called).str());
         });
}

static constexpr StringRef StubMark = "__device_stub__";

bool isKernelStub(StringRef Name) { return Name.contains(StubMark); }

/// The mark is part of an identifier, whose length is part of the mangled name.
std::string kernelOfStub(StringRef Stub) {
  auto [Before, After] = Stub.split(StubMark);
  StringRef Prefix = Before.rtrim("0123456789");
  unsigned Length = 0;
  if (After.empty() || Before.substr(Prefix.size()).getAsInteger(10, Length) ||
      Length <= StubMark.size())
    return (Before + After).str();
  return (Prefix + llvm::Twine(Length - StubMark.size()) + After).str();
}

} // namespace ergon
