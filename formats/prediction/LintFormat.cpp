//===- LintFormat.cpp - documents of lint ---------------------------------===//

#include "formats/prediction/LintFormat.h"
#include "formats/json/Json.h"
#include "formats/json/PlainText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace ergon {

using Json = nlohmann::ordered_json;

static constexpr std::string_view BaselineSchema = "ergon-baseline/1";

/// Names and paths need not be UTF-8.
static std::string dump(const Json &Document) {
  return Document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json jsonOf(const Finding &Of) {
  Json Result = {{"rule", Of.Rule},       {"level", name(Of.How)},    {"file", Of.At.File},
                 {"line", Of.At.Line},    {"column", Of.At.Column},   {"function", Of.Function},
                 {"message", Of.Message}, {"times", toText(Of.Times)}};
  if (!Of.Causes.empty())
    Result["causes"] = Of.Causes;
  for (const auto &[Class, Amount] : Of.Saves)
    Result["saves"][std::string(name(Class))] = toText(Amount);
  if (Of.Saved)
    Result["saved"] = {{"time_s", Of.Saved->TimeS}, {"energy_j", Of.Saved->EnergyJ}};
  if (Of.Fix)
    Result["fix"] = {
        {"column", Of.Fix->Column}, {"end_column", Of.Fix->EndColumn}, {"text", Of.Fix->Text}};
  if (Of.Suppressed)
    Result["suppressed"] = *Of.Suppressed;
  Result["new"] = Of.IsNew;
  Result["fingerprint"] = Of.Fingerprint;
  return Result;
}

std::string writeLint(const LintReport &Of) {
  Json Result = {{"schema", "ergon-lint/1"}};
  if (!Of.Machine.empty())
    Result["machine"] = Of.Machine;
  Result["findings"] = Json::array();
  for (const Finding &Each : Of.Findings)
    Result["findings"].push_back(jsonOf(Each));
  Result["unbound"] = Of.Unbound;
  if (!Of.Changed.empty())
    Result["changed"] = Of.Changed;
  std::vector<std::string> Open = Of.NotChecked;
  Open.insert(Open.end(), Of.Damaged.begin(), Of.Damaged.end());
  if (!Open.empty())
    Result["not_checked"] = Open;
  return dump(Result);
}

//===----------------------------------------------------------------------===//
// SARIF
//===----------------------------------------------------------------------===//

/// RFC 3986: what a path may not have as it is.
static std::string uriOf(std::string_view Path) {
  static constexpr std::string_view Plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";
  std::string Result = Path.starts_with('/') ? "file://" : "";
  for (char C : Path) {
    static constexpr char Digits[] = "0123456789ABCDEF";
    const auto Byte = static_cast<unsigned char>(C);
    if (Plain.find(C) != std::string_view::npos)
      Result += C;
    else
      (Result += '%', Result += Digits[Byte / 16], Result += Digits[Byte % 16]);
  }
  return Result;
}

static Json sarifFix(const Finding &Of) {
  Json Replacement = {{"deletedRegion",
                       {{"startLine", Of.At.Line},
                        {"startColumn", Of.Fix->Column},
                        {"endColumn", Of.Fix->EndColumn}}},
                      {"insertedContent", {{"text", Of.Fix->Text}}}};
  return {{"artifactChanges",
           Json::array({{{"artifactLocation", {{"uri", uriOf(Of.At.File)}}},
                         {"replacements", Json::array({std::move(Replacement)})}}})}};
}

/// With its causes.
static std::string messageOf(const Finding &Of) {
  std::string Result = Of.Message;
  for (const std::string &Each : Of.Causes)
    Result += "\n" + Each;
  return Result;
}

static Json sarifResult(const Finding &Of, std::size_t Rule) {
  Json Region = {{"startLine", Of.At.Line}};
  if (Of.At.Column)
    Region["startColumn"] = Of.At.Column;
  Json Place = {{"physicalLocation",
                 {{"artifactLocation", {{"uri", uriOf(Of.At.File)}}}, {"region", Region}}},
                {"logicalLocations",
                 Json::array({{{"fullyQualifiedName", Of.Function}, {"kind", "function"}}})}};
  Json Result = {{"ruleId", Of.Rule},
                 {"ruleIndex", Rule},
                 {"level", name(Of.How)},
                 {"message", {{"text", messageOf(Of)}}},
                 {"locations", Json::array({std::move(Place)})},
                 {"partialFingerprints", {{"ergon/v1", Of.Fingerprint}}},
                 {"baselineState", Of.IsNew ? "new" : "unchanged"}};
  if (Of.Suppressed)
    Result["suppressions"] =
        Json::array({{{"kind", "inSource"}, {"justification", *Of.Suppressed}}});
  if (Of.Fix)
    Result["fixes"] = Json::array({sarifFix(Of)});
  Json &More = Result["properties"] = {{"times", toText(Of.Times)}};
  if (Of.Saved)
    More["saved"] = {{"time_s", Of.Saved->TimeS}, {"energy_j", Of.Saved->EnergyJ}};
  return Result;
}

std::string writeSarif(const LintReport &Of, std::span<const LintRule> Rules,
                       std::string_view Version) {
  static constexpr std::size_t Most = 25'000;
  std::vector<const Finding *> Shown;
  for (FindingLevel How : {FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note})
    for (const Finding &Each : Of.Findings)
      if (Each.How == How && Shown.size() < Most)
        Shown.push_back(&Each);
  std::ranges::sort(Shown); // as the report has them
  Json Driver = {{"name", "Ergon"}, {"semanticVersion", Version}, {"rules", Json::array()}};
  for (const LintRule &Each : Rules)
    Driver["rules"].push_back({{"id", Each.Id},
                               {"shortDescription", {{"text", Each.Summary}}},
                               {"defaultConfiguration", {{"level", name(Each.Default)}}}});
  Json Results = Json::array();
  for (const Finding *Each : Shown)
    Results.push_back(sarifResult(
        *Each, std::size_t(std::ranges::find(Rules, Each->Rule, &LintRule::Id) - Rules.begin())));
  return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({{{"tool", {{"driver", std::move(Driver)}}},
                                      {"results", std::move(Results)}}})}});
}

