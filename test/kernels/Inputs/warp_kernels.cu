// Kernels whose warps access memory in many ways, for both compilers, as device_kernels.cu: check_warps.py holds
// predicted requests, sectors and passes through banks against the addresses of every lane.
#ifndef ERGON_SHIM
#define DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[]
#define LOCAL_ARRAY(TYPE, NAME, SIZE) TYPE NAME[SIZE]
using Int = int;
using Unsigned = unsigned;
using Byte = signed char;
using Short = short;
#endif
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// --- Copies: how lanes lie beside one another --------------------------------------------------------

__global__ void copy_offset(int n, int offset, const float *x, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[i + offset];
}

__global__ void copy_stride(int n, int stride, const float *x, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[i * stride];
}

__global__ void copy_reversed(int n, const double *x, double *y) {
  int i = INDEX;
  if (i < n)
    y[n - 1 - i] = x[i];
}

__global__ void copy_bytes(int n, const Byte *x, Byte *y) {
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i];
}

__global__ void copy_shorts(int n, int offset, const Short *x, Short *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[i + offset];
}

__global__ void copy_four(int n, const float4 *x, float4 *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[i];
}

// In IR each field is loaded and stored by itself.
__global__ void scale_four(int n, float factor, const float4 *x, float4 *y) {
  int i = INDEX;
  if (i < n) {
    float4 v = x[i];
    v.x *= factor;
    v.y *= factor;
    v.z += factor;
    v.w -= factor;
    y[n - 1 - i] = v;
  }
}

__global__ void broadcast(int n, const float *x, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[blockIdx.x] * x[i / 8];
}

// A thread copies a piece of its own: neighbours are far apart.
__global__ void copy_pieces(int n, int length, const float *x, float *y) {
  int first = INDEX * length;
  for (int i = first; i < first + length && i < n; i++)
    y[i] = x[i];
}

__global__ void copy_plane(int width, int height, int pitch, const float *x, float *y) {
  int i = INDEX, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < width && j < height)
    y[j * pitch + i] = x[j * pitch + i];
}

__global__ void gather(int n, const Int *index, const float *x, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = x[index[i]];
}

// --- Transposes --------------------------------------------------------------------------------------

__global__ void transpose_naive(int n, const float *a, float *b) {
  int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    b[x * n + y] = a[y * n + x];
}

