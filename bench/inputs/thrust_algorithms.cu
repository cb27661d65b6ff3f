// A large CUDA translation unit: Thrust's algorithms over several types, host and device.

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Scaled {
  double Factor;
  __host__ __device__ double operator()(double X, double Y) const { return Factor * X + Y; }
};

template <typename T> T sumOfSorted(thrust::device_vector<T> &Values) {
  thrust::sort(Values.begin(), Values.end());
  thrust::inclusive_scan(Values.begin(), Values.end(), Values.begin());
  return thrust::reduce(Values.begin(), Values.end());
}

double scaledSum(thrust::device_vector<double> &X, thrust::device_vector<double> &Y, double By) {
  thrust::transform(X.begin(), X.end(), Y.begin(), Y.begin(), Scaled{By});
  return sumOfSorted(X) + sumOfSorted(Y);
}

float sumOfFloats(thrust::device_vector<float> &X) { return sumOfSorted(X); }
int sumOfInts(thrust::device_vector<int> &X) { return sumOfSorted(X); }
