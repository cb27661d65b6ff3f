//===- StencilWorkloads.cpp - stencils ------------------------------------===//

#include "verification/Maker.h"

#include <algorithm>
#include <cmath>

namespace ergon::verification {

static Workload makeJacobi1(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.jacobi_1d] { Run(N, A, B); });
}

static Workload makeJacobi2(const F &Variant, Bytes Size) {
  Maker To;
  const int N = side(Size, 2, 8);
  double *const A = To.numbers<double>(long(N) * N), *const B = To.numbers<double>(long(N) * N);
  return To.set("n", N).make([=, Run = Variant.jacobi_2d] { Run(N, A, B); });
}

static Workload makeJacobi3(const F &Variant, Bytes Size) {
  Maker To;
  const int Side = std::max(int(std::cbrt(double(Size) / 16)), 4), N = Side % 8 ? Side : Side - 1;
  const long All = long(N) * N * N;
  double *const A = To.numbers<double>(All), *const B = To.numbers<double>(All);
  return To.set("n", N).make([=, Run = Variant.jacobi_3d] { Run(N, A, B); });
}

static Workload makeGaussSeidel(const F &Variant, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8);
  double *const A = To.numbers<double>(long(N) * N);
  return To.set("n", N).make([=, Run = Variant.gauss_seidel] { Run(N, A); });
}

static Workload makeConvolution(const F &Variant, Bytes Size) {
  Maker To;
  const int Height = side(Size, 2, 4), Width = Height;
  const long All = long(Height) * Width;
  float *const Image = To.numbers<float>(All), *const Filter = To.numbers<float>(9),
               *const Out = To.numbers<float>(All);
  return To.set("height", Height).set("width", Width).make([=, Run = Variant.convolution_3x3] {
    Run(Height, Width, Image, Filter, Out);
  });
}

static Workload makeFir(const F &Variant, Bytes Size) {
  Maker To;
  constexpr int Taps = 20;
  const int N = int(elements(Size, 8));
  float *const H = To.numbers<float>(Taps), *const X = To.numbers<float>(N + Taps - 1),
               *const Y = To.numbers<float>(N);
  return To.set("n", N).set("taps", Taps).make([=, Run = Variant.fir] { Run(N, Taps, H, X, Y); });
}

std::span<const VerifiedKernel> stencilKernels() {
  static constexpr VerifiedKernel All[] = {
      {"jacobi_1d", "stencils", true, makeJacobi1},
      {"jacobi_2d", "stencils", true, makeJacobi2},
      {"jacobi_3d", "stencils", true, makeJacobi3},
      {"gauss_seidel", "stencils", true, makeGaussSeidel},
      {"convolution_3x3", "stencils", true, makeConvolution},
      {"fir", "stencils", true, makeFir},
  };
  return All;
}

} // namespace ergon::verification
