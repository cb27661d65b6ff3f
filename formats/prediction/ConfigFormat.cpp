//===- ConfigFormat.cpp - ergon.json --------------------------------------===//

#include "formats/prediction/ConfigFormat.h"
#include "formats/json/Json.h"
#include "model/lint/Lint.h"
#include "model/lint/Thresholds.h"

#include <span>

namespace ergon {

/// `n=4096` of a number or a text by name.
static std::vector<std::string> readSets(JsonCursor Json) {
  std::vector<std::string> Result;
  if (!Json)
    return Result;
  for (const auto &[Name, Value] : Json.members()) {
    if (!Value.isNumber() && !Value.isText())
      Value.fail("not a number, nor a text as for --set",
                 "write \"" + std::string(Name) + "\": 4096");
    Result.push_back(std::string(Name) + "=" + (Value.isText() ? Value.text() : Value.source()));
  }
  return Result;
}

/// A threshold, or an array of some.
static std::vector<std::string> readThresholds(JsonCursor Json) {
  std::vector<std::string> Result;
  const auto Add = [&](const JsonCursor &Single) {
    Result.push_back(Single.text());
    if (auto Parsed = parseThresholds(std::span(&Result.back(), 1)); !Parsed)
      Single.fail(Parsed.error().What, Parsed.error().Fix);
  };
  if (Json && Json.isText())
    Add(Json);
  else if (Json)
    for (const JsonCursor &Element : Json.elements())
      Add(Element);
  return Result;
}

static Budget readBudget(JsonCursor Json) {
  Json.keys({"entry"}, {"set", "energy_j", "time_s"});
  Budget Result{
      .Entry = Json["entry"].text(), .Sets = readSets(Json["set"]), .EnergyJ = {}, .TimeS = {}};
  if (JsonCursor Energy = Json["energy_j"])
    Result.EnergyJ = Energy.positive();
  if (JsonCursor Time = Json["time_s"])
    Result.TimeS = Time.positive();
  if (!Result.EnergyJ && !Result.TimeS)
    Json.fail("a budget without a limit", "give energy_j, time_s or both");
  return Result;
}

static std::optional<FindingLevel> readLevel(JsonCursor Json) {
  const std::string_view Text = Json.view();
  const auto Found = findingLevel(Text);
  if (!Found && Text != "off")
    Json.fail("no such level: " + std::string(Text), "write off, note, warning or error");
  return Found;
}

std::expected<Config, Error> parseConfig(std::string_view Text) {
  return readJson(Text, "ergon-config/1", [](JsonCursor Root) {
    Root.keys({"schema"}, {"machine", "set", "fail_on", "threshold", "allow_unchecked", "docs_url",
                           "rules", "budgets"});
    Config Result{.Machine = Root["machine"].text(""),
                  .Sets = readSets(Root["set"]),
                  .FailOn = Root["fail_on"].text(""),
                  .Thresholds = readThresholds(Root["threshold"]),
                  .DocsUrl = Root["docs_url"].text(""),
                  .AllowsUnchecked = Root["allow_unchecked"].boolean(false),
                  .Rules = {},
                  .Budgets = {}};
    if (!Result.FailOn.empty() && Result.FailOn != "never" && !findingLevel(Result.FailOn))
      Root["fail_on"].fail("no such level: " + Result.FailOn,
                           "write note, warning, error or never");
    if (!Result.DocsUrl.empty() && !Result.DocsUrl.starts_with("http://") &&
        !Result.DocsUrl.starts_with("https://"))
      Root["docs_url"].fail("no address of a site: " + Result.DocsUrl,
                            "write it as https://docs.example.org/ergon/");
    if (JsonCursor Rules = Root["rules"])
      for (const auto &[Id, Level] : Rules.members()) {
        if (!findRule(Id))
          Level.fail("no such rule: " + std::string(Id), "see docs/lint.md for the rules");
        Result.Rules.emplace(Id, readLevel(Level));
      }
    if (JsonCursor Budgets = Root["budgets"])
      for (JsonCursor Json : Budgets.elements())
        Result.Budgets.push_back(readBudget(Json));
    return Result;
  });
}

} // namespace ergon
