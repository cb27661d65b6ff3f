//===- ApplicationFormat.cpp - application vectors as JSON ----------------===//

#include "formats/cluster/ApplicationFormat.h"
#include "formats/profile/ClusterFormat.h"
#include "model/symbolic/Wording.h"

#include <ranges>

namespace ergon {

namespace {
struct ApplicationReader {
  Application Result;

  SourcedFormula readFormula(JsonCursor Json) const;
  void readTerms(JsonCursor Json, std::initializer_list<ApplicationTerm> Terms);
  CollectiveUse readCollective(JsonCursor Json) const;
  void readNetwork(JsonCursor Json);
  Application read(JsonCursor Root);
};
} // namespace

SourcedFormula ApplicationReader::readFormula(JsonCursor Json) const {
  Json.keys({"formula", "source"});
  const std::string Text = Json["formula"].text();
  auto Parsed = Formula::parse(Text);
  if (!Parsed && !Json.failed())
    Json["formula"].fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " +
                             Parsed.error().Where,
                         "write it like \"1.86e6*n^0.7*2^(1.1*(log2(p) - 1))\"");
  return {Parsed ? std::move(*Parsed) : Formula(), readSourceKey(Json["source"], Result.Sources)};
}

/// Those of \p Terms that there are.
void ApplicationReader::readTerms(JsonCursor Json, std::initializer_list<ApplicationTerm> Terms) {
  for (ApplicationTerm Term : Terms)
    if (JsonCursor Given = Json[name(Term)])
      Result.Terms.emplace(Term, readFormula(Given));
}

CollectiveUse ApplicationReader::readCollective(JsonCursor Json) const {
  Json.keys({"algorithm", "calls", "bytes"});
  CollectiveUse Use;
  const std::string Name = Json["algorithm"].text();
  Use.Which = findCollectiveCost(Name);
  if (!Use.Which) {
    Json["algorithm"].fail(
        inQuotes(Name) + " is no collective that is known here",
        "write one of: " +
            joined(std::views::transform(collectiveCosts(), &CollectiveAlgorithm::Name)) +
            "; or give messages and message_bytes");
    return Use;
  }
  Use.Starts = *Formula::parse(Use.Which->Starts);
  Use.Shares = *Formula::parse(Use.Which->Shares);
  Use.Calls = readFormula(Json["calls"]);
  Use.Bytes = readFormula(Json["bytes"]);
  return Use;
}

void ApplicationReader::readNetwork(JsonCursor Json) {
  if (Json["collectives"])
    Json.keys({"collectives"}, {"messages", "message_bytes"});
  if (!Json["collectives"] || Json["messages"] || Json["message_bytes"])
    Json.keys({"messages", "message_bytes"}, {"collectives"});
  readTerms(Json, {ApplicationTerm::Messages, ApplicationTerm::MessageBytes});
  if (JsonCursor Collectives = Json["collectives"])
    for (JsonCursor Entry : Collectives.elements())
      Result.Collectives.push_back(readCollective(Entry));
}

Application ApplicationReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "overlap", "work", "network"},
            {"machines", "notes"});
  Result.Name = Root["name"].text();
  Result.Description = Root["description"].text();
  Result.Sources = readSources(Root["sources"]);
  Result.Overlap = readQuantity(Root["overlap"], Result.Sources, &JsonCursor::positive);
  if (Result.Overlap.Value > 1)
    Root["overlap"]["value"].fail(
        "is above 1", "write actual over theoretical time: 1 where nothing overlaps, else less");
  JsonCursor Work = Root["work"];
  Work.keys({"computation", "memory", "computation_overhead", "memory_overhead"}, {"io_s"});
  using enum ApplicationTerm;
  readTerms(Work, {Computation, Memory, ComputationOverhead, MemoryOverhead, Io});
  readNetwork(Root["network"]);
  if (JsonCursor Machines = Root["machines"])
    for (auto &[Name, Terms] : Machines.members())
      Result.Machines.emplace(Name, readClusterTerms(Terms, Result.Sources));
  if (JsonCursor Notes = Root["notes"])
    for (JsonCursor Json : Notes.elements())
      Result.Notes.push_back(Json.text());
  return std::move(Result);
}

std::expected<Application, Error> parseApplication(std::string_view Text) {
  return readJson(Text, ApplicationSchema,
                  [](JsonCursor Root) { return ApplicationReader().read(Root); });
}

} // namespace ergon
