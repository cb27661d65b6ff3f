// Measures the first launch of each kernel of a CUDA program that is linked with it.
//
// As a shared library it stands in front of the shared runtime library (-lgpu_first_launches
// -lcudart), or in LD_PRELOAD. The environment says what is done:
//
//   FIRST_LAUNCHES=FILE    a line of JSON of each kernel is added to FILE: mangled name, grid,
//   block, time, energy FIRST_LAUNCHES_S=1.2   for so many seconds a kernel is launched again and
//   again with the same arguments;
//                          0: once, between cudaProfilerStart and cudaProfilerStop, for a profiler
//   FIRST_LAUNCHES_MAX=4   the program ends after so many kernels
//
// What the program had allocated by cudaMalloc is as before when the launches are over, so that it
// goes on as if there had been one launch. Energy is NVML's counter between two of its steps:
// joules of the board over launches.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "board_meter.h"

namespace {
template <class Function> Function *next(const char *Name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

std::map<const void *, std::string> &names() {
  static auto *const All = new std::map<const void *, std::string>; // registered before main
  return *All;
}

std::map<void *, std::size_t> &allocations() {
  static auto *const All = new std::map<void *, std::size_t>;
  return *All;
}

/// Copies of all that was allocated; they are not made where memory is short.
class Snapshot {
public:
  Snapshot() {
    std::size_t Free = 0, Whole = 0, Wanted = 0;
    for (const auto &[Pointer, Bytes] : allocations())
      Wanted += Bytes;
    if (cudaMemGetInfo(&Free, &Whole) != cudaSuccess || Wanted > Free / 10 * 9)
      return;
    for (const auto &[Pointer, Bytes] : allocations()) {
      void *Copy = nullptr;
      if (next<cudaError_t(void **, std::size_t)>("cudaMalloc")(&Copy, Bytes) != cudaSuccess)
        return;
      cudaMemcpy(Copy, Pointer, Bytes, cudaMemcpyDeviceToDevice);
      Copies.push_back({Pointer, Copy});
    }
    IsWhole = true;
  }
  ~Snapshot() {
    for (const auto &[Pointer, Copy] : Copies) {
      if (IsWhole)
        cudaMemcpy(Pointer, Copy, allocations()[Pointer], cudaMemcpyDeviceToDevice);
      next<cudaError_t(void *)>("cudaFree")(Copy);
    }
    cudaDeviceSynchronize();
  }
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;
  bool IsWhole = false;

private:
  std::vector<std::pair<void *, void *>> Copies;
};

const char *setting(const char *Name, const char *Default) {
  const char *Value = std::getenv(Name);
  return Value ? Value : Default;
}

template <class Launch>
void measure(const char *Name, dim3 Grid, dim3 Block, std::size_t Shared, cudaStream_t Stream,
             Launch &&Run) {
  using Clock = std::chrono::steady_clock;
  static BoardMeter Meter;
  struct Reading {
    double Seconds;
    unsigned long long Millijoules;
    long Launches;
  };
  double Wanted = std::atof(setting("FIRST_LAUNCHES_S", "1.2"));
  std::FILE *Out = std::fopen(setting("FIRST_LAUNCHES", "first_launches.jsonl"), "a");
  if (!Out)
    return;
  cudaEvent_t Began, Ended;
  cudaEventCreate(&Began);
  cudaEventCreate(&Ended);
  float First = 0, Passed = 0;
  Reading From{}, To{};
  long Launches = 0;
  unsigned Megahertz = 0;
  bool Restores = false;
  cudaError_t Status = cudaSuccess;
  double OfLaunch = 0;
  {
    Snapshot Before;
    Restores = Before.IsWhole;
    cudaDeviceSynchronize();
    cudaEventRecord(Began, Stream);
    Run();
    cudaEventRecord(Ended, Stream);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&First, Began, Ended);
    if (First < 15e-3f) // of those, what launches take is measured: no energies
      Wanted = std::min(Wanted, 0.1);
    const long AtOnce = std::max(1l, std::min(2000l, long(20 / std::max(First, 1e-3f))));
    const auto Start = Clock::now();
    unsigned long long Last = Meter.millijoules();
    double Kernels = 0;
    for (double Now = 0; Now < Wanted && Status == cudaSuccess;) {
      cudaEventRecord(Began, Stream);
      for (long K = 0; K != AtOnce; ++K)
        Run();
      cudaEventRecord(Ended, Stream);
      Megahertz = Meter.megahertz(); // while it runs
      Status = cudaDeviceSynchronize();
      cudaEventElapsedTime(&Passed, Began, Ended);
      Kernels += Passed * 1e-3;
      Launches += AtOnce;
      Now = std::chrono::duration<double>(Clock::now() - Start).count();
      const unsigned long long Read = Meter.millijoules();
      if (Read != Last && Now > Wanted / 5)
        (From.Millijoules ? To : From) = {Now, Read, Launches};
      Last = Read;
    }
    OfLaunch = Launches ? Kernels / double(Launches) : 0;
  }
  const double Joules = To.Launches ? double(To.Millijoules - From.Millijoules) * 1e-3 /
                                          double(To.Launches - From.Launches)
                                    : 0;
  std::fprintf(
      Out,
      "{\"program\": \"%s\", \"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], "
      "\"shared\": %zu, \"first_s\": %.6g, \"time_s\": %.6g, \"energy_j\": %.6g, \"seconds\": "
      "%.4g, "
      "\"launches\": %ld, \"mhz\": %u, \"restored\": %s, \"status\": \"%s\"}\n",
      setting("FIRST_LAUNCHES_OF", ""), Name, Grid.x, Grid.y, Grid.z, Block.x, Block.y, Block.z,
      Shared, First * 1e-3, OfLaunch, Joules, To.Seconds - From.Seconds,
      To.Launches - From.Launches, Megahertz, Restores ? "true" : "false",
      cudaGetErrorName(Status));
  std::fclose(Out);
  cudaEventDestroy(Began);
  cudaEventDestroy(Ended);
}

template <class Launch>
cudaError_t launched(const void *Function, dim3 Grid, dim3 Block, std::size_t Shared,
                     cudaStream_t Stream, Launch &&Run) {
  static auto *const Seen = new std::set<const void *>;
  cudaStreamCaptureStatus Capture = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(Stream, &Capture);
  if (Capture != cudaStreamCaptureStatusNone || !Seen->insert(Function).second)
    return Run();
  const bool IsProfiled = std::atof(setting("FIRST_LAUNCHES_S", "1.2")) == 0;
  if (IsProfiled) {
    cudaDeviceSynchronize();
    cudaProfilerStart();
  } else {
    measure(names()[Function].c_str(), Grid, Block, Shared, Stream, Run);
  }
  const cudaError_t Result = Run();
  if (IsProfiled) {
    cudaDeviceSynchronize();
    cudaProfilerStop();
  }
  if (long(Seen->size()) >= std::atol(setting("FIRST_LAUNCHES_MAX", "1000000"))) {
    cudaDeviceSynchronize();
    std::fflush(nullptr);
    if (IsProfiled)
      std::exit(0); // a profiler writes at the end
    _exit(0);
  }
  return Result;
}
} // namespace

