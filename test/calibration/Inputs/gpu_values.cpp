// What becomes of the operands of the kernels for GPUs in a launch of some 10 ms: prints a line for
// each kind, and a complaint where a value becomes infinite, vanishes, or stands still from one
// round to the next.
#include "calibration/cuda/GpuProbes.h"

// Last: what it defines are words of the standard library, too.
#include "test/calibration/Inputs/gpu_shim_kernels.h"

using namespace ergon::cuda;

constexpr int Rounds = 200'000; // 132 multiprocessors do some 140,000 in 10 ms

static double valueOf(shim::F Of) { return Of.read(); }
static double valueOf(shim::D Of) { return Of.read(); }
static double valueOf(Half2 Of) { return double(Of.x); }
static double valueOf(Integer Of) { return Of.Value; }

/// \p Comes: to rest at a value of its own in each thread, which is no harm.
template <class Op, class T> static void follow(const char *Name, Operand Kind, bool Comes) {
  KernelCode Code{
      .Name = Name, .Operation = "", .Type = "", .Runs = Pattern::Operations, .Inputs = Kind};
  GpuProbe Probe;
  Probe.Code = &Code;
  constexpr std::size_t Count = 256;
  const auto Bytes = operandsFor(Probe, 3 * Count * sizeof(T));
  auto At = [&](std::size_t K) {
    T Result;
    std::memcpy(static_cast<void *>(&Result), Bytes.data() + K * sizeof(T), sizeof(T));
    return Result;
  };
  double Least = INFINITY, Most = 0;
  int Rests = 0, Threads = 0;
  for (std::size_t Thread = 0; Thread < Count - 2; Thread += 50, ++Threads) {
    T A = At(Thread + 1), B = At(Thread + 2), C = At(Thread), D = C;
    if constexpr (Op::Constants != 0)
      D = At(Op::Constants * Count + Thread);
    double Before = 0;
    bool Stands = true;
    for (int K = 0; K != Rounds; ++K) {
      Op::apply(A, B, C, D);
      const double Now = std::max(std::abs(valueOf(A)), std::abs(valueOf(B)));
      Least = std::min(Least, Now);
      Most = std::max(Most, Now);
      Stands &= K < Rounds - 100 || Now == Before;
      Before = Now;
    }
    Rests += Stands;
  }
  const bool IsInteger = Kind == Operand::I32;
  const bool IsBad =
      !std::isfinite(Most) || (!IsInteger && (Most > 1e3 || Least < 1e-3)) || (Rests && !Comes);
  std::printf("%s: %s, from %.3g to %.3g, %d of %d at rest\n", Name, IsBad ? "BAD" : "good", Least,
              Most, Rests, Threads);
}

int main() {
  using F = shim::F;
  using D = shim::D;
  follow<Fuse, F>("fma_f32", Operand::F32, false);
  follow<Add, F>("add_f32", Operand::F32, true);
  follow<Multiply, F>("mul_f32", Operand::F32, true);
  follow<Divide, F>("div_f32", Operand::F32, true);
  follow<Root, F>("sqrt_f32", Operand::F32, true);
  follow<Special, F>("special_f32", Operand::F32, true);
  follow<FuseThenAdd, F>("fma_add_f32", Operand::F32, false);
  follow<Fuse, D>("fma_f64", Operand::F64, false);
  follow<Add, D>("add_f64", Operand::F64, true);
  follow<Multiply, D>("mul_f64", Operand::F64, true);
  follow<Divide, D>("div_f64", Operand::F64, true);
  follow<Root, D>("sqrt_f64", Operand::F64, true);
  follow<FuseThenAdd, D>("fma_add_f64", Operand::F64, false);
  follow<Fuse, Half2>("fma_f16", Operand::F16, false);
  follow<Add, Half2>("add_f16", Operand::F16, true);
  follow<Multiply, Half2>("mul_f16", Operand::F16, true);
  follow<AddInteger, Integer>("add_i32", Operand::I32, false);
  follow<MultiplyInteger, Integer>("mul_i32", Operand::I32, true);
  follow<DivideInteger, Integer>("div_i32", Operand::I32, true);
}
