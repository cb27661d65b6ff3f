//===- cuda_shim.h - CUDA kernels run on the CPU, and counted ---*- C++ -*-===//
//
// The oracle for device code: the source of a kernel, compiled for the host with
// this header before it (-include), runs every thread of a launch, and what the
// threads really do is counted. Nothing here knows how Ergon counts.
//
//   arithmetic   `float`, `double` and `__half` are types whose operators count; Int and
//                Unsigned are what integers in memory are declared as
//   memory       a value's address tells its space: the arena that buffers come from is
//                global, __shared__ and __constant__ variables have sections of their own,
//                all else is a thread's own
//   threads      fibers; a barrier or shuffle waits until all have come there
//
// A source that is for both includes no header of CUDA under ERGON_SHIM and writes
// DYNAMIC_SHARED(type, name) for `extern __shared__ type name[]`.
//===----------------------------------------------------------------------===//
#pragma once
#define ERGON_SHIM 1

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <setjmp.h>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <ucontext.h>
#include <vector>

extern char __start_shim_shared[] __attribute__((weak)), __stop_shim_shared[] __attribute__((weak));
extern char __start_shim_constant[] __attribute__((weak)),
    __stop_shim_constant[] __attribute__((weak));

namespace shim {

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// Counts by class. A class of three literals is looked up by their addresses: its name is put
/// together once.
struct ClassCounts : std::map<std::string, long> {
  long &of(const char *First, const char *Second, const char *Third) {
    for (auto &[Words, Count] : Known)
      if (Words[0] == First && Words[1] == Second && Words[2] == Third)
        return *Count;
    long &Count = (*this)[std::string(First) + Second + Third];
    Known.push_back({{First, Second, Third}, &Count});
    return Count;
  }
  void clear() {
    Known.clear();
    map::clear();
  }

private:
  std::vector<std::pair<std::array<const char *, 3>, long *>> Known;
};
inline ClassCounts Counts;

/// Global memory: buffers follow one another in it, the first of them aligned as cudaMalloc does.
inline constexpr std::size_t ArenaBytes = std::size_t(64) << 20;
inline std::span<char> Arena(static_cast<char *>(std::calloc(ArenaBytes, 1)),
                             ArenaBytes); ///< pages that no thread touches cost nothing
inline std::size_t ArenaUsed = 256 - reinterpret_cast<std::uintptr_t>(Arena.data()) % 256;
/// What DYNAMIC_SHARED names.
alignas(16) inline char DynamicShared[96 << 10];

/// What LOCAL_ARRAY names, of each thread.
inline std::array<std::array<char, 256>, 1024> LocalMemory;

inline const char *spaceOf(const void *Pointer) {
  auto IsInside = [&](const char *First, const char *Last) {
    auto *Byte = static_cast<const char *>(Pointer);
    return Byte >= First && Byte < Last;
  };
  if (IsInside(Arena.data(), Arena.data() + Arena.size()))
    return "global";
  if (IsInside(__start_shim_shared, __stop_shim_shared) ||
      IsInside(std::begin(DynamicShared), std::end(DynamicShared)))
    return "shared";
  if (IsInside(LocalMemory.front().data(), LocalMemory.back().data() + LocalMemory.back().size()))
    return "local";
  return IsInside(__start_shim_constant, __stop_shim_constant) ? "constant" : nullptr;
}

#ifdef SHIM_TRACE // Inputs/warp_trace.cpp
void traceAccess(const char *Kind, const char *Space, const void *Address, std::size_t Bytes);
/// Stands around a loop and is told of each iteration.
struct Loop {
  Loop();
  ~Loop();
  void next();
};
/// Sums over requests of warps, by what they do: `load global 4`.
struct RequestSums {
  long Requests = 0, Threads = 0, Sectors = 0, Lines = 0, Passes = 0, Addresses = 0;
};
inline std::map<std::string, RequestSums> Requests;
#endif

/// \p Traced is what the warp's request is called, if it is not the same: an atomic operation's.
template <class T>
inline void accessed(const char *Kind, const T *Pointer, const char *Traced = nullptr) {
  const char *Space = spaceOf(Pointer);
  if (!Space)
    return;
  Counts.of(Kind, "s_", Space) += 1;
  Counts.of(Kind, "_bytes_", Space) += sizeof(T);
#ifdef SHIM_TRACE
  if (*(Traced = Traced ? Traced : Kind))
    traceAccess(Traced, Space, Pointer, sizeof(T));
#endif
}

template <class T> inline const char *typeName() {
  return sizeof(T) == 2 ? "f16" : sizeof(T) == 4 ? "f32" : "f64";
}

/// A number whose operations and moves count.
template <class T> class Counted {
  T Value;

  static void operation(const char *Family, long Times = 1) {
    if constexpr (std::is_integral_v<T>)
      return; // integers stand for memory only
    Counts.of(Family, "_", typeName<T>()) += Times;
  }

public:
  Counted() = default;
  template <class U,
            class = std::enable_if_t<std::is_arithmetic_v<U> || std::is_same_v<U, _Float16>>>
  Counted(U Other) : Value(T(Other)) {}
  template <class U> explicit Counted(const Counted<U> &Other) : Value(T(Other.read())) {}
  Counted(const Counted &Other) : Value(Other.read()) {}
  Counted &operator=(const Counted &Other) {
    write(Other.read());
    return *this;
  }

  T read() const {
    accessed("load", this);
    return Value;
  }
  void write(T New) {
    accessed("store", this);
    Value = New;
  }
  /// Without a count: for those who look from outside.
  T &raw() { return Value; }

  explicit operator bool() const { return read() != T(0); }
  operator T() const
    requires std::is_integral_v<T>
  {
    return read();
  }

  static Counted flop(T Result, const char *Family = nullptr, long Flops = 1) {
    operation("flops", Flops);
    if (Family)
      operation(Family);
    return Counted(Result);
  }
  static Counted special(T Result) {
    operation("special");
    return Counted(Result);
  }

#define SHIM_OPERATOR(OP, FAMILY)                                                                  \
  friend Counted operator OP(const Counted &A, const Counted &B)                                   \
    requires(!std::is_integral_v<T>)                                                               \
  {                                                                                                \
    T Left = A.read(), Right = B.read();                                                           \
    return flop(T(Left OP Right), FAMILY);                                                         \
  }                                                                                                \
  Counted &operator OP## = (const Counted &B) {                                                    \
    T Left = read(), Right = B.read();                                                             \
    write(flop(T(Left OP Right), FAMILY).Value);                                                   \
    return *this;                                                                                  \
  }
  SHIM_OPERATOR(+, nullptr)
  SHIM_OPERATOR(-, nullptr)
  SHIM_OPERATOR(*, nullptr)
  SHIM_OPERATOR(/, "div")
#undef SHIM_OPERATOR
  friend Counted operator-(const Counted &A) { return Counted(-A.read()); }

#define SHIM_COMPARE(OP)                                                                           \
  friend bool operator OP(const Counted &A, const Counted &B)                                      \
    requires(!std::is_integral_v<T>)                                                               \
  {                                                                                                \
    T Left = A.read(), Right = B.read();                                                           \
    return Left OP Right;                                                                          \
  }
  SHIM_COMPARE(<)
  SHIM_COMPARE(>) SHIM_COMPARE(<=) SHIM_COMPARE(>=) SHIM_COMPARE(==) SHIM_COMPARE(!=)
#undef SHIM_COMPARE
};

