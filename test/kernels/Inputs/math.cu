// Math functions with ways of their own for unusual arguments.
__global__ void sine(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sinf(x[i]);
}

__global__ void many(int n, double *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = sin(x[i]) * cos(x[i]) + log(x[i]) + pow(x[i], 1.5) * exp(x[i]);
    y[i] = powf(y[i], 2.5f) + cosf(y[i]) * expf(y[i]) + logf(y[i]);
  }
}
