// What one warp waits for, measured: gpu_latencies
//
// Chains of operations, each of which needs the one before, in cycles of the multiprocessor;
// barriers of blocks of several sizes; atomic additions; launches; copies of pageable, pinned and
// managed memory, and the board's power while they run. Prints a line of JSON for each: what it is,
// and its value with the unit. Everything is the median of several runs.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "board_meter.h"

static void check(cudaError_t Status, const char *Doing) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "gpu_latencies: %s: %s\n", Doing, cudaGetErrorString(Status));
  std::exit(2);
}

static void print(const char *Name, double Value, const char *Unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", Name, Value, Unit);
  std::fflush(stdout);
}

static double median(std::vector<double> Values) {
  std::sort(Values.begin(), Values.end());
  return Values[Values.size() / 2];
}

constexpr int Steps = 256, Runs = 7;

/// Cycles of Steps operations, each with the result of the one before.
template <class T, class Operation>
__global__ void chain(long long *Cycles, T *Values, T A, T B, Operation Next) {
  T X = Values[threadIdx.x];
  X = Next(X, A, B);
  const long long Began = clock64();
#pragma unroll 64
  for (int K = 0; K != Steps; ++K)
    X = Next(X, A, B);
  const long long Ended = clock64();
  Values[threadIdx.x] = X;
  *Cycles = Ended - Began;
}

/// A walk through memory: what is loaded is where the next load is.
__global__ void walk(long long *Cycles, const unsigned *From, unsigned *Last, int Walked,
                     int Warm) {
  unsigned At = *Last;
  for (int K = 0; K != Warm; ++K)
    At = From[At];
  const long long Began = clock64();
  for (int K = 0; K != Walked; ++K)
    At = From[At];
  const long long Ended = clock64();
  *Last = At;
  *Cycles = Ended - Began;
}

/// The same past L1.
__global__ void walk_past_l1(long long *Cycles, const unsigned *From, unsigned *Last, int Walked,
                             int Warm) {
  unsigned At = *Last;
  for (int K = 0; K != Warm; ++K)
    At = __ldcg(From + At);
  const long long Began = clock64();
  for (int K = 0; K != Walked; ++K)
    At = __ldcg(From + At);
  const long long Ended = clock64();
  *Last = At;
  *Cycles = Ended - Began;
}

__global__ void walk_shared(long long *Cycles, unsigned *Last) {
  __shared__ unsigned Next[1024];
  for (int K = threadIdx.x; K < 1024; K += blockDim.x)
    Next[K] = (K + 33) % 1024;
  __syncthreads();
  unsigned At = threadIdx.x;
  const long long Began = clock64();
#pragma unroll 16
  for (int K = 0; K != Steps; ++K)
    At = Next[At];
  const long long Ended = clock64();
  Last[threadIdx.x] = At;
  *Cycles = Ended - Began;
}

__global__ void barriers(long long *Cycles) {
  __syncthreads();
  const long long Began = clock64();
#pragma unroll 16
  for (int K = 0; K != Steps; ++K)
    __syncthreads();
  const long long Ended = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *Cycles = Ended - Began;
}

__global__ void shuffles(long long *Cycles, int *Values) {
  int X = Values[threadIdx.x];
  const long long Began = clock64();
#pragma unroll 16
  for (int K = 0; K != Steps; ++K)
    X = __shfl_xor_sync(~0u, X, 1) + 1;
  const long long Ended = clock64();
  Values[threadIdx.x] = X;
  *Cycles = Ended - Began;
}

/// Each thread adds to one of so many words.
__global__ void adds(unsigned *Words, unsigned Mask, int Times) {
  const unsigned At = (blockIdx.x * blockDim.x + threadIdx.x) & Mask;
  for (int K = 0; K != Times; ++K)
    atomicAdd(Words + At, 1u);
}

__global__ void adds_shared(unsigned *Out, unsigned Mask, int Times) {
  __shared__ unsigned Words[1024];
  for (int K = threadIdx.x; K < 1024; K += blockDim.x)
    Words[K] = 0;
  __syncthreads();
  for (int K = 0; K != Times; ++K)
    atomicAdd(Words + (threadIdx.x & Mask), 1u);
  __syncthreads();
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Words[0];
}

__global__ void nothing() {}

