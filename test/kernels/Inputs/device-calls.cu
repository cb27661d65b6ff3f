__constant__ float coefficients[16];
__device__ float table[256];

__device__ __noinline__ float dot(const float *a, const float *b, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
__device__ __noinline__ void add(float *to, float value) { *to += value; }
__device__ __noinline__ void count(int *to) { atomicAdd(to, 1); }
__device__ __noinline__ float filtered(const float *a, int n) { return dot(a, coefficients, n) + dot(table, a, n); }

__global__ void rows(int n, const float *a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    add(&y[i], dot(&a[i * n], x, n));
}

__global__ void convolution(int n, const float *a, float *y, int *counter) {
  __shared__ float part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  part[threadIdx.x] = filtered(&a[i], 16);
  __syncthreads();
  if (threadIdx.x == 0) {
    y[blockIdx.x] = dot(part, part, 64);
    count(counter);
  }
}

// One pointer to either of two spaces: nobody knows.
__global__ void either(int n, const float *a, float *y) {
  __shared__ float part[64];
  part[threadIdx.x] = 1;
  y[threadIdx.x] = dot(n > 10 ? a : part, part, 2);
}
