//===- Kernels.cu - loops whose time and energy are to be measured on a GPU -===//
//
// Each kernel is a loop of which is known what a thread executes in an iteration, or what is done
// for each word of memory. calibration/cuda/KernelTable.cpp says how much that is; test/calibration
// has the proofs. All have the same parameters:
//
//   iterations   how often the loop runs
//   in, out      operands and streams; what is written
//   count        of what is in `in`, as each kind of kernel says
//
//===----------------------------------------------------------------------===//

#ifndef ERGON_SHIM
#include "calibration/cuda/Primitives.h"
#endif

#define ERGON_KERNEL(NAME, IN, OUT)                                                                \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      NAME(unsigned iterations, const IN *in, OUT *out, unsigned count)

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Each works on two values that depend on each other, so that nothing can be computed ahead. They
// neither grow nor vanish; where they converge, each thread has values of its own. A thread has
// constants C and D of its own, D from the section of operands with that number; 0: none.

/// Points on an ellipse: two shears, each of which undoes what the other one stretches. D = -C.
struct Fuse {
  static constexpr unsigned Constants = 2;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = fused(B, C, A);
    B = fused(A, D, B);
  }
};
/// Has its first value again after six operations.
struct Add {
  static constexpr unsigned Constants = 0;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = A + B;
    B = B - A;
  }
};
/// D = 1/C
struct Multiply {
  static constexpr unsigned Constants = 1;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = A * C;
    B = B * D;
    A = A * D;
    B = B * C;
  }
};
struct Divide {
  static constexpr unsigned Constants = 1;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = C / A;
    B = D / B;
  }
};
/// Behind a multiplication, so that it does not go to 1.
struct Root {
  static constexpr unsigned Constants = 1;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = root(A * C);
    B = root(B * D);
  }
};
struct Special {
  static constexpr unsigned Constants = 0;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    A = logarithm(exponential(A));
    B = logarithm(exponential(B));
  }
};
struct AddInteger {
  static constexpr unsigned Constants = 0;
  static __device__ void apply(Integer &A, Integer &B, Integer C, Integer D) {
    A = A + B;
    B = B ^ A;
  }
};
struct MultiplyInteger {
  static constexpr unsigned Constants = 0;
  static __device__ void apply(Integer &A, Integer &B, Integer C, Integer D) {
    A = A * B;
    B = B * A;
  }
};
/// Odd divisors, so that none is 0.
struct DivideInteger {
  static constexpr unsigned Constants = 1;
  static __device__ void apply(Integer &A, Integer &B, Integer C, Integer D) {
    A = C / (A | 1);
    B = D / (B | 1);
  }
};
/// Mixtures of the above: their times are predicted and compared.
struct FuseThenAdd {
  static constexpr unsigned Constants = 2;
  template <class T> static __device__ void apply(T &A, T &B, T C, T D) {
    Fuse::apply(A, B, C, D);
    Add::apply(A, B, C, D);
  }
};

/// `count` values, a power of two, then as many reciprocals and as many negatives of them. An
/// iteration is 8 operations of each of 4 pairs.
template <class Op, class T, class Memory>
__device__ inline void compute(unsigned iterations, const Memory *in, Memory *out, unsigned count) {
  constexpr unsigned Pairs = 4, Rounds = 8;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned at = thread & (count - 1);
  T C{}, D{};
  if constexpr (Op::Constants != 0) {
    C = in[at];
    D = in[Op::Constants * count + at];
  }
  T A[Pairs], B[Pairs];
#pragma unroll
  for (unsigned k = 0; k != Pairs; ++k) {
    A[k] = in[(at + 2 * k + 1) & (count - 1)];
    B[k] = in[(at + 2 * k + 2) & (count - 1)];
  }
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned round = 0; round != Rounds; ++round) {
#pragma unroll
      for (unsigned k = 0; k != Pairs; ++k)
        Op::apply(A[k], B[k], C, D);
    }
  }
  T sum = A[0] + B[0];
#pragma unroll
  for (unsigned k = 1; k != Pairs; ++k)
    sum = sum + (A[k] + B[k]);
  out[thread] = sum;
}

#define ERGON_COMPUTE(NAME, OP, T)                                                                 \
  ERGON_KERNEL(NAME, T, T) { compute<OP, T>(iterations, in, out, count); }
ERGON_COMPUTE(fma_f16, Fuse, Half2)
ERGON_COMPUTE(add_f16, Add, Half2)
ERGON_COMPUTE(mul_f16, Multiply, Half2)
ERGON_COMPUTE(fma_f32, Fuse, float)
ERGON_COMPUTE(add_f32, Add, float)
ERGON_COMPUTE(mul_f32, Multiply, float)
ERGON_COMPUTE(div_f32, Divide, float)
ERGON_COMPUTE(sqrt_f32, Root, float)
ERGON_COMPUTE(special_f32, Special, float)
ERGON_COMPUTE(fma_f64, Fuse, double)
ERGON_COMPUTE(add_f64, Add, double)
ERGON_COMPUTE(mul_f64, Multiply, double)
ERGON_COMPUTE(div_f64, Divide, double)
ERGON_COMPUTE(sqrt_f64, Root, double)
ERGON_COMPUTE(fma_add_f32, FuseThenAdd, float)
ERGON_COMPUTE(fma_add_f64, FuseThenAdd, double)
#define ERGON_COMPUTE_INTEGER(NAME, OP)                                                            \
  ERGON_KERNEL(NAME, Unsigned, Unsigned) { compute<OP, Integer>(iterations, in, out, count); }
