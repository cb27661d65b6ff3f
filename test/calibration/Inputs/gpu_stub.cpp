// A GPU that is none: CUDA's driver, NVML and the time that passes, in one library to preload.
// Kernels are really run, thread by thread (test/oracle/cuda_shim.h), as often as it takes to know
// how their counts grow with the iterations, and what a launch did is charged at the prices of the
// file GPU_STUB_PRICES:
//   CLASS units-a-second joules-a-unit
//   (of zeros, three quarters of the joules)
//   idle_w, active_w W; launch_s S; clock_hz HZ
// A launch takes the longest of its classes' times. Time is what the program asks for: nothing
// sleeps. GPU_STUB says what is wrong: nodevice, old, image, memory, nometer, power (and no counter
// of energy), throttle=KERNEL (its clock is held down), moves (each ninth clock is another), lost
// (after so many launches).
#if __has_include(<cuda.h>)
#include <cuda.h>
#else // what is used of it
using CUresult = int;
using CUdevice = int;
using CUdevice_attribute = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct Opaque *;
using CUmodule = struct Opaque *;
using CUfunction = struct Opaque *;
using CUstream = struct Opaque *;
using CUevent = struct Opaque *;
struct CUuuid {
  char bytes[16];
};
#define CUDAAPI
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#endif
// The names that programs of CUDA 11 know, whatever the header calls newer ones.
#undef cuDeviceGetUuid
#undef cuEventElapsedTime

#include "test/calibration/Inputs/gpu_shim_kernels.h"

#include <fstream>
#include <sstream>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

using gpu_shim::Code, gpu_shim::Codes, gpu_shim::Counted, gpu_shim::execute;

constexpr CUresult Success = CUresult(0);
constexpr int Multiprocessors = 2, BlocksOfOne = 2;
const unsigned char Uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

bool fails(const std::string &How) {
  static const std::string All = [] {
    const char *Set = std::getenv("GPU_STUB");
    return " " + std::string(Set ? Set : "") + " ";
  }();
  return All.find(" " + How + " ") != std::string::npos;
}

//===----------------------------------------------------------------------===//
// Time and energy
//===----------------------------------------------------------------------===//

struct Prices {
  std::map<std::string, std::pair<double, double>> Of;
  double IdleW = 0, ActiveW = 0, LaunchS = 0, ClockHz = 1e9;
  Prices() {
    std::ifstream In(std::getenv("GPU_STUB_PRICES"));
    std::string Line, Name;
    while (std::getline(In, Line)) {
      std::istringstream Words(Line);
      double First = 0, Second = 0;
      Words >> Name >> First >> Second;
      if (Name == "idle_w")
        IdleW = First;
      else if (Name == "active_w")
        ActiveW = First;
      else if (Name == "launch_s")
        LaunchS = First;
      else if (Name == "clock_hz")
        ClockHz = First;
      else
        Of[Name] = {First, Second};
    }
  }
};
const Prices &prices() {
  static const Prices Result;
  return Result;
}

long long Now = 1'000'000'000; // ns
long long Busy = 0;            ///< until then there is work
struct Part {
  long long From, Until;
  double Watts;
  std::string Kernel;
};
std::vector<Part> Timeline;

void work(double Seconds, double Joules, const std::string &Kernel) {
  const long long From = std::max(Now, Busy);
  Busy = From + std::max(1ll, (long long)(Seconds * 1e9));
  Timeline.push_back({From, Busy, Joules / Seconds + prices().ActiveW, Kernel});
}

double joulesUntil(long long At) {
  static double Joules = 0; // of what was before the timeline
  static long long Since = 1'000'000'000;
  static std::size_t First = 0;
  for (; First != Timeline.size() && Timeline[First].Until <= At; ++First)
    Joules += Timeline[First].Watts * double(Timeline[First].Until - Timeline[First].From) * 1e-9;
  double Result = Joules + prices().IdleW * double(At - Since) * 1e-9;
  for (std::size_t K = First; K != Timeline.size() && Timeline[K].From < At; ++K)
    Result += Timeline[K].Watts * double(At - Timeline[K].From) * 1e-9;
  return Result;
}

