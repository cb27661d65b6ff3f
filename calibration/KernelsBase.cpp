//===- KernelsBase.cpp - kernels for any processor ------------------------===//

#include "calibration/Kernels.inc"

#include <cstdint>
#include <math.h>

namespace {

/// Calls of a library's function with an argument in the middle of its range.
template <double (*Function)(double)> [[gnu::noinline]] void calls(const KernelFrame &F) {
  for (std::size_t N = F.Iterations; N; --N) {
    double X = 0.7;
    hide<double>(X);
    X = Function(X);
    hide<double>(X);
  }
}
template <float (*Function)(float)> [[gnu::noinline]] void callsSingle(const KernelFrame &F) {
  for (std::size_t N = F.Iterations; N; --N) {
    float X = 0.7f;
    hide<float>(X);
    X = Function(X);
    hide<float>(X);
  }
}

constexpr Kernel callsOf(const char *Name, ElementType Type, void (*Run)(const KernelFrame &)) {
  return {Name,           Type, Type == ElementType::F32 ? 32u : 64u, false, true, 0, 0, 0, 1,
          {.Special = 1}, Run};
}

/// Follows a list: each load waits for the one before.
[[gnu::noinline]] void follows(const KernelFrame &F) {
  const void *At = F.B + *F.At;
  const std::size_t Visit = F.Visit;
  for (std::size_t N = F.Iterations; N; --N)
    for (std::size_t K = 0; K != Visit; K += 64) {
      At = *static_cast<const void *const *>(At);
      hide<std::uint64_t>(At);
    }
  *F.At = std::size_t(static_cast<const unsigned char *>(At) - F.B);
}

/// A load of each line, Stride bytes apart.
template <unsigned Stride> [[gnu::noinline]] void strides(const KernelFrame &F) {
  const unsigned char *const B = F.B;
  goByEight<Stride>(F, [&](std::size_t At, unsigned) __attribute__((always_inline)) {
    double X = *reinterpret_cast<const double *>(B + At);
    hide<double>(X);
  });
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
    computes<U, 64, Add, 1>("add"),
    computes<U, 64, Add, 8>("add"),
    computes<U, 128, Add, 8>("add"),
    computes<U, 64, Multiply, 1>("mul"),
    computes<U, 64, Multiply, 8>("mul"),
    computes<U, 64, Divide, 1>("div"),
    computes<U, 64, Divide, 8>("div"),
    callsOf("exp", ElementType::F64, &calls<exp>),
    callsOf("log", ElementType::F64, &calls<log>),
    callsOf("sin", ElementType::F64, &calls<sin>),
    callsOf("exp", ElementType::F32, &callsSingle<expf>),
    callsOf("log", ElementType::F32, &callsSingle<logf>),
    callsOf("sin", ElementType::F32, &callsSingle<sinf>),
    {"issue",
     ElementType::I64,
     64,
     false,
     true,
     0,
     0,
     0,
     160,
     {.Flops = 64, .IntOps = 64, .Loads = 32, .LoadBytes = 256},
     &begins},
    ERGON_STREAMS(64),
    ERGON_STREAMS(128),
    ERGON_MIXED(64),
    ERGON_MIXED(128),
    {"follow",
     ElementType::I64,
     64,
     true,
     true,
     1,
     0,
     64,
     1,
     {.Loads = 1, .LoadBytes = 8},
     &follows},
    {"load_line",
     ElementType::F64,
     64,
     false,
     true,
     1,
     0,
     8 * 64,
     8,
     {.Loads = 8, .LoadBytes = 64},
     &strides<64>},
    {"load_4_lines",
     ElementType::F64,
     64,
     false,
     true,
     1,
     0,
     8 * 256,
     8,
     {.Loads = 8, .LoadBytes = 64},
     &strides<256>},
};

} // namespace

ergon::KernelList ergon::kernelsBase() {
  return {Kernels, sizeof(Kernels) / sizeof(*Kernels), [] { return true; }};
}
