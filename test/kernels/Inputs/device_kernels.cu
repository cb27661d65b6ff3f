// Kernels that a GPU's compiler and the CPU (test/oracle/cuda_shim.h) both compile: Inputs/check_shim.py holds
// predicted counts against what every thread does. The shim counts what is written: a value that two expressions use has
// a name, and what is a flop has an operand of a type that counts (`3.0f * i` has none, `float(i) * 3.0f` has).
#ifndef ERGON_SHIM
#include <cuda_fp16.h>
#define DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[]
using Int = int;
using Unsigned = unsigned;
#endif

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// --- Elementwise ---------------------------------------------------------------------------------

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = INDEX;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = INDEX;
  if (i < n)
    c[i] = a[i] + b[i];
}

__global__ void daxpy(int n, double a, const double *x, double *y) {
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    y[i] = fma(a, x[i], y[i]);
}

__global__ void haxpy(int n, __half a, const __half *x, __half *y) {
  int i = INDEX;
  if (i < n)
    y[i] = __hfma(a, x[i], __hadd(y[i], a));
}

struct Scaling {
  float factor, offset;
  int n;
};

__global__ void scaled(Scaling by, const float *x, float *y) {
  int i = INDEX;
  if (i < by.n)
    y[i] = x[i] * by.factor + by.offset;
}

struct Particle {
  float x, y, z, mass;
};

__global__ void arrays_of_structs(int n, Particle *p, float dt) {
  int i = INDEX;
  if (i < n) {
    float step = dt * p[i].mass;
    p[i].x += step;
    p[i].y += step;
    p[i].z -= step;
  }
}

__global__ void structs_of_arrays(int n, float *x, float *y, const float *mass, float dt) {
  int i = INDEX;
  if (i < n) {
    float step = dt * mass[i];
    x[i] += step;
    y[i] += step;
  }
}

template <int Degree> __global__ void polynomial(int n, float sum, const float *x, float *y) {
  int i = INDEX;
  if (i >= n)
    return;
  float at = x[i];
  for (int k = 0; k < Degree; k++)
    sum = sum * at + 0.25f;
  y[i] = sum;
}
template __global__ void polynomial<7>(int, float, const float *, float *);

__noinline__ __device__ float norm(float x, float y) { return sqrtf(x * x + y * y) / (x - y); }

__global__ void outlined(int n, const float *x, const float *y, float *z) {
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    z[i] = norm(x[i], y[i]);
}

__device__ float normal_cdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * 1.781477937f)));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(int n, const float *price, const float *strike, const float *years, float *call, float r, float v) {
  int i = INDEX;
  if (i >= n)
    return;
  float s = price[i], x = strike[i], t = years[i];
  float spread = v * sqrtf(t);
  float d1 = (__logf(s / x) + (r + 0.5f * v * v) * t) / spread;
  float d2 = d1 - spread;
  call[i] = s * normal_cdf(d1) - x * __expf(-r * t) * normal_cdf(d2);
}

// --- Grids ---------------------------------------------------------------------------------------

__global__ void stencil_2d(int n, const double *a, double *b) {
  int j = INDEX, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}

__global__ void stencil_3d(int n, int m, const float *a, float *b) {
  int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < m - 1) {
    int at = (z * n + y) * n + x;
    b[at] = a[at] * -6.0f + a[at - 1] + a[at + 1] + a[at - n] + a[at + n] + a[at - n * n] + a[at + n * n];
  }
}

// A column a thread; the values above and below move through registers.
__global__ void jacobi_3d(int n, const float *a, float *b) {
  int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
    return;
  int at = y * n + x;
  float below = a[at], here = a[at + n * n];
  for (int z = 1; z < n - 1; z++) {
    at += n * n;
    float above = a[at + n * n];
    b[at] = (below + above + a[at - 1] + a[at + 1] + a[at - n] + a[at + n]) * 0.125f - here;
    below = here;
    here = above;
  }
}

