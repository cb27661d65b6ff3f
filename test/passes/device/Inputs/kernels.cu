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
__global__ void together(float *y, const float *__restrict__ x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    Sum += x[i + 4096 * k];
  y[i] = Sum;
}
__global__ void nested(float *y, const float *__restrict__ x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum[4] = {};
  for (int Again = 0; Again < 1; ++Again)
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
      float Word[4];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        Word[j] = x[i + 1024 * (4 * k + j)];
#pragma unroll
      for (int Round = 0; Round < 64; ++Round)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          Sum[j] = __fmaf_rn(Sum[j], Word[j], 1.5f);
    }
  y[i] = Sum[0] + Sum[1] + Sum[2] + Sum[3];
}
// Angles beyond 105615 take another way, with a loop of its own: none of it is counted.
__global__ void angles(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int k = 0; k < n; ++k)
    Sum += sinf(x[k * 64]);
  y[i] = Sum;
}
// A subroutine divides numbers that are not ordinary.
__global__ void quotient(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] / float(n);
}
}
