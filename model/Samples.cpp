//===- Samples.cpp - measured runs that a profile is fitted to ------------===//

#include "model/Samples.h"

#include <map>

namespace ergon {

std::vector<std::size_t> workloadsOf(const Samples &Of) {
  std::map<std::string, std::size_t> Numbers;
  std::vector<std::size_t> Result;
  for (const Sample &Row : Of.Rows)
    Result.push_back(Numbers.emplace(Row.Workload, Numbers.size()).first->second);
  return Result;
}

} // namespace ergon
