//===- SetOptions.cpp - values from the command line ----------------------===//

#include "tools/base/SetOptions.h"
#include "formats/json/NumberText.h"

namespace ergon {

std::expected<std::vector<GivenValue>, Error> readSets(const std::vector<std::string> &Sets) {
  std::vector<GivenValue> Result;
  for (const std::string &Set : Sets) {
    const std::size_t Equals = Set.rfind('=');
    if (Equals == std::string::npos || Equals == 0)
      return std::unexpected(Error{"not NAME=VALUE", "",
                                   "write for example --set n=4096 or --set n=1000..2000",
                                   "--set " + Set});
    std::string Text = Set.substr(Equals + 1);
    auto Range = parseInterval(Text);
    Result.emplace_back(Set.substr(0, Equals), std::move(Range), std::move(Text), "--set " + Set);
  }
  return Result;
}

} // namespace ergon
