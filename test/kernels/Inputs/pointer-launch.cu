// Kernels that are launched through a pointer; how large and how often, the program reads by itself.
#include <cstdlib>

__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f)
    x[i] *= 2.0f;
}

__global__ void add(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1.0f;
}

static int number(const char *text) {
  int result = 0;
  for (; *text; ++text)
    result = 10 * result + (*text - '0');
  return result;
}

int main(int, char **argv) {
  const int n = number(argv[1]), rounds = number(argv[2]);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  for (int round = 0; round < rounds; ++round) {
    void (*kernel)(float *, int) = round % 2 ? add : twice;
    for (int i = 0; i < 3; ++i)
      kernel<<<(n + 127) / 128, 128>>>(x, n);
  }
  cudaFree(x);
}
