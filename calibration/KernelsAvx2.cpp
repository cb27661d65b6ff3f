//===- KernelsAvx2.cpp - kernels for processors with AVX2 and FMA ---------===//

#if defined(__AVX2__) && defined(__FMA__)

#include "calibration/Kernels.inc"

namespace {

/// Elements of a vector's bytes in reverse order, each by an index of its own.
template <class T> [[gnu::noinline]] void gathers(const KernelFrame &F) {
  using V = Vector<T, 256>;
  const unsigned char *const B = F.B;
  Vector<int, sizeof(T) == 4 ? 256 : 128> Index{};
#pragma clang loop unroll(full)
  for (unsigned K = 0; K != 32 / sizeof(T); ++K)
    Index[K] = int(32 / sizeof(T) - 1 - K);
  goByEight<sizeof(V)>(F, [&](std::size_t Position, unsigned) __attribute__((always_inline)) {
    const T *From = reinterpret_cast<const T *>(B + Position);
    V X{}, All = reinterpret_cast<V>(Vector<long, 256>{-1, -1, -1, -1});
    hide<T>(All);
    hide<int>(Index);
    if constexpr (sizeof(T) == 4)
      X = __builtin_ia32_gatherd_ps256(X, From, Index, All, 4);
    else
      X = __builtin_ia32_gatherd_pd256(X, From, Index, All, 8);
    hide<T>(X);
  });
}

constexpr Kernel Kernels[] = {ERGON_FUSED(float, 32),
                              ERGON_FUSED(float, 128),
                              ERGON_FUSED(double, 64),
                              ERGON_FUSED(double, 128),
                              ERGON_ARITHMETIC(float, 256),
                              ERGON_FUSED(float, 256),
                              ERGON_ARITHMETIC(double, 256),
                              ERGON_FUSED(double, 256),
                              ERGON_OTHERS(256),
                              ERGON_VECTORS(256),
                              ERGON_INT_MUL(128),
                              ERGON_INT_MUL(256),
                              ERGON_STREAMS(256),
                              ERGON_MIXED(256),
                              gathersOf<float, 256>(&gathers<float>),
                              gathersOf<double, 256>(&gathers<double>)};

} // namespace

ergon::KernelList ergon::kernelsAvx2() {
  return {Kernels, sizeof(Kernels) / sizeof(*Kernels),
          [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }};
}

#else

#include "calibration/Kernels.h"

ergon::KernelList ergon::kernelsAvx2() {
  return {nullptr, 0, [] { return false; }};
}

#endif
