//===- StreamWorkloads.cpp - streams and reductions -----------------------===//

#include "verification/Maker.h"

namespace ergon::verification {

static Workload makeCopy(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.copy] { Run(N, A, B); });
}

static Workload makeFill(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.fill] { Run(N, A, 1.5); });
}

static Workload makeTriad(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 24);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N),
                *const C = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.triad] { Run(N, A, B, C, 1.5); });
}

static Workload makeAxpy(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.axpy] { Run(N, 1e-9, X, Y); });
}

static Workload makeAxpySingle(const F &Variant, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 8));
  float *const X = To.numbers<float>(N), *const Y = To.numbers<float>(N);
  return To.set("n", N).make([=, Run = Variant.axpy_f32] { Run(N, 1e-9F, X, Y); });
}

static Workload makeDivide(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 24);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N),
                *const C = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.divide] { Run(N, A, B, C); });
}

static Workload makeComplexMultiply(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 48);
  double *const A = To.numbers<double>(2 * N), *const B = To.numbers<double>(2 * N),
                *const C = To.numbers<double>(2 * N);
  return To.set("n", N).make([=, Run = Variant.complex_multiply] { Run(N, A, B, C); });
}

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

static Workload makePrefixSum(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const Sums = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.prefix_sum] { Run(N, A, Sums); });
}

static Workload makeSum(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.sum] { Sink = Run(N, A); });
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

static Workload makeDot(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.dot] { Sink = Run(N, X, Y); });
}

static Workload makeMaximum(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Variant.maximum] { Sink = Run(N, A); });
}

static Workload makeCountBytes(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 1);
  char *const Text = To.places<char>(N, 32);
  return To.set("n", N).make([=, Run = Variant.count_bytes] { Sink = double(Run(N, Text, 7)); });
}

std::span<const VerifiedKernel> streamKernels() {
  static constexpr VerifiedKernel All[] = {
      {"copy", "streams", true, makeCopy},
      {"fill", "streams", true, makeFill},
      {"triad", "streams", true, makeTriad},
      {"axpy", "streams", true, makeAxpy},
      {"axpy_f32", "streams", true, makeAxpySingle},
      {"divide", "streams", true, makeDivide},
      {"complex_multiply", "streams", true, makeComplexMultiply},
      {"horner", "streams", true, makeHorner},
      {"prefix_sum", "streams", true, makePrefixSum},
      {"sum", "reductions", true, makeSum},
      {"sum_integers", "reductions", true, makeSumIntegers},
      {"strided_sum", "reductions", true, makeStridedSum},
      {"dot", "reductions", true, makeDot},
      {"maximum", "reductions", true, makeMaximum},
      {"count_bytes", "reductions", true, makeCountBytes},
  };
  return All;
}

} // namespace ergon::verification
