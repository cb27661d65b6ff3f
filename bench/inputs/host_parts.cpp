// `main` of programs that call host parts of cuda-samples: one for each macro, compiled and linked
// with the sample's own file. Sizes are constants, as in the samples; data are random numbers.
#include <cstdlib>
#include <vector>

template <class T> static std::vector<T> randoms(int n, T low, T high) {
  std::vector<T> result(n);
  for (T &each : result)
    each = T(low + (high - low) * (double(std::rand()) / RAND_MAX));
  return result;
}

#if defined(HOST_BLACK_SCHOLES)
extern "C" void BlackScholesCPU(float *call, float *put, float *price, float *strike, float *years,
                                float riskfree, float volatility, int n);
int main() {
  const int n = 4000;
  std::vector<float> call(n), put(n), price = randoms(n, 5.0f, 30.0f),
                                      strike = randoms(n, 1.0f, 100.0f),
                                      years = randoms(n, 0.25f, 10.0f);
  for (int i = 0; i < 4; ++i)
    BlackScholesCPU(call.data(), put.data(), price.data(), strike.data(), years.data(), 0.02f,
                    0.30f, n);
  return call[1] < 0;
}
#elif defined(HOST_BINOMIAL_OPTIONS)
struct TOptionData {
  float S, X, T, R, V;
};
extern "C" void binomialOptionsCPU(float &call, TOptionData data);
extern "C" void BlackScholesCall(float &call, TOptionData data);
int main() {
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    const float price = 5 + i, strike = 1 + 3 * i;
    float tree = 0, closed = 0;
    binomialOptionsCPU(tree, {price, strike, 1, 0.06f, 0.10f});
    BlackScholesCall(closed, {price, strike, 1, 0.06f, 0.10f});
    sum += tree - closed;
  }
  return sum > 1;
}
#elif defined(HOST_SOBOL_QRNG)
void initSobolDirectionVectors(int dimensions, unsigned *directions);
void sobolCPU(int vectors, int dimensions, unsigned *directions, float *output);
int main() {
  const int vectors = 2000, dimensions = 20;
  std::vector<unsigned> directions(dimensions * 32);
  std::vector<float> output(vectors * dimensions);
  initSobolDirectionVectors(dimensions, directions.data());
  sobolCPU(vectors, dimensions, directions.data(), output.data());
  return output[5] > 1;
}
#elif defined(HOST_QUASIRANDOM_GENERATOR)
extern "C" void initQuasirandomGenerator(unsigned table[3][31]);
extern "C" float getQuasirandomValue(unsigned table[3][31], int i, int dim);
extern "C" double MoroInvCNDcpu(unsigned x);
int main() {
  static unsigned table[3][31];
  double sum = 0;
  initQuasirandomGenerator(table);
  for (int dim = 0; dim < 3; ++dim)
    for (int i = 0; i < 2000; ++i)
      sum += getQuasirandomValue(table, i, dim);
  for (unsigned i = 0; i < 3000; ++i)
    sum += MoroInvCNDcpu((i + 1) * 1000003u);
  return sum < 0;
}
#elif defined(HOST_CONVOLUTION_FFT2D)
extern "C" void convolutionClampToBorderCPU(float *result, float *data, float *kernel, int dataH,
                                            int dataW, int kernelH, int kernelW, int kernelY,
                                            int kernelX);
int main() {
  const int height = 60, width = 50, kernelH = 7, kernelW = 6;
  std::vector<float> result(height * width), data = randoms(height * width, 0.0f, 1.0f),
                                             kernel = randoms(kernelH * kernelW, 0.0f, 1.0f);
  convolutionClampToBorderCPU(result.data(), data.data(), kernel.data(), height, width, kernelH,
                              kernelW, 3, 4);
  return result[7] < 0;
}
#elif defined(HOST_CONVOLUTION_SEPARABLE)
extern "C" void convolutionRowCPU(float *result, float *data, float *kernel, int width, int height,
                                  int radius);
extern "C" void convolutionColumnCPU(float *result, float *data, float *kernel, int width,
                                     int height, int radius);
