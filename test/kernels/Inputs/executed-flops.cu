// Kernels whose executed flops data decide: divisions, a branch, a loop.
#include <cstdlib>

__global__ void divide(float *X, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    X[I] = X[I] / X[I + N];
}

__global__ void choose(float *X, float *Y, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && X[I] > 0)
    Y[I] = X[I] * Y[I] + 3;
}

__global__ void halve(float *X, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Value = X[I] + 1;
  while (Value > 1)
    Value *= X[N];
  X[I] = Value;
}

__global__ void scale(float *X, int N) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    X[I] *= 3;
}

int lengthOfInput();

int main(int Count, char **Arguments) {
  const int N = atoi(Arguments[1]);
  float *X, *Y;
  cudaMalloc(&X, 2 * N * sizeof(float));
  cudaMalloc(&Y, N * sizeof(float));
  divide<<<(N + 255) / 256, 256>>>(X, N);
  choose<<<(N + 255) / 256, 256>>>(X, Y, N);
  halve<<<(N + 255) / 256, 256>>>(X, N);
  scale<<<4, 256>>>(X, lengthOfInput());
  cudaDeviceSynchronize();
}
