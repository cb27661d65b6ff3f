//===- CacheHierarchy.cpp - whether cache geometry makes sense ------------===//

#include "model/Traffic.h"

#include <algorithm>
#include <bit>

namespace ergon {

/// More than any cache has, and little enough for sums of bytes.
static constexpr std::uint64_t MaxBytes = std::uint64_t(1) << 40;

static std::string count(std::uint64_t Number, const char *What) {
  return std::to_string(Number) + " " + What + (Number == 1 ? "" : "s");
}

static std::optional<std::string> checkLevel(const CacheLevel &Of) {
  const std::string Sets =
      "sets of " + count(Of.Ways, "line") + " of " + count(Of.LineBytes, "byte");
  if (Of.Ways == 0)
    return Of.Name + " has 0 ways; write 1 where a line has one place only, the number of lines "
                     "where it may be anywhere";
  if (!std::has_single_bit(Of.LineBytes))
    return "a line of " + Of.Name + " has " + count(Of.LineBytes, "byte") +
           ", which is no power of 2; correct it";
  if (Of.Bytes > MaxBytes)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", more than any cache; correct it";
  if (Of.Bytes < Of.LineBytes)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", less than one line of " +
           std::to_string(Of.LineBytes) + "; correct one of the two";
  if (Of.Bytes % (std::uint64_t(Of.LineBytes) * Of.Ways) != 0)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", which is no whole number of " + Sets +
           "; correct one of them";
  return std::nullopt;
}

std::optional<std::string> checkHierarchy(const CacheHierarchy &Of) {
  if (Of.empty())
    return "there is no cache level; give one or more";
  for (auto Each = Of.begin(); Each != Of.end(); ++Each) {
    if (auto Bad = checkLevel(*Each))
      return Bad;
    if (std::any_of(Of.begin(), Each, [&](auto &Other) { return Other.Name == Each->Name; }))
      return "there are two levels " + Each->Name + "; leave one out";
    if (Each == Of.begin())
      continue;
    const CacheLevel &Inner = *std::prev(Each);
    if (Each->Bytes < Inner.Bytes)
      return Each->Name + " has " + count(Each->Bytes, "byte") + ", fewer than " + Inner.Name +
             " nearer the core; correct one of the two";
    if (Each->LineBytes != Inner.LineBytes)
      return "a line of " + Each->Name + " has " + count(Each->LineBytes, "byte") + ", one of " +
             Inner.Name + " " + std::to_string(Inner.LineBytes) + "; give both the same";
  }
  return std::nullopt;
}

} // namespace ergon
