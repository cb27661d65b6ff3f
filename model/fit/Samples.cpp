//===- Samples.cpp - measured runs for fits -------------------------------===//

#include "model/fit/Samples.h"

#include <map>
#include <utility>

namespace ergon {

template <typename Key> static std::vector<std::size_t> numbered(const Samples &S, Key KeyOf) {
  std::map<decltype(KeyOf(S.Rows.front())), std::size_t> Numbers;
  std::vector<std::size_t> Result;
  for (const Sample &Row : S.Rows)
    Result.push_back(Numbers.emplace(KeyOf(Row), Numbers.size()).first->second);
  return Result;
}

std::vector<std::size_t> workloadsOf(const Samples &S) {
  return numbered(S, [](const Sample &Row) { return Row.Workload; });
}

void nameFamilies(Samples &S, const std::optional<std::regex> &Pattern) {
  std::map<std::string, std::string> Known;
  for (Sample &Row : S.Rows) {
    auto [Found, IsNew] = Known.try_emplace(Row.Workload);
    std::smatch Match;
    if (IsNew && !Pattern)
      Found->second = Row.Workload.substr(0, Row.Workload.find('/'));
    else if (IsNew && std::regex_search(Row.Workload, Match, *Pattern))
      Found->second = Match[Match.size() > 1 ? 1 : 0].str();
    Row.Family = Found->second;
  }
}

std::vector<std::size_t> familiesOf(const Samples &S) {
  return numbered(S, [](const Sample &Row) { return familyOf(Row); });
}

std::vector<std::size_t> settingsOf(const Samples &S) {
  return numbered(
      S, [](const Sample &Row) { return std::pair(Row.Clocks.CoreMhz, Row.Clocks.MemMhz); });
}

} // namespace ergon
