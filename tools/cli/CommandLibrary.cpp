//===- CommandLibrary.cpp - ergon library ---------------------------------===//

#include "predict/store/LibraryStore.h"
#include "tools/base/Commands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

int runLibraryList(bool AsJson) {
  int Status = Done;
  Json Libraries = Json::array();
  for (const std::string &Path : shippedLibraries()) {
    const auto Of = loadLibraryFile(Path);
    if (!Of) {
      Status = complain(Of.error());
      continue;
    }
    Json Names = Json::array();
    for (const Function &Each : Of->Functions)
      Names.push_back(Each.Name);
    if (!AsJson)
      fmt::print("{:<10} {:>4} names  {}\n", Of->Name, Names.size(), Of->Description);
    Libraries.push_back({{"name", Of->Name},
                         {"file", Path},
                         {"description", Of->Description},
                         {"functions", std::move(Names)}});
  }
  if (AsJson)
    fmt::print(
        "{}\n",
        Json({{"schema", "ergon-libraries/1"}, {"libraries", std::move(Libraries)}}).dump(2));
  return Status;
}

int runLibraryCheck(const std::string &File) {
  const auto Of = loadLibraryFile(File);
  if (!Of)
    return complain(Of.error());
  fmt::print("{}: ok\n", File);
  return Done;
}

} // namespace ergon
