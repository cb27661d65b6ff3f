//===- Driver.cpp - a GPU by CUDA's driver --------------------------------===//
//
// Names, types and numbers are of the driver's public interface (NVIDIA, CUDA Driver API 13.0, and
// cuda.h of the toolkit).
//
//===----------------------------------------------------------------------===//

#include "calibration/cuda/Driver.h"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <type_traits>
#include <utility>

namespace ergon::cuda {

// cuda.h: CUresult, CUdevice, CUcontext …, CUdevice_attribute.
using Status = int;
enum : Status {
  Success = 0,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtx = 222,
  NotReady = 600
};
enum Attribute : int {
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  MaxThreadsPerMultiprocessor = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  GlobalL1CacheSupported = 79
};

/// MEMBER, NAME in the library, PARAMETERS of each.
#define ERGON_DRIVER_FUNCTIONS(X)                                                                  \
  X(Init, cuInit, (unsigned))                                                                      \
  X(GetErrorString, cuGetErrorString, (Status, const char **))                                     \
  X(DriverGetVersion, cuDriverGetVersion, (int *))                                                 \
  X(DeviceGetCount, cuDeviceGetCount, (int *))                                                     \
  X(DeviceGet, cuDeviceGet, (int *, int))                                                          \
  X(DeviceGetName, cuDeviceGetName, (char *, int, int))                                            \
  X(DeviceGetUuid, cuDeviceGetUuid, (unsigned char *, int))                                        \
  X(DeviceGetAttribute, cuDeviceGetAttribute, (int *, Attribute, int))                             \
  X(PrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int))                                    \
  X(PrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (int))                                        \
  X(CtxSetCurrent, cuCtxSetCurrent, (void *))                                                      \
  X(MemGetInfo, cuMemGetInfo_v2, (std::size_t *, std::size_t *))                                   \
  X(ModuleLoadData, cuModuleLoadData, (void **, const void *))                                     \
  X(ModuleGetFunction, cuModuleGetFunction, (void **, void *, const char *))                       \
  X(Occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, void *, int, std::size_t))     \
  X(MemAlloc, cuMemAlloc_v2, (std::uint64_t *, std::size_t))                                       \
  X(MemFree, cuMemFree_v2, (std::uint64_t))                                                        \
  X(MemAllocHost, cuMemAllocHost_v2, (void **, std::size_t))                                       \
  X(MemFreeHost, cuMemFreeHost, (void *))                                                          \
  X(CopyToDevice, cuMemcpyHtoD_v2, (std::uint64_t, const void *, std::size_t))                     \
  X(CopyToHost, cuMemcpyDtoH_v2, (void *, std::uint64_t, std::size_t))                             \
  X(QueueToDevice, cuMemcpyHtoDAsync_v2, (std::uint64_t, const void *, std::size_t, void *))       \
  X(QueueToHost, cuMemcpyDtoHAsync_v2, (void *, std::uint64_t, std::size_t, void *))               \
  X(QueueWithin, cuMemcpyDtoDAsync_v2, (std::uint64_t, std::uint64_t, std::size_t, void *))        \
  X(StreamCreate, cuStreamCreate, (void **, unsigned))                                             \
  X(StreamSynchronize, cuStreamSynchronize, (void *))                                              \
  X(EventCreate, cuEventCreate, (void **, unsigned))                                               \
  X(EventRecord, cuEventRecord, (void *, void *))                                                  \
  X(EventQuery, cuEventQuery, (void *))                                                            \
  X(EventElapsedTime, cuEventElapsedTime, (float *, void *, void *))                               \
  X(LaunchKernel, cuLaunchKernel,                                                                  \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,         \
     void **, void **))

struct DriverFunctions {
#define ERGON_MEMBER(MEMBER, NAME, PARAMETERS) Status(*MEMBER) PARAMETERS = nullptr;
  ERGON_DRIVER_FUNCTIONS(ERGON_MEMBER)
#undef ERGON_MEMBER
  /// The name of the first function that the library lacks, or null.
  const char *load(void *From);
  Result<void> check(Status S, const char *Doing) const;
};

const char *DriverFunctions::load(void *From) {
  const char *Absent = nullptr;
  auto Load = [&](auto &Function, const char *Name) {
    Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(dlsym(From, Name));
    if (!Function && !Absent)
      Absent = Name;
  };
#define ERGON_LOAD(MEMBER, NAME, PARAMETERS) Load(MEMBER, #NAME);
  ERGON_DRIVER_FUNCTIONS(ERGON_LOAD)
#undef ERGON_LOAD
  return Absent;
}

static std::string meaning(const DriverFunctions &Functions, Status S) {
  const char *Text = nullptr;
  if (Functions.GetErrorString(S, &Text) != Success || !Text)
    return "CUDA error " + std::to_string(S);
  return Text;
}

