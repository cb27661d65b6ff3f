//===- CostClass.cpp - the classes that operations are counted in ---------===//

#include "model/machine/CostClass.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

namespace ergon {

static constexpr std::array<std::string_view, NumFloatTypes> FloatNames = {"f16", "bf16", "f32",
                                                                           "f64", "f80",  "f128"};
static constexpr std::array<std::string_view, NumMatrixTypes> MatrixNames = {
    "f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "f8", "f6", "f4", "i8", "i4", "b1"};
static constexpr std::array<std::string_view, NumSpaces> SpaceNames = {
    "global", "shared", "local", "constant", "param", "generic", "memory", "stack"};
static constexpr std::array<std::string_view, NumIssuePipes> PipeNames = {
    "fp16", "fp32", "fp64", "int", "imad", "sfu", "lsu", "tensor", "uniform", "move", "control"};

namespace {
/// Tells short names apart by their first and last letters and their length: records have hundreds
/// of thousands of them.
struct NameHash {
  std::size_t operator()(std::string_view Name) const {
    std::uint64_t First = 0, Last = 0;
    if (Name.size() >= sizeof First) {
      std::memcpy(&First, Name.data(), sizeof First);
      std::memcpy(&Last, Name.data() + Name.size() - sizeof Last, sizeof Last);
    } else {
      for (const char Letter : Name)
        First = First << 8 | std::uint8_t(Letter);
    }
    return (First * 3 + Last + Name.size()) * 0x9E3779B97F4A7C15 >> 32;
  }
};

/// Key of each class, and the way back.
struct NameTable {
  std::array<std::string, NumCostClasses> Names;
  std::unordered_map<std::string_view, CostClass, NameHash> Classes;

  NameTable() {
    auto Family = [&](CostClass First, std::string_view Prefix, const auto &Suffixes) {
      unsigned Index = unsigned(First);
      for (std::string_view Suffix : Suffixes)
        Names[Index++] = std::string(Prefix) + std::string(Suffix);
    };
    Family(CostClass::Flops, "flops_", FloatNames);
    Family(CostClass::Div, "div_", FloatNames);
    Family(CostClass::Sqrt, "sqrt_", FloatNames);
    Family(CostClass::Fma, "fma_", FloatNames);
    Family(CostClass::FlopsMatrix, "flops_matrix_", MatrixNames);
    Family(CostClass::Special, "special_", FloatNames);
    Family(CostClass::FpOther, "fp_other_", FloatNames);
    Family(CostClass::StepsLow, "steps_low_", FloatNames);
    Family(CostClass::StepsHigh, "steps_high_", FloatNames);
    Family(CostClass::Loads, "loads_", SpaceNames);
    Family(CostClass::Stores, "stores_", SpaceNames);
    Family(CostClass::LoadBytes, "load_bytes_", SpaceNames);
    Family(CostClass::StoreBytes, "store_bytes_", SpaceNames);
    Family(CostClass::Issue, "issue_", PipeNames);
    auto Set = [&](CostClass Class, std::string_view Name) { Names[unsigned(Class)] = Name; };
    Set(CostClass::IntOps, "int_ops");
    Set(CostClass::IntMul, "int_mul");
    Set(CostClass::IntDiv, "int_div");
    Set(CostClass::AddressOps, "address_ops");
    Set(CostClass::Branches, "branches");
    Set(CostClass::Calls, "calls");
    Set(CostClass::Barriers, "barriers");
    Set(CostClass::Atomics, "atomics");
    Set(CostClass::Launches, "launches");
    Set(CostClass::H2DBytes, "h2d_bytes");
    Set(CostClass::D2HBytes, "d2h_bytes");
    Set(CostClass::D2DBytes, "d2d_bytes");
    Set(CostClass::Messages, "messages");
    Set(CostClass::MessageBytes, "message_bytes");
    Set(CostClass::StallWait, "stall_wait");
    Set(CostClass::StallLongScoreboard, "stall_long_scoreboard");
    Set(CostClass::StallShortScoreboard, "stall_short_scoreboard");
    Set(CostClass::BytesL1, "bytes_l1");
    Set(CostClass::BytesL2, "bytes_l2");
    Set(CostClass::BytesL3, "bytes_l3");
    Set(CostClass::BytesDram, DramBytes);
    Set(CostClass::BytesShared, "bytes_shared");
    for (unsigned Index = 0; Index != NumCostClasses; ++Index)
      Classes.emplace(Names[Index], CostClass(Index));
  }
};
} // namespace

static const NameTable &table() {
  static const NameTable Table;
  return Table;
}

std::string_view name(CostClass Class) { return table().Names[unsigned(Class)]; }

std::optional<CostClass> costClass(std::string_view Key) {
  auto Found = table().Classes.find(Key);
  if (Found == table().Classes.end())
    return std::nullopt;
  return Found->second;
}

std::string_view name(Space Where) { return SpaceNames[unsigned(Where)]; }

std::optional<Space> space(std::string_view Key) {
  for (unsigned Index = 0; Index != NumSpaces; ++Index)
    if (SpaceNames[Index] == Key)
      return Space(Index);
  return std::nullopt;
}

static bool inFamily(CostClass Class, CostClass First, unsigned Size) {
  return Class >= First && unsigned(Class) < unsigned(First) + Size;
}

bool isWork(CostClass Class) {
  return inFamily(Class, CostClass::Flops, NumFloatTypes) ||
         inFamily(Class, CostClass::FlopsMatrix, NumFloatMatrixTypes);
}

bool isMainMemoryTraffic(CostClass Class) {
  for (Space Where : {Space::Global, Space::Generic, Space::Memory})
    if (Class == of(CostClass::LoadBytes, Where) || Class == of(CostClass::StoreBytes, Where))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static constexpr std::pair<std::string_view, ClassFamily> Prefixes[] = {
    {"flops_matrix_", ClassFamily::FlopsMatrix}, // before `flops_`
    {"flops_", ClassFamily::Flops},
    {"div_", ClassFamily::Div},
    {"sqrt_", ClassFamily::Sqrt},
    {"fma_", ClassFamily::Fma},
    {"special_", ClassFamily::Special},
    {"fp_other_", ClassFamily::FpOther},
    {"steps_low_", ClassFamily::Steps},
    {"steps_high_", ClassFamily::Steps},
    {"int_", ClassFamily::Integers},
    {"loads_", ClassFamily::Loads},
    {"stores_", ClassFamily::Stores},
    {"load_bytes_", ClassFamily::LoadBytes},
    {"store_bytes_", ClassFamily::StoreBytes},
    {"issue_", ClassFamily::Issue},
    {"stall_", ClassFamily::Issue},
    {"bytes_", ClassFamily::LevelBytes},
};

ClassKey classify(std::string_view Key) {
  for (const auto &[Prefix, Family] : Prefixes)
    if (Key.starts_with(Prefix))
      return {Family, Key.substr(Prefix.size())};
  return {costClass(Key) ? ClassFamily::Other : ClassFamily::Own, Key};
}

ClassFamily family(CostClass Class) { return classify(name(Class)).Family; }

bool isClassName(std::string_view Name) {
  auto IsLetter = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  };
  auto IsDigit = [](char C) { return C >= '0' && C <= '9'; };
  return !Name.empty() && IsLetter(Name.front()) &&
         std::ranges::all_of(Name, [&](char C) { return IsLetter(C) || IsDigit(C); }) &&
         Name != "constant" && Name != "power_cap" && Name != "none";
}

bool isFlops(std::string_view Key) {
  const ClassFamily Family = classify(Key).Family;
  return Family == ClassFamily::Flops || Family == ClassFamily::FlopsMatrix;
}

bool isWork(std::string_view Key) {
  const std::optional<CostClass> Class = costClass(Key);
  return Class && isWork(*Class);
}

bool isCopy(std::string_view Key) {
  const std::optional<CostClass> Class = costClass(Key);
  return Class == CostClass::H2DBytes || Class == CostClass::D2HBytes ||
         Class == CostClass::D2DBytes;
}

bool isMachineCode(std::string_view Key) {
  return classify(Key).Family == ClassFamily::Issue || Key == "warp_instructions" ||
         Key == "int_instructions" || Key == "other_instructions" || Key == "blocks" ||
         Key == "l1_lines" || Key == "atomics_one_word" || Key == LatencyCycles;
}

std::optional<std::string_view> memoryLevel(std::string_view Key) {
  const ClassKey Class = classify(Key);
  return Class.Family == ClassFamily::LevelBytes ? std::optional(Class.Member) : std::nullopt;
}

std::string levelBytes(std::string_view Level) { return "bytes_" + std::string(Level); }

} // namespace ergon