ERGON_COMPUTE_INTEGER(add_i32, AddInteger)
ERGON_COMPUTE_INTEGER(mul_i32, MultiplyInteger)
ERGON_COMPUTE_INTEGER(div_i32, DivideInteger)

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// An iteration is 8 products of each of 4 tiles that a warp adds up.
template <class T>
__device__ inline void multiplyTiles(unsigned iterations, const typename T::Element *in,
                                     typename T::Result *out) {
  constexpr unsigned Sums = 4, Rounds = 8;
  T Operands;
  Operands.load(in);
  typename T::C C[Sums];
#pragma unroll
  for (unsigned k = 0; k != Sums; ++k)
    T::clear(C[k]);
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned round = 0; round != Rounds; ++round) {
#pragma unroll
      for (unsigned k = 0; k != Sums; ++k)
        Operands.multiply(C[k]);
    }
  }
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll
  for (unsigned k = 0; k != Sums; ++k)
    T::store(out + (warp * Sums + k) * (T::Rows * T::Columns), C[k]);
}

#define ERGON_TILES(NAME, TILES)                                                                   \
  ERGON_KERNEL(NAME, TILES::Element, TILES::Result) { multiplyTiles<TILES>(iterations, in, out); }
ERGON_TILES(matrix_f16, TilesF16)
#ifdef ERGON_HAS_SM72
ERGON_TILES(matrix_i8, TilesI8)
#endif
#ifdef ERGON_HAS_SM80
ERGON_TILES(matrix_bf16, TilesBf16)
ERGON_TILES(matrix_tf32, TilesTf32)
ERGON_TILES(matrix_f64, TilesF64)
#endif

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Streams of `count` words of 16 bytes. A thread has four of them on the way at once: the words
// are as many as a multiple of that. An iteration goes over all of them.

__device__ inline Integer together(const Words &Value) { return Value.x ^ Value.y ^ Value.z ^ Value.w; }

/// Reads words of which this thread's are \p step from one another.
#define ERGON_READ(LOAD, FIRST, STEP)                                                              \
  Integer sum = 0;                                                                                 \
  _Pragma("unroll 1") for (unsigned left = iterations; left; --left) {                             \
    _Pragma("unroll 1") for (unsigned i = FIRST; i < count; i += 4 * STEP) {                       \
      const Words w0 = LOAD(in + i), w1 = LOAD(in + i + STEP), w2 = LOAD(in + i + 2 * STEP),       \
                  w3 = LOAD(in + i + 3 * STEP);                                                    \
      sum ^= together(w0) ^ together(w1) ^ together(w2) ^ together(w3);                            \
    }                                                                                              \
  }

ERGON_KERNEL(load, Words, Unsigned) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  ERGON_READ(loadPastL1, thread, threads)
  out[thread] = sum;
}

/// Each block reads all words.
ERGON_KERNEL(load_near, Words, Unsigned) {
  ERGON_READ(loadThroughL1, threadIdx.x, blockDim.x)
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

ERGON_KERNEL(store, Words, Words) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  const Words word = loadPastL1(in + thread);
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll 1
    for (unsigned i = thread; i < count; i += 4 * threads) {
      put(out + i, word);
      put(out + i + threads, word);
      put(out + i + 2 * threads, word);
      put(out + i + 3 * threads, word);
    }
  }
}

ERGON_KERNEL(copy, Words, Words) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll 1
    for (unsigned i = thread; i < count; i += 4 * threads) {
      const Words w0 = loadPastL1(in + i), w1 = loadPastL1(in + i + threads),
                  w2 = loadPastL1(in + i + 2 * threads), w3 = loadPastL1(in + i + 3 * threads);
      put(out + i, w0);
      put(out + i + threads, w1);
      put(out + i + 2 * threads, w2);
      put(out + i + 3 * threads, w3);
    }
  }
}

/// Of each of `count` sectors of 32 bytes, a power of two, as many words of 4 bytes as there are
/// threads and iterations times 4, at places that a generator of random numbers says (Press et
/// al., Numerical Recipes, section 7.1: a quick and dirty one).
ERGON_KERNEL(load_random, Unsigned, Unsigned) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  Integer at[4], sum = 0;
#pragma unroll
  for (unsigned k = 0; k != 4; ++k)
    at[k] = (4 * thread + k) * 2654435769u;
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned k = 0; k != 4; ++k) {
      at[k] = at[k] * 1664525u + 1013904223u;
      sum ^= loadPastL1(in + 8ull * unsigned((at[k] >> 4) & (count - 1)));
    }
  }
  out[thread] = sum;
}

