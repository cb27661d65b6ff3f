// More kernels for both compilers, as device_kernels.cu: the shapes that benchmark suites are made of.
#ifndef ERGON_SHIM
#define DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[]
using Int = int;
using Unsigned = unsigned;
#endif
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// --- Loops whose bounds are products and steps -----------------------------------------------------

// Vectors one after the other in memory, several a block; a sum for each.
__global__ void scalar_products(const float *a, const float *b, float *c, int vectors, int elements) {
  __shared__ float part[256];
  for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
    int first = __mul24(elements, vector), past = first + elements;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
      float sum = 0;
      for (int at = first + i; at < past; at += 256)
        sum += a[at] * b[at];
      part[i] = sum;
    }
    for (int stride = 128; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int i = threadIdx.x; i < stride; i += blockDim.x)
        part[i] += part[stride + i];
    }
    __syncthreads();
    if (threadIdx.x == 0)
      c[vector] = part[0];
  }
}

// An int that is moved by 64 bits, as cooperative groups have their sizes.
__global__ void wide_step(int n, float *x) {
  unsigned long long all = (unsigned long long)(gridDim.x) * blockDim.x;
  for (int i = INDEX; i < n; i += all)
    x[i] = x[i] * 1.5f + 2.0f;
}

__global__ void tiles_of_rows(int rows, int columns, const float *x, float *y) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
      sum += x[row * columns + column];
    y[row] = sum;
  }
}

__global__ void triangle(int n, const float *a, float *x) {
  int i = INDEX;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j <= i; j++)
      sum += a[j] * x[j];
    x[i] = sum;
  }
}

// --- Factorizations and dynamic programming --------------------------------------------------------

__global__ void eliminate_column(int n, int k, const float *a, float *m) {
  if (INDEX >= n - 1 - k)
    return;
  m[n * (INDEX + k + 1) + k] = a[n * (INDEX + k + 1) + k] / a[n * k + k];
}

__global__ void eliminate_rest(int n, int k, const float *m, float *a, float *b) {
  int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - k || y >= n - k)
    return;
  a[n * (x + 1 + k) + y + k] -= m[n * (x + 1 + k) + k] * a[n * k + y + k];
  if (y == 0)
    b[x + 1 + k] -= m[n * (x + 1 + k) + k] * b[k];
}

// The diagonal block of a factorization in blocks: 16 threads, shrinking work.
__global__ void diagonal(int n, int offset, float *m) {
  __shared__ float tile[16][16];
  for (int i = 0; i < 16; i++)
    tile[i][threadIdx.x] = m[(offset + i) * n + offset + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 15; i++) {
    if (threadIdx.x > i) {
      float here = tile[threadIdx.x][i];
      for (int j = 0; j < i; j++)
        here -= tile[threadIdx.x][j] * tile[j][i];
      tile[threadIdx.x][i] = here / tile[i][i];
    }
    __syncthreads();
    if (threadIdx.x > i) {
      float here = tile[i + 1][threadIdx.x];
      for (int j = 0; j < i + 1; j++)
        here -= tile[i + 1][j] * tile[j][threadIdx.x];
      tile[i + 1][threadIdx.x] = here;
    }
    __syncthreads();
  }
  for (int i = 1; i < 16; i++)
    m[(offset + i) * n + offset + threadIdx.x] = tile[i][threadIdx.x];
}

