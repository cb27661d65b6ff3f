//===- KernelsAvx512.cpp - kernels for processors with AVX-512 ------------===//

#if defined(__AVX512F__)

#include "calibration/Kernels.inc"

namespace {

/// Elements of a vector's bytes in reverse order, each by an index of its own.
template <class T> [[gnu::noinline]] void gathers(const KernelFrame &F) {
  using V = Vector<T, 512>;
  const unsigned char *const B = F.B;
  Vector<int, sizeof(T) == 4 ? 512 : 256> Index{};
#pragma clang loop unroll(full)
  for (unsigned K = 0; K != 64 / sizeof(T); ++K)
    Index[K] = int(64 / sizeof(T) - 1 - K);
  goByEight<sizeof(V)>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    const void *From = B + Position;
    V X{};
    hide<int>(Index);
    if constexpr (sizeof(T) == 4)
      X = __builtin_ia32_gathersiv16sf(X, From, Index, static_cast<unsigned short>(-1), 4);
    else
      X = __builtin_ia32_gathersiv8df(X, From, Index, static_cast<unsigned char>(-1), 8);
    hide<T>(X);
  });
}

/// Elements of a vector's bytes to places in reverse order, each by an index of its own. Compilers
/// prefer vectors of 256 bits.
template <class T, unsigned Bits> [[gnu::noinline]] void scatters(const KernelFrame &F) {
  using V = Vector<T, Bits>;
  static constexpr unsigned Lanes = Bits / 8 / sizeof(T);
  unsigned char *const A = F.A;
  Vector<int, 32 * Lanes> Index{};
#pragma clang loop unroll(full)
  for (unsigned K = 0; K != Lanes; ++K)
    Index[K] = int(Lanes - 1 - K);
  V X = filled<T, V>(T(1));
  goByEight<sizeof(V)>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    hide<int>(Index);
    if constexpr (Lanes == 16)
      __builtin_ia32_scattersiv16sf(A + Position, static_cast<unsigned short>(-1), Index, X, 4);
    else if constexpr (Lanes == 8)
      __builtin_ia32_scattersiv8df(A + Position, static_cast<unsigned char>(-1), Index, X, 8);
    else
      __builtin_ia32_scattersiv4df(A + Position, static_cast<unsigned char>(-1), Index, X, 8);
  });
}

constexpr Kernel Kernels[] = {ERGON_ARITHMETIC(float, 512),
                              ERGON_FUSED(float, 512),
                              ERGON_ARITHMETIC(double, 512),
                              ERGON_FUSED(double, 512),
                              ERGON_OTHERS(512),
                              ERGON_VECTORS(512),
                              ERGON_INT_MUL(512),
                              ERGON_STREAMS(512),
                              ERGON_MIXED(512),
                              gathersOf<float, 512>(&gathers<float>),
                              gathersOf<double, 512>(&gathers<double>),
                              scattersOf<float, 512>(&scatters<float, 512>),
                              scattersOf<double, 512>(&scatters<double, 512>),
                              scattersOf<double, 256>(&scatters<double, 256>)};

} // namespace

ergon::KernelList ergon::kernelsAvx512() {
  return {Kernels, sizeof(Kernels) / sizeof(*Kernels),
          [] { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }};
}

#else

#include "calibration/Kernels.h"

ergon::KernelList ergon::kernelsAvx512() {
  return {nullptr, 0, [] { return false; }};
}

#endif
