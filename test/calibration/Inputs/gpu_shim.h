// What calibration/cuda/Primitives.h has, for kernels that are run on the CPU and counted
// (test/oracle/cuda_shim.h). Accesses to global memory go through caches, whose misses are counted:
// L2 of gpu_shim::L2Bytes, lines of 32 bytes, the one out that was used the longest ago; L1 of a
// block. Nothing here knows what calibration/cuda/KernelTable.cpp says.
#pragma once

#include <list>
#include <unordered_map>

namespace gpu_shim {

inline std::size_t L2Bytes = 512 << 10;

class Cache {
public:
  bool has(std::uintptr_t Sector, std::size_t Most) {
    if (auto Found = At.find(Sector); Found != At.end()) {
      Order.splice(Order.begin(), Order, Found->second);
      return true;
    }
    Order.push_front(Sector);
    At[Sector] = Order.begin();
    if (Order.size() > Most) {
      At.erase(Order.back());
      Order.pop_back();
    }
    return false;
  }
  void clear() {
    Order.clear();
    At.clear();
  }

private:
  std::list<std::uintptr_t> Order;
  std::unordered_map<std::uintptr_t, std::list<std::uintptr_t>::iterator> At;
};
inline Cache L1, L2;
inline unsigned L1Block = ~0u;

constexpr std::size_t Sector = 32, L1Bytes = 32 << 10;

/// A warp's accesses to one sector are one request: it is the next thread's hit. Threads of a block
/// take turns, four accesses each.
inline void moved(const void *At, std::size_t Bytes, bool ThroughL1) {
  static unsigned Accesses[1024];
  if (++Accesses[shim::Current] % 4 == 0)
    shim::yield();
  const auto Of = reinterpret_cast<std::uintptr_t>(At) / Sector;
  if (ThroughL1) {
    if (L1Block != shim::BlockOfThread.x)
      L1.clear();
    L1Block = shim::BlockOfThread.x;
    if (L1.has(Of, L1Bytes / Sector))
      return void(++shim::Counts.of("waits_l1", "", ""));
  }
  shim::Counts.of("bytes_l2", "", "") += long(ThroughL1 ? Sector : Bytes);
  const bool IsNear = L2.has(Of, L2Bytes / Sector);
  if (!IsNear)
    shim::Counts.of("bytes_dram", "", "") += Sector;
  ++shim::Counts.of(IsNear ? "waits_l2" : "waits_dram", "", "");
}

} // namespace gpu_shim

using shim::Counts;

/// Whole numbers in registers, whose operations count.
struct Integer {
  unsigned Value = 0;
  Integer() = default;
  Integer(unsigned Of) : Value(Of) {}
  Integer(const Unsigned &Of) : Value(Of.read()) {}
  operator Unsigned() const { return Unsigned(Value); }
  explicit operator unsigned() const { return Value; }
  static Integer counted(const char *Class, unsigned Of) {
    ++Counts.of(Class, "", "");
    return Of;
  }
  friend Integer operator+(Integer A, Integer B) { return counted("int_ops", A.Value + B.Value); }
  friend Integer operator^(Integer A, Integer B) { return counted("int_ops", A.Value ^ B.Value); }
  friend Integer operator|(Integer A, Integer B) { return counted("int_ops", A.Value | B.Value); }
  friend Integer operator&(Integer A, Integer B) { return counted("int_ops", A.Value & B.Value); }
  friend Integer operator>>(Integer A, Integer B) { return counted("int_ops", A.Value >> B.Value); }
  friend Integer operator*(Integer A, Integer B) { return counted("int_mul", A.Value * B.Value); }
  friend Integer operator/(Integer A, Integer B) { return counted("int_div", A.Value / B.Value); }
  friend Integer operator-(Integer A, Integer B) { return counted("int_ops", A.Value - B.Value); }
  Integer &operator^=(Integer B) { return *this = *this ^ B; }
};
/// Moved by one access.
struct alignas(16) Words {
  Integer x, y, z, w;
};
struct alignas(4) Half2 {
  _Float16 x = 0, y = 0;
  Half2() = default;
  Half2(_Float16 X, _Float16 Y) : x(X), y(Y) {}
  Half2(const Half2 &Of) : x(Of.x), y(Of.y) { shim::accessed("load", &Of); }
  Half2 &operator=(const Half2 &Of) {
    shim::accessed("load", &Of);
    shim::accessed("store", this);
    x = Of.x, y = Of.y;
    return *this;
  }
  static Half2 flops(int Each, _Float16 X, _Float16 Y) {
    Counts["flops_f16"] += 2 * Each;
    return {X, Y};
  }
  friend Half2 operator+(const Half2 &A, const Half2 &B) { return flops(1, A.x + B.x, A.y + B.y); }
  friend Half2 operator-(const Half2 &A, const Half2 &B) { return flops(1, A.x - B.x, A.y - B.y); }
  friend Half2 operator*(const Half2 &A, const Half2 &B) { return flops(1, A.x * B.x, A.y * B.y); }
};

