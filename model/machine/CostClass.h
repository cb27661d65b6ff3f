//===- CostClass.h - the classes that operations are counted in -*- C++ -*-===//
//
// One table names every cost class of a record, profile, sample and prediction
// (docs/counting-rules.md has a row and a test for each). Samples and profiles may
// have columns of a user's own beside these: they have a key and a family, and no
// number. docs/decisions/0026-cost-classes.md says why.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// Scalar floating-point formats, in the order of the `_<type>` keys.
enum class FloatType : unsigned { F16, BF16, F32, F64, F80, F128 };
inline constexpr unsigned NumFloatTypes = 6;

/// Types of the multiplicands of a tensor instruction: first those of FloatType.
enum class MatrixType : unsigned {
  F16,
  BF16,
  F32,
  F64,
  F80,
  F128, // as in FloatType
  TF32,
  F8,
  F6,
  F4, // floating-point formats of tensor cores alone
  I8,
  I4,
  B1 // integers: no work in flops
};
inline constexpr unsigned NumMatrixTypes = 13, NumFloatMatrixTypes = 10;

/// Memory spaces, in the order of the `_<space>` keys: the first six exist on a device, the last
/// two on a host.
enum class Space : unsigned { Global, Shared, Local, Constant, Param, Generic, Memory, Stack };
inline constexpr unsigned NumSpaces = 8;

/// Where a GPU's machine instruction is executed, in the order of the `issue_<pipe>` keys.
enum class IssuePipe : unsigned {
  FP16,
  FP32,
  FP64,
  Int,  ///< additions, logic, shifts, comparisons of integers
  Imad, ///< integer multiply-adds
  Sfu,  ///< elementary functions, conversions, counts of bits
  Lsu,  ///< loads, stores, atomics, exchanges of a warp
  Tensor,
  Uniform, ///< of a whole warp at once
  Move,    ///< moves and selections of registers, predicates
  Control  ///< branches, barriers
};
inline constexpr unsigned NumIssuePipes = 11;

/// A cost class: an index into the table of names. Families that exist per
/// float type or per space are reached through the functions below.
enum class CostClass : unsigned {
  Flops,                                  // x NumFloatTypes
  Div = Flops + NumFloatTypes,            // x NumFloatTypes
  Sqrt = Div + NumFloatTypes,             // x NumFloatTypes
  Fma = Sqrt + NumFloatTypes,             // x NumFloatTypes
  FlopsMatrix = Fma + NumFloatTypes,      // x NumMatrixTypes
  Special = FlopsMatrix + NumMatrixTypes, // x NumFloatTypes
  FpOther = Special + NumFloatTypes,      // x NumFloatTypes
  StepsLow = FpOther + NumFloatTypes,     // x NumFloatTypes
  StepsHigh = StepsLow + NumFloatTypes,   // x NumFloatTypes
  IntOps = StepsHigh + NumFloatTypes,
  IntMul,
  IntDiv,
  AddressOps,
  Branches,
  Calls,
  Barriers,
  Atomics,
  Loads,                              // x NumSpaces
  Stores = Loads + NumSpaces,         // x NumSpaces
  LoadBytes = Stores + NumSpaces,     // x NumSpaces
  StoreBytes = LoadBytes + NumSpaces, // x NumSpaces
  Launches = StoreBytes + NumSpaces,
  H2DBytes,
  D2HBytes,
  D2DBytes,
  Messages,
  MessageBytes,
  Issue, // x NumIssuePipes
  StallWait = Issue + NumIssuePipes,
  StallLongScoreboard,
  StallShortScoreboard,
  BytesL1,
  BytesL2,
  BytesL3,
  BytesDram,
  BytesShared,
};
inline constexpr unsigned NumCostClasses = unsigned(CostClass::BytesShared) + 1;

/// The member of a per-type family (`Flops`, `Div`, …) for \p Type.
constexpr CostClass of(CostClass Family, FloatType Type) {
  return CostClass(unsigned(Family) + unsigned(Type));
}
/// `flops_matrix_<type>`.
constexpr CostClass flopsMatrix(MatrixType Type) {
  return CostClass(unsigned(CostClass::FlopsMatrix) + unsigned(Type));
}
/// The member of a per-space family (`Loads`, `StoreBytes`, …) for \p Where.
constexpr CostClass of(CostClass Family, Space Where) {
  return CostClass(unsigned(Family) + unsigned(Where));
}

/// `issue_<pipe>`.
constexpr CostClass issue(IssuePipe Pipe) {
  return CostClass(unsigned(CostClass::Issue) + unsigned(Pipe));
}

