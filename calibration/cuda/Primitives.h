//===- Primitives.h - what probes do on a GPU -------------------*- C++ -*-===//
//
// Operations that the language has no sign for, or that must be one instruction. Where the
// kernels are run on a CPU to be counted (test/calibration/Inputs), that test's own stand here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using Unsigned = unsigned; ///< in memory
using Integer = unsigned;  ///< whose operations are to be measured
using Half2 = __half2;
using Words = uint4; ///< moved by one access

/// X·Y + Z, rounded once: one instruction.
__device__ inline float fused(float X, float Y, float Z) { return fmaf(X, Y, Z); }
__device__ inline double fused(double X, double Y, double Z) { return fma(X, Y, Z); }
__device__ inline Half2 fused(Half2 X, Half2 Y, Half2 Z) { return __hfma2(X, Y, Z); }
/// Rounded as C asks for, which compilers' flags may leave out of sqrtf.
__device__ inline float root(float X) { return __fsqrt_rn(X); }
__device__ inline double root(double X) { return sqrt(X); }

/// 2^x and log2 x by one instruction each.
__device__ inline float exponential(float X) {
  float Y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(Y) : "f"(X));
  return Y;
}
__device__ inline float logarithm(float X) {
  float Y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(Y) : "f"(X));
  return Y;
}

/// Past L1, whatever fits there.
template <class T> __device__ inline T loadPastL1(const T *From) { return __ldcg(From); }
/// 16 bytes through L1.
__device__ inline Words loadThroughL1(const Words *From) {
  Words Loaded;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(Loaded.x), "=r"(Loaded.y), "=r"(Loaded.z), "=r"(Loaded.w)
               : "l"(From));
  return Loaded;
}

/// 4 bytes through L1.
__device__ inline unsigned loadThroughL1(const Unsigned *From) {
  unsigned Loaded;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(Loaded) : "l"(From));
  return Loaded;
}

/// Stores 16 bytes by one instruction.
__device__ inline void put(Words *Target, Words Stored) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(Target), "r"(Stored.x), "r"(Stored.y), "r"(Stored.z), "r"(Stored.w)
               : "memory");
}

/// As often as it is written, though the value is the same.
__device__ inline unsigned loadAgain(const Unsigned &From) {
  return *const_cast<const volatile unsigned *>(&From);
}
/// As often as it is written, as loadAgain().
__device__ inline void storeAgain(Unsigned &Target, unsigned Value) {
  *const_cast<volatile unsigned *>(&Target) = Value;
}

/// Cycles of the multiprocessor's clock, and nanoseconds.
__device__ inline unsigned long long cycles() { return clock64(); }
__device__ inline unsigned long long nanoseconds() {
  unsigned long long Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  return Now;
}

/// Tiles of matrices that a warp holds, C += A·B by tensor cores. \p Type is what A and B are of;
/// they are in memory as \p Stored.
template <class Type, class Stored, class Sum, int M, int N, int K> struct Tiles {
  static constexpr int Rows = M, Columns = N, Depth = K;
  using Element = Stored;
  using Result = Sum;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, M, N, K, Type, nvcuda::wmma::row_major> A;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, M, N, K, Type, nvcuda::wmma::col_major> B;
  using C = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, Sum>;

  /// Loads one tile of each operand, M × K and K × N, one behind the other in memory. A whole warp
  /// calls it, and those below.
  __device__ void load(const Stored *From) {
    nvcuda::wmma::load_matrix_sync(A, From, K);
    nvcuda::wmma::load_matrix_sync(B, From + M * K, K);
  }
  /// Sets all sums to 0, adds the product of the loaded tiles, and stores the sums by rows.
  __device__ static void clear(C &Sums) { nvcuda::wmma::fill_fragment(Sums, Sum(0)); }
  __device__ void multiply(C &Sums) const { nvcuda::wmma::mma_sync(Sums, A, B, Sums); }
  __device__ static void store(Sum *Target, const C &From) {
    nvcuda::wmma::store_matrix_sync(Target, From, N, nvcuda::wmma::mem_row_major);
  }
};
using TilesF16 = Tiles<__half, __half, float, 16, 16, 16>;
#if __CUDA_ARCH__ >= 720
#define ERGON_HAS_SM72 1
using TilesI8 = Tiles<signed char, signed char, int, 16, 16, 16>;
#endif
#if __CUDA_ARCH__ >= 800
#define ERGON_HAS_SM80 1
using TilesBf16 = Tiles<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>;
using TilesTf32 = Tiles<nvcuda::wmma::precision::tf32, float, float, 16, 16, 8>;
using TilesF64 = Tiles<double, double, double, 8, 8, 4>;
#endif