const Part *running() {
  for (auto Each = Timeline.rbegin(); Each != Timeline.rend() && Each->Until > Now; ++Each)
    if (Each->From <= Now)
      return &*Each;
  return nullptr;
}

/// NVML's numbers are new ten times a second.
long long updated() { return Now / 100'000'000 * 100'000'000; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// What so many iterations do, by 1 and 2 of them when caches are warm; of a thread alone, whose
/// iteration is one load, by as many as it takes to have been everywhere.
Counted counts(const Code &Of, unsigned Blocks, unsigned Threads, unsigned Iterations,
               std::uint64_t In, std::uint64_t Out, unsigned Count) {
  using Key = std::tuple<std::string, unsigned, unsigned, unsigned>;
  static std::map<Key, std::pair<Counted, Counted>> Known;
  auto [At, IsNew] = Known.try_emplace(Key{Of.Name, Blocks, Threads, Count});
  const unsigned Base = Blocks * Threads == 1 ? 65536 : 1;
  if (IsNew) {
    execute(Of, Blocks, Threads, Base, In, Out, Count);
    At->second = {execute(Of, Blocks, Threads, Base, In, Out, Count),
                  execute(Of, Blocks, Threads, 2 * Base, In, Out, Count)};
  }
  const auto &[One, Two] = At->second;
  Counted Result = Two;
  for (auto &[Class, Units] : Result) {
    const long Before = One.contains(Class) ? One.at(Class) : 0;
    Units += (Units - Before) * (long(Iterations) - 2 * long(Base)) / long(Base);
  }
  return Result;
}

/// Each burst takes a little more or less than the one before.
double Noise = 1;
void nextNoise() {
  static std::uint32_t State = 1;
  State = State * 1664525 + 1013904223;
  Noise = 1 + 0.004 * (double(State >> 8) / (1 << 24) - 0.5);
}

/// A thread alone waits for each load.
double waited(const Counted &Did) {
  double Result = 0;
  for (const auto &[Class, Units] : Did)
    if (auto Price = prices().Of.find(Class);
        Class.starts_with("waits_") && Price != prices().Of.end())
      Result += double(Units) / Price->second.first;
  return Result;
}

void charge(const Code &Of, const Counted &Did, double EnergyShare, bool IsAlone = false) {
  double Seconds = IsAlone ? waited(Did) : 0, Joules = 0;
  for (const auto &[Class, Units] : Did)
    if (auto Price = prices().Of.find(Class);
        Price != prices().Of.end() && !Class.starts_with("waits_")) {
      Seconds = std::max(Seconds, double(Units) / Price->second.first);
      Joules += double(Units) * Price->second.second;
    }
  work((Seconds + prices().LaunchS) * Noise, Joules * EnergyShare, Of.Name);
}

void copyTakes(const char *Class, std::size_t Bytes) {
  charge({"copy", nullptr}, {{Class, long(Bytes)}}, 1);
}

//===----------------------------------------------------------------------===//
// Memory: pieces of the shim's arena
//===----------------------------------------------------------------------===//

std::map<std::size_t, std::size_t> Pieces; ///< where, how large

std::uint64_t allocate(std::size_t Bytes) {
  Bytes = (Bytes + 255) / 256 * 256;
  std::size_t At = shim::ArenaUsed;
  for (const auto &[Where, Size] : Pieces) {
    if (Where - At >= Bytes)
      break;
    At = Where + Size;
  }
  if (At + Bytes > shim::Arena.size())
    return 0;
  Pieces[At] = Bytes;
  return reinterpret_cast<std::uint64_t>(shim::Arena.data() + At);
}

} // namespace

