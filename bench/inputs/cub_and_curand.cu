// A large CUDA translation unit: CUB's primitives of a block and of the device, and the random
// generators that run in kernels.

#include <cub/cub.cuh>
#include <curand_kernel.h>

template <int Threads>
__global__ void blockTotals(const float *In, float *Totals, int n) {
  using Load = cub::BlockLoad<float, Threads, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<float, Threads>;
  using Sort = cub::BlockRadixSort<float, Threads, 4>;
  __shared__ union {
    typename Load::TempStorage ForLoad;
    typename Scan::TempStorage ForScan;
    typename Sort::TempStorage ForSort;
  } Temporary;
  float Items[4];
  Load(Temporary.ForLoad).Load(In + blockIdx.x * Threads * 4, Items, n, 0.0f);
  __syncthreads();
  Sort(Temporary.ForSort).Sort(Items);
  __syncthreads();
  float Total;
  Scan(Temporary.ForScan).InclusiveSum(Items, Items, Total);
  if (threadIdx.x == 0)
    Totals[blockIdx.x] = Total;
}

__global__ void randomWalk(float *Out, unsigned long long Seed, int Steps) {
  curandStatePhilox4_32_10_t Philox;
  curandStateXORWOW_t Xorwow;
  int Thread = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(Seed, Thread, 0, &Philox);
  curand_init(Seed, Thread, 0, &Xorwow);
  float Sum = 0;
  for (int I = 0; I < Steps; ++I)
    Sum += curand_normal(&Philox) + curand_uniform(&Xorwow) + curand_poisson(&Philox, 3.0);
  Out[Thread] = Sum;
}

cudaError_t run(const float *In, float *Out, int *Keys, int n) {
  blockTotals<128><<<(n + 511) / 512, 128>>>(In, Out, n);
  randomWalk<<<64, 256>>>(Out, 1, n);
  std::size_t Bytes = 0;
  cub::DeviceReduce::Sum(nullptr, Bytes, In, Out, n);
  cub::DeviceRadixSort::SortKeys(nullptr, Bytes, Keys, Keys + n, n);
  return cub::DeviceScan::ExclusiveSum(nullptr, Bytes, In, Out, n);
}
