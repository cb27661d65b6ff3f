// Host functions that launch: launch_counts.py has the counts of each by hand.
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void stride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

template <class T> __global__ void scale(T *p, int width, int height, T f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    p[y * width + x] *= f;
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

// Each block sums 2·blockDim.x numbers through dynamic shared memory; the first half of the threads is a
// uniform branch where blockDim.x/2 is a multiple of the warp's 32.
__global__ void pairs(int n, const float *x, float *y) {
  extern __shared__ float part[];
  int first = 2 * blockIdx.x * blockDim.x, t = threadIdx.x;
  part[t] = (first + t < n ? x[first + t] : 0) + (first + blockDim.x + t < n ? x[first + blockDim.x + t] : 0);
  __syncthreads();
  if (t < blockDim.x / 2)
    y[blockIdx.x * (blockDim.x / 2) + t] = part[t] + part[t + blockDim.x / 2];
}

__global__ void cube(int n, double *p) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n)
    p[(z * n + y) * n + x] += 1.0;
}

static int blocksFor(int n, int each) { return (n + each - 1) / each; }

// The usual shape: to the device, one kernel, back.
void run_saxpy(int n, float a, const float *x, float *y, float *dx, float *dy) {
  size_t bytes = n * sizeof(float);
  cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, a, dx, dy);
  cudaMemcpy(y, dy, bytes, cudaMemcpyDeviceToHost);
}

// A grid that does not depend on n, and a status that is asked for.
int run_stride(int n, float a, const float *x, float *y) {
  stride<<<64, 128>>>(n, a, x, y);
  if (cudaMemset(y, 0, n) != cudaSuccess)
    return 1;
  stride<<<blocksFor(n, 1024), 128>>>(n / 2, a, x, y);
  return 0;
}

// Two dimensions, and n a multiple of the tile.
void run_matmul(int n, const float *a, const float *b, float *c, cudaStream_t stream) {
  dim3 block(Tile, Tile), grid(n / Tile, n / Tile);
  matmul<<<grid, block, 0, stream>>>(n, a, b, c);
}

// Templates; the grid is a sum of the block's members.
void run_scale(int width, int height, float *p, double *q) {
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  scale<float><<<grid, block>>>(p, width, height, 2.0f);
  scale<<<dim3(width, height), 1>>>(q, width, height, 2.0);
}

// Launches whose size changes in a loop: row i of a triangle.
void run_triangle(int n, float *p) {
  for (int i = 0; i < n; i++)
    scale<float><<<dim3(1, i + 1), 64>>>(p, n - i, n, 2.0f);
}

// Three dimensions.
void run_cube(int n, double *p) {
  int each = (n + 3) / 4;
  cube<<<dim3(each, each, each), dim3(4, 4, 4)>>>(n, p);
}

// Dynamic shared memory.
void run_pairs(int n, const float *x, float *y) {
  int threads = 128;
  pairs<<<(n + 2 * threads - 1) / (2 * threads), threads, threads * sizeof(float)>>>(n, x, y);
}

// Without the syntax.
void run_direct(int n, float a, float *x, float *y) {
  void *arguments[] = {&n, &a, &x, &y};
  cudaLaunchKernel((const void *)saxpy, dim3(n), dim3(2, 1, 1), arguments, 0, nullptr);
}

// A kernel's address; one that only the caller knows is run_any's.
typedef void (*Kernel)(int, float, const float *, float *);
void run_pointer(int n, float a, const float *x, float *y) {
  Kernel kernel = stride;
  kernel<<<2, 32>>>(n, a, x, y);
}
void run_any(Kernel kernel, int n, float a, const float *x, float *y) { kernel<<<2, 32>>>(n, a, x, y); }

// A function of the program's own between the caller and the launch.
__attribute__((noinline)) static void step(int blocks, int n, float *x, float *y) {
  saxpy<<<blocks, 64>>>(n, 1.0f, x, y);
}
void run_steps(int steps, int n, float *x, float *y) {
  for (int t = 0; t < steps; t++)
    step((n + 63) / 64, n - t, x, y);
}

// A structure by value, whose two numbers host code passes as one of 64 bits.
struct Batch {
  float *p;
  int count, times;
};
__global__ void repeat(Batch batch, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch.count)
    for (int t = 0; t < batch.times; t++)
      batch.p[t * batch.count + i] *= by;
}
void run_batch(int n, int m, float *p) {
  Batch batch{p, n, m};
  repeat<<<(n + 31) / 32, 32>>>(batch, 3.0f);
}

// A graph of two kernels, launched in a loop.
void run_graph(int reps, int n, float a, float *x, float *y) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t first, second;
  cudaGraphCreate(&graph, 0);
  void *arguments[] = {&n, &a, &x, &y};
  cudaKernelNodeParams params = {};
  params.func = (void *)saxpy;
  params.gridDim = dim3((n + 127) / 128);
  params.blockDim = dim3(128, 1, 1);
  params.kernelParams = arguments;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
  params.func = (void *)stride;
  params.gridDim = dim3(3, 1, 1);
  cudaGraphAddKernelNode(&second, graph, &first, 1, &params);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < reps; i++)
    cudaGraphLaunch(executable, nullptr);
}
// One that somebody else made.
void run_made(cudaGraphExec_t executable) { cudaGraphLaunch(executable, nullptr); }

// The extensible launch.
void run_extended(int n, float a, const float *x, float *y) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((n + 63) / 64);
  config.blockDim = dim3(64);
  cudaLaunchKernelEx(&config, saxpy, n, a, x, y);
}

// Two launches with one array of arguments, changed in between, and a size that comes as a dim3.
void run_twice(int n, float a, float *x, float *y, dim3 block) {
  int size = n;
  void *arguments[] = {&size, &a, &x, &y};
  cudaLaunchKernel((const void *)saxpy, dim3(n), dim3(2), arguments, 0, nullptr);
  size = n / 2;
  cudaLaunchKernel((const void *)stride, dim3(4), dim3(32), arguments, 0, nullptr);
  cube<<<1, block>>>(2, nullptr);
}
void run_dims(int n, float *x, float *y) { run_twice(n, 1.0f, x, y, dim3(5, 1, 3)); }

// Sizes and dimensions that an object holds; what a launch changes is not among them.
struct Stepper {
  int n, count;
  const float *x;
  float *y;
  dim3 grid, block;
  void run();
};
void Stepper::run() {
  for (int t = 0; t < count; t++)
    saxpy<<<grid, block>>>(n, 1.0f, x, y);
}
void run_stepper(Stepper *s) { s->run(); }

// A structure as an argument, of which the caller has a pointer.
struct Range {
  int first, past;
  float a;
};
__global__ void scale_range(Range r, float *y) {
  int i = r.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < r.past)
    y[i] *= r.a;
}
void run_range(const Range *r, float *y) { scale_range<<<(r->past - r->first + 63) / 64, 64>>>(*r, y); }