inline shim::F fused(shim::F X, shim::F Y, shim::F Z) { return fmaf(X, Y, Z); }
inline shim::D fused(shim::D X, shim::D Y, shim::D Z) { return fma(X, Y, Z); }
inline Half2 fused(Half2 X, Half2 Y, Half2 Z) {
  Counts["fma_f16"] += 2;
  return Half2::flops(2, X.x * Y.x + Z.x, X.y * Y.y + Z.y);
}
inline shim::F root(shim::F X) { return sqrtf(X); }
inline shim::D root(shim::D X) { return sqrt(X); }
inline shim::F exponential(shim::F X) { return shim::F::special(std::exp2(X.read())); }
inline shim::F logarithm(shim::F X) { return shim::F::special(std::log2(X.read())); }

inline Words loadPastL1(const Words *From) {
  shim::accessed("load", From);
  gpu_shim::moved(From, sizeof *From, false);
  return *From;
}
template <class T> T loadPastL1(const shim::Counted<T> *From) {
  gpu_shim::moved(From, sizeof *From, false);
  return From->read();
}
/// Each thread of a warp in a line of its own.
template <class T> T loadThroughL1(const shim::Counted<T> *From) {
  ++Counts.of("l1_lines", "", "");
  gpu_shim::moved(From, sizeof *From, true);
  return From->read();
}
inline Words loadThroughL1(const Words *From) {
  shim::accessed("load", From);
  gpu_shim::moved(From, sizeof *From, true);
  return *From;
}
inline void put(Words *Into, Words Of) {
  shim::accessed("store", Into);
  gpu_shim::moved(Into, sizeof Of, false);
  *Into = Of;
}
inline Integer loadAgain(const Unsigned &From) {
  ++Counts.of("waits_shared", "", "");
  return From.read();
}
inline void storeAgain(Unsigned &Into, unsigned Value) { Into.write(Value); }
inline unsigned long long cycles() { return 0; }
inline unsigned long long nanoseconds() { return ~0ull; }

/// A thread's share of what its warp does.
template <class Type, class Stored, class Sum, int M, int N, int K> struct Tiles {
  static constexpr int Rows = M, Columns = N, Depth = K;
  using Element = Stored;
  using Result = Sum;
  struct C {};
  static inline const char *Name;
  void load(const Stored *) {
    Counts["loads_global"] += 2;
    Counts["load_bytes_global"] += (M + N) * K * long(sizeof(Stored)) / 32;
  }
  static void clear(C &) {}
  void multiply(C &) const {
    Counts[std::string("flops_matrix_") + Type::Name] += 2 * M * N * K / 32;
  }
  static void store(Sum *, const C &) {
    Counts["stores_global"] += 1;
    Counts["store_bytes_global"] += M * N * long(sizeof(Sum)) / 32;
  }
};
#define TILES(ALIAS, NAME, STORED, SUM, M, N, K)                                                   \
  struct ALIAS##Type {                                                                             \
    static constexpr const char *Name = NAME;                                                      \
  };                                                                                               \
  using ALIAS = Tiles<ALIAS##Type, STORED, SUM, M, N, K>;
TILES(TilesF16, "f16", std::uint16_t, std::uint32_t, 16, 16, 16)
TILES(TilesI8, "i8", std::int8_t, std::int32_t, 16, 16, 16)
TILES(TilesBf16, "bf16", std::uint16_t, std::uint32_t, 16, 16, 16)
TILES(TilesTf32, "tf32", std::uint32_t, std::uint32_t, 16, 16, 8)
TILES(TilesF64, "f64", std::uint64_t, std::uint64_t, 8, 8, 4)
#define ERGON_HAS_SM72 1
#define ERGON_HAS_SM80 1
