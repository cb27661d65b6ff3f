// Matrix products that store in their innermost loop, as they are written without thinking of it: each thread has an
// element of C in memory, not in a register, since A or B may be the same array. n is a multiple of 16.
//
// What they move to and from memory is simulated by gpu_products.cpp; bench/gpu_products.py compares.
extern "C" {

__global__ void product(float *C, const float *A, const float *B, int n) {
  const int Column = blockIdx.x * blockDim.x + threadIdx.x, Row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int K = 0; K < n; ++K)
    C[Row * n + Column] += A[Row * n + K] * B[K * n + Column];
}

// B is transposed: the lanes of a warp are in rows of it.
__global__ void product_of_rows(float *C, const float *A, const float *B, int n) {
  const int Column = blockIdx.x * blockDim.x + threadIdx.x, Row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int K = 0; K < n; ++K)
    C[Row * n + Column] += A[Row * n + K] * B[Column * n + K];
}

// C is transposed.
__global__ void product_in_columns(float *C, const float *A, const float *B, int n) {
  const int Column = blockIdx.x * blockDim.x + threadIdx.x, Row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int K = 0; K < n; ++K)
    C[Column * n + Row] += A[Row * n + K] * B[K * n + Column];
}
}