extern "C" {
void __cudaRegisterFunction(void **Handle, const char *Function, char *DeviceFunction,
                            const char *DeviceName, int Limit, uint3 *ThreadId, uint3 *BlockId,
                            dim3 *BlockSize, dim3 *GridSize, int *WarpSize) {
  names()[Function] = DeviceName;
  next<void(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *,
            int *)>("__cudaRegisterFunction")(Handle, Function, DeviceFunction, DeviceName, Limit,
                                              ThreadId, BlockId, BlockSize, GridSize, WarpSize);
}

cudaError_t cudaMalloc(void **Pointer, std::size_t Bytes) {
  const cudaError_t Result = next<cudaError_t(void **, std::size_t)>("cudaMalloc")(Pointer, Bytes);
  if (Result == cudaSuccess)
    allocations()[*Pointer] = Bytes;
  return Result;
}

cudaError_t cudaFree(void *Pointer) {
  allocations().erase(Pointer);
  return next<cudaError_t(void *)>("cudaFree")(Pointer);
}

cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                             std::size_t Shared, cudaStream_t Stream) {
  return launched(Function, Grid, Block, Shared, Stream, [&] {
    return next<cudaError_t(const void *, dim3, dim3, void **, std::size_t, cudaStream_t)>(
        "cudaLaunchKernel")(Function, Grid, Block, Arguments, Shared, Stream);
  });
}
} // extern "C"
