//===- KernelsBase.cpp - kernels for any processor ------------------------===//

#include "calibration/Kernels.inc"

#include <array>
#include <cstdint>
#include <math.h>

namespace {

/// Calls of a library's function, each with another argument: functions choose their way by it.
template <typename T, T (*Function)(T)> [[gnu::noinline]] void calls(const KernelFrame &F) {
  static constexpr unsigned Arguments = 1024;
  static const std::array<T, Arguments> Given = [] {
    std::array<T, Arguments> Result{};
    std::uint32_t State = 1;
    for (T &X : Result)
      X = T(0.1) + T((State = State * 1664525U + 1013904223U) >> 8U) / T(1U << 24U) * T(1.8);
    return Result;
  }();
  for (std::size_t N = F.Iterations; N; --N) {
    T X = Given[N % Arguments];
    hide<T>(X);
    X = Function(X);
    hide<T>(X);
  }
}

double powered(double X) { return pow(X, 1.7); }

template <typename T, T (*Function)(T)> constexpr Kernel callsOf(const char *Name) {
  return {.Operation = Name,
          .Type = TypeOf<T>,
          .Bits = 8 * sizeof(T),
          .InChain = false,
          .Operations = 1,
          .Step = {.Special = 1, .Loads = 1, .LoadBytes = sizeof(T)},
          .Run = &calls<T, Function>};
}

/// Follows a list: each load waits for the one before.
[[gnu::noinline]] void follows(const KernelFrame &F) {
  const void *V = F.B + *F.Offset;
  const std::size_t Visit = F.Visit;
  for (std::size_t N = F.Iterations; N; --N)
    for (std::size_t K = 0; K != Visit; K += 64) {
      V = *static_cast<const void *const *>(V);
      hide<std::uint64_t>(V);
    }
  *F.Offset = std::size_t(static_cast<const unsigned char *>(V) - F.B);
}

/// A load of each line, Stride bytes apart.
template <unsigned Stride> [[gnu::noinline]] void strides(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  goByEight<Stride>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    double X = *reinterpret_cast<const double *>(B + Position);
    hide<double>(X);
  });
}

/// Adds up a stream in one chain. Shows how much of the chain's latency main memory does not hide.
[[gnu::noinline]] void sums(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  double Sum = 1;
  goByEight<sizeof(double)>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    Sum += *reinterpret_cast<const double *>(B + Position);
    hide<double>(Sum);
  });
}

constexpr unsigned PageAndLine = 4096 + 64;

/// A column of 8 bytes, whose rows are a page and a line long; columns are a line apart.
[[gnu::noinline]] void columns(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  const std::size_t Bytes = F.Bytes;
  std::size_t Column = *F.Offset;
  for (std::size_t N = F.Iterations; N; --N) {
    for (std::size_t Index = Column; Index < Bytes; Index += VectorsAStep * PageAndLine) {
#pragma clang loop unroll(full)
      for (unsigned K = 0; K != VectorsAStep; ++K) {
        double X = *reinterpret_cast<const double *>(B + Index + K * PageAndLine);
        hide<double>(X);
      }
    }
    Column = Column + 64 == PageAndLine ? 0 : Column + 64;
  }
  *F.Offset = Column;
}

constexpr unsigned RunLines = 16;

/// A load of each line of 16 that follow each other; as many are left out before the next ones.
[[gnu::noinline]] void runs(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  goThrough<2 * RunLines * 64>(F, [&](std::size_t Position) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (unsigned K = 0; K != RunLines; ++K) {
      double X = *reinterpret_cast<const double *>(B + Position + std::size_t(K) * 64);
      hide<double>(X);
    }
  });
}

constexpr unsigned PagesAndLine = 3 * 4096 + 64;

/// The same line of each row, whose rows are three pages and a line long: more pages than lines
/// that have to be near, and not as many as a power of two from one to the next.
[[gnu::noinline]] void pages(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  constexpr unsigned Rows = 4;
  goThrough<Rows * PagesAndLine>(F, [&](std::size_t Position) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (unsigned K = 0; K != Rows; ++K) {
      double X = *reinterpret_cast<const double *>(B + Position + K * PagesAndLine);
      hide<double>(X);
    }
  });
}

/// Loads at indexes that another stream has.
[[gnu::noinline]] void indexed(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  const unsigned char *const C = F.C;
  goByEight<64>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    std::uint64_t Line = *reinterpret_cast<const std::uint32_t *>(C + Position / 16);
    hide<std::uint64_t>(Line);
    double X = *reinterpret_cast<const double *>(B + Line * 64);
    hide<double>(X);
  });
}

/// Stores a value and loads it again, over and over; two names of one place, so that it takes the
/// processor's own comparison of addresses.
template <class T> [[gnu::noinline]] void forwards(const KernelFrame &F) {
  alignas(64) T Place[8] = {};
  T *To = Place, *From = Place, X = T(1);
  hide<std::uint64_t>(To);
  hide<std::uint64_t>(From);
  hide<T>(X);
  for (std::size_t N = F.Iterations; N; --N)
#pragma clang loop unroll(full)
    for (unsigned K = 0; K != 16; ++K) {
      *To = X;
      asm volatile("" ::: "memory");
      X = *From;
      hide<T>(X);
    }
}