/// Reads all of it, with so many words of a thread in flight.
template <class T, int InFlight>
__global__ void reading(const T *From, std::size_t Count, unsigned *Out) {
  const std::size_t Threads = std::size_t(gridDim.x) * blockDim.x;
  unsigned Sum = 0;
  for (std::size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < Count; I += Threads * InFlight) {
    T Read[InFlight];
#pragma unroll
    for (int K = 0; K != InFlight; ++K)
      Read[K] = I + K * Threads < Count ? From[I + K * Threads] : T{};
#pragma unroll
    for (int K = 0; K != InFlight; ++K) {
      unsigned Words[sizeof(T) / sizeof(unsigned)];
      memcpy(Words, &Read[K], sizeof(T));
      for (const unsigned Word : Words)
        Sum ^= Word;
    }
  }
  if (Sum == 12345)
    *Out = Sum;
}

/// A thread for each word, and nothing else: blocks come and go.
__global__ void one_each(const unsigned *From, unsigned *Into) {
  const std::size_t I = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  Into[I] = From[I] + 1;
}

template <class Launch> static double cyclesOf(long long *Cycles, Launch Run, double Of) {
  std::vector<double> Found;
  for (int K = 0; K != Runs; ++K) {
    Run();
    check(cudaGetLastError(), "launching");
    check(cudaDeviceSynchronize(), "running");
    long long Read = 0;
    check(cudaMemcpy(&Read, Cycles, sizeof Read, cudaMemcpyDeviceToHost), "reading");
    Found.push_back(double(Read) / Of);
  }
  return median(Found);
}

template <class Run> static double secondsOf(Run Doing) {
  std::vector<double> Found;
  for (int K = 0; K != Runs; ++K) {
    check(cudaDeviceSynchronize(), "waiting");
    const auto Began = std::chrono::steady_clock::now();
    Doing();
    check(cudaDeviceSynchronize(), "running");
    Found.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - Began).count());
  }
  return median(Found);
}

template <class T, class Operation>
static void measureChain(const char *Name, long long *Cycles, T A, T B, Operation Next) {
  T *Values = nullptr;
  check(cudaMalloc(&Values, 32 * sizeof(T)), "allocating");
  const std::vector<T> Start(32, T(3));
  check(cudaMemcpy(Values, Start.data(), 32 * sizeof(T), cudaMemcpyHostToDevice), "copying");
  print(Name,
        cyclesOf(Cycles, [&] { chain<<<1, 32>>>(Cycles, Values, A, B, Next); }, Steps), "cycles");
  check(cudaFree(Values), "freeing");
}

/// A random cycle through every line of \p Bytes.
static void measureWalk(const char *Name, long long *Cycles, std::size_t Bytes, bool PastL1,
                        int Warm) {
  constexpr std::size_t Line = 128 / sizeof(unsigned);
  const std::size_t Lines = Bytes / 128;
  std::vector<unsigned> Order(Lines), Next(Lines * Line);
  std::iota(Order.begin(), Order.end(), 0u);
  std::shuffle(Order.begin() + 1, Order.end(), std::mt19937(1));
  for (std::size_t K = 0; K != Lines; ++K)
    Next[Order[K] * Line] = unsigned(Order[(K + 1) % Lines] * Line);
  unsigned *Memory = nullptr, *Last = nullptr;
  check(cudaMalloc(&Memory, Bytes), "allocating");
  check(cudaMalloc(&Last, sizeof(unsigned)), "allocating");
  check(cudaMemset(Last, 0, sizeof(unsigned)), "filling"); // each walk goes on where one ended
  check(cudaMemcpy(Memory, Next.data(), Bytes, cudaMemcpyHostToDevice), "copying");
  constexpr int Walked = 2000;
  print(Name,
        cyclesOf(
            Cycles,
            [&] {
              if (PastL1)
                walk_past_l1<<<1, 1>>>(Cycles, Memory, Last, Walked, Warm);
              else
                walk<<<1, 1>>>(Cycles, Memory, Last, Walked, Warm);
            },
            Walked),
        "cycles");
  check(cudaFree(Memory), "freeing");
  check(cudaFree(Last), "freeing");
}

