// The kernels of `ergon calibrate --gpu`, to be run on the CPU.
#pragma once

#include "test/oracle/cuda_shim.h"
#undef float
#undef double
#include "test/calibration/Inputs/gpu_shim.h"
#define float ::shim::F
#define double ::shim::D
#include "calibration/cuda/Kernels.cu"
#undef float
#undef double

namespace gpu_shim {

struct Code {
  std::string Name;
  void (*Run)(unsigned Iterations, std::uint64_t In, std::uint64_t Out, unsigned Count);
};
template <class In, class Out, void (*Of)(unsigned, const In *, Out *, unsigned)>
void call(unsigned Iterations, std::uint64_t From, std::uint64_t Into, unsigned Count) {
  Of(Iterations, reinterpret_cast<const In *>(From), reinterpret_cast<Out *>(Into), Count);
}
template <auto Of> struct Caller;
template <class In, class Out, void (*Of)(unsigned, const In *, Out *, unsigned)>
struct Caller<Of> {
  static constexpr auto Run = &call<In, Out, Of>;
};
#define KERNEL(NAME) {#NAME, Caller<&::NAME>::Run},
inline const std::vector<Code> Codes = {
    // clang-format off
    KERNEL(fma_f16) KERNEL(add_f16) KERNEL(mul_f16) KERNEL(fma_f32) KERNEL(add_f32) KERNEL(mul_f32)
    KERNEL(div_f32) KERNEL(sqrt_f32) KERNEL(special_f32) KERNEL(fma_f64) KERNEL(add_f64)
    KERNEL(mul_f64) KERNEL(div_f64) KERNEL(sqrt_f64) KERNEL(fma_add_f32) KERNEL(fma_add_f64)
    KERNEL(add_i32) KERNEL(mul_i32) KERNEL(div_i32) KERNEL(matrix_f16) KERNEL(matrix_i8)
    KERNEL(matrix_bf16) KERNEL(matrix_tf32) KERNEL(matrix_f64) KERNEL(load) KERNEL(load_near)
    KERNEL(store) KERNEL(copy) KERNEL(load_random) KERNEL(load_lines)
    KERNEL(walk) KERNEL(walk_near) KERNEL(walk_shared) KERNEL(load_shared) KERNEL(store_shared)
    KERNEL(load_fma1_f32) KERNEL(load_fma1_f64) KERNEL(load_fma4_f32) KERNEL(load_fma4_f64)
    KERNEL(load_fma16_f32) KERNEL(load_fma16_f64) KERNEL(load_fma64_f32) KERNEL(load_fma64_f64)
    KERNEL(nothing) KERNEL(clocks)
    // clang-format on
};

using Counted = std::map<std::string, long>;

inline Counted execute(const Code &Of, unsigned Blocks, unsigned Threads, unsigned Iterations,
                       std::uint64_t In, std::uint64_t Out, unsigned Count) {
  shim::Counts.clear();
  gpu_shim::L1Block = ~0u;
  shim::launch({Blocks}, {Threads}, [&] { Of.Run(Iterations, In, Out, Count); });
  return shim::Counts;
}

} // namespace gpu_shim
