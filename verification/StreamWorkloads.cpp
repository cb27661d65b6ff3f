//===- StreamWorkloads.cpp - streams and reductions -----------------------===//

#include "verification/Maker.h"

namespace ergon::verification {

static Workload makeHorner(const F &Variant, Bytes Size) {
  Maker To;
  constexpr int Degree = 9;
  const long N = elements(Size, 16);
  double *const C = To.numbers<double>(Degree + 1), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("n", N).set("degree", Degree).make([=, Run = Variant.horner] {
    Run(N, Degree, C, X, Y);
  });
}

static Workload makeSumIntegers(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 4);
  int *const A = To.places<int>(N, 1000);
  return To.set("n", N).make([=, Run = Variant.sum_integers] { Sink = double(Run(N, A)); });
}

static Workload makeStridedSum(const F &Variant, Bytes Size) {
  Maker To;
  constexpr long Stride = 8; // one of each line
  const long N = elements(Size, 8 * Stride);
  double *const A = To.numbers<double>(N * Stride);
  return To.set("n", N).set("stride", Stride).make([=, Run = Variant.strided_sum] {
    Sink = Run(N, Stride, A);
  });
}

static Workload makeCountBytes(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 1);
  char *const Text = To.places<char>(N, 32);
  return To.set("n", N).make([=, Run = Variant.count_bytes] { Sink = double(Run(N, Text, 7)); });
}

std::span<const VerifiedKernel> streamKernels() {
  static constexpr VerifiedKernel All[] = {
      {"copy", "streams", true, onArrays<&F::copy, 16>},
      {"fill", "streams", true, onArrays<&F::fill, 8, 1.5>},
      {"triad", "streams", true, onArrays<&F::triad, 24, 1.5>},
      {"axpy", "streams", true, onArrays<&F::axpy, 16, 1e-9>},
      {"axpy_f32", "streams", true, onArrays<&F::axpy_f32, 8, 1e-9>},
      {"divide", "streams", true, onArrays<&F::divide, 24>},
      {"complex_multiply", "streams", true, onArrays<&F::complex_multiply, 48, 0.0, 2>},
      {"horner", "streams", true, makeHorner},
      {"prefix_sum", "streams", true, onArrays<&F::prefix_sum, 16>},
      {"sum", "reductions", true, onArrays<&F::sum, 8>},
      {"sum_integers", "reductions", true, makeSumIntegers},
      {"strided_sum", "reductions", true, makeStridedSum},
      {"dot", "reductions", true, onArrays<&F::dot, 16>},
      {"maximum", "reductions", true, onArrays<&F::maximum, 8>},
      {"count_bytes", "reductions", true, makeCountBytes},
  };
  return All;
}

} // namespace ergon::verification
