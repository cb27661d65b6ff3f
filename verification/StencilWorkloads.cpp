//===- StencilWorkloads.cpp - stencils ------------------------------------===//

#include "verification/Maker.h"

#include <algorithm>
#include <cmath>

namespace ergon::verification {

static Workload makeJacobi3(const F &Variant, Bytes Size) {
  const int Side = std::max(int(std::cbrt(double(Size) / 16)), 4), N = Side % 8 ? Side : Side - 1;
  return onNumbers(Variant.jacobi_3d, N, long(N) * N * N);
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
      {"jacobi_1d", "stencils", true, onArrays<&F::jacobi_1d, 16>},
      {"jacobi_2d", "stencils", true, onMatrices<&F::jacobi_2d, 2>},
      {"jacobi_3d", "stencils", true, makeJacobi3},
      {"gauss_seidel", "stencils", true, onMatrices<&F::gauss_seidel, 1>},
      {"convolution_3x3", "stencils", true, makeConvolution},
      {"fir", "stencils", true, makeFir},
  };
  return All;
}

} // namespace ergon::verification