Result<void> DriverFunctions::check(Status S, const char *Doing) const {
  if (S == Success)
    return {};
  Error Bad{std::string(Doing) + ": " + meaning(*this, S), "",
            "see what nvidia-smi and the system's log say of the GPU"};
  if (S == OutOfMemory)
    Bad.Fix = "free the GPU's memory: nvidia-smi lists who has it";
  if (S == NoDevice)
    Bad.Fix = "this needs an NVIDIA GPU that this user may use; nvidia-smi lists them, and "
              "CUDA_VISIBLE_DEVICES hides some";
  if (S == InvalidImage || S == NoBinaryForGpu || S == InvalidPtx || S == UnsupportedPtx)
    Bad.Fix = "build Ergon with a CUDA toolkit that knows this GPU, or take a newer driver";
  return std::unexpected(std::move(Bad));
}

Memory::Memory(Memory &&M) noexcept { *this = std::move(M); }

Memory &Memory::operator=(Memory &&M) noexcept {
  std::swap(Functions, M.Functions);
  std::swap(Address, M.Address);
  std::swap(Bytes, M.Bytes);
  std::swap(Host, M.Host);
  return *this;
}

Memory::~Memory() {
  if (Address && Host)
    Functions->MemFreeHost(reinterpret_cast<void *>(Address));
  else if (Address)
    Functions->MemFree(Address);
}

struct Gpu::State {
  DriverFunctions Functions;
  int Device = 0;
  void *Context = nullptr, *Module = nullptr, *Queue = nullptr;
  std::array<void *, 2> Marks{};
  ~State() {
    if (Context)
      Functions.PrimaryCtxRelease(Device);
  }
};

Gpu::Gpu(std::unique_ptr<State> S) : Held(std::move(S)) {}
Gpu::~Gpu() = default;

/// `GPU-01234567-89ab-…`
static std::string uuidText(const unsigned char *Bytes) {
  std::string Result = "GPU-";
  for (int K = 0; K != 16; ++K) {
    char Digits[3];
    std::snprintf(Digits, sizeof Digits, "%02x", Bytes[K]);
    Result += (K == 4 || K == 6 || K == 8 || K == 10 ? "-" : "") + std::string(Digits);
  }
  return Result;
}

static Result<Properties> propertiesOf(const DriverFunctions &Functions, int Device) {
  Properties P;
  char Name[256] = "";
  unsigned char Uuid[16] = {};
  Status Bad = Functions.DeviceGetName(Name, sizeof Name - 1, Device);
  if (Bad == Success)
    Bad = Functions.DeviceGetUuid(Uuid, Device);
  if (Bad == Success)
    Bad = Functions.DriverGetVersion(&P.DriverVersion);
  auto Ask = [&](Attribute Which) {
    int Value = 0;
    if (Bad == Success)
      Bad = Functions.DeviceGetAttribute(&Value, Which, Device);
    return Value;
  };
  P.Name = Name;
  P.Uuid = uuidText(Uuid);
  P.Capability = {Ask(CapabilityMajor), Ask(CapabilityMinor)};
  P.Multiprocessors = unsigned(Ask(MultiprocessorCount));
  P.ThreadsPerMultiprocessor = unsigned(Ask(MaxThreadsPerMultiprocessor));
  P.L2Bytes = std::uint64_t(Ask(L2CacheSize));
  P.LoadsInL1 = Ask(GlobalL1CacheSupported);
  std::size_t Free = 0, Total = 0;
  if (Bad == Success)
    Bad = Functions.MemGetInfo(&Free, &Total);
  P.FreeBytes = Free;
  P.TotalBytes = Total;
  if (auto Told = Functions.check(Bad, "asking the GPU what it is"); !Told)
    return std::unexpected(Told.error());
  return P;
}

Result<std::unique_ptr<Gpu>> Gpu::open(const std::string &Driver, unsigned Number) {
  void *Loaded = dlopen(Driver.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Loaded) {
    const char *Why = dlerror();
    return std::unexpected(
        Error{std::string("CUDA's driver cannot be loaded: ") + (Why ? Why : Driver.c_str()), "",
              "install NVIDIA's driver on a machine with a GPU"});
  }
  auto Present = std::make_unique<State>();
  const DriverFunctions &DF = Present->Functions;
  if (const char *Absent = Present->Functions.load(Loaded))
    return std::unexpected(
        Error{Driver + " has no " + Absent + ": it is no driver of CUDA 11 or later", "",
              "install a newer NVIDIA driver"});
  int Count = 0;
  Status Bad = DF.Init(0);
  if (Bad == Success)
    Bad = DF.DeviceGetCount(&Count);
  if (Bad == Success && Count == 0)
    Bad = NoDevice;
  if (auto Begun = DF.check(Bad, "CUDA"); !Begun)
    return std::unexpected(Begun.error());
  if (Number >= unsigned(Count))
    return std::unexpected(
        Error{"there is no GPU " + std::to_string(Number) + ": CUDA has " + std::to_string(Count),
              "", "count from 0; nvidia-smi lists them"});
  Bad = DF.DeviceGet(&Present->Device, int(Number));
  if (Bad == Success)
    Bad = DF.PrimaryCtxRetain(&Present->Context, Present->Device);
  if (Bad == Success)
    Bad = DF.CtxSetCurrent(Present->Context);
  if (Bad == Success)
    Bad = DF.StreamCreate(&Present->Queue, 1); // CU_STREAM_NON_BLOCKING
  for (void *&Mark : Present->Marks)
    if (Bad == Success)
      Bad = DF.EventCreate(&Mark, 0);
  if (auto Opened = DF.check(Bad, "opening the GPU"); !Opened)
    return std::unexpected(Opened.error());
  auto R = propertiesOf(DF, Present->Device);
  if (!R)
    return std::unexpected(R.error());
  std::unique_ptr<Gpu> Result(new Gpu(std::move(Present)));
  Result->Described = std::move(*R);
  return Result;
}