__global__ void transpose(int n, const float *a, float *b) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n)
    b[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__constant__ float weights[9];

__global__ void convolution(int n, const float *x, float *y) {
  int i = INDEX;
  if (i >= n - 8)
    return;
  float sum = 0;
  for (int k = 0; k < 9; k++)
    sum += weights[k] * x[i + k];
  y[i] = sum;
}

// Rows of 64 with 4 more on each side, 16 threads a row, each with 4 values.
__global__ void convolution_rows(int pitch, const float *x, float *y) {
  __shared__ float row[4][72];
  int base = (blockIdx.y * 4 + threadIdx.y) * pitch + blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < 4; k++)
    row[threadIdx.y][4 + threadIdx.x + k * 16] = x[base + k * 16];
  if (threadIdx.x < 4) {
    row[threadIdx.y][threadIdx.x] = blockIdx.x > 0 ? x[base - 4] : 0.0f;
    row[threadIdx.y][68 + threadIdx.x] = blockIdx.x + 1 < gridDim.x ? x[base + 64] : 0.0f;
  }
  __syncthreads();
  float sums[4] = {0, 0, 0, 0};
  for (int j = 0; j < 9; j++) {
    float weight = weights[j];
    for (int k = 0; k < 4; k++)
      sums[k] += weight * row[threadIdx.y][threadIdx.x + k * 16 + j];
  }
  for (int k = 0; k < 4; k++)
    y[base + k * 16] = sums[k];
}

// --- Products ------------------------------------------------------------------------------------

__global__ void matmul(int n, const float *a, const float *b, float *c) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 16; t++) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void matmul_ragged(int n, const float *a, const float *b, float *c) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < (n + 15) / 16; t++) {
    as[y][x] = row < n && t * 16 + x < n ? a[row * n + t * 16 + x] : 0.0f;
    bs[y][x] = column < n && t * 16 + y < n ? b[(t * 16 + y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; k++)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

__global__ void spmv_ell(int rows, int width, const Int *column, const float *value, const float *x, float *y) {
  int i = INDEX;
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < width; k++)
    sum += value[k * rows + i] * x[column[k * rows + i]];
  y[i] = sum;
}

__global__ void n_body(int n, const float *x, const float *y, const float *mass, float *fx, float *fy) {
  DYNAMIC_SHARED(float, bodies);
  int i = INDEX;
  float xi = x[i], yi = y[i], sumx = 0, sumy = 0;
  for (int tile = 0; tile < n; tile += blockDim.x) {
    bodies[3 * threadIdx.x] = x[tile + threadIdx.x];
    bodies[3 * threadIdx.x + 1] = y[tile + threadIdx.x];
    bodies[3 * threadIdx.x + 2] = mass[tile + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; k++) {
      float dx = bodies[3 * k] - xi, dy = bodies[3 * k + 1] - yi;
      float inverse = rsqrtf(dx * dx + dy * dy + 0.01f);
      float force = bodies[3 * k + 2] * inverse * inverse * inverse;
      sumx += dx * force;
      sumy += dy * force;
    }
    __syncthreads();
  }
  fx[i] = sumx;
  fy[i] = sumy;
}

// --- Reductions and scans ------------------------------------------------------------------------

__global__ void reduce(int n, const float *x, float *sums) {
  DYNAMIC_SHARED(float, part);
  int i = INDEX;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

template <int Threads> __global__ void reduce_fixed(int n, const double *x, double *sums) {
  __shared__ double partial[Threads];
  int i = blockIdx.x * Threads + threadIdx.x;
  double sum = 0;
  for (; i < n; i += Threads * gridDim.x)
    sum += x[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = Threads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0];
}
template __global__ void reduce_fixed<128>(int, const double *, double *);

__global__ void dot(int n, const float *x, const float *y, float *result) {
  __shared__ float warps[32];
  float sum = 0;
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    sum += x[i] * y[i];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  warps[threadIdx.x / 32] = sum; // the same value from all 32
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < blockDim.x / 32; w++)
      total += warps[w];
    atomicAdd(result, total);
  }
}

