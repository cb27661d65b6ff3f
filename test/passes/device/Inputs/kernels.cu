// One operation each, so that the difference to `copy` is its machine code.
extern "C" {
__global__ void copy(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void fused(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __fmaf_rn(x[i], x[i], 3.0f);
}
__global__ void sine(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __sinf(x[i]);
}
__global__ void looped(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int k = 0; k < n; ++k)
    Sum = Sum * x[k * 64] + 1.0f;
  y[i] = Sum;
}
__global__ void unrolled(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
#pragma unroll 8
  for (int k = 0; k < n; ++k)
    Sum = Sum * x[k * 64] + 1.0f;
  y[i] = Sum;
}
__global__ void tiled(float *y, const float *x, int n) {
  __shared__ float Tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = Tile[255 - threadIdx.x];
}
}
