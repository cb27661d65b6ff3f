// CUB's and Thrust's own device code, as it comes with the toolkit; check_cub.py derives the counts by hand.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

template <cub::BlockReduceAlgorithm How> __device__ void sum(int n, const float *x, float *sums) {
  using Reduce = cub::BlockReduce<float, 128, How>;
  __shared__ typename Reduce::TempStorage scratch;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float total = Reduce(scratch).Sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

__global__ void block_reduce(int n, const float *x, float *sums) { sum<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(n, x, sums); }
__global__ void block_reduce_raking(int n, const float *x, float *sums) { sum<cub::BLOCK_REDUCE_RAKING>(n, x, sums); }

__global__ void warp_reduce(const float *x, float *y) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ Reduce::TempStorage scratch[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = Reduce(scratch[threadIdx.x / 32]).Sum(x[i]);
}

__global__ void block_scan(const float *x, float *y) {
  using Scan = cub::BlockScan<float, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ Scan::TempStorage scratch;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  Scan(scratch).InclusiveSum(value, value);
  y[i] = value;
}

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

void transform(int n, float a, float *x, float *y) { thrust::transform(thrust::device, x, x + n, y, y, Saxpy{a}); }