/// How many bytes a second, by how many threads and how much of each is in flight.
template <class T, int InFlight>
static void measureReading(const char *Type, const cudaDeviceProp &P, const void *Memory,
                           std::size_t Bytes, unsigned *Out) {
  for (const int Blocks : {1, 2, 4, 8}) {
    char Name[100];
    std::snprintf(Name, sizeof Name,
                  "reading DRAM, %d threads a multiprocessor, %d of %s in flight", Blocks * 256,
                  InFlight, Type);
    const auto Run = [&] {
      reading<T, InFlight><<<P.multiProcessorCount * Blocks, 256>>>(static_cast<const T *>(Memory),
                                                                    Bytes / sizeof(T), Out);
    };
    Run();
    print(Name, double(Bytes) / secondsOf(Run), "B/s");
  }
}

static void measureCopies() {
  for (const std::size_t Bytes : {std::size_t(4), std::size_t(64) << 10, std::size_t(64) << 20}) {
    void *Pageable = std::malloc(Bytes), *Pinned = nullptr, *Device = nullptr;
    std::memset(Pageable, 1, Bytes);
    check(cudaMallocHost(&Pinned, Bytes), "allocating");
    std::memset(Pinned, 1, Bytes);
    check(cudaMalloc(&Device, Bytes), "allocating");
    for (void *Host : {Pageable, Pinned})
      for (const bool ToDevice : {true, false}) {
        char Name[80];
        std::snprintf(Name, sizeof Name, "copy of %zu bytes %s, %s memory", Bytes,
                      ToDevice ? "to the device" : "to the host",
                      Host == Pinned ? "pinned" : "pageable");
        const auto Copy = [&] {
          check(cudaMemcpy(ToDevice ? Device : Host, ToDevice ? Host : Device, Bytes,
                           ToDevice ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost),
                "copying");
        };
        Copy();
        print(Name, secondsOf(Copy), "s");
      }
    check(cudaFree(Device), "freeing");
    check(cudaFreeHost(Pinned), "freeing");
    std::free(Pageable);
  }
}

/// Pages that move to where they are used: a kernel reads what the host wrote, and the host what
/// the device has.
static void measureManaged() {
  constexpr std::size_t Bytes = std::size_t(64) << 20, Words = Bytes / sizeof(unsigned);
  unsigned *Memory = nullptr, *Out = nullptr;
  check(cudaMallocManaged(&Memory, Bytes), "allocating");
  check(cudaMalloc(&Out, sizeof(unsigned)), "allocating");
  std::vector<double> ToDevice, ToHost;
  for (int K = 0; K != Runs; ++K) {
    const auto Began = std::chrono::steady_clock::now();
    for (std::size_t At = 0; At != Words; At += 1024)
      Memory[At] = unsigned(At + K);
    const auto There = std::chrono::steady_clock::now();
    reading<unsigned, 1><<<264, 256>>>(Memory, Words, Out);
    check(cudaDeviceSynchronize(), "running");
    const auto Ended = std::chrono::steady_clock::now();
    ToHost.push_back(std::chrono::duration<double>(There - Began).count());
    ToDevice.push_back(std::chrono::duration<double>(Ended - There).count());
  }
  print("managed memory of 67108864 bytes to the device", median(ToDevice), "s");
  print("managed memory of 67108864 bytes to the host", median(ToHost), "s");
  check(cudaFree(Memory), "freeing");
  check(cudaFree(Out), "freeing");
}

/// Watts of the board while \p Doing is done again and again for a second and more.
template <class Run>
static void measurePower(const char *Name, const BoardMeter &Meter, Run Doing) {
  using Clock = std::chrono::steady_clock;
  const auto Start = Clock::now();
  double From = 0, To = 0;
  unsigned long long Last = Meter.millijoules(), FromJoules = 0, ToJoules = 0;
  for (double Now = 0; Now < 1.5;) {
    Doing();
    Now = std::chrono::duration<double>(Clock::now() - Start).count();
    const unsigned long long Read = Meter.millijoules();
    if (Read != Last && Now > 0.3) {
      (FromJoules ? To : From) = Now;
      (FromJoules ? ToJoules : FromJoules) = Read;
    }
    Last = Read;
  }
  if (To > From)
    print(Name, double(ToJoules - FromJoules) * 1e-3 / (To - From), "W");
}