/// The key of \p Class in JSON and CSV, e.g. `flops_f64`.
std::string_view name(CostClass Class);
/// The class with that key; nothing where no class has it.
std::optional<CostClass> costClass(std::string_view Key);
/// The suffix of a space's keys, e.g. `global`.
std::string_view name(Space Where);
std::optional<Space> space(std::string_view Key);

/// True for the classes whose sum is the work W: `flops_*`, without tensor operations on integers.
bool isWork(CostClass Class);
/// True for requested bytes (`load_bytes_*`, `store_bytes_*`) of the spaces backed by main memory:
/// memory and generic, global on a device. Not stack, local, shared, constant and parameter.
bool isMainMemoryTraffic(CostClass Class);

//===----------------------------------------------------------------------===//
// Keys: the classes of the table and a user's own columns
//===----------------------------------------------------------------------===//

/// The family of classes with a common key prefix. Every key has one: `flops_tf19`, a user's own
/// column, is in Flops.
enum class ClassFamily {
  Flops,       ///< `flops_<type>`
  FlopsMatrix, ///< `flops_matrix_<type>`
  Div,         ///< `div_<type>`
  Sqrt,        ///< `sqrt_<type>`
  Fma,         ///< `fma_<type>`
  Special,     ///< `special_<type>`
  FpOther,     ///< `fp_other_<type>`
  Steps,       ///< `steps_low_<type>`, `steps_high_<type>`
  Integers,    ///< `int_<operation>`
  Loads,       ///< `loads_<space>`
  Stores,      ///< `stores_<space>`
  LoadBytes,   ///< `load_bytes_<space>`
  StoreBytes,  ///< `store_bytes_<space>`
  Issue,       ///< `issue_<pipe>`, `stall_<reason>`: machine instructions of a GPU's threads
  LevelBytes,  ///< `bytes_<level>`: the traffic of a memory level
  Other,       ///< another class of the table: `branches`, `atomics`, `h2d_bytes`, …
  Own,         ///< a user's own column
};

/// A key split into family and member.
struct ClassKey {
  ClassFamily Family;
  /// The part after the family's prefix, e.g. `f64` or `dram`; the whole key in the families Other
  /// and Own. Valid as long as the key.
  std::string_view Member;
};
/// The family of any key, and its member of it.
ClassKey classify(std::string_view Key);
ClassFamily family(CostClass Class);

/// True for a valid name of a cost class: a letter or underscore, then letters, digits and
/// underscores; not `constant`, `power_cap` or `none`, which appear beside classes in predictions.
bool isClassName(std::string_view Name);
/// True for `flops_*`: floating-point operations and all tensor operations.
bool isFlops(std::string_view Key);
/// As for a CostClass; false for a user's own column.
bool isWork(std::string_view Key);
/// True for the bytes that are copied between host and device, or within a device.
bool isCopy(std::string_view Key);
/// True for what a GPU's machine code makes of the operations that other classes count: `issue_*`,
/// `stall_*`, and what a launch has of them: `warp_instructions`, `int_instructions`,
/// `other_instructions`, `blocks`, `l1_lines`,
/// `atomics_one_word`, `latency_cycles`.
bool isMachineCode(std::string_view Key);
/// The key of main memory's traffic.
inline constexpr std::string_view DramBytes = "bytes_dram";
/// The key of the cycles of a launch's longest chain of blocks.
inline constexpr std::string_view LatencyCycles = "latency_cycles";
/// `l2` for `bytes_l2`; nothing for a class that is not the traffic of a level.
std::optional<std::string_view> memoryLevel(std::string_view Key);
/// `bytes_l2` for `l2`.
std::string levelBytes(std::string_view Level);

/// A small map from classes to values, in class order, without allocation per entry.
template <typename T> class ByClass {
public:
  /// The class's value; a new one is T().
  T &operator[](CostClass Class) {
    auto Found = std::ranges::lower_bound(Entries, Class, {}, &Entry::first);
    if (Found == Entries.end() || Found->first != Class)
      Found = Entries.emplace(Found, Class, T());
    return Found->second;
  }
  /// Memory for \p Classes.
  void reserve(std::size_t Classes) { Entries.reserve(Classes); }
  /// The value of a class that comes after all others.
  void append(CostClass Class, T Value) { Entries.emplace_back(Class, std::move(Value)); }
  /// The class must exist.
  const T &at(CostClass Class) const {
    return std::ranges::lower_bound(Entries, Class, {}, &Entry::first)->second;
  }
  auto begin() const { return Entries.begin(); }
  auto end() const { return Entries.end(); }

private:
  using Entry = std::pair<CostClass, T>;
  std::vector<Entry> Entries;
};

} // namespace ergon
