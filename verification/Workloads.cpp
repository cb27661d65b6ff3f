//===- Workloads.cpp - kernels with data to work on -----------------------===//

#include "verification/Workloads.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>

namespace ergon {

namespace {

/// The same data in each run.
using Random = std::minstd_rand;

/// Adds arguments to a workload.
class Maker {
public:
  /// An array of \p N elements. Arrays begin at different places of a page, so that loads of one do
  /// not wait for stores to another.
  template <typename T> T *array(std::int64_t N) {
    constexpr std::size_t Page = 4096, Shift = 17 * 64;
    const std::size_t Size = std::size_t(N) * sizeof(T), At = Made.Memory.size() % 3 * Shift;
    void *Got = std::aligned_alloc(Page, (Size + At + Page) / Page * Page);
    Failed = Failed || !Got;
    Made.Memory.emplace_back(Got, &std::free);
    Made.Bytes += Size;
    return reinterpret_cast<T *>(static_cast<unsigned char *>(Got) + At);
  }
  /// With numbers from 1 to 2: sums and products of them are neither huge nor denormal.
  template <typename T> T *numbers(std::int64_t N) {
    T *const To = array<T>(N);
    for (std::int64_t K = 0; K != N && !Failed; ++K)
      To[K] = T(1 + double(Numbers()) / double(Random::max()));
    return To;
  }
  /// With integers from 0 to \p Below - 1.
  template <typename T> T *places(std::int64_t N, std::int64_t Below) {
    T *const To = array<T>(N);
    for (std::int64_t K = 0; K != N && !Failed; ++K)
      To[K] = T(Numbers() % std::uint64_t(Below));
    return To;
  }

  Maker &set(const char *Parameter, std::int64_t Value) {
    Made.Parameters[Parameter] = std::to_string(Value);
    return *this;
  }
  /// An unknown that is a mean or a share.
  Maker &know(const char *Kind, std::int64_t Sum, std::int64_t Times) {
    Made.Unknowns[Kind] = std::to_string(Sum) + "/" + std::to_string(Times);
    return *this;
  }
  Maker &know(const char *Object, std::uint64_t Bytes) {
    Made.ObjectBytes[Object] = Bytes;
    return *this;
  }
  bool failed() const { return Failed; }
  /// What calls the kernel.
  template <typename Call> Workload make(Call Kernel) {
    if (!Failed)
      Made.Run = [Kernel](std::uint64_t Times) {
        for (; Times; --Times)
          Kernel();
      };
    return std::move(Made);
  }

private:
  Workload Made;
  Random Numbers;
  bool Failed = false;
};

/// Where results go that nobody asks for.
volatile double Result;

} // namespace

using F = KernelFunctions;
using Bytes = std::uint64_t;

/// How many elements of \p Each bytes there are in \p Of.
static std::int64_t elements(Bytes Of, double Each) {
  return std::max<std::int64_t>(std::int64_t(double(Of) / Each), 16);
}

/// A side of \p Matrices square matrices of elements of \p Each bytes; a whole number of lines is
/// avoided, as columns then crowd into few sets of a cache.
static int side(Bytes Of, double Matrices, double Each) {
  const int N = std::max(int(std::sqrt(double(Of) / Matrices / Each)), 9);
  return N % 8 == 0 ? N - 1 : N;
}

/// How many times something of \p Work operations makes at most \p All of them, 1 to \p Most.
static int atMost(int Most, double Work, double All = 3e7) {
  return int(std::clamp(All / Work, 1.0, double(Most)));
}

//===----------------------------------------------------------------------===//
// Streams, reductions
//===----------------------------------------------------------------------===//

static Workload makeCopy(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.copy] { Run(N, A, B); });
}

static Workload makeFill(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.fill] { Run(N, A, 1.5); });
}

static Workload makeTriad(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 24);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N),
                *const C = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.triad] { Run(N, A, B, C, 1.5); });
}

static Workload makeAxpy(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.axpy] { Run(N, 1e-9, X, Y); });
}

static Workload makeAxpySingle(const F &Of, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 8));
  float *const X = To.numbers<float>(N), *const Y = To.numbers<float>(N);
  return To.set("n", N).make([=, Run = Of.axpy_f32] { Run(N, 1e-9F, X, Y); });
}

static Workload makeDivide(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 24);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N),
                *const C = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.divide] { Run(N, A, B, C); });
}

static Workload makeComplexMultiply(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 48);
  double *const A = To.numbers<double>(2 * N), *const B = To.numbers<double>(2 * N),
                *const C = To.numbers<double>(2 * N);
  return To.set("n", N).make([=, Run = Of.complex_multiply] { Run(N, A, B, C); });
}

