// Launches whose dimensions are computed in 64 bits, rounded, or change with a loop.
#include <cmath>
#include <cstdlib>

__global__ void scale(float *x, long n) {
  long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n)
    x[i] = x[i] * 2.0f + 1.0f;
}

__global__ void halve(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 0.5f;
}

__global__ void fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

__global__ void later(float *x) { x[threadIdx.x] += 2.0f; }

static void steps(float *x, int n, int blocks) {
  for (int grid = n / 4; grid <= n; grid += n / 4) {
    fill<<<grid, 32>>>(x);
    if (grid > n / 2)
      later<<<1, blocks>>>(x);
  }
}

int main(int argc, char **argv) {
  const size_t n = atol(argv[1]);
  const int m = atoi(argv[2]), k = atoi(argv[3]);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  for (int i = 0; i < 3; i++)
    scale<<<(n + 255) / 256, 256>>>(x, long(n));
  halve<<<(int)ceil(m / 100.0), (int)pow(2, k)>>>(x, m);
  steps(x, m, k);
  cudaFree(x);
}
