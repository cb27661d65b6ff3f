//===- KernelsAvx512.cpp - kernels for processors with AVX-512 ------------===//

#if defined(__AVX512F__)

#include "calibration/Kernels.inc"

static constexpr Kernel Kernels[] = {ERGON_ARITHMETIC(float, 512),
                                     ERGON_FUSED(float, 512),
                                     ERGON_ARITHMETIC(double, 512),
                                     ERGON_FUSED(double, 512),
                                     computes<unsigned long, 512, Add, 8>("add"),
                                     ERGON_STREAMS(512),
                                     ERGON_MIXED(512)};

ergon::KernelList ergon::kernelsAvx512() {
  return {Kernels, sizeof(Kernels) / sizeof(*Kernels),
          [] { return bool(__builtin_cpu_supports("avx512f")); }};
}

#else

#include "calibration/Kernels.h"

ergon::KernelList ergon::kernelsAvx512() {
  return {nullptr, 0, [] { return false; }};
}

#endif