int main() {
  const int width = 192, height = 128, radius = 8;
  std::vector<float> result(width * height), buffer(width * height),
      data = randoms(width * height, 0.0f, 16.0f), kernel = randoms(2 * radius + 1, 0.0f, 16.0f);
  convolutionRowCPU(buffer.data(), data.data(), kernel.data(), width, height, radius);
  convolutionColumnCPU(result.data(), buffer.data(), kernel.data(), width, height, radius);
  return result[7] < 0;
}
#elif defined(HOST_FAST_WALSH_TRANSFORM)
extern "C" void fwtCPU(float *output, float *input, int log2);
extern "C" void slowWTcpu(float *output, float *input, int log2);
extern "C" void dyadicConvolutionCPU(float *result, float *data, float *kernel, int log2data,
                                     int log2kernel);
int main() {
  const int log2 = 9;
  std::vector<float> fast(1 << log2), slow(1 << log2), both(1 << log2),
      data = randoms(1 << log2, 0.0f, 1.0f), kernel = randoms(1 << 5, 0.0f, 1.0f);
  fwtCPU(fast.data(), data.data(), log2);
  slowWTcpu(slow.data(), data.data(), log2);
  dyadicConvolutionCPU(both.data(), data.data(), kernel.data(), log2, 5);
  double distance = 0;
  for (int i = 0; i < 1 << log2; ++i)
    distance += (fast[i] - slow[i]) * (fast[i] - slow[i]);
  return distance > 1;
}
#elif defined(HOST_HISTOGRAM)
extern "C" void histogram64CPU(unsigned *histogram, void *data, unsigned bytes);
extern "C" void histogram256CPU(unsigned *histogram, void *data, unsigned bytes);
int main() {
  std::vector<unsigned char> data(40000);
  for (unsigned char &each : data)
    each = std::rand() % 256;
  unsigned few[64], many[256], total = 0;
  histogram64CPU(few, data.data(), data.size());
  histogram256CPU(many, data.data(), data.size());
  for (unsigned each : many)
    total += each;
  return total != data.size();
}
#elif defined(HOST_SCAN)
extern "C" void scanExclusiveHost(unsigned *result, unsigned *source, unsigned batch,
                                  unsigned length);
int main() {
  std::vector<unsigned> source(13 * 1024), result(13 * 1024);
  for (unsigned &each : source)
    each = std::rand();
  for (unsigned length = 4; length <= 1024; length <<= 1)
    scanExclusiveHost(result.data(), source.data(), 13 * 1024 / length, length);
  return result[1] == 1;
}
#elif defined(HOST_MERGE_SORT)
extern "C" void mergeSortHost(unsigned *keys, unsigned *values, unsigned *keyBuffer,
                              unsigned *valueBuffer, unsigned *sourceKeys, unsigned *sourceValues,
                              unsigned n, unsigned direction);
int main() {
  const unsigned n = 4 * 1024;
  std::vector<unsigned> keys(n), values(n), keyBuffer(n), valueBuffer(n), sourceKeys(n),
      sourceValues(n);
  for (unsigned i = 0; i < n; ++i) {
    sourceKeys[i] = std::rand() % 65536;
    sourceValues[i] = i;
  }
  mergeSortHost(keys.data(), values.data(), keyBuffer.data(), valueBuffer.data(), sourceKeys.data(),
                sourceValues.data(), n, 1);
  for (unsigned i = 1; i < n; ++i)
    if (keys[i] < keys[i - 1])
      return 1;
  return 0;
}
#elif defined(HOST_MANDELBROT)
#include <vector_types.h>
extern "C" void RunMandelbrotGold0(uchar4 *result, int width, int height, int crunch, float x,
                                   float y, float xJulia, float yJulia, float scale, uchar4 colors,
                                   int frame, int animation, bool isJulia);
int main() {
  const int width = 64, height = 48;
  std::vector<uchar4> image(width * height);
  RunMandelbrotGold0(image.data(), width, height, 128, -0.5f, 0.0f, 0, 0, 3.2f / width,
                     {3, 5, 7, 0}, 0, 0, false);
  return image[0].x == 255;
}
#endif
