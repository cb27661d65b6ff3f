// y = a * x + y on a GPU: one thread for each element.
//
// The grid is rounded up to whole blocks, so the last block may have threads without an element: the
// guard `i < n` sends them home. Ergon counts the n threads that work: W = 2n flops, 2n loads, n stores.

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

// Copies x and y to the device, runs the kernel and copies y back; false where CUDA reports an error.
bool saxpyOnDevice(int n, float a, const float *x, float *y) {
  size_t bytes = n * sizeof(float);
  float *deviceX = nullptr, *deviceY = nullptr;
  cudaMalloc(&deviceX, bytes);
  cudaMalloc(&deviceY, bytes);
  cudaMemcpy(deviceX, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceY, y, bytes, cudaMemcpyHostToDevice);

  int blocks = (n + 255) / 256;
  saxpy<<<blocks, 256>>>(n, a, deviceX, deviceY);

  cudaMemcpy(y, deviceY, bytes, cudaMemcpyDeviceToHost);
  cudaFree(deviceX);
  cudaFree(deviceY);
  return cudaGetLastError() == cudaSuccess;
}
