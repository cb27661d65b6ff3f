//===- ComputeWorkloads.cpp - much to compute -----------------------------===//

#include "verification/Maker.h"

#include <algorithm>

namespace ergon::verification {

static Workload makeBlackScholes(const F &Variant, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 40));
  double *const Spot = To.numbers<double>(N), *const Strike = To.numbers<double>(N),
                *const Years = To.numbers<double>(N), *const Call = To.numbers<double>(N),
                *const Put = To.numbers<double>(N);
  return To.set("n", N).make(
      [=, Run = Variant.black_scholes] { Run(N, Spot, Strike, Years, 0.02, 0.3, Call, Put); });
}

static Workload makeNbody(const F &Variant, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 32)), M = atMost(std::min(N, 100), N, 3e6);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N),
                *const Z = To.numbers<double>(N), *const Mass = To.numbers<double>(N),
                *const Ax = To.numbers<double>(M), *const Ay = To.numbers<double>(M),
                *const Az = To.numbers<double>(M);
  return To.set("m", M).set("n", N).make(
      [=, Run = Variant.nbody] { Run(M, N, X, Y, Z, Mass, Ax, Ay, Az); });
}

static Workload makeMandelbrot(const F &Variant, Bytes) {
  constexpr int Height = 24, Width = 32, Iterations = 100;
  return Maker()
      .set("height", Height)
      .set("width", Width)
      .set("iterations", Iterations)
      .make([Run = Variant.mandelbrot] { Sink = double(Run(Height, Width, Iterations)); });
}

static Workload makeHashChain(const F &Variant, Bytes) {
  constexpr long N = 100'000;
  return Maker().set("n", N).make([Run = Variant.hash_chain] { Sink = double(Run(N, 1)); });
}

std::span<const VerifiedKernel> computeKernels() {
  static constexpr VerifiedKernel All[] = {
      {"black_scholes", "compute", true, makeBlackScholes},
      {"nbody", "compute", true, makeNbody},
      {"mandelbrot", "compute", false, makeMandelbrot},
      {"hash_chain", "compute", false, makeHashChain},
  };
  return All;
}

} // namespace ergon::verification
