//===- LibraryProcessor.cpp - what code asks the processor ----------------===//
//
// `cpuid` as Intel's Software Developer's Manual has it, volume 2A. Libraries choose block sizes by
// the sizes of caches, which are those of the machine that is asked about.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"

#include <array>

namespace ergon::code {

using Registers = std::array<std::uint64_t, 4>; ///< eax, ebx, ecx and edx

/// Leaf 4: the parameters of one cache. How many processors share it is left zero.
static Registers cacheParameters(const std::vector<ProcessorCache> &Caches, std::uint64_t Number) {
  static constexpr std::uint64_t Data = 1, Unified = 3;
  if (Number >= Caches.size())
    return {};
  const ProcessorCache &C = Caches[Number];
  const std::uint64_t Way = C.LineBytes * C.Ways;
  const std::uint64_t Ways = Way != 0 && C.Bytes % Way == 0 ? C.Ways : 1;
  return {(C.Level == 1 ? Data : Unified) | std::uint64_t(C.Level) << 5,
          (Ways - 1) << 22 | (C.LineBytes - 1), C.Bytes / (C.LineBytes * Ways) - 1, 0};
}

/// The highest leaf of recent processors: what leaves say that are not answered here, as features,
/// is unknown, and not absent.
static constexpr std::uint64_t LastLeaf = 0x16;

/// `cpuid`: an object for the registers, what is asked in eax and ecx, and which register each part
/// of the object is.
std::optional<Value> callProcessor(const LibraryCall &Call) {
  if (Call.Name != "cpuid")
    return std::nullopt;
  const Value Leaf = Call.argument(1), Part = Call.argument(2);
  static constexpr std::uint64_t Vendor = 0, CacheParameters = 4;
  Registers Result{};
  if (Leaf == Value::integer(Vendor))
    Result = {LastLeaf, 0x756e6547, 0x6c65746e, 0x49656e69}; // GenuineIntel
  else if (Leaf == Value::integer(CacheParameters) && Part.isInteger() &&
           !Call.Asked.Has.Caches.empty())
    Result = cacheParameters(Call.Asked.Has.Caches, Part.Bits);
  else
    return Value::unknown();
  Call.Asked.Caches |= Leaf.Bits == CacheParameters;
  for (std::size_t I = 0; I != Result.size(); ++I)
    if (const Value Register = Call.argument(3 + I); Register.Bits < Result.size())
      Call.Now.Objects.store(moved(Call.argument(0), std::int64_t(4 * I)), 4,
                             Value::integer(Result[Register.Bits]));
  return Value::unknown();
}

} // namespace ergon::code
