//===- IrregularWorkloads.cpp - data decide -------------------------------===//

#include "verification/Maker.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ergon::verification {

/// Half of the data are bins, which are met in no order.
static Workload makeHistogram(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 8);
  unsigned *const Keys = To.places<unsigned>(N, N), *const Bins = To.places<unsigned>(N, 1);
  return To.set("n", N).know("bins", Bytes(N) * 4).make([=, Run = Variant.histogram] {
    Run(N, Keys, Bins);
  });
}

static Workload makeGather(const F &Variant, Bytes Size) {
  Maker To;
  const long N = elements(Size, 20);
  int *const Position = To.places<int>(N, N);
  double *const X = To.numbers<double>(N), *const Y = To.numbers<double>(N);
  return To.set("n", N).know("x", Bytes(N) * 8).make([=, Run = Variant.gather] {
    Run(N, Position, X, Y);
  });
}

/// Rows of 1 to 15 elements, in any columns.
static Workload makeCsr(const F &Variant, Bytes Size) {
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
      .make([=, Run = Variant.csr] { Run(N, Row, Col, A, X, Y); });
}

/// Nodes that follow each other in no order.
static Workload makeList(const F &Variant, Bytes Size) {
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
  return To.set("first", 1)
      .know("trips", N, 1)
      .make([First = Nodes + Order[0], Run = Variant.list_sum] { Sink = double(Run(First)); });
}

static Workload makeCollatz(const F &Variant, Bytes) {
  Maker To;
  constexpr long N = 3000;
  std::int64_t Steps = 0;
  for (long I = 2; I <= N; ++I)
    for (long Value = I; Value != 1; ++Steps)
      Value = Value % 2 ? 3 * Value + 1 : Value / 2;
  return To.set("n", N).know("trips", Steps, N - 1).make([Run = Variant.collatz] {
    Sink = double(Run(N));
  });
}

std::span<const VerifiedKernel> irregularKernels() {
  static constexpr VerifiedKernel All[] = {
      {"histogram", "irregular", true, makeHistogram},
      {"gather", "irregular", true, makeGather},
      {"csr", "irregular", true, makeCsr},
      {"list_sum", "irregular", true, makeList},
      {"collatz", "irregular", false, makeCollatz},
  };
  return All;
}

} // namespace ergon::verification
