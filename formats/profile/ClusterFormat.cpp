//===- ClusterFormat.cpp - the cluster in a machine profile ---------------===//

#include "formats/profile/ClusterFormat.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ergon {

static ClusterQuantity readTerm(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  Json.keys({"value", "source"}, {"at_mhz", "exponent"});
  ClusterQuantity Result;
  Result.Amount = {Json["value"].nonNegative(), readSourceKey(Json["source"], Sources)};
  if (!Json["at_mhz"] && !Json["exponent"])
    return Result;
  Json.keys({"value", "source", "at_mhz", "exponent"});
  Result.AtMhz = Json["at_mhz"].positive();
  Result.Exponent = Json["exponent"].number();
  return Result;
}

ClusterTerms readClusterTerms(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  ClusterTerms Result;
  for (auto &[Key, Entry] : Json.members()) {
    const auto Found = std::ranges::find(ClusterTermNames, Key);
    if (Found == ClusterTermNames.end()) {
      Entry.fail("no term of a cluster is called " + inQuotes(Key),
                 "the terms are: " + joined(ClusterTermNames));
      break;
    }
    Result.emplace(ClusterTerm(Found - ClusterTermNames.begin()), readTerm(Entry, Sources));
  }
  return Result;
}

Cluster readCluster(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  Json.keys({"terms"}, {"processors", "processors_per_node"});
  Cluster Result;
  if (JsonCursor Processors = Json["processors"])
    Result.Processors = readQuantity(Processors, Sources, &JsonCursor::positive);
  if (JsonCursor PerNode = Json["processors_per_node"]) {
    Result.ProcessorsPerNode = readQuantity(PerNode, Sources, &JsonCursor::positive);
    if (const double Value = Result.ProcessorsPerNode->Value;
        Value < 1 || Value != std::floor(Value))
      PerNode["value"].fail("not a whole number of processors", "write 1 or above");
  }
  Result.Terms = readClusterTerms(Json["terms"], Sources);
  return Result;
}

nlohmann::ordered_json writeCluster(const Cluster &C) {
  auto Result = nlohmann::ordered_json::object();
  if (C.Processors)
    Result["processors"] = nlohmann::ordered_json(*C.Processors);
  if (C.ProcessorsPerNode)
    Result["processors_per_node"] = nlohmann::ordered_json(*C.ProcessorsPerNode);
  auto &Terms = Result["terms"] = nlohmann::ordered_json::object();
  for (const auto &[Key, Quantity] : C.Terms) {
    auto &Term = Terms[std::string(name(Key))] = nlohmann::ordered_json(Quantity.Amount);
    if (Quantity.AtMhz) {
      Term["at_mhz"] = *Quantity.AtMhz;
      Term["exponent"] = Quantity.Exponent;
    }
  }
  return Result;
}

} // namespace ergon