using NativeFloat = float;
using NativeDouble = double;
using F = Counted<NativeFloat>;
using D = Counted<NativeDouble>;
using H = Counted<_Float16>;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

struct Index {
  unsigned x = 1, y = 1, z = 1;
  unsigned count() const { return x * y * z; }
};
inline Index Grid, Block, BlockOfThread, ThreadOfThread;

inline constexpr std::size_t StackBytes = 128 << 10;
struct Fiber {
  ucontext_t Start; ///< for the first time
  jmp_buf Place;    ///< where it goes on, from then on: switches without a call of the system
  std::unique_ptr<char[]> Stack{
      new char[StackBytes]}; ///< not set: a lane touches a few pages of it
  bool HasBegun = false, Done = false;
  unsigned Rounds[2] = {};  ///< barriers of its warp and of its block that it has come to
  unsigned WaitsAt[3] = {}; ///< the kind of the barrier, the first and how many threads; none: 0

  /// Waits at a barrier that others have not come to.
  bool isHeld() const;
};
inline std::vector<Fiber> Fibers;
inline bool Fiber::isHeld() const {
  auto [Kind, First, Count] = WaitsAt;
  for (unsigned I = First; I < std::min<unsigned>(First + Count, unsigned(Fibers.size())); ++I)
    if (!Fibers[I].Done && Fibers[I].Rounds[Kind] < Rounds[Kind])
      return true;
  return false;
}
inline jmp_buf Scheduler;
inline unsigned Current = 0;
inline std::function<void()> Body;
/// What the lanes of each warp give to the others.
inline std::vector<std::array<std::uint64_t, 32>> Given;