__global__ void warp_sums(const float *x, float *sums) {
  float sum = x[INDEX];
  for (int d = 1; d < 32; d *= 2)
    sum += __shfl_down_sync(~0u, sum, d);
  sums[INDEX] = sum;
}

// Hillis and Steele: a block's 128 values, from one buffer into the other.
__global__ void scan_128(const float *x, float *y) {
  __shared__ float both[2][128];
  int i = threadIdx.x, from = 0;
  both[0][i] = x[INDEX];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (i >= d)
      both[1 - from][i] = both[from][i] + both[from][i - d];
    else
      both[1 - from][i] = both[from][i];
    from = 1 - from;
    __syncthreads();
  }
  y[INDEX] = both[from][i];
}

// Blelloch: a block's 2·blockDim values, up and down a tree, exclusive.
__global__ void scan_tree(const float *x, float *y) {
  DYNAMIC_SHARED(float, tree);
  int i = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n;
  tree[2 * i] = x[base + 2 * i];
  tree[2 * i + 1] = x[base + 2 * i + 1];
  int step = 1;
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (i < d)
      tree[step * (2 * i + 2) - 1] += tree[step * (2 * i + 1) - 1];
    step *= 2;
  }
  if (i == 0)
    tree[n - 1] = 0.0f;
  for (int d = 1; d < n; d *= 2) {
    step /= 2;
    __syncthreads();
    if (i < d) {
      float left = tree[step * (2 * i + 1) - 1];
      float right = tree[step * (2 * i + 2) - 1];
      tree[step * (2 * i + 1) - 1] = right;
      tree[step * (2 * i + 2) - 1] = right + left;
    }
  }
  __syncthreads();
  y[base + 2 * i] = tree[2 * i];
  y[base + 2 * i + 1] = tree[2 * i + 1];
}

__global__ void histogram(int n, const Unsigned *values, Unsigned *bins) {
  __shared__ Unsigned local[64];
  if (threadIdx.x < 64)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[values[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// --- Others --------------------------------------------------------------------------------------

// One radix-2 butterfly of a transform of n values in a stage where partners are `half` apart.
__global__ void butterfly(int n, int half, float *re, float *im) {
  int i = INDEX;
  if (i >= n / 2)
    return;
  int low = i / half * half * 2 + i % half, high = low + half;
  float angle = float(i % half) * -3.14159265f / float(half);
  float c = __cosf(angle), s = __sinf(angle), hr = re[high], hi = im[high], lr = re[low], li = im[low];
  float tr = c * hr - s * hi, ti = c * hi + s * hr;
  re[low] = lr + tr;
  im[low] = li + ti;
  re[high] = lr - tr;
  im[high] = li - ti;
}

// A block sorts 256 values: every pair is compared, whether it is swapped or not.
__global__ void bitonic(float *x) {
  __shared__ float keys[256];
  int i = threadIdx.x;
  keys[i] = x[INDEX];
  for (int size = 2; size <= 256; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int other = i ^ stride;
      if (other > i) {
        float a = keys[i], b = keys[other];
        bool up = (i & size) == 0;
        float low = fminf(a, b), high = fmaxf(a, b);
        keys[i] = up ? low : high;
        keys[other] = up ? high : low;
      }
    }
  __syncthreads();
  x[INDEX] = keys[i];
}

// As often as the point stays inside: a symbol.
__global__ void mandelbrot(int n, int limit, Int *escape) {
  int i = INDEX;
  if (i >= n)
    return;
  float cx = float(i % 64) * 0.046875f - 2.0f, cy = float(i / 64) * 0.03125f - 1.0f, x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    k++;
  }
  escape[i] = k;
}