template <int Width> __global__ void transpose_tiled(int n, const float *a, float *b) {
  __shared__ float tile[32][Width];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
template __global__ void transpose_tiled<32>(int, const float *, float *);
template __global__ void transpose_tiled<33>(int, const float *, float *);

__global__ void transpose_doubles(int n, const double *a, double *b) {
  __shared__ double tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = a[y * n + x];
  __syncthreads();
  b[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// --- Shared memory -----------------------------------------------------------------------------------

__global__ void banks_stride(int stride, const float *x, float *y) {
  DYNAMIC_SHARED(float, words);
  words[threadIdx.x * stride % 1024] = x[INDEX];
  __syncthreads();
  y[INDEX] = words[threadIdx.x * stride % 1024];
}

__global__ void banks_bytes(const Byte *x, Byte *y) {
  __shared__ Byte bytes[4 * 256];
  bytes[threadIdx.x] = x[INDEX];
  bytes[256 + threadIdx.x] = x[INDEX + 1];
  __syncthreads();
  y[INDEX] = bytes[3 * threadIdx.x];
}

__global__ void banks_doubles(int stride, const double *x, double *y) {
  DYNAMIC_SHARED(double, values);
  values[threadIdx.x * stride] = x[INDEX];
  __syncthreads();
  y[INDEX] = values[threadIdx.x / 2];
}

__global__ void banks_four(const float4 *x, float4 *y) {
  __shared__ float4 quads[128];
  quads[threadIdx.x] = x[INDEX];
  __syncthreads();
  y[INDEX] = quads[127 - threadIdx.x];
}

// The halves of a block's values, added in neighbours first: conflicts grow with the stride.
__global__ void reduce_strided(const float *x, float *sums) {
  DYNAMIC_SHARED(float, part);
  part[threadIdx.x] = x[INDEX];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int at = 2 * s * threadIdx.x;
    if (at < blockDim.x)
      part[at] += part[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

// Each thread counts in bins of its own: a row of bytes.
__global__ void histogram_own(int n, const Unsigned *values, Unsigned *bins) {
  DYNAMIC_SHARED(Unsigned, counts);
  for (int b = 0; b < 8; b++)
    counts[threadIdx.x * 8 + b] = 0;
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[threadIdx.x * 8 + i % 8], values[i]);
  for (int b = 0; b < 8; b++)
    atomicAdd(&bins[b], counts[threadIdx.x * 8 + b]);
}

__global__ void stencil_halo(int n, const float *x, float *y) {
  __shared__ float line[128 + 6];
  int i = INDEX, at = threadIdx.x + 3;
  if (i < n)
    line[at] = x[i];
  if (threadIdx.x < 3) {
    line[threadIdx.x] = i >= 3 ? x[i - 3] : 0.0f;
    line[at + 128] = i + 128 < n ? x[i + 128] : 0.0f;
  }
  __syncthreads();
  if (i >= n)
    return;
  float sum = 0;
  for (int k = -3; k <= 3; k++)
    sum += line[at + k];
  y[i] = sum;
}

__global__ void stencil_plane_halo(int n, const float *x, float *y) {
  __shared__ float tile[10][10];
  int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (i < n && j < n)
    tile[ty][tx] = x[j * n + i];
  if (threadIdx.y == 0 && j > 0 && i < n)
    tile[0][tx] = x[(j - 1) * n + i];
  if (threadIdx.x == 0 && i > 0 && j < n)
    tile[ty][0] = x[j * n + i - 1];
  __syncthreads();
  if (i > 0 && i < n && j > 0 && j < n)
    y[j * n + i] = tile[ty][tx] - tile[ty - 1][tx] - tile[ty][tx - 1];
}

// --- Constants and local arrays ----------------------------------------------------------------------

__constant__ float table[256];

__global__ void lookup(int n, int step, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = table[threadIdx.x * step] + table[7];
}

__global__ void local_rows(int n, int rounds, const float *x, float *y) {
  LOCAL_ARRAY(float, own, 16);
  int i = INDEX;
  if (i >= n)
    return;
  for (int r = 0; r < rounds; r++)
    own[(r * 5 + i) % 16] = x[i * rounds + r];
  float sum = 0;
  for (int r = 0; r < rounds; r++)
    sum += own[r];
  y[i] = sum;
}

// --- Lanes that part ---------------------------------------------------------------------------------

__global__ void lower_rows(int n, const float *a, float *sums) {
  int row = INDEX;
  if (row >= n)
    return;
  float sum = 0;
  for (int column = 0; column <= row; column++)
    sum += a[row * n + column];
  sums[row] = sum;
}

__global__ void lower_columns(int n, const float *a, float *sums) {
  int column = INDEX;
  float sum = 0;
  for (int row = 0; row < n; row++)
    if (column <= row && column < n)
      sum += a[row * n + column];
  if (column < n)
    sums[column] = sum;
}

// Loops in loops, both as long as the lane says.
__global__ void nested(int n, const float *x, float *y) {
  int i = INDEX;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < i % 5; j++)
    for (int k = j; k < i % 7; k++)
      sum += x[i + j * n + k];
  y[i] = sum;
}

__global__ void either_way(int n, const float *x, float *y, float *z) {
  int i = INDEX;
  if (i >= n)
    return;
  if (i % 2)
    y[i] = x[i] * 2.0f;
  else
    z[2 * n - i] = x[n + i] + 1.0f;
}
