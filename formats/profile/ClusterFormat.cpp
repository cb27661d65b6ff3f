//===- ClusterFormat.cpp - the cluster in a machine profile ---------------===//

#include "formats/profile/ClusterFormat.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

static ClusterQuantity readTerm(JsonCursor At, const std::map<std::string, Source> &Sources) {
  At.keys({"value", "source"}, {"at_mhz", "exponent"});
  ClusterQuantity Result;
  Result.Amount = {At["value"].nonNegative(), readSourceKey(At["source"], Sources)};
  if (!At["at_mhz"] && !At["exponent"])
    return Result;
  At.keys({"value", "source", "at_mhz", "exponent"});
  Result.AtMhz = At["at_mhz"].positive();
  Result.Exponent = At["exponent"].number();
  return Result;
}

ClusterTerms readClusterTerms(JsonCursor At, const std::map<std::string, Source> &Sources) {
  ClusterTerms Result;
  for (auto &[Key, Each] : At.members()) {
    const auto Found = std::ranges::find(ClusterTermNames, Key);
    if (Found == ClusterTermNames.end()) {
      Each.fail("no term of a cluster is called " + inQuotes(Key),
                "the terms are: " + joined(ClusterTermNames));
      break;
    }
    Result.emplace(ClusterTerm(Found - ClusterTermNames.begin()), readTerm(Each, Sources));
  }
  return Result;
}

Cluster readCluster(JsonCursor At, const std::map<std::string, Source> &Sources) {
  At.keys({"terms"}, {"processors"});
  Cluster Result;
  if (JsonCursor Processors = At["processors"])
    Result.Processors = readQuantity(Processors, Sources, &JsonCursor::positive);
  Result.Terms = readClusterTerms(At["terms"], Sources);
  return Result;
}

nlohmann::ordered_json writeCluster(const Cluster &Of) {
  auto Result = nlohmann::ordered_json::object();
  if (Of.Processors)
    Result["processors"] = nlohmann::ordered_json(*Of.Processors);
  auto &Terms = Result["terms"] = nlohmann::ordered_json::object();
  for (const auto &[Key, Each] : Of.Terms) {
    auto &Term = Terms[std::string(name(Key))] = nlohmann::ordered_json(Each.Amount);
    if (Each.AtMhz) {
      Term["at_mhz"] = *Each.AtMhz;
      Term["exponent"] = Each.Exponent;
    }
  }
  return Result;
}

} // namespace ergon