template <class T> constexpr Kernel forwardsOf() {
  constexpr unsigned N = 16, Bytes = sizeof(T);
  return {.Operation = "store_forward",
          .Type = TypeOf<T>,
          .Bits = 8 * Bytes,
          .InChain = true,
          .Operations = N,
          .Step = {.Loads = N, .Stores = N, .LoadBytes = N * Bytes, .StoreBytes = N * Bytes},
          .Run = &forwards<T>};
}

/// A row of independent chains of additions. Their operands come from memory, as in a loop over an
/// array, or are products of elements of two arrays. How far a chain overlaps the one before shows
/// the size of the out-of-order window.
template <unsigned Arrays, unsigned Length> [[gnu::noinline]] void chains(const KernelFrame &F) {
  const double *const B = reinterpret_cast<const double *>(F.B);
  double First = 1;
  hide<double>(First);
  for (std::size_t N = F.Iterations; N; --N) {
    double X = First;
    hide<double>(X);
#pragma clang loop unroll(full)
    for (unsigned K = 0; K != Length; ++K) {
      double Y = B[K];
      if (Arrays == 2)
        Y *= B[K + Length];
      X += Y;
      hide<double>(X);
    }
  }
}

template <unsigned Arrays, unsigned Length> constexpr ergon::Kernel chainsOf(const char *Name) {
  constexpr unsigned Loads = Arrays * Length;
  static_assert(8 * Loads <= 4096, "a probe without streams has one page");
  return {.Operation = Name,
          .Type = ElementType::F64,
          .Bits = 64,
          .InChain = false,
          .Operations = Length,
          .Step = {.Flops = Loads, .Loads = Loads, .LoadBytes = 8 * Loads},
          .Run = &chains<Arrays, Length>};
}

/// An empty loop: each iteration is a jump back.
[[gnu::noinline]] void jumps(const KernelFrame &F) {
#pragma clang loop unroll(disable)
  for (std::size_t N = 64 * F.Iterations; N; --N)
    hide<std::size_t>(N);
}

constexpr unsigned BranchesATime = 16;

/// Branches on one bit of random numbers (xorshift), never taken where Mask is 0. The numbers
/// repeat after Length of them; with Length 0 they never do.
template <unsigned Mask, unsigned Length> [[gnu::noinline]] void branches(const KernelFrame &F) {
  constexpr std::uint64_t First = 0x9E3779B97F4A7C15;
  std::uint64_t X = First, Bit = Mask;
  hide<std::uint64_t>(Bit);
  for (std::size_t N = F.Iterations; N; --N) {
    if (Length)
      X = First;
#pragma clang loop unroll(disable)
    for (std::size_t M = Length ? Length / BranchesATime : 1; M; --M) {
#pragma clang loop unroll(full)
      for (unsigned K = 0; K != BranchesATime; ++K) {
        X ^= X << 13;
        X ^= X >> 7;
        X ^= X << 17;
        if (X & Bit)
          asm volatile("");
      }
      if (Length)
        hide<std::size_t>(M);
    }
  }
}

template <unsigned Mask, unsigned Length = 0> constexpr Kernel branchesOf(const char *Name) {
  constexpr unsigned Branches = Length ? Length : BranchesATime;
  // Of an iteration, beside the branch of the loop: three shifts, three logic operations, and the
  // test of a bit, which is a logic operation and a comparison.
  return {.Operation = Name,
          .Type = ElementType::I64,
          .Bits = 64,
          .InChain = true,
          .IsIsolated = false,
          .Operations = Branches,
          .Step = {.IntOps = Branches * 8,
                   .Branches = Branches + Branches / BranchesATime + (Length ? 1 : 0)},
          .Run = &branches<Mask, Length>};
}

/// Simple operations of all kinds that the processor can begin in the same cycles.
[[gnu::noinline]] void begins(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  std::uint64_t I[4] = {1, 2, 3, 4};
  double X[8] = {1, 2, 3, 4, 5, 6, 7, 8}, C = 1;
  hide<double>(C);
  for (std::size_t N = F.Iterations; N; --N)
#pragma clang loop unroll(full)
    for (unsigned R = 0; R != 16; ++R)
#pragma clang loop unroll(full)
      for (unsigned K = 0; K != 4; ++K) {
        I[K] += 3;
        hide<std::uint64_t>(I[K]);
        double &Y = X[(R % 2) * 4 + K];
        Y = K % 2 ? Y * C : Y + C;
        hide<double>(Y);
        if (K % 2) {
          double Read = *reinterpret_cast<const double *>(B + 8 * (4 * R + K));
          hide<double>(Read);
        }
      }
}

using U = std::uint64_t;