/// An iteration is 32 words of 4 bytes, of which a thread of a warp has each in a line of its own,
/// and each iteration in another one, so that no load stays from one iteration to the next.
ERGON_KERNEL(load_lines, Unsigned, Unsigned) {
  Integer sum = 0;
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned k = 0; k != 32; ++k)
      sum ^= loadThroughL1(in + 32 * ((threadIdx.x + left + k) & 127));
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// An iteration is eight loads, each with an address that needs what the one before loaded: zero.
/// The rest of the address, a word of any of `count` sectors, a power of two, is there before. A
/// launch goes on where the one before it ended: what it walks through is in no cache.
#define ERGON_WALK(LOAD)                                                                           \
  Integer at = out[1], loaded = 0;                                                                 \
  _Pragma("unroll 1") for (unsigned left = iterations; left; --left) {                             \
    _Pragma("unroll") for (unsigned k = 0; k != 8; ++k) {                                          \
      at = at * 1664525u + 1013904223u;                                                            \
      loaded = LOAD(in + 8ull * unsigned((at >> 4) & (count - 1)) + unsigned(loaded));             \
    }                                                                                              \
  }                                                                                                \
  out[0] = loaded;                                                                                 \
  out[1] = at;

ERGON_KERNEL(walk, Unsigned, Unsigned) { ERGON_WALK(loadPastL1) }
ERGON_KERNEL(walk_near, Unsigned, Unsigned) { ERGON_WALK(loadThroughL1) }

/// The same in shared memory.
ERGON_KERNEL(walk_shared, Unsigned, Unsigned) {
  constexpr unsigned Words = 32;
  __shared__ Unsigned words[Words];
  const unsigned word = in[0];
#pragma unroll
  for (unsigned k = 0; k != Words; ++k)
    words[k] = word;
  Integer loaded = 0;
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned k = 0; k != 8; ++k)
      loaded = loadAgain((words + unsigned(loaded))[4 * k]);
  }
  out[0] = loaded;
}

/// An iteration is 32 words of 4 bytes.
ERGON_KERNEL(load_shared, Unsigned, Unsigned) {
  __shared__ Unsigned words[4096];
  constexpr unsigned Words = 16;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k != Words; ++k)
    words[threadIdx.x + 256 * k] = in[threadIdx.x + 256 * k];
  __syncthreads();
  Integer sum = 0;
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned k = 0; k != 2 * Words; ++k)
      sum ^= loadAgain(words[threadIdx.x + 256 * (k % Words)]);
  }
  out[thread] = sum;
}

ERGON_KERNEL(store_shared, Unsigned, Unsigned) {
  __shared__ Unsigned words[4096];
  constexpr unsigned Words = 16;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = in[threadIdx.x];
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll
    for (unsigned k = 0; k != 2 * Words; ++k)
      storeAgain(words[threadIdx.x + 256 * (k % Words)], word);
  }
  __syncthreads();
  out[thread] = words[threadIdx.x];
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// Streams of words of type T, with Fused operations for each: to be predicted.
template <unsigned Fused, class T>
__device__ inline void intensity(unsigned iterations, const T *in, T *out, unsigned count) {
  constexpr unsigned AtOnce = 4;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  const T first = in[0], one = in[1];
  T sum[AtOnce] = {first, first, first, first};
#pragma unroll 1
  for (unsigned left = iterations; left; --left) {
#pragma unroll 1
    for (unsigned i = thread; i < count; i += AtOnce * threads) {
      T word[AtOnce];
#pragma unroll
      for (unsigned k = 0; k != AtOnce; ++k)
        word[k] = loadPastL1(in + i + k * threads);
#pragma unroll
      for (unsigned j = 0; j != Fused; ++j) {
#pragma unroll
        for (unsigned k = 0; k != AtOnce; ++k)
          sum[k] = fused(sum[k], word[k], one);
      }
    }
  }
  out[thread] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#define ERGON_INTENSITY(N)                                                                         \
  ERGON_KERNEL(load_fma##N##_f32, float, float) { intensity<N>(iterations, in, out, count); }      \
  ERGON_KERNEL(load_fma##N##_f64, double, double) { intensity<N>(iterations, in, out, count); }
ERGON_INTENSITY(1)
ERGON_INTENSITY(4)
ERGON_INTENSITY(16)
ERGON_INTENSITY(64)

//===----------------------------------------------------------------------===//
// What else is to be known
//===----------------------------------------------------------------------===//

/// An empty kernel.
ERGON_KERNEL(nothing, Unsigned, Unsigned) {}

/// Cycles and nanoseconds over `iterations` of these at least.
ERGON_KERNEL(clocks, Unsigned, unsigned long long) {
  const unsigned long long began = nanoseconds(), at = cycles();
  unsigned long long now = began;
  while (now - began < iterations)
    now = nanoseconds();
  out[0] = cycles() - at;
  out[1] = now - began;
}