extern "C" {

//===----------------------------------------------------------------------===//
// The time that passes
//===----------------------------------------------------------------------===//

int clock_gettime(clockid_t Which, timespec *Into) noexcept {
  if (Which != CLOCK_MONOTONIC)
    return int(syscall(SYS_clock_gettime, Which, Into));
  Now += 1000;
  *Into = {Now / 1'000'000'000, Now % 1'000'000'000};
  return 0;
}
int nanosleep(const timespec *Time, timespec *) {
  Now += Time->tv_sec * 1'000'000'000 + Time->tv_nsec;
  return 0;
}
int clock_nanosleep(clockid_t, int, const timespec *Time, timespec *) {
  return nanosleep(Time, nullptr);
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

CUresult CUDAAPI cuInit(unsigned) { return CUresult(fails("nodevice") ? 100 : 0); }
CUresult CUDAAPI cuGetErrorString(CUresult Of, const char **Into) {
  *Into = int(Of) == 2     ? "out of memory"
          : int(Of) == 100 ? "no CUDA-capable device is detected"
          : int(Of) == 209 ? "no kernel image is available for execution on the device"
          : int(Of) == 719 ? "unspecified launch failure"
                           : "an error";
  return Success;
}
CUresult CUDAAPI cuDriverGetVersion(int *Into) { return *Into = 12040, Success; }
CUresult CUDAAPI cuDeviceGetCount(int *Into) { return *Into = 1, Success; }
CUresult CUDAAPI cuDeviceGet(CUdevice *Into, int) { return *Into = 0, Success; }
CUresult CUDAAPI cuDeviceGetName(char *Into, int, CUdevice) {
  return std::strcpy(Into, "Stub GPU"), Success;
}
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *Into, CUdevice) {
  return std::memcpy(Into, Uuid, 16), Success;
}
CUresult CUDAAPI cuDeviceGetAttribute(int *Into, CUdevice_attribute Which, CUdevice) {
  switch (int(Which)) {
  case 16:
    return *Into = Multiprocessors, Success;
  case 38:
    return *Into = int(gpu_shim::L2Bytes), Success;
  case 39:
    return *Into = 256 * BlocksOfOne, Success;
  case 75:
    return *Into = fails("old") ? 7 : 9, Success;
  case 76:
    return *Into = 0, Success;
  case 79:
    return *Into = 1, Success;
  }
  return CUresult(1);
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *Into, CUdevice) {
  return *Into = reinterpret_cast<CUcontext>(1), Success;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) { return Success; }
CUresult CUDAAPI cuCtxSetCurrent(CUcontext) { return Success; }
CUresult CUDAAPI cuMemGetInfo(std::size_t *Free, std::size_t *Total) {
  *Free = fails("memory") ? 1 << 20 : shim::Arena.size();
  return *Total = shim::Arena.size(), Success;
}
CUresult CUDAAPI cuModuleLoadData(CUmodule *Into, const void *) {
  *Into = reinterpret_cast<CUmodule>(1);
  return CUresult(fails("image") ? 209 : 0);
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *Into, CUmodule, const char *Name) {
  for (const Code &Each : Codes)
    if (Each.Name == Name &&
        !(fails("old") && Each.Name.starts_with("matrix_") && Each.Name != "matrix_f16"))
      return *Into = reinterpret_cast<CUfunction>(const_cast<Code *>(&Each)), Success;
  return CUresult(500);
}
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Into, CUfunction, int,
                                                             std::size_t) {
  return *Into = BlocksOfOne, Success;
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *Into, std::size_t Bytes) {
  return CUresult((*Into = allocate(Bytes)) && !fails("full") ? 0 : 2);
}
CUresult CUDAAPI cuMemFree(CUdeviceptr Of) {
  Pieces.erase(reinterpret_cast<char *>(Of) - shim::Arena.data());
  return Success;
}
CUresult CUDAAPI cuMemAllocHost(void **Into, std::size_t Bytes) {
  return *Into = std::malloc(Bytes), Success;
}
CUresult CUDAAPI cuMemFreeHost(void *Of) { return std::free(Of), Success; }
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr Into, const void *From, std::size_t Bytes) {
  return std::memcpy(reinterpret_cast<void *>(Into), From, Bytes), Success;
}
CUresult CUDAAPI cuMemcpyDtoH(void *Into, CUdeviceptr From, std::size_t Bytes) {
  return std::memcpy(Into, reinterpret_cast<void *>(From), Bytes), Success;
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr, const void *, std::size_t Bytes, CUstream) {
  return copyTakes("h2d_bytes", Bytes), Success;
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *, CUdeviceptr, std::size_t Bytes, CUstream) {
  return copyTakes("d2h_bytes", Bytes), Success;
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, std::size_t Bytes, CUstream) {
  return copyTakes("d2d_bytes", Bytes), Success;
}
CUresult CUDAAPI cuStreamCreate(CUstream *Into, unsigned) {
  return *Into = reinterpret_cast<CUstream>(1), Success;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream) { return Now = std::max(Now, Busy), Success; }
