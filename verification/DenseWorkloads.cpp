//===- DenseWorkloads.cpp - matrices --------------------------------------===//

#include "verification/Maker.h"

#include <algorithm>
#include <cmath>

namespace ergon::verification {

/// A row or column more than a square matrix has, for its vectors.
template <auto Kernel> static Workload makeGemv(const F &Variant, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8) - 1;
  double *const A = To.numbers<double>(long(N) * N), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("m", N).set("n", N).make([=, Run = Variant.*Kernel] { Run(N, N, A, X, Y); });
}

/// Square where that does not take too long, else few rows times a large matrix.
template <auto Kernel> static Workload makeMatmul(const F &Variant, Bytes Size) {
  Maker To;
  int N = side(Size, 3, 8), M = N;
  if (std::pow(N, 3) > 3e7) {
    N = side(Size, 1.05, 8);
    M = atMost(N, std::pow(N, 2));
  }
  double *const A = To.numbers<double>(long(M) * N), *const B = To.numbers<double>(long(N) * N),
                *const C = To.numbers<double>(long(M) * N);
  return To.set("m", M).set("n", N).set("k", N).make(
      [=, Run = Variant.*Kernel] { Run(M, N, N, A, B, C); });
}
/// Of low rank where the matrix is large.
static Workload makeSyrk(const F &Variant, Bytes Size) {
  Maker To;
  int N = side(Size, 2, 8), K = N;
  if (std::pow(N, 3) > 3e7) {
    N = side(Size, 1.05, 8);
    K = atMost(N, std::pow(N, 2) / 2);
  }
  double *const A = To.numbers<double>(long(N) * K), *const C = To.numbers<double>(long(N) * N);
  return To.set("n", N).set("k", K).make([=, Run = Variant.syrk] { Run(N, K, A, C); });
}

/// Makes matrices whose factors have no large elements.
static void addToDiagonal(double *A, long Rows, long N) {
  for (long K = 0; K != std::min(Rows, N); ++K)
    A[K * N + K] += 2 * double(N);
}

static Workload makeTriangularSolve(const F &Variant, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8) - 1;
  double *const L = To.numbers<double>(long(N) * N), *const B = To.numbers<double>(N),
                *const X = To.numbers<double>(N);
  if (!To.failed())
    addToDiagonal(L, N, N);
  return To.set("n", N).make([=, Run = Variant.triangular_solve] { Run(N, L, B, X); });
}

/// One matrix where that does not take too long, else many.
static Workload makeCholesky(const F &Variant, Bytes Size) {
  Maker To;
  int N = side(Size, 2, 8), Batch = 1;
  if (std::pow(N, 3) > 1e9) {
    N = 63;
    Batch = int(Size / (16 * 63 * 63));
  }
  const long Value = long(N) * N;
  double *const A = To.numbers<double>(Batch * Value), *const L = To.numbers<double>(Batch * Value);
  for (int P = 0; P != Batch && !To.failed(); ++P)
    addToDiagonal(A + P * Value, N, N);
  return To.set("batch", Batch).set("n", N).make([=, Run = Variant.cholesky] {
    Run(Batch, N, A, L);
  });
}

/// A panel of a large matrix where the whole would take too long.
static Workload makeLu(const F &Variant, Bytes Size) {
  Maker To;
  int N = side(Size, 2, 8), M = N;
  if (std::pow(N, 3) > 1e9) {
    N = 31;
    M = int(Size / (16 * 31));
  }
  double *const A = To.numbers<double>(long(M) * N), *const Factors =
                                                         To.numbers<double>(long(M) * N);
  if (!To.failed())
    addToDiagonal(A, M, N);
  return To.set("m", M).set("n", N).make([=, Run = Variant.lu] { Run(M, N, A, Factors); });
}

std::span<const VerifiedKernel> denseKernels() {
  static constexpr VerifiedKernel All[] = {
      {"gemv", "dense", true, makeGemv<&F::gemv>},
      {"gemv_columns", "dense", true, makeGemv<&F::gemv_columns>},
      {"matmul_ijk", "dense", true, makeMatmul<&F::matmul_ijk>},
      {"matmul_ikj", "dense", true, makeMatmul<&F::matmul_ikj>},
      {"matmul_blocked", "dense", true, makeMatmul<&F::matmul_blocked>},
      {"syrk", "dense", true, makeSyrk},
      {"triangular_solve", "dense", true, makeTriangularSolve},
      {"cholesky", "dense", true, makeCholesky},
      {"lu", "dense", true, makeLu},
      {"transpose", "dense", true, onMatrices<&F::transpose, 2>},
  };
  return All;
}

} // namespace ergon::verification