/// Lets other threads go on, until it is this one's turn again.
inline void yield() {
  if (!_setjmp(Fibers[Current].Place))
    _longjmp(Scheduler, 1);
}
/// Runs on until the current thread yields.
inline void resume() {
  Fiber &Task = Fibers[Current];
  if (_setjmp(Scheduler))
    return;
  if (Task.HasBegun)
    _longjmp(Task.Place, 1);
  Task.HasBegun = true;
  setcontext(&Task.Start);
}

/// One thread after the other, of all blocks.
inline void enter() {
  while (true) {
    Body();
    Fibers[Current].Done = true;
    yield();
  }
}

/// Waits until all threads from \p First on, \p Count of them, have come to as many
/// barriers of this kind as this one, or have ended.
inline void meet(unsigned Kind, unsigned First, unsigned Count) {
  Fiber &Mine = Fibers[Current];
  ++Mine.Rounds[Kind];
  Mine.WaitsAt[0] = Kind, Mine.WaitsAt[1] = First, Mine.WaitsAt[2] = Count;
  while (Mine.isHeld())
    yield();
  Mine.WaitsAt[2] = 0;
}
inline void meetWarp() { meet(0, Current / 32 * 32, 32); }

inline void runBlock() {
  Fibers.resize(Block.count());
  Given.assign((Block.count() + 31) / 32, {});
  for (Fiber &Task : Fibers) {
    Task.Done = false;
    Task.Rounds[0] = Task.Rounds[1] = Task.WaitsAt[2] = 0;
    if (Task.HasBegun)
      continue;
    getcontext(&Task.Start);
    Task.Start.uc_stack.ss_sp = Task.Stack.get();
    Task.Start.uc_stack.ss_size = StackBytes;
    makecontext(&Task.Start, reinterpret_cast<void (*)()>(&enter), 0);
  }
  bool Left = true;
  while (Left) {
    Left = false;
    for (Current = 0; Current != Fibers.size(); ++Current) {
      if (Fibers[Current].Done)
        continue;
      Left = true;
      ThreadOfThread = {Current % Block.x, Current / Block.x % Block.y,
                        Current / Block.x / Block.y};
      resume();
    }
  }
}

inline void launch(Index Blocks, Index Threads, std::function<void()> What) {
  Grid = Blocks;
  Block = Threads;
  Body = std::move(What);
  for (unsigned Number = 0; Number != Grid.count(); ++Number) {
    BlockOfThread = {Number % Grid.x, Number / Grid.x % Grid.y, Number / Grid.x / Grid.y};
    runBlock();
  }
}

/// Lane \p From's value, after all lanes gave theirs.
template <class T> inline T exchange(const T &Mine, unsigned From) {
  auto &Lanes = Given[Current / 32];
  std::memcpy(&Lanes[Current % 32], &Mine, sizeof(T));
  meetWarp();
  T Result = Mine;
  std::memcpy(static_cast<void *>(&Result), &Lanes[From % 32], sizeof(T));
  meetWarp();
  return Result;
}

template <class T, class Change> inline T atomic(T *Where, Change New) {
  Counts["atomics"] += 1;
  accessed("load", Where, "atomic");
  accessed("store", Where, "");
  T Old;
  std::memcpy(static_cast<void *>(&Old), Where, sizeof(T));
  T Next = New(Old);
  std::memcpy(static_cast<void *>(Where), &Next, sizeof(T));
  return Old;
}

} // namespace shim

//===----------------------------------------------------------------------===//
// The language
//===----------------------------------------------------------------------===//

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("shim_shared")))
#define __constant__ __attribute__((section("shim_constant")))
#define DYNAMIC_SHARED(TYPE, NAME) TYPE *NAME = reinterpret_cast<TYPE *>(shim::DynamicShared)
/// An array of each thread in local memory, in the place of `TYPE NAME[SIZE]`.
#define LOCAL_ARRAY(TYPE, NAME, SIZE)                                                              \
  TYPE *NAME = reinterpret_cast<TYPE *>(shim::LocalMemory[shim::Current].data())
#define threadIdx shim::ThreadOfThread
#define blockIdx shim::BlockOfThread
#define blockDim shim::Block
#define gridDim shim::Grid

using Int = shim::Counted<std::int32_t>;
using Unsigned = shim::Counted<std::uint32_t>;
using __half = shim::H;
using Byte = shim::Counted<std::int8_t>;
using Short = shim::Counted<std::int16_t>;
/// Moved by one access.
struct alignas(16) float4 {
  shim::F x, y, z, w;
  float4() = default;
  float4(const float4 &Other) { *this = Other; }
  float4 &operator=(const float4 &Other) {
    shim::accessed("load", &Other);
    shim::accessed("store", this);
    std::memcpy(static_cast<void *>(this), static_cast<const void *>(&Other), sizeof(Other));
    return *this;
  }
};