CUresult CUDAAPI cuEventCreate(CUevent *Into, unsigned) {
  return *Into = reinterpret_cast<CUevent>(new long long(0)), Success;
}
CUresult CUDAAPI cuEventRecord(CUevent Of, CUstream) {
  return *reinterpret_cast<long long *>(Of) = std::max(Now, Busy), Success;
}
CUresult CUDAAPI cuEventQuery(CUevent Of) {
  return CUresult(*reinterpret_cast<long long *>(Of) > Now ? 600 : 0);
}
CUresult CUDAAPI cuEventElapsedTime(float *Into, CUevent From, CUevent To) {
  *Into = float(*reinterpret_cast<long long *>(To) - *reinterpret_cast<long long *>(From)) * 1e-6f;
  return Success;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction Of, unsigned Blocks, unsigned, unsigned,
                                unsigned Threads, unsigned, unsigned, unsigned, CUstream,
                                void **Parameters, void **) {
  static int Launches = 0;
  ++Launches;
  if (fails("lost") && Launches > 5000)
    return CUresult(719);
  const Code &Kernel = *reinterpret_cast<const Code *>(Of);
  const unsigned Iterations = *static_cast<unsigned *>(Parameters[0]),
                 Count = *static_cast<unsigned *>(Parameters[3]);
  const std::uint64_t In = *static_cast<std::uint64_t *>(Parameters[1]),
                      Out = *static_cast<std::uint64_t *>(Parameters[2]);
  if (Kernel.Name == "clocks") {
    static int Looks = 0;
    const bool IsSlow = fails("moves") && ++Looks % 9 == 0;
    auto *Into = reinterpret_cast<std::uint64_t *>(Out);
    Into[0] = std::uint64_t(prices().ClockHz * (IsSlow ? 0.9 : 1) * Iterations * 1e-9);
    Into[1] = Iterations;
    work(Iterations * 1e-9, 0, Kernel.Name);
    nextNoise();
  } else {
    // Zeros flip no bits.
    const auto *First = reinterpret_cast<const char *>(In);
    const bool OfZeros =
        In && std::all_of(First, First + 1024, [](char Each) { return Each == 0; });
    Counted Did;
    if (Kernel.Name == "nothing") // none of its threads does anything
      Did["blocks"] = Blocks - 1; // the first comes with the launch
    else
      Did = counts(Kernel, Blocks, Threads, Iterations, In, Out, Count);
    charge(Kernel, Did, OfZeros ? 0.75 : 1, Blocks * Threads == 1);
  }
  return Success;
}

//===----------------------------------------------------------------------===//
// NVML
//===----------------------------------------------------------------------===//

int nvmlInit_v2(void) { return fails("nometer") ? 9 : 0; }
const char *nvmlErrorString(int Code) { return Code == 9 ? "Driver Not Loaded" : "Not Supported"; }
int nvmlDeviceGetCount_v2(unsigned *Count) { return *Count = 1, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned, void **Device) { return *Device = &Busy, 0; }
int nvmlDeviceGetUUID(void *, char *Into, unsigned) {
  return std::strcpy(Into, "GPU-01020304-0506-0708-090a-0b0c0d0e0f10"), 0;
}
int nvmlDeviceGetName(void *, char *Into, unsigned) { return std::strcpy(Into, "Stub GPU"), 0; }
int nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *Millijoules) {
  if (fails("power"))
    return 3;
  Now += 100'000; // it takes its time
  return *Millijoules = (unsigned long long)(joulesUntil(updated()) * 1e3), 0;
}
int nvmlDeviceGetPowerUsage(void *, unsigned *Milliwatts) {
  Now += 100'000;
  const Part *Is = running();
  return *Milliwatts = unsigned((prices().IdleW + (Is ? Is->Watts : 0)) * 1e3), 0;
}
int nvmlDeviceGetClockInfo(void *, int, unsigned *Megahertz) {
  return *Megahertz = unsigned(prices().ClockHz * 1e-6), 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *Reasons) {
  const Part *Is = running();
  return *Reasons = !Is ? 1 : fails("throttle=" + Is->Kernel) ? 4 : 0, 0;
}
}
