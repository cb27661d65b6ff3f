// Thrust's reduction: host code and many device kernels.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
double sum(const thrust::device_vector<double> &x) { return thrust::reduce(x.begin(), x.end(), 0.0); }
