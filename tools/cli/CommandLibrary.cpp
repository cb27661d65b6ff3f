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
    const auto Library = loadLibraryFile(Path);
    if (!Library) {
      Status = complain(Library.error());
      continue;
    }
    Json Names = Json::array();
    for (const Function &F : Library->Functions)
      Names.push_back(F.Name);
    if (!AsJson)
      fmt::print("{:<10} {:>4} names  {}\n", Library->Name, Names.size(), Library->Description);
    Libraries.push_back({{"name", Library->Name},
                         {"file", Path},
                         {"description", Library->Description},
                         {"functions", std::move(Names)}});
  }
  if (AsJson)
    fmt::print(
        "{}\n",
        Json({{"schema", "ergon-libraries/1"}, {"libraries", std::move(Libraries)}}).dump(2));
  return Status;
}

int runLibraryCheck(const std::string &File) {
  const auto Library = loadLibraryFile(File);
  if (!Library)
    return complain(Library.error());
  fmt::print("{}: ok\n", File);
  return Done;
}

} // namespace ergon
