//===- DeviceFormat.cpp - the multiprocessors in a profile ----------------===//

#include "formats/profile/DeviceFormat.h"
#include "formats/json/SourceFormat.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>

namespace ergon {

using Json = nlohmann::ordered_json;

/// `8.6`; 0.0 and an error where \p Json is nothing of the kind.
static ComputeCapability readCapability(JsonCursor Json) {
  const std::string Text = Json.text();
  const char *End = Text.data() + Text.size();
  ComputeCapability Result;
  auto [Dot, Bad] = std::from_chars(Text.data(), End, Result.Major);
  if (Bad == std::errc() && Dot != End && *Dot == '.') {
    auto [Last, BadToo] = std::from_chars(Dot + 1, End, Result.Minor);
    if (BadToo == std::errc() && Last == End && Result.Major > 0 && Result.Minor >= 0)
      return Result;
  }
  Json.fail(inQuotes(Text) + " is no compute capability", "write it as \"8.6\"");
  return {};
}

static Quantity readCount(JsonCursor Json, const std::map<std::string, Source> &Sources,
                          double (JsonCursor::*Number)() const) {
  Quantity Count = readQuantity(Json, Sources, Number);
  // The largest that leaves room for sums of a few of them.
  if (Count.Value != std::floor(Count.Value) || Count.Value > 1 << 28)
    Json["value"].fail("is not a whole number that a device could have", "correct it");
  return Count;
}

/// What a load's latency may be of, by key.
static constexpr std::pair<const char *, Quantity MemoryLatencies::*> LatencyKeys[] = {
    {"shared", &MemoryLatencies::Shared},
    {"l1", &MemoryLatencies::L1},
    {"l2", &MemoryLatencies::L2},
    {"dram", &MemoryLatencies::Dram}};

Device readDevice(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  Json.keys({"compute_capability", "multiprocessors"},
            {"multiprocessor", "shared_banks", "shared_bank_bytes", "global_loads_in_l1",
             "latency_cycles"});
  Device Result;
  JsonCursor Capability = Json["compute_capability"];
  Capability.keys({"value", "source"});
  Result.Capability = readCapability(Capability["value"]);
  Result.CapabilitySource = readSourceKey(Capability["source"], Sources);
  Result.Multiprocessors = readCount(Json["multiprocessors"], Sources, &JsonCursor::positive);
  for (const auto &[Key, Target] : {std::pair("shared_banks", &Device::SharedBanks),
                                    std::pair("shared_bank_bytes", &Device::SharedBankBytes)})
    if (JsonCursor Given = Json[Key])
      Result.*Target = readCount(Given, Sources, &JsonCursor::positive);
  if (JsonCursor Given = Json["global_loads_in_l1"]) {
    Given.keys({"value", "source"});
    Result.GlobalLoadsInL1 = Given["value"].boolean();
    Result.GlobalLoadsSource = readSourceKey(Given["source"], Sources);
  }
  if (JsonCursor Given = Json["latency_cycles"]) {
    Given.keys({"shared", "l1", "l2", "dram"});
    MemoryLatencies &Latencies = Result.Latencies.emplace();
    for (const auto &[Key, Target] : LatencyKeys)
      Latencies.*Target = readQuantity(Given[Key], Sources, &JsonCursor::positive);
  }
  const auto Known = limitsOf(Result.Capability);
  Result.Limits = Known.value_or(MultiprocessorLimits());
  if (JsonCursor Stated = Json["multiprocessor"])
    for (auto &[Key, Entry] : Stated.members()) {
      auto Found = std::ranges::find(LimitKeys, Key, [](auto &Limit) { return Limit.first; });
      if (Found == LimitKeys.end()) {
        Stated.fail("key " + inQuotes(Key) + " is unknown",
                    "the keys here are: " + joined(LimitKeys | std::views::keys));
        break;
      }
      const bool MayBeZero = Found->second == &MultiprocessorLimits::SharedReserved;
      Quantity Count =
          readCount(Entry, Sources, MayBeZero ? &JsonCursor::nonNegative : &JsonCursor::positive);
      if (!Json.failed())
        Result.Limits.*Found->second = int(Count.Value);
      Result.Stated.emplace(Key, std::move(Count));
    }
  if (!Known) {
    if (Result.Stated.size() < LimitKeys.size())
      Capability["value"].fail("no limits are known here for this compute capability",
                               "state every limit in /device/multiprocessor");
    Result.Limits.LaunchPartitions = Result.Limits.RegisterPartitions;
  }
  return Result;
}

Json writeDevice(const Device &D) {
  Json Result = {
      {"compute_capability", {{"value", D.Capability.text()}, {"source", D.CapabilitySource}}},
      {"multiprocessors", Json(D.Multiprocessors)}};
  for (const auto &[Key, Limit] : LimitKeys)
    if (auto Stated = D.Stated.find(Key); Stated != D.Stated.end())
      Result["multiprocessor"][Key] = Json(Stated->second);
  if (D.SharedBanks)
    Result["shared_banks"] = Json(*D.SharedBanks);
  if (D.SharedBankBytes)
    Result["shared_bank_bytes"] = Json(*D.SharedBankBytes);
  if (D.GlobalLoadsInL1)
    Result["global_loads_in_l1"] = {{"value", *D.GlobalLoadsInL1}, {"source", D.GlobalLoadsSource}};
  if (D.Latencies)
    for (const auto &[Key, Latency] : LatencyKeys)
      Result["latency_cycles"][Key] = Json((*D.Latencies).*Latency);
  return Result;
}

} // namespace ergon
