//===- LibraryCuda.cpp - CUDA's runtime in interpreted code ---------------===//

#include "model/code/Inputs.h"
#include "model/library/LibraryCall.h"

#include <algorithm>

namespace ergon::code {

static std::optional<std::uint64_t> bitsOf(const Value &What, unsigned Low, unsigned Width) {
  return What.isInteger() ? std::optional(lowBits(What.Bits >> Low, Width)) : std::nullopt;
}

/// What a kernel's arguments hold: \p Array has their addresses.
static std::vector<std::map<std::int64_t, LaunchValues::Number>>
argumentsIn(const Value &Array, const Memory &Objects) {
  std::vector<std::map<std::int64_t, LaunchValues::Number>> Result;
  static constexpr unsigned MaxArguments = 200;
  for (Value At = Array; Result.size() != MaxArguments; At.Bits += 8) {
    const Value Address = Objects.load(At, 8);
    if (!Address.isPointer() || !Objects.has(Address.Object))
      return Result;
    auto &Held = Result.emplace_back();
    if (Address.HasOffset && !Objects.object(Address.Object).IsShared)
      Objects.object(Address.Object)
          .slots()
          .forEach([&](std::int64_t Offset, const Object::Slot &Slot) {
            if (Offset >= Address.offset() && Slot.What.isInteger())
              Held[Offset - Address.offset()] = {Slot.What.Bits, Slot.Bytes};
          });
  }
  return Result;
}

static void launch(const LibraryCall &Call) {
  LaunchValues Result;
  for (auto [Extent, First] : {std::pair(&Result.Grid, 1U), std::pair(&Result.Block, 3U)})
    *Extent = {bitsOf(Call.argument(First), 0, 32), bitsOf(Call.argument(First), 32, 32),
               bitsOf(Call.argument(First + 1), 0, 32)};
  Result.SharedBytes = bitsOf(Call.argument(6), 0, 64);
  Result.Arguments = argumentsIn(Call.argument(5), Call.Now.Objects);
  const Value Kernel = Call.argument(0);
  if (Kernel.What != Value::Kind::Function)
    return;
  // A pointer to a kernel leads to its stub.
  auto Found = Call.Whole.KernelOf.find(Kernel.Object);
  const std::uint32_t Name = Found == Call.Whole.KernelOf.end() ? Kernel.Object : Found->second;
  Call.Now.launch(Call.Whole.Names[Name], Result);
  const auto Inputs = Call.Whole.Inputs.find(Name);
  if (Inputs == Call.Whole.Inputs.end())
    return;
  for (const Input &I : Inputs->second) {
    const Value Address = Call.Now.Objects.load(moved(Call.argument(5), 8 * I.Parameter), 8);
    Call.Now.note({Name, I.Symbol}, inputAt(Address, I, Call.Now.Objects));
  }
}

static Value pushConfiguration(const LibraryCall &Call) {
  for (std::size_t I = 0; I != Call.Now.Configuration.size(); ++I)
    Call.Now.Configuration[I] = Call.argument(I);
  return Value::integer(0);
}

static Value popConfiguration(const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const LaunchConfiguration &Found = Call.Now.Configuration;
  auto Put = [&](std::size_t Argument, std::int64_t Offset, unsigned Bytes, const Value &What) {
    Value At = Call.argument(Argument);
    At.Bits += std::uint64_t(Offset);
    Objects.store(At, Bytes, What);
  };
  for (std::size_t Extent : {0U, 1U}) {
    Put(Extent, 0, 8, Found[2 * Extent]);
    Put(Extent, 8, 4, Found[2 * Extent + 1]);
  }
  Put(2, 0, 8, Found[4]);
  Put(3, 0, 8, Value::unknown());
  return Value::integer(0);
}

/// Memory that a device can write is never known.
static Value allocate(const LibraryCall &Call) {
  Object New;
  New.IsShared = true;
  Call.Now.Objects.store(Call.argument(0), 8, Value::pointer(Call.Now.Objects.add(New), 0));
  return Value::integer(0);
}

/// Functions that write nothing that is known here, and return 0 unless they fail.
static constexpr std::string_view OnlyStatus[] = {"cudaFree",
                                                  "cudaFreeHost",
                                                  "cudaDeviceSynchronize",
                                                  "cudaStreamSynchronize",
                                                  "cudaEventRecord",
                                                  "cudaEventDestroy",
                                                  "cudaEventSynchronize",
                                                  "cudaGetLastError",
                                                  "cudaPeekAtLastError",
                                                  "cudaSetDevice",
                                                  "cudaDeviceReset",
                                                  "cudaStreamDestroy",
                                                  "cudaFuncSetAttribute",
                                                  "cudaFuncSetCacheConfig",
                                                  "cudaMemset",
                                                  "cudaMemsetAsync",
                                                  "cudaMemcpyToSymbol",
                                                  "cudaMemcpyToSymbolAsync",
                                                  "cudaThreadSynchronize",
                                                  "cudaFreeAsync",
                                                  "cudaDeviceSetCacheConfig",
                                                  "cudaMemPrefetchAsync",
                                                  "cudaMemAdvise",
                                                  "cudaDeviceSetLimit",
                                                  "cudaStreamWaitEvent",
                                                  "cudaProfilerStart",
                                                  "cudaProfilerStop",
                                                  "cudaFreeArray"};

namespace {
/// A number of four bytes that a device says of itself: the offset in cudaDeviceProp of CUDA 12 and
/// of CUDA 13 (driver_types.h; that of 13 has no clockRate and no deviceOverlap), the number of a
/// cudaDeviceAttr, and the number itself.
struct DeviceNumber {
  std::int64_t Offset12, Offset13;
  std::uint64_t Attribute, Number;
};
} // namespace

/// Of all devices that CUDA supports: CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability".
static constexpr DeviceNumber OfAllDevices[] = {{308, 308, 10, 32},  // warpSize
                                                {320, 320, 1, 1024}, // maxThreadsPerBlock
                                                {324, 324, 2, 1024}, // maxThreadsDim
                                                {328, 328, 3, 1024},       {332, 332, 4, 64},
                                                {336, 336, 5, 2147483647}, // maxGridSize
                                                {340, 340, 6, 65535},      {344, 344, 7, 65535}};

static std::vector<DeviceNumber> deviceNumbers(AskedHardware &Asked) {
  std::vector<DeviceNumber> Result(std::begin(OfAllDevices), std::end(OfAllDevices));
  if (const auto &Gpu = Asked.Has.Gpu)
    Result.insert(Result.end(), {{388, 384, 16, Gpu->Multiprocessors},
                                 {624, 604, 39, Gpu->ThreadsOfMultiprocessor},
                                 {360, 360, 75, Gpu->Major},
                                 {364, 364, 76, Gpu->Minor}});
  Asked.Gpu |= Asked.Has.Gpu.has_value();
  return Result;
}

static Value deviceProperties(const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const Value At = Call.argument(0);
  Objects.forget(At);
  if (!At.isPointer() || !At.HasOffset)
    return Value::integer(0);
  const bool Is12 = Call.Name.ends_with("_v2"), IsOlder = Call.Name.ends_with("_v1");
  for (const DeviceNumber &Each : deviceNumbers(Call.Asked))
    if (!IsOlder || Each.Offset12 == Each.Offset13)
      Objects.store(moved(At, Is12 ? Each.Offset12 : Each.Offset13), 4,
                    Value::integer(Each.Number));
  return Value::integer(0);
}

static Value deviceAttribute(const LibraryCall &Call) {
  const Value Wanted = Call.argument(1);
  Value Found = Value::unknown();
  for (const DeviceNumber &Each : deviceNumbers(Call.Asked))
    if (Wanted.isInteger() && lowBits(Wanted.Bits, 32) == Each.Attribute)
      Found = Value::integer(Each.Number);
  Call.Now.Objects.store(Call.argument(0), 4, Found);
  return Value::integer(0);
}

std::optional<Value> callCuda(const LibraryCall &Call) {
  const std::string_view Name = Call.Name;
  if (!Name.starts_with("cuda") && !Name.starts_with("__cuda"))
    return std::nullopt;
  Call.Now.Objects.forget(Value::pointer(Call.Library.SingleThread, 0)); // CUDA has threads
  if (Name == "__cudaPushCallConfiguration")
    return pushConfiguration(Call);
  if (Name == "__cudaPopCallConfiguration")
    return popConfiguration(Call);
  if (Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel") {
    launch(Call);
    return Value::integer(0);
  }
  if (Name == "cudaMalloc" || Name == "cudaMallocManaged" || Name == "cudaMallocHost" ||
      Name == "cudaHostAlloc" || Name == "cudaMallocAsync")
    return allocate(Call);
  if (Name.starts_with("cudaGetDeviceProperties"))
    return deviceProperties(Call);
  if (Name == "cudaDeviceGetAttribute")
    return deviceAttribute(Call);
  // A program runs on one GPU, the first.
  if (Name == "cudaGetDeviceCount" || Name == "cudaGetDevice") {
    Call.Now.Objects.store(Call.argument(0), 4, Value::integer(Name == "cudaGetDevice" ? 0 : 1));
    return Value::integer(0);
  }
  if (std::ranges::find(OnlyStatus, Name) != std::end(OnlyStatus))
    return Value::integer(0);
  static constexpr std::string_view Writing[] = {
      "cudaMemcpy",
      "cudaMemcpyAsync",
      "cudaMemcpyFromSymbol",
      "cudaEventCreate",
      "cudaMemcpy2D",
      "cudaEventElapsedTime",
      "cudaStreamCreate",
      "cudaMemGetInfo",
      "cudaEventCreateWithFlags",
      "cudaStreamCreateWithFlags",
      "cudaFuncGetAttributes",
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
      "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"};
  if (std::ranges::find(Writing, Name) == std::end(Writing))
    return std::nullopt;
  for (const Value &Each : Call.Arguments)
    if (Each.isPointer() && (!Name.starts_with("cudaMemcpy") || &Each == &Call.Arguments[0]))
      Call.Now.Objects.forget(Each);
  return Value::integer(0);
}

} // namespace ergon::code
