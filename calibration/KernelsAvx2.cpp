//===- KernelsAvx2.cpp - kernels for processors with AVX2 and FMA ---------===//

#if defined(__AVX2__) && defined(__FMA__)

#include "calibration/Kernels.inc"

static constexpr Kernel Kernels[] = {ERGON_FUSED(float, 32),
                                     ERGON_FUSED(float, 128),
                                     ERGON_FUSED(double, 64),
                                     ERGON_FUSED(double, 128),
                                     ERGON_ARITHMETIC(float, 256),
                                     ERGON_FUSED(float, 256),
                                     ERGON_ARITHMETIC(double, 256),
                                     ERGON_FUSED(double, 256),
                                     computes<unsigned long, 256, Add, 8>("add"),
                                     ERGON_STREAMS(256),
                                     ERGON_MIXED(256)};

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