inline void __syncthreads() {
  shim::Counts["barriers"] += 1;
  shim::meet(1, 0, shim::Block.count());
}
inline void __syncwarp(unsigned = ~0u) {
  shim::Counts["barriers"] += 1;
  shim::meetWarp();
}
template <class T> T __shfl_down_sync(unsigned, T V, unsigned D) {
  unsigned Lane = shim::Current % 32;
  return shim::exchange(V, Lane + D < 32 ? Lane + D : Lane);
}
template <class T> T __shfl_up_sync(unsigned, T V, unsigned D) {
  unsigned Lane = shim::Current % 32;
  return shim::exchange(V, Lane >= D ? Lane - D : Lane);
}
template <class T> T __shfl_xor_sync(unsigned, T V, unsigned D) {
  return shim::exchange(V, shim::Current % 32 ^ D);
}
template <class T> T __shfl_sync(unsigned, T V, unsigned From) { return shim::exchange(V, From); }
inline unsigned __ballot_sync(unsigned, bool Vote) {
  auto &Lanes = shim::Given[shim::Current / 32];
  Lanes[shim::Current % 32] = Vote;
  shim::meetWarp();
  unsigned Result = 0;
  for (unsigned I = 0; I != 32; ++I)
    Result |= unsigned(Lanes[I] != 0) << I;
  shim::meetWarp();
  return Result;
}
inline int __mul24(int A, int B) { return A * B; }
inline int __popc(unsigned V) { return std::popcount(V); }
template <class T> T __ldg(const T *From) { return *From; }
template <class T, class U> T atomicAdd(T *Where, U V) {
  return shim::atomic(Where, [&](T Old) {
    if constexpr (std::is_same_v<T, shim::F>)
      Old.raw() += shim::F(V).raw();
    else if constexpr (std::is_arithmetic_v<T>)
      Old += T(V);
    else
      Old.raw() += T(V).raw();
    return Old;
  });
}

// CUDA C++ Programming Guide, "Intrinsic Functions": __expf(x) is exp2f(x·log2 e), __logf(x) is
// log2f(x)·ln 2, each with the hardware's exp2 or log2; the others are one instruction.
inline shim::F __expf(shim::F X) {
  shim::F::flop(0);
  return shim::F::special(std::exp(X.read()));
}
inline shim::F __logf(shim::F X) {
  shim::F::flop(0);
  return shim::F::special(std::log(X.read()));
}
inline shim::F __sinf(shim::F X) { return shim::F::special(std::sin(X.read())); }
inline shim::F __cosf(shim::F X) { return shim::F::special(std::cos(X.read())); }
inline shim::F sqrtf(shim::F X) { return shim::F::flop(std::sqrt(X.read()), "sqrt"); }
inline shim::D sqrt(shim::D X) { return shim::D::flop(std::sqrt(X.read()), "sqrt"); }
inline shim::F rsqrtf(shim::F X) { return shim::F::flop(1 / std::sqrt(X.read()), "sqrt"); }
inline shim::F fmaf(shim::F A, shim::F B, shim::F C) {
  return shim::F::flop(std::fma(A.read(), B.read(), C.read()), "fma", 2);
}
inline shim::D fma(shim::D A, shim::D B, shim::D C) {
  return shim::D::flop(std::fma(A.read(), B.read(), C.read()), "fma", 2);
}
inline shim::F fabsf(shim::F X) { return shim::F(std::fabs(X.read())); }
inline shim::F fminf(shim::F A, shim::F B) { return shim::F(std::fmin(A.read(), B.read())); }
inline shim::F fmaxf(shim::F A, shim::F B) { return shim::F(std::fmax(A.read(), B.read())); }
inline shim::H __hadd(shim::H A, shim::H B) { return A + B; }
inline shim::H __hmul(shim::H A, shim::H B) { return A * B; }
inline shim::H __hfma(shim::H A, shim::H B, shim::H C) {
  return shim::H::flop(_Float16(A.read() * B.read() + C.read()), "fma", 2);
}
inline shim::H __float2half(shim::F X) { return shim::H(_Float16(X.read())); }
inline shim::F __half2float(shim::H X) { return shim::F(shim::NativeFloat(X.read())); }

// Last: from here on the words mean the types that count.
#define float ::shim::F
#define double ::shim::D
#ifdef SHIM_TRACE
#define SHIM_LOOP(KIND, ...)                                                                       \
  if (::shim::Loop Around; false) {                                                                \
  } else                                                                                           \
    KIND(__VA_ARGS__) if (Around.next(); false) {}                                                 \
  else
#define for(...) SHIM_LOOP(for, __VA_ARGS__)
#define while(...) SHIM_LOOP(while, __VA_ARGS__)
#endif