//===----------------------------------------------------------------------===//
// JUnit
//===----------------------------------------------------------------------===//

/// Escapes the value of an attribute. XML has no control characters.
static std::string xml(std::string_view Text) {
  std::string Line(Text), Result;
  std::ranges::replace_if(Line, [](unsigned char C) { return C < ' '; }, ' ');
  for (char C : plainText(Line)) {
    switch (C) {
    case '<':
      Result += "&lt;";
      break;
    case '>':
      Result += "&gt;";
      break;
    case '&':
      Result += "&amp;";
      break;
    case '"':
      Result += "&quot;";
      break;
    default:
      Result += C;
    }
  }
  return Result;
}

std::string writeJunit(const LintReport &Of) {
  auto Fails = [](const Finding &Each) { return Each.IsNew && !Each.Suppressed; };
  const auto Failures = std::ranges::count_if(Of.Findings, Fails);
  const auto Skipped = std::ranges::count_if(
      Of.Findings, [](const Finding &Each) { return Each.Suppressed.has_value(); });
  std::string Cases;
  for (const Finding &Each : Of.Findings) {
    Cases += "  <testcase classname=\"" + xml(Each.At.File) + "\" name=\"" + xml(Each.Rule) +
             " in " + xml(Each.Function) + " at " + xml(Each.At.text()) + "\"";
    if (Each.Suppressed)
      Cases += ">\n    <skipped message=\"" + xml(*Each.Suppressed) + "\"/>\n  </testcase>\n";
    else if (Fails(Each))
      Cases += ">\n    <failure type=\"" + std::string(name(Each.How)) + "\" message=\"" +
               xml(Each.Message) + "\"/>\n  </testcase>\n";
    else
      Cases += "/>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"ergon lint\" tests=\"" +
         std::to_string(Of.Findings.size()) + "\" failures=\"" + std::to_string(Failures) +
         "\" errors=\"0\" skipped=\"" + std::to_string(Skipped) + "\">\n" + Cases +
         "</testsuite>\n";
}

//===----------------------------------------------------------------------===//
// Baselines
//===----------------------------------------------------------------------===//

std::string writeBaseline(const LintReport &Of) {
  Json Result = {{"schema", BaselineSchema}, {"findings", Json::array()}};
  for (const Finding &Each : Of.Findings)
    Result["findings"].push_back({{"fingerprint", Each.Fingerprint},
                                  {"rule", Each.Rule},
                                  {"file", Each.At.File},
                                  {"function", Each.Function}});
  return dump(Result);
}

std::expected<std::set<std::string>, Error> parseBaseline(std::string_view Text) {
  return readJson(Text, BaselineSchema, [](JsonCursor Root) {
    Root.keys({"schema", "findings"});
    std::set<std::string> Result;
    for (JsonCursor Each : Root["findings"].elements()) {
      Each.keys({"fingerprint"}, {"rule", "file", "function"});
      for (const char *ForPeople : {"rule", "file", "function"})
        Each[ForPeople].view("");
      Result.insert(Each["fingerprint"].text());
    }
    return Result;
  });
}

} // namespace ergon
