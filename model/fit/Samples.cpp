//===- Samples.cpp - measured runs that a profile is fitted to ------------===//

#include "model/fit/Samples.h"

#include <map>
#include <utility>

namespace ergon {

template <typename Key> static std::vector<std::size_t> numbered(const Samples &Of, Key KeyOf) {
  std::map<decltype(KeyOf(Of.Rows.front())), std::size_t> Numbers;
  std::vector<std::size_t> Result;
  for (const Sample &Row : Of.Rows)
    Result.push_back(Numbers.emplace(KeyOf(Row), Numbers.size()).first->second);
  return Result;
}

std::vector<std::size_t> workloadsOf(const Samples &Of) {
  return numbered(Of, [](const Sample &Row) { return Row.Workload; });
}

std::vector<std::size_t> settingsOf(const Samples &Of) {
  return numbered(Of, [](const Sample &Row) { return std::pair(Row.At.CoreMhz, Row.At.MemMhz); });
}

} // namespace ergon