static Workload makeHorner(const F &Of, Bytes Size) {
  Maker To;
  constexpr int Degree = 9;
  const long N = elements(Size, 16);
  double *const C = To.numbers<double>(Degree + 1), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("n", N).set("degree", Degree).make([=, Run = Of.horner] {
    Run(N, Degree, C, X, Y);
  });
}

static Workload makePrefixSum(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const Sums = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.prefix_sum] { Run(N, A, Sums); });
}

static Workload makeSum(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.sum] { Result = Run(N, A); });
}

static Workload makeSumIntegers(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 4);
  int *const A = To.places<int>(N, 1000);
  return To.set("n", N).make([=, Run = Of.sum_integers] { Result = double(Run(N, A)); });
}

static Workload makeStridedSum(const F &Of, Bytes Size) {
  Maker To;
  constexpr long Stride = 8; // one of each line
  const long N = elements(Size, 8 * Stride);
  double *const A = To.numbers<double>(N * Stride);
  return To.set("n", N).set("stride", Stride).make([=, Run = Of.strided_sum] {
    Result = Run(N, Stride, A);
  });
}

static Workload makeDot(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.dot] { Result = Run(N, X, Y); });
}

static Workload makeMaximum(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  double *const A = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.maximum] { Result = Run(N, A); });
}

static Workload makeCountBytes(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 1);
  char *const Text = To.places<char>(N, 32);
  return To.set("n", N).make([=, Run = Of.count_bytes] { Result = double(Run(N, Text, 7)); });
}

//===----------------------------------------------------------------------===//
// Dense
//===----------------------------------------------------------------------===//

/// A row or column more than a square matrix has, for its vectors.
static Workload makeGemv(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8) - 1;
  double *const A = To.numbers<double>(long(N) * N), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("m", N).set("n", N).make([=, Run = Of.gemv] { Run(N, N, A, X, Y); });
}

static Workload makeGemvColumns(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8) - 1;
  double *const A = To.numbers<double>(long(N) * N), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("m", N).set("n", N).make([=, Run = Of.gemv_columns] { Run(N, N, A, X, Y); });
}

/// Square where that does not take too long, else few rows times a large matrix.
static Workload makeMatmul(void (*Run)(int, int, int, const double *, const double *, double *),
                           Bytes Size) {
  Maker To;
  int N = side(Size, 3, 8), M = N;
  if (std::pow(N, 3) > 3e7) {
    N = side(Size, 1.05, 8);
    M = atMost(N, std::pow(N, 2));
  }
  double *const A = To.numbers<double>(long(M) * N), *const B = To.numbers<double>(long(N) * N),
                *const C = To.numbers<double>(long(M) * N);
  return To.set("m", M).set("n", N).set("k", N).make([=] { Run(M, N, N, A, B, C); });
}
static Workload makeMatmulIjk(const F &Of, Bytes Size) { return makeMatmul(Of.matmul_ijk, Size); }
static Workload makeMatmulIkj(const F &Of, Bytes Size) { return makeMatmul(Of.matmul_ikj, Size); }
static Workload makeMatmulBlocked(const F &Of, Bytes Size) {
  return makeMatmul(Of.matmul_blocked, Size);
}

/// Of low rank where the matrix is large.
static Workload makeSyrk(const F &Of, Bytes Size) {
  Maker To;
  int N = side(Size, 2, 8), K = N;
  if (std::pow(N, 3) > 3e7) {
    N = side(Size, 1.05, 8);
    K = atMost(N, std::pow(N, 2) / 2);
  }
  double *const A = To.numbers<double>(long(N) * K), *const C = To.numbers<double>(long(N) * N);
  return To.set("n", N).set("k", K).make([=, Run = Of.syrk] { Run(N, K, A, C); });
}

/// Makes matrices whose factors have no huge elements.
static void addToDiagonal(double *A, long Rows, long N) {
  for (long K = 0; K != std::min(Rows, N); ++K)
    A[K * N + K] += 2 * double(N);
}

static Workload makeTriangularSolve(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8) - 1;
  double *const L = To.numbers<double>(long(N) * N), *const B = To.numbers<double>(N),
                *const X = To.numbers<double>(N);
  if (!To.failed())
    addToDiagonal(L, N, N);
  return To.set("n", N).make([=, Run = Of.triangular_solve] { Run(N, L, B, X); });
}

/// One matrix where that does not take too long, else many.
static Workload makeCholesky(const F &Of, Bytes Size) {
  Maker To;
  int N = side(Size, 2, 8), Batch = 1;
  if (std::pow(N, 3) > 1e9) {
    N = 63;
    Batch = int(Size / (16 * 63 * 63));
  }
  const long Each = long(N) * N;
  double *const A = To.numbers<double>(Batch * Each), *const L = To.numbers<double>(Batch * Each);
  for (int P = 0; P != Batch && !To.failed(); ++P)
    addToDiagonal(A + P * Each, N, N);
  return To.set("batch", Batch).set("n", N).make([=, Run = Of.cholesky] { Run(Batch, N, A, L); });
}