/// Loads of 8 bytes of single lines.
constexpr Kernel loadsOf(const char *Name, unsigned StepBytes, unsigned Loads,
                         void (*Run)(const KernelFrame &)) {
  Kernel Result = {.Operation = Name,
                   .Type = ElementType::F64,
                   .Bits = 64,
                   .InChain = false,
                   .Reads = 1,
                   .StepBytes = StepBytes,
                   .Operations = Loads,
                   .Step = {.Loads = Loads, .LoadBytes = 8 * Loads},
                   .Run = Run};
  if (Run == &follows) {
    Result.Type = ElementType::I64;
    Result.InChain = true;
  }
  if (Run == &columns)
    Result.Columns = PageAndLine / 64;
  Result.ByPages = Run == &pages;
  if (Run == &indexed) {
    Result.IndexBytes = 4 * Loads;
    Result.Step.Loads += Loads;
    Result.Step.LoadBytes += Result.IndexBytes;
  }
  return Result;
}

constexpr Kernel sumsOf() {
  Kernel Result = loadsOf("load_sum", 8 * sizeof(double), VectorsAStep, &sums);
  Result.Step.Flops = VectorsAStep;
  return Result;
}

constexpr Kernel onlyInMemory(Kernel K) {
  K.OnlyMemory = true;
  return K;
}

constexpr Kernel Kernels[] = {
    ERGON_ARITHMETIC(float, 32),
    ERGON_ARITHMETIC(float, 128),
    ERGON_ARITHMETIC(double, 64),
    ERGON_ARITHMETIC(double, 128),
#if defined(__ARM_FEATURE_FMA)
    ERGON_FUSED(float, 32),
    ERGON_FUSED(float, 128),
    ERGON_FUSED(double, 64),
    ERGON_FUSED(double, 128),
#endif
    ERGON_OTHERS(64),
    ERGON_OTHERS(128),
    ERGON_VECTORS(128),
    computes<U, 64, Convert, 1>("convert"),
    computes<U, 64, Convert, 8>("convert"),
    computes<U, 64, Multiply, 1>("mul"),
    computes<U, 64, Multiply, 8>("mul"),
    computes<U, 64, Divide, 1>("div"),
    computes<U, 64, Divide, 8>("div"),
    computes<unsigned, 32, Add, 8>("add"),
    ERGON_INT_MUL(32),
    computes<unsigned, 32, Divide, 1>("div"),
    computes<unsigned, 32, Divide, 8>("div"),
    forwardsOf<U>(),
    forwardsOf<double>(),
    branchesOf<1 << 20>("branches_random"),
    branchesOf<0>("branches_known"),
    branchesOf<1 << 20, 1 << 10>("branches_of_1k"),
    branchesOf<1 << 20, 1 << 12>("branches_of_4k"),
    branchesOf<1 << 20, 1 << 14>("branches_of_16k"),
    branchesOf<1 << 20, 1 << 15>("branches_of_32k"),
    branchesOf<1 << 20, 1 << 16>("branches_of_64k"),
    branchesOf<1 << 20, 1 << 17>("branches_of_128k"),
    branchesOf<1 << 20, 1 << 18>("branches_of_256k"),
    callsOf<double, exp>("exp"),
    callsOf<double, log>("log"),
    callsOf<double, sin>("sin"),
    callsOf<double, tan>("tan"),
    callsOf<double, atan>("atan"),
    callsOf<double, tanh>("tanh"),
    callsOf<double, cbrt>("cbrt"),
    callsOf<double, powered>("pow"),
    callsOf<float, expf>("exp"),
    callsOf<float, logf>("log"),
    callsOf<float, sinf>("sin"),
    chainsOf<1, 64>("chains"),
    chainsOf<2, 128>("chains_of_products"),
    {.Operation = "jump",
     .Type = ElementType::I64,
     .Bits = 64,
     .InChain = false,
     .Operations = 64,
     .Step = {.Branches = 64},
     .Run = &jumps},
    {.Operation = "issue",
     .Type = ElementType::I64,
     .Bits = 64,
     .InChain = false,
     .Operations = 160,
     .Step = {.Flops = 64, .IntOps = 64, .Loads = 32, .LoadBytes = 256},
     .Run = &begins},
    ERGON_STREAMS(64),
    ERGON_STREAMS(128),
    ERGON_MIXED(64),
    ERGON_MIXED(128),
    loadsOf("follow", 64, 1, &follows),
    onlyInMemory(sumsOf()),
    loadsOf("load_line", 8 * 64, 8, &strides<64>),
    loadsOf("load_4_lines", 8 * 256, 8, &strides<256>),
    loadsOf("load_runs", 2 * RunLines * 64, RunLines, &runs),
    loadsOf("load_page", 8 * 64, 8, &columns),
    loadsOf("translate", 4 * PagesAndLine, 4, &pages),
    loadsOf("load_random", 8 * 64, 8, &indexed),
};

} // namespace

ergon::KernelList ergon::kernelsBase() {
  return {Kernels, sizeof(Kernels) / sizeof(*Kernels), [] { return true; }};
}
