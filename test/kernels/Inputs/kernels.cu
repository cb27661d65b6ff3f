// Kernels whose counts Inputs/hand.py writes down as formulas.

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void stride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

constexpr int Tile = 16;

__global__ void matmul(int n, const float *a, const float *b, float *c) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / Tile; t++) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * Tile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * Tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; k++)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void ragged(int n, const float *a, const float *b, float *c) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * Tile + y, column = blockIdx.x * Tile + x;
  float sum = 0;
  for (int t = 0; t < (n + Tile - 1) / Tile; t++) {
    as[y][x] = row < n && t * Tile + x < n ? a[row * n + t * Tile + x] : 0;
    bs[y][x] = column < n && t * Tile + y < n ? b[(t * Tile + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < Tile; k++)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

__global__ void stencil(int n, const double *a, double *b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}

// With 256 threads a block, known when it is compiled.
__global__ void reduce256(int n, const float *x, float *sums) {
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

// With as many as the launch says: the rounds are a logarithm.
__global__ void reduce(int n, const float *x, float *sums) {
  extern __shared__ float part2[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part2[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      part2[threadIdx.x] += part2[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part2[0];
}
