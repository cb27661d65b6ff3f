//===- Maker.h - how workloads are made -------------------------*- C++ -*-===//
#pragma once

#include "verification/Workload.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ergon::verification {

/// The same data in each run.
using Random = std::minstd_rand;

/// Adds arguments to a workload.
class Maker {
public:
  /// An array of \p N elements. Arrays begin at different places of a page, so that loads of one do
  /// not wait for stores to another.
  template <typename T> T *array(std::int64_t N) {
    constexpr std::size_t Page = 4096, Shift = 17 * 64;
    const std::size_t Size = std::size_t(N) * sizeof(T), Offset = Made.Memory.size() % 3 * Shift;
    void *Got = std::aligned_alloc(Page, (Size + Offset + Page) / Page * Page);
    Failed = Failed || !Got;
    Made.Memory.emplace_back(Got, &std::free);
    Made.Bytes += Size;
    return reinterpret_cast<T *>(static_cast<unsigned char *>(Got) + Offset);
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

  /// Gives the kernel's integer parameter a value.
  Maker &set(const char *Parameter, std::int64_t Value) {
    Made.Parameters[Parameter] = std::to_string(Value);
    return *this;
  }
  /// Sets an unknown that is a mean or a share: \p Sum over \p Times.
  Maker &know(const char *Kind, std::int64_t Sum, std::int64_t Times) {
    Made.Unknowns[Kind] = std::to_string(Sum) + "/" + std::to_string(Times);
    return *this;
  }
  /// Sets the bytes of an object that is accessed irregularly.
  Maker &know(const char *Object, std::uint64_t Bytes) {
    Made.ObjectBytes[Object] = Bytes;
    return *this;
  }
  /// Whether there was no memory for an array.
  bool failed() const { return Failed; }
  /// The workload that calls \p Kernel.
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

/// Keeps results that are not used, so that the compiler cannot leave out their computation.
inline volatile double Sink;

using F = KernelFunctions;
using Bytes = std::uint64_t;

/// How many elements of \p V bytes there are in \p Value.
inline std::int64_t elements(std::uint64_t Value, double V) {
  return std::max<std::int64_t>(std::int64_t(double(Value) / V), 16);
}

/// A side of \p Matrices square matrices of elements of \p V bytes; a whole number of lines is
/// avoided, as columns then crowd into few sets of a cache.
inline int side(std::uint64_t Value, double Matrices, double V) {
  const int N = std::max(int(std::sqrt(double(Value) / Matrices / V)), 9);
  return N % 8 == 0 ? N - 1 : N;
}

/// How many times something of \p Work operations makes at most \p All of them, 1 to \p Most.
inline int atMost(int Most, double Work, double All = 3e7) {
  return int(std::clamp(All / Work, 1.0, double(Most)));
}

/// The workload of a kernel whose first parameter is `n`, \p N, and whose others are arrays of
/// \p Length numbers, or numbers, which are \p Scalar.
template <typename Result, typename Number, typename... Others>
Workload onNumbers(Result (*Kernel)(Number, Others...), std::type_identity_t<Number> N,
                   std::int64_t Length, double Scalar = 0) {
  Maker To;
  const auto Argument = [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_pointer_v<T>)
      return To.numbers<std::remove_const_t<std::remove_pointer_t<T>>>(Length);
    else
      return T(Scalar);
  };
  const std::tuple All{N, Others(Argument(std::type_identity<Others>()))...};
  return To.set("n", N).make([=] {
    if constexpr (std::is_void_v<Result>)
      std::apply(Kernel, All);
    else
      Sink = double(std::apply(Kernel, All));
  });
}

/// The same for arrays that have \p ElementBytes together for each of n, \p Each numbers in each.
template <auto Kernel, int ElementBytes, double Scalar = 0.0, int Each = 1>
Workload onArrays(const F &Variant, Bytes Size) {
  const std::int64_t N = elements(Size, ElementBytes);
  return onNumbers(Variant.*Kernel, N, Each * N, Scalar);
}

/// The same for \p Matrices square matrices.
template <auto Kernel, int Matrices> Workload onMatrices(const F &Variant, Bytes Size) {
  const int N = side(Size, Matrices, 8);
  return onNumbers(Variant.*Kernel, N, std::int64_t(N) * N);
}

// The kernels of each file, in their order.
std::span<const VerifiedKernel> streamKernels();
std::span<const VerifiedKernel> denseKernels();
std::span<const VerifiedKernel> stencilKernels();
std::span<const VerifiedKernel> irregularKernels();
std::span<const VerifiedKernel> computeKernels();

} // namespace ergon::verification