/// A panel of a large matrix where the whole would take too long.
static Workload makeLu(const F &Of, Bytes Size) {
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
  return To.set("m", M).set("n", N).make([=, Run = Of.lu] { Run(M, N, A, Factors); });
}

static Workload makeTranspose(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 2, 8);
  double *const A = To.numbers<double>(long(N) * N), *const B = To.numbers<double>(long(N) * N);
  return To.set("n", N).make([=, Run = Of.transpose] { Run(N, A, B); });
}

//===----------------------------------------------------------------------===//
// Stencils
//===----------------------------------------------------------------------===//

static Workload makeJacobi1(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 16);
  double *const A = To.numbers<double>(N), *const B = To.numbers<double>(N);
  return To.set("n", N).make([=, Run = Of.jacobi_1d] { Run(N, A, B); });
}

static Workload makeJacobi2(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 2, 8);
  double *const A = To.numbers<double>(long(N) * N), *const B = To.numbers<double>(long(N) * N);
  return To.set("n", N).make([=, Run = Of.jacobi_2d] { Run(N, A, B); });
}

static Workload makeJacobi3(const F &Of, Bytes Size) {
  Maker To;
  const int Side = std::max(int(std::cbrt(double(Size) / 16)), 4), N = Side % 8 ? Side : Side - 1;
  const long All = long(N) * N * N;
  double *const A = To.numbers<double>(All), *const B = To.numbers<double>(All);
  return To.set("n", N).make([=, Run = Of.jacobi_3d] { Run(N, A, B); });
}

static Workload makeGaussSeidel(const F &Of, Bytes Size) {
  Maker To;
  const int N = side(Size, 1, 8);
  double *const A = To.numbers<double>(long(N) * N);
  return To.set("n", N).make([=, Run = Of.gauss_seidel] { Run(N, A); });
}

static Workload makeConvolution(const F &Of, Bytes Size) {
  Maker To;
  const int Height = side(Size, 2, 4), Width = Height;
  const long All = long(Height) * Width;
  float *const Image = To.numbers<float>(All), *const Filter = To.numbers<float>(9),
               *const Out = To.numbers<float>(All);
  return To.set("height", Height).set("width", Width).make([=, Run = Of.convolution_3x3] {
    Run(Height, Width, Image, Filter, Out);
  });
}

static Workload makeFir(const F &Of, Bytes Size) {
  Maker To;
  constexpr int Taps = 20;
  const int N = int(elements(Size, 8));
  float *const H = To.numbers<float>(Taps), *const X = To.numbers<float>(N + Taps - 1),
               *const Y = To.numbers<float>(N);
  return To.set("n", N).set("taps", Taps).make([=, Run = Of.fir] { Run(N, Taps, H, X, Y); });
}

//===----------------------------------------------------------------------===//
// Irregular
//===----------------------------------------------------------------------===//

/// Half of the data are bins, which are met in no order.
static Workload makeHistogram(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  unsigned *const Keys = To.places<unsigned>(N, N), *const Bins = To.places<unsigned>(N, 1);
  return To.set("n", N).know("bins", Bytes(N) * 4).make([=, Run = Of.histogram] {
    Run(N, Keys, Bins);
  });
}

static Workload makeGather(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, 20);
  int *const At = To.places<int>(N, N);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).know("x", Bytes(N) * 8).make([=, Run = Of.gather] { Run(N, At, X, Y); });
}

/// Rows of 1 to 15 elements, in any columns.
static Workload makeCsr(const F &Of, Bytes Size) {
  Maker To;
  constexpr int MostInRow = 15;
  const int N = int(elements(Size, 12 * (MostInRow + 1) / 2 + 4 + 8 + 8));
  int *const Row = To.places<int>(N + 1, MostInRow);
  if (To.failed())
    return {};
  for (int I = 0, Next = 0; I <= N; ++I)
    Next += 1 + std::exchange(Row[I], Next);
  const int All = Row[N];
  int *const Col = To.places<int>(All, N);
  double *const A = To.numbers<double>(All), *const X = To.numbers<double>(N),
                *const Y = To.numbers<double>(N);
  return To.set("n", N)
      .know("trips", All, N)
      .know("taken", 1, 1) // no row is empty
      .know("col", Bytes(All) * 4)
      .know("a", Bytes(All) * 8)
      .know("x", Bytes(N) * 8)
      .make([=, Run = Of.csr] { Run(N, Row, Col, A, X, Y); });
}