static void measureTransferPower() {
  const BoardMeter Meter;
  constexpr std::size_t Bytes = std::size_t(64) << 20;
  void *Pageable = std::malloc(Bytes), *Pinned = nullptr, *Device = nullptr;
  std::memset(Pageable, 1, Bytes);
  check(cudaMallocHost(&Pinned, Bytes), "allocating");
  std::vector<unsigned> Random(Bytes / sizeof(unsigned));
  std::generate(Random.begin(), Random.end(), std::mt19937(1));
  std::memcpy(Pinned, Random.data(), Bytes);
  std::memcpy(Pageable, Random.data(), Bytes);
  check(cudaMalloc(&Device, Bytes), "allocating");
  measurePower("waiting", Meter, [] {
    const auto Until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < Until)
      continue;
  });
  for (void *Host : {Pageable, Pinned})
    for (const bool ToDevice : {true, false}) {
      char Name[80];
      std::snprintf(Name, sizeof Name, "copying %s, %s memory",
                    ToDevice ? "to the device" : "to the host",
                    Host == Pinned ? "pinned" : "pageable");
      measurePower(Name, Meter, [&] {
        check(cudaMemcpy(ToDevice ? Device : Host, ToDevice ? Host : Device, Bytes,
                         ToDevice ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost),
              "copying");
      });
    }
  check(cudaFree(Device), "freeing");
  check(cudaFreeHost(Pinned), "freeing");
  std::free(Pageable);
}

