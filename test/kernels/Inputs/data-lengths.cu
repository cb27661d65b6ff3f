// Sums of the rows of a sparse matrix: a thread's number of elements is the difference of two numbers that it reads.
__global__ void sums(int rows, const int *starts, const float *elements, float *out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += elements[i];
  out[row] = sum;
}
// The same number of elements for all threads, read from memory too.
__global__ void same(const int *length, const float *elements, float *out) {
  float sum = 0;
  for (int i = 0; i < *length; ++i)
    sum += elements[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