// A block's tile along its diagonals, forth and back: which threads work changes.
__global__ void wavefront(int columns, float penalty, const float *reference, float *score) {
  __shared__ float tile[17][17], cost[16][16];
  int t = threadIdx.x, at = columns * 16 * blockIdx.x + t;
  for (int y = 0; y < 16; y++)
    cost[y][t] = reference[at + columns * y];
  __syncthreads();
  tile[t + 1][0] = score[at];
  tile[0][t + 1] = score[at + 1];
  if (t == 0)
    tile[0][0] = score[at + 2];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      tile[y][x] = fmaxf(tile[y - 1][x - 1] + cost[y - 1][x - 1], fmaxf(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (t <= m) {
      int x = t + 16 - m, y = 16 - t;
      tile[y][x] = fmaxf(tile[y - 1][x - 1] + cost[y - 1][x - 1], fmaxf(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int y = 0; y < 16; y++)
    score[at + columns * y] = tile[y + 1][t + 1];
}

// --- Stencils that take several steps a launch -----------------------------------------------------

// A row's minimum path: halos shrink by one on each side a step, and are clipped at the borders.
__global__ void pyramid_1d(int steps, int columns, int start, int border, const float *wall, const float *from, float *to) {
  __shared__ float before[64], after[64];
  int t = threadIdx.x, first = (64 - steps * 2) * blockIdx.x - border, last = first + 63, x = first + t;
  int low = first < 0 ? -first : 0, high = last > columns - 1 ? 63 - (last - columns + 1) : 63;
  int west = t - 1 < low ? low : t - 1, east = t + 1 > high ? high : t + 1;
  if (x >= 0 && x <= columns - 1)
    before[t] = from[x];
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (t >= i + 1 && t <= 62 - i && t >= low && t <= high) {
      computed = true;
      after[t] = fminf(before[west], fminf(before[t], before[east])) + wall[columns * (start + i) + x];
    }
    __syncthreads();
    if (i == steps - 1)
      break;
    if (computed)
      before[t] = after[t];
    __syncthreads();
  }
  if (computed)
    to[x] = after[t];
}

// Two dimensions of the same: four clipped ranges.
__global__ void pyramid_2d(int steps, int columns, int rows, int border, const float *power, const float *from, float *to) {
  __shared__ float before[16][16], after[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, inner = 16 - steps * 2;
  int top = inner * blockIdx.y - border, left = inner * blockIdx.x - border, bottom = top + 15, right = left + 15;
  int y = top + ty, x = left + tx, index = columns * y + x;
  if (y >= 0 && y <= rows - 1 && x >= 0 && x <= columns - 1)
    before[ty][tx] = from[index];
  __syncthreads();
  int low_y = top < 0 ? -top : 0, high_y = bottom > rows - 1 ? 15 - (bottom - rows + 1) : 15;
  int low_x = left < 0 ? -left : 0, high_x = right > columns - 1 ? 15 - (right - columns + 1) : 15;
  int n = ty - 1 < low_y ? low_y : ty - 1, s = ty + 1 > high_y ? high_y : ty + 1;
  int w = tx - 1 < low_x ? low_x : tx - 1, e = tx + 1 > high_x ? high_x : tx + 1;
  for (int i = 0; i < steps; i++) {
    bool computed = false;
    if (tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i && tx >= low_x && tx <= high_x && ty >= low_y && ty <= high_y) {
      computed = true;
      after[ty][tx] = before[ty][tx] + (power[index] + before[n][tx] + before[s][tx] + before[ty][w] + before[ty][e]) * 0.25f;
    }
    __syncthreads();
    if (i == steps - 1)
      break;
    if (computed)
      before[ty][tx] = after[ty][tx];
    __syncthreads();
  }
  to[tx] = 1.0f;
}

__global__ void stencil_planes(int nx, int ny, int nz, const float *in, float *out) {
  int i = INDEX, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny)
    for (int k = 0; k < nz; k++) {
      int c = i + nx * (j + ny * k);
      int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1, s = j == 0 ? c : c - nx, t = k == nz - 1 ? c : c + nx * ny;
      out[c] = in[c] * 0.5f + in[w] * 0.1f + in[e] * 0.1f + in[s] * 0.2f + in[t] * 0.2f;
    }
}

// --- Clusters, graphs, structures ------------------------------------------------------------------

__constant__ float centers[32 * 8];

__global__ void nearest(int points, int clusters, const float *features, Int *member) {
  int i = INDEX;
  if (i >= points)
    return;
  int index = 0;
  float least = 1e30f, own[8];
  for (int f = 0; f < 8; f++)
    own[f] = features[f * points + i];
  for (int c = 0; c < clusters; c++) {
    float distance = 1.0f;
    for (int f = 0; f < 8; f++) {
      float gap = own[f] - centers[c * 8 + f];
      distance += gap * gap;
    }
    if (distance < least) {
      least = distance;
      index = c;
    }
  }
  member[i] = index;
}

// Whose turn it is, and how many neighbours it has, is data.
__global__ void frontier(int n, int level, const Int *rows, const Int *columns, Int *levels, Int *more) {
  int i = INDEX;
  if (i < n && levels[i] == level)
    for (int e = rows[i]; e < rows[i + 1]; e++) {
      int to = columns[e];
      if (levels[to] < 0) {
        levels[to] = level + 1;
        *more = 1;
      }
    }
}

struct Box {
  int nx, ny, nz;
  float scale;
};

__global__ void boxed(const Box box, float *x) {
  int i = INDEX, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= box.nx || j >= box.ny)
    return;
  for (int k = 0; k < box.nz; k++)
    x[(k * box.ny + j) * box.nx + i] *= box.scale;
}

// --- Reductions ------------------------------------------------------------------------------------

// The first addition on the way in, the last warp by shuffles.
template <int Threads> __global__ void reduce_shuffled(int n, const float *in, float *out) {
  __shared__ float part[Threads];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * Threads * 2 + t; i < n; i += Threads * 2 * gridDim.x) {
    sum += in[i];
    if (i + Threads < n)
      sum += in[i + Threads];
  }
  part[t] = sum;
  __syncthreads();
  for (int s = Threads / 2; s > 32; s >>= 1) {
    if (t < s)
      part[t] = sum = sum + part[t + s];
    __syncthreads();
  }
  if (t < 32) {
    sum += part[t + 32];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    out[blockIdx.x * 32 + t] = sum;
    if (t == 0)
      atomicAdd(out, sum);
  }
}
template __global__ void reduce_shuffled<128>(int, const float *, float *);

// The interleaved tree, with a remainder.
__global__ void reduce_interleaved(const float *in, float *out) {
  DYNAMIC_SHARED(float, part);
  part[threadIdx.x] = in[INDEX];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

// Integrates to a bound that grows; half the work of a square in each block.
__global__ void pairs(int n, const float *x, const float *y, float *energy) {
  int i = INDEX;
  if (i >= n)
    return;
  float sum = 0, own_x = x[i], own_y = y[i];
  for (int j = i + 1; j < n; j++) {
    float dx = own_x - x[j], dy = own_y - y[j];
    sum += rsqrtf(dx * dx + dy * dy + 0.01f);
  }
  energy[i] = sum;
}