int main() {
  cudaDeviceProp P;
  check(cudaGetDeviceProperties(&P, 0), "looking for a GPU");
  long long *Cycles = nullptr;
  check(cudaMalloc(&Cycles, sizeof(long long)), "allocating");

  measureChain("f32 add", Cycles, 1.0f, 1.0f,
               [] __device__(float X, float A, float) { return X + A; });
  measureChain("f32 fma", Cycles, 1.0f, 0.5f,
               [] __device__(float X, float A, float B) { return fmaf(X, A, B); });
  measureChain("f64 add", Cycles, 1.0, 1.0,
               [] __device__(double X, double A, double) { return X + A; });
  measureChain("f64 fma", Cycles, 1.0, 0.5,
               [] __device__(double X, double A, double B) { return fma(X, A, B); });
  measureChain("i32 xor and add", Cycles, 5, 3,
               [] __device__(int X, int A, int B) { return (X ^ A) + B; });
  measureChain("i32 multiply-add", Cycles, 5, 3,
               [] __device__(int X, int A, int B) { return X * A + B; });
  measureChain("f32 divide", Cycles, 1.25f, 0.5f,
               [] __device__(float X, float A, float) { return A / X; });
  measureChain("f64 divide", Cycles, 1.25, 0.5,
               [] __device__(double X, double A, double) { return A / X; });
  measureChain("f32 sqrt", Cycles, 1.25f, 0.5f,
               [] __device__(float X, float, float) { return sqrtf(X); });
  measureChain("f64 sqrt", Cycles, 1.25, 0.5,
               [] __device__(double X, double, double) { return sqrt(X); });
  measureChain("f32 exp2 of the special unit", Cycles, 1.25f, 0.5f,
               [] __device__(float X, float, float) { return exp2f(X); });
  measureChain("f32 sin", Cycles, 1.25f, 0.5f,
               [] __device__(float X, float, float) { return sinf(X); });
  measureChain("f32 exp", Cycles, -0.25f, 0.5f,
               [] __device__(float X, float A, float) { return expf(X * A); });
  measureChain("f64 exp", Cycles, -0.25, 0.5,
               [] __device__(double X, double A, double) { return exp(X * A); });
  int *Numbers = nullptr;
  check(cudaMalloc(&Numbers, 32 * sizeof(int)), "allocating");
  check(cudaMemset(Numbers, 0, 32 * sizeof(int)), "filling");
  print("shuffle and add",
        cyclesOf(Cycles, [&] { shuffles<<<1, 32>>>(Cycles, Numbers); }, Steps), "cycles");
  unsigned *Words = nullptr;
  check(cudaMalloc(&Words, std::size_t(64) << 20), "allocating");
  check(cudaMemset(Words, 0, std::size_t(64) << 20), "filling");
  print("load from shared memory",
        cyclesOf(Cycles, [&] { walk_shared<<<1, 32>>>(Cycles, Words); }, Steps), "cycles");
  measureWalk("load from L1", Cycles, 16 << 10, false, 1000);
  for (const std::size_t MiB : {1, 4, 8, 16, 24, 32})
    if (std::size_t(P.l2CacheSize) > MiB << 20) {
      char Name[60];
      std::snprintf(Name, sizeof Name, "load from L2, %zu MiB", MiB);
      measureWalk(Name, Cycles, MiB << 20, true, int((MiB << 20) / 128));
    }
  measureWalk("load from DRAM, 512 MiB", Cycles, std::size_t(512) << 20, true, 0);
  for (const int Threads : {32, 64, 128, 256, 512, 1024}) {
    char Name[60];
    std::snprintf(Name, sizeof Name, "barrier of %d threads", Threads);
    print(Name, cyclesOf(Cycles, [&] { barriers<<<1, Threads>>>(Cycles); }, Steps), "cycles");
  }

  const int Blocks = P.multiProcessorCount * 8, Times = 200;
  for (const unsigned Apart : {1u, 32u, 1024u, 1u << 20}) {
    char Name[80];
    std::snprintf(Name, sizeof Name, "atomic additions to %u words of global memory", Apart);
    adds<<<Blocks, 256>>>(Words, Apart - 1, Times);
    print(Name, 256.0 * Blocks * Times / secondsOf([&] {
                  adds<<<Blocks, 256>>>(Words, Apart - 1, Times);
                }),
          "1/s");
  }
  for (const unsigned Apart : {1u, 32u, 256u}) {
    char Name[80];
    std::snprintf(Name, sizeof Name, "atomic additions to %u words of shared memory", Apart);
    adds_shared<<<Blocks, 256>>>(Words, Apart - 1, Times);
    print(Name, 256.0 * Blocks * Times / secondsOf([&] {
                  adds_shared<<<Blocks, 256>>>(Words, Apart - 1, Times);
                }),
          "1/s");
  }
  nothing<<<1, 32>>>();
  print("launch and wait", secondsOf([] { nothing<<<1, 32>>>(); }), "s");
  print("launch behind others", secondsOf([] {
                                  for (int K = 0; K != 1000; ++K)
                                    nothing<<<1, 32>>>();
                                }) / 1000,
        "s");
  print("launch of 1,000,000 blocks behind others", secondsOf([] {
                                                      for (int K = 0; K != 10; ++K)
                                                        nothing<<<1000000, 32>>>();
                                                    }) / 10,
        "s");
  for (const int Threads : {32, 64, 128, 256, 512, 1024}) {
    char Name[80];
    std::snprintf(Name, sizeof Name, "blocks of %d threads that do nothing", Threads);
    const auto Run = [&] { nothing<<<1000000, Threads>>>(); };
    Run();
    print(Name, 1e6 / secondsOf(Run), "1/s");
  }
  void *Memory = nullptr;
  constexpr std::size_t Bytes = std::size_t(1) << 30;
  check(cudaMalloc(&Memory, Bytes), "allocating");
  check(cudaMemset(Memory, 1, Bytes), "filling");
  measureReading<unsigned, 1>("4 bytes", P, Memory, Bytes, Words);
  measureReading<unsigned, 4>("4 bytes", P, Memory, Bytes, Words);
  measureReading<uint2, 1>("8 bytes", P, Memory, Bytes, Words);
  measureReading<uint4, 1>("16 bytes", P, Memory, Bytes, Words);
  measureReading<uint4, 4>("16 bytes", P, Memory, Bytes, Words);
  for (const int Threads : {64, 128, 256, 512, 1024}) {
    char Name[80];
    std::snprintf(Name, sizeof Name, "a word read and written by each thread, blocks of %d",
                  Threads);
    const auto Run = [&] {
      one_each<<<unsigned(Bytes / 8 / Threads), Threads>>>(
          static_cast<const unsigned *>(Memory), static_cast<unsigned *>(Memory) + Bytes / 8);
    };
    Run();
    print(Name, double(Bytes) / secondsOf(Run), "B/s");
  }
  measureCopies();
  measureTransferPower();
  measureManaged();
  return 0;
}