const DriverFunctions &Gpu::driver() const { return Held->Functions; }

Result<void> Gpu::check(int Status, const char *Doing) const {
  return driver().check(Status, Doing);
}

Result<void> Gpu::load(const std::string &Image) {
  return check(driver().ModuleLoadData(&Held->Module, Image.data()), "loading the kernels");
}

Kernel *Gpu::find(const std::string &Name) {
  void *Found = nullptr;
  return driver().ModuleGetFunction(&Found, Held->Module, Name.c_str()) == Success
             ? static_cast<Kernel *>(Found)
             : nullptr;
}

Result<unsigned> Gpu::residentBlocks(Kernel *K, unsigned Threads) {
  int Blocks = 0;
  if (auto Asked =
          check(driver().Occupancy(&Blocks, K, int(Threads), 0), "asking how many blocks fit");
      !Asked)
    return std::unexpected(Asked.error());
  return unsigned(Blocks);
}

Result<Memory> Gpu::allocateBy(std::uint64_t Bytes, bool OnHost) {
  Memory New;
  New.Functions = &Held->Functions;
  void *Host = nullptr;
  const Status Bad =
      OnHost ? driver().MemAllocHost(&Host, Bytes) : driver().MemAlloc(&New.Address, Bytes);
  if (auto Got = check(Bad, "allocating memory"); !Got)
    return std::unexpected(Got.error());
  New.Host = OnHost;
  New.Bytes = Bytes;
  if (OnHost)
    New.Address = reinterpret_cast<std::uint64_t>(Host);
  return New;
}
Result<Memory> Gpu::allocate(std::uint64_t Bytes) { return allocateBy(Bytes, false); }
Result<Memory> Gpu::allocateHost(std::uint64_t Bytes) { return allocateBy(Bytes, true); }

Result<void> Gpu::fill(const Memory &Target, const void *From, std::size_t Bytes) {
  for (std::uint64_t Position = 0; Position < Target.bytes(); Position += Bytes)
    if (auto Copied =
            check(driver().CopyToDevice(Target.address() + Position, From,
                                        std::min<std::uint64_t>(Bytes, Target.bytes() - Position)),
                  "copying to the GPU");
        !Copied)
      return Copied;
  return {};
}

Result<void> Gpu::read(void *Target, const Memory &From, std::size_t Bytes) {
  return check(driver().CopyToHost(Target, From.address(), Bytes), "copying from the GPU");
}

Result<void> Gpu::launch(Kernel *K, const Launch &L) {
  Launch Values = L;
  void *Parameters[] = {&Values.Iterations, &Values.InputAddress, &Values.OutputAddress,
                        &Values.Count};
  return check(driver().LaunchKernel(K, L.Blocks, 1, 1, L.Threads, 1, 1, 0, Held->Queue, Parameters,
                                     nullptr),
               "launching a kernel");
}

Result<void> Gpu::copyToDevice(const Memory &Target, const Memory &From, std::uint64_t Bytes) {
  return check(driver().QueueToDevice(Target.address(),
                                      reinterpret_cast<const void *>(From.address()), Bytes,
                                      Held->Queue),
               "copying to the GPU");
}
Result<void> Gpu::copyToHost(const Memory &Target, const Memory &From, std::uint64_t Bytes) {
  return check(driver().QueueToHost(reinterpret_cast<void *>(Target.address()), From.address(),
                                    Bytes, Held->Queue),
               "copying from the GPU");
}
Result<void> Gpu::copyWithin(const Memory &Target, const Memory &From, std::uint64_t Bytes) {
  return check(driver().QueueWithin(Target.address(), From.address(), Bytes, Held->Queue),
               "copying within the GPU");
}

Result<void> Gpu::mark(unsigned Which) {
  return check(driver().EventRecord(Held->Marks[Which], Held->Queue), "marking the queue");
}

Result<bool> Gpu::passed(unsigned Which) {
  const Status S = driver().EventQuery(Held->Marks[Which]);
  if (S == NotReady)
    return false;
  if (auto Asked = check(S, "running on the GPU"); !Asked)
    return std::unexpected(Asked.error());
  return true;
}

Result<void> Gpu::wait() {
  return check(driver().StreamSynchronize(Held->Queue), "running on the GPU");
}

Result<double> Gpu::secondsBetween() {
  float Milliseconds = 0;
  if (auto Told = check(driver().EventElapsedTime(&Milliseconds, Held->Marks[0], Held->Marks[1]),
                        "taking the time");
      !Told)
    return std::unexpected(Told.error());
  return double(Milliseconds) * 1e-3;
}

} // namespace ergon::cuda
