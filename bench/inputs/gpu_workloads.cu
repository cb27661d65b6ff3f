// Kernels that `ergon calibrate --gpu` never saw, measured: gpu_workloads SECONDS [NAME…]
//
// Own kernels of the tests, and CUB's and Thrust's. Each is launched again and again for so many
// seconds, after one second at most to warm up, in a region of the runtime (runtime/ergon.h), whose
// run record has the energy. Prints a line of JSON for each: the kernel, what `ergon predict --set`
// is to be told, and the seconds of a launch. bench/gpu_accuracy.py holds predictions against it.
#include "test/kernels/Inputs/device_kernels.cu"
#undef INDEX
#include "test/kernels/Inputs/cub_kernels.cu"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ergon.h"

static void check(cudaError_t Status, const char *Doing) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "gpu_workloads: %s: %s\n", Doing, cudaGetErrorString(Status));
  std::exit(2);
}

/// Memory with ordinary numbers in it, of any of the types: 1 and a bit.
template <class T> static T *buffer(std::size_t Elements) {
  T *Result = nullptr;
  check(cudaMalloc(&Result, Elements * sizeof(T)), "allocating");
  const std::vector<T> Values(std::size_t(1) << 16, T(1.25f));
  for (std::size_t At = 0; At < Elements; At += Values.size())
    check(cudaMemcpy(Result + At, Values.data(), std::min(Values.size(), Elements - At) * sizeof(T),
                     cudaMemcpyHostToDevice),
          "copying");
  return Result;
}

struct Workload {
  const char *Name,
      *Kernel; ///< how the kernel's demangled name begins, or what is in it, between bars
  std::vector<std::pair<const char *, long>> Sets;
  std::function<void()> Run;
};

static double secondsOf(const Workload &Of, double AtLeast, long &Launches) {
  using Clock = std::chrono::steady_clock;
  const auto Began = Clock::now();
  std::chrono::duration<double> Passed{};
  constexpr int AtOnce = 20;
  for (Launches = 0; Passed.count() < AtLeast; Launches += AtOnce) {
    for (int K = 0; K != AtOnce; ++K)
      Of.Run();
    check(cudaDeviceSynchronize(), Of.Name);
    Passed = Clock::now() - Began;
  }
  return Passed.count() / double(Launches);
}