/// Nodes that follow each other in no order.
static Workload makeList(const F &Of, Bytes Size) {
  Maker To;
  const long N = elements(Size, sizeof(node));
  node *const Nodes = To.array<node>(N);
  if (To.failed())
    return {};
  std::vector<std::uint32_t> Order(static_cast<std::size_t>(N));
  std::iota(Order.begin(), Order.end(), 0);
  std::ranges::shuffle(Order, Random());
  for (std::size_t K = 0; K != Order.size(); ++K)
    Nodes[Order[K]] = {K + 1 == Order.size() ? nullptr : Nodes + Order[K + 1], long(K), {}};
  // The list is not empty: `first` is some address.
  return To.set("first", 1).know("trips", N, 1).make([First = Nodes + Order[0], Run = Of.list_sum] {
    Result = double(Run(First));
  });
}

static Workload makeCollatz(const F &Of, Bytes) {
  Maker To;
  constexpr long N = 3000;
  std::int64_t Steps = 0;
  for (long I = 2; I <= N; ++I)
    for (long At = I; At != 1; ++Steps)
      At = At % 2 ? 3 * At + 1 : At / 2;
  return To.set("n", N).know("trips", Steps, N - 1).make([Run = Of.collatz] {
    Result = double(Run(N));
  });
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

static Workload makeBlackScholes(const F &Of, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 40));
  double *const Spot = To.numbers<double>(N), *const Strike = To.numbers<double>(N),
                *const Years = To.numbers<double>(N), *const Call = To.numbers<double>(N),
                *const Put = To.numbers<double>(N);
  return To.set("n", N).make(
      [=, Run = Of.black_scholes] { Run(N, Spot, Strike, Years, 0.02, 0.3, Call, Put); });
}

static Workload makeNbody(const F &Of, Bytes Size) {
  Maker To;
  const int N = int(elements(Size, 32)), M = atMost(std::min(N, 100), N, 3e6);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N),
                *const Z = To.numbers<double>(N), *const Mass = To.numbers<double>(N),
                *const Ax = To.numbers<double>(M), *const Ay = To.numbers<double>(M),
                *const Az = To.numbers<double>(M);
  return To.set("m", M).set("n", N).make(
      [=, Run = Of.nbody] { Run(M, N, X, Y, Z, Mass, Ax, Ay, Az); });
}

static Workload makeMandelbrot(const F &Of, Bytes) {
  constexpr int Height = 24, Width = 32, Iterations = 100;
  return Maker()
      .set("height", Height)
      .set("width", Width)
      .set("iterations", Iterations)
      .make([Run = Of.mandelbrot] { Result = double(Run(Height, Width, Iterations)); });
}

static Workload makeHashChain(const F &Of, Bytes) {
  constexpr long N = 100'000;
  return Maker().set("n", N).make([Run = Of.hash_chain] { Result = double(Run(N, 1)); });
}

std::span<const VerifiedKernel> verifiedKernels() {
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
      {"gemv", "dense", true, makeGemv},
      {"gemv_columns", "dense", true, makeGemvColumns},
      {"matmul_ijk", "dense", true, makeMatmulIjk},
      {"matmul_ikj", "dense", true, makeMatmulIkj},
      {"matmul_blocked", "dense", true, makeMatmulBlocked},
      {"syrk", "dense", true, makeSyrk},
      {"triangular_solve", "dense", true, makeTriangularSolve},
      {"cholesky", "dense", true, makeCholesky},
      {"lu", "dense", true, makeLu},
      {"transpose", "dense", true, makeTranspose},
      {"jacobi_1d", "stencils", true, makeJacobi1},
      {"jacobi_2d", "stencils", true, makeJacobi2},
      {"jacobi_3d", "stencils", true, makeJacobi3},
      {"gauss_seidel", "stencils", true, makeGaussSeidel},
      {"convolution_3x3", "stencils", true, makeConvolution},
      {"fir", "stencils", true, makeFir},
      {"histogram", "irregular", true, makeHistogram},
      {"gather", "irregular", true, makeGather},
      {"csr", "irregular", true, makeCsr},
      {"list_sum", "irregular", true, makeList},
      {"collatz", "irregular", false, makeCollatz},
      {"black_scholes", "compute", true, makeBlackScholes},
      {"nbody", "compute", true, makeNbody},
      {"mandelbrot", "compute", false, makeMandelbrot},
      {"hash_chain", "compute", false, makeHashChain},
  };
  return All;
}

KernelVariant variantForThisProcessor() {
#ifdef ERGON_HAS_V3
  if (__builtin_cpu_supports("x86-64-v3"))
    return {"v3", &ergon_functions_v3};
#endif
  return {"base", &ergon_functions_base};
}

} // namespace ergon