static std::vector<Workload> workloads() {
  constexpr int N = 1 << 26, Block = 256, Grid = N / Block, Side = 8192, Cube = 384, Tiled = 4096,
                Bodies = 1 << 16, Volume = 384,
                CubGrid = 24000; // more blocks are a formula that is too large to be worked out
  static auto *const X = buffer<float>(N), *const Y = buffer<float>(N), *const Z = buffer<float>(N),
                     *const W = buffer<float>(N);
  static auto *const A = buffer<double>(N), *const B = buffer<double>(N);
  static auto *const H = buffer<__half>(N), *const G = buffer<__half>(N);
  const auto Line = [](long Blocks, long Threads, long n) {
    return std::vector<std::pair<const char *, long>>{
        {"n", n}, {"grid.x", Blocks}, {"block.x", Threads}};
  };
  const auto Plane = [](long BlocksX, long BlocksY, long n) {
    return std::vector<std::pair<const char *, long>>{
        {"n", n}, {"grid.x", BlocksX}, {"grid.y", BlocksY}, {"block.x", 16}, {"block.y", 16}};
  };
  auto Cubes = Plane(Cube / 16, Cube / 16, Cube);
  Cubes.insert(Cubes.end(), {{"m", Cube}, {"grid.z", Cube}});
  return {
      {"saxpy", "saxpy(", Line(Grid, Block, N), [] { saxpy<<<Grid, Block>>>(N, 1.5f, X, Y); }},
      {"daxpy", "daxpy(", Line(2048, Block, N), [] { daxpy<<<2048, Block>>>(N, 1.5, A, B); }},
      {"haxpy", "haxpy(", Line(Grid, Block, N),
       [] { haxpy<<<Grid, Block>>>(N, __half(1.5f), H, G); }},
      {"structs of arrays", "structs_of_arrays(", Line(Grid, Block, N),
       [] { structs_of_arrays<<<Grid, Block>>>(N, X, Y, Z, 1e-3f); }},
      {"polynomial", "polynomial<7>(", Line(Grid, Block, N),
       [] { polynomial<7><<<Grid, Block>>>(N, 1.5f, X, Y); }},
      {"Black-Scholes", "black_scholes(", Line(Grid, Block, N),
       [] { black_scholes<<<Grid, Block>>>(N, X, Y, Z, W, 0.02f, 0.3f); }},
      {"stencil 2D", "stencil_2d(", Plane(Side / 16, Side / 16, Side),
       [] { stencil_2d<<<dim3(Side / 16, Side / 16), dim3(16, 16)>>>(Side, A, B); }},
      {"stencil 3D", "stencil_3d(", Cubes,
       [] { stencil_3d<<<dim3(Cube / 16, Cube / 16, Cube), dim3(16, 16)>>>(Cube, Cube, X, Y); }},
      {"transpose", "transpose(", Plane(Side / 16, Side / 16, Side),
       [] { transpose<<<dim3(Side / 16, Side / 16), dim3(16, 16)>>>(Side, X, Y); }},
      {"convolution", "convolution(", Line(Grid, Block, N),
       [] { convolution<<<Grid, Block>>>(N, X, Y); }},
      {"matrix product", "matmul(", Plane(Tiled / 16, Tiled / 16, Tiled),
       [] { matmul<<<dim3(Tiled / 16, Tiled / 16), dim3(16, 16)>>>(Tiled, X, Y, Z); }},
      {"n bodies", "n_body(", Line(Bodies / Block, Block, Bodies),
       [] { n_body<<<Bodies / Block, Block, 3 * Block * sizeof(float)>>>(Bodies, X, Y, Z, W, W); }},
      {"reduction", "reduce_fixed<128>(", Line(4096, 128, N),
       [] { reduce_fixed<128><<<4096, 128>>>(N, A, B); }},
      {"CUB block reduction", "block_reduce(", Line(CubGrid, 128, CubGrid * 128),
       [] { block_reduce<<<CubGrid, 128>>>(CubGrid * 128, X, Y); }},
      {"CUB warp reduction",
       "warp_reduce(",
       {{"grid.x", CubGrid}, {"block.x", 128}},
       [] { warp_reduce<<<CubGrid, 128>>>(X, Y); }},
      {"Jacobi 3D", "jacobi_3d(", Plane(Volume / 16, Volume / 16, Volume),
       [] { jacobi_3d<<<dim3(Volume / 16, Volume / 16), dim3(16, 16)>>>(Volume, X, Y); }},
      {"arrays of structs", "arrays_of_structs(", Line(Grid / 4, Block, N / 4),
       [] {
         arrays_of_structs<<<Grid / 4, Block>>>(N / 4, reinterpret_cast<Particle *>(X), 1e-3f);
       }},
      {"convolution of rows",
       "convolution_rows(",
       {{"pitch", Side},
        {"grid.x", Side / 64},
        {"grid.y", Side / 4},
        {"block.x", 16},
        {"block.y", 4}},
       [] { convolution_rows<<<dim3(Side / 64, Side / 4), dim3(16, 4)>>>(Side, X, Y); }},
      {"dot product", "dot(", Line(2048, Block, N), [] { dot<<<2048, Block>>>(N, X, Y, Z); }},
      {"scan of 128",
       "scan_128(",
       {{"grid.x", N / 128}, {"block.x", 128}},
       [] { scan_128<<<N / 128, 128>>>(X, Y); }},
      {"bitonic sort",
       "bitonic(",
       {{"grid.x", Grid}, {"block.x", 256}},
       [] { bitonic<<<Grid, 256>>>(X); }},
      // How many elements Thrust gives to a thread changes no count.
      {"Thrust transform",
       "transform_kernel<|(int, int, Saxpy,",
       {{"num_items", N}, {"num_elem_per_thread", 4}, {"grid.x", Grid / 4}, {"block.x", Block}},
       [] { transform(N, 1.5f, X, Y); }},
  };
}

int main(int Count, char **Words) {
  if (Count < 2 || std::atof(Words[1]) <= 0) {
    std::fprintf(stderr, "usage: gpu_workloads SECONDS [NAME...]\n");
    return 2;
  }
  int Devices = 0;
  check(cudaGetDeviceCount(&Devices), "looking for a GPU");
  for (const Workload &Each : workloads()) {
    bool IsWanted = Count == 2;
    for (int K = 2; K < Count; ++K)
      IsWanted |= std::strcmp(Words[K], Each.Name) == 0;
    if (!IsWanted)
      continue;
    long Launches = 0;
    const double AtLeast = std::atof(Words[1]);
    secondsOf(Each, std::min(AtLeast, 1.0), Launches);
    check(cudaProfilerStart(), "starting a profiler");
    Each.Run();
    check(cudaDeviceSynchronize(), Each.Name);
    check(cudaProfilerStop(), "stopping a profiler");
    ergon_region_begin(Each.Name);
    const double Seconds = secondsOf(Each, AtLeast, Launches);
    ergon_region_end(Each.Name);
    std::printf(
        "{\"name\": \"%s\", \"kernel\": \"%s\", \"time_s\": %.9g, \"launches\": %ld, \"sets\": {",
        Each.Name, Each.Kernel, Seconds, Launches);
    const char *Comma = "";
    for (const auto &[Name, Value] : Each.Sets) {
      std::printf("%s\"%s\": %ld", Comma, Name, Value);
      Comma = ", ";
    }
    std::printf("}}\n");
    std::fflush(stdout);
  }
}
