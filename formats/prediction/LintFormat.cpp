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
/// No baseline knows a budget: it would be none.
static constexpr std::string_view BudgetRule = "budget";

/// Names and paths need not be UTF-8.
static std::string dump(const Json &Document) {
  return Document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json jsonOf(const Saving &S) {
  Json Result = {{"time_s", S.TimeS}, {"energy_j", S.EnergyJ}};
  if (S.IsEstimated)
    Result["estimated"] = true;
  return Result;
}

static Json jsonOf(const Finding &F) {
  Json Result = {
      {"rule", F.Rule},          {"level", name(F.How)},        {"file", F.Location.File},
      {"line", F.Location.Line}, {"column", F.Location.Column}, {"function", F.Function},
      {"message", F.Message},    {"times", toText(F.Times)}};
  for (const FindingPlace &P : F.Others)
    Result["others"].push_back({{"file", P.Location.File},
                                {"line", P.Location.Line},
                                {"column", P.Location.Column},
                                {"fingerprint", P.Fingerprint}});
  if (!F.Causes.empty())
    Result["causes"] = F.Causes;
  for (const auto &[Class, Amount] : F.Saves)
    Result["saves"][std::string(name(Class))] = toText(Amount);
  if (F.Saved)
    Result["saved"] = jsonOf(*F.Saved);
  for (const auto &[Key, Why] :
       {std::pair("no_energy", &F.NoEnergy), std::pair("no_time", &F.NoTime),
        std::pair("not_known", &F.NotKnown)})
    if (!Why->empty())
      Result[Key] = *Why;
  if (F.Fix)
    Result["fix"] = {
        {"column", F.Fix->Column}, {"end_column", F.Fix->EndColumn}, {"text", F.Fix->Text}};
  if (F.Suppressed)
    Result["suppressed"] = *F.Suppressed;
  Result["new"] = F.IsNew;
  if (F.IsWorse)
    Result["worse"] = true;
  Result["fingerprint"] = F.Fingerprint;
  return Result;
}

std::string writeLint(const LintReport &Report) {
  Json Result = {{"schema", "ergon-lint/1"}};
  if (!Report.Machine.empty())
    Result["machine"] = Report.Machine;
  Result["findings"] = Json::array();
  for (const Finding &F : Report.Findings)
    Result["findings"].push_back(jsonOf(F));
  if (Report.Unchanged)
    Result["unchanged"] = Report.Unchanged;
  Result["unbound"] = Report.Unbound;
  if (!Report.Changed.empty())
    Result["changed"] = Report.Changed;
  for (const UncheckedRule &Open : Report.Unchecked)
    Result["unchecked"].push_back({{"rule", Open.Rule},
                                   {"level", name(Open.How)},
                                   {"what", Open.Text},
                                   {"allowed", Open.IsAllowed}});
  std::vector<std::string> Open = Report.openTexts();
  Open.insert(Open.end(), Report.Damaged.begin(), Report.Damaged.end());
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

static Json sarifFix(const Finding &F) {
  Json Replacement = {{"deletedRegion",
                       {{"startLine", F.Location.Line},
                        {"startColumn", F.Fix->Column},
                        {"endColumn", F.Fix->EndColumn}}},
                      {"insertedContent", {{"text", F.Fix->Text}}}};
  return {{"description", {{"text", "insert " + F.Fix->Text}}},
          {"artifactChanges",
           Json::array({{{"artifactLocation", {{"uri", uriOf(F.Location.File)}}},
                         {"replacements", Json::array({std::move(Replacement)})}}})}};
}

/// With its causes.
static std::string messageOf(const Finding &F) {
  std::string Result = F.Message;
  for (const std::string &Cause : F.Causes)
    Result += "\n" + Cause;
  if (!F.Others.empty())
    Result += "\nand " + std::to_string(F.Others.size()) + " more of the same object";
  return Result;
}

static Json sarifPlace(const SourceLocation &At) {
  Json Region = {{"startLine", At.Line}};
  if (At.Column)
    Region["startColumn"] = At.Column;
  return {{"artifactLocation", {{"uri", uriOf(At.File)}}}, {"region", std::move(Region)}};
}

static Json sarifResult(const Finding &F, std::size_t Rule) {
  Json Place = {{"physicalLocation", sarifPlace(F.Location)},
                {"logicalLocations",
                 Json::array({{{"fullyQualifiedName", F.Function}, {"kind", "function"}}})}};
  Json Result = {{"ruleId", F.Rule},
                 {"ruleIndex", Rule},
                 {"level", name(F.How)},
                 {"message", {{"text", messageOf(F)}}},
                 {"locations", Json::array({std::move(Place)})},
                 {"partialFingerprints", {{"ergon/v1", F.Fingerprint}}},
                 {"baselineState", F.IsWorse ? "updated"
                                   : F.IsNew ? "new"
                                             : "unchanged"}};
  for (const FindingPlace &P : F.Others)
    Result["relatedLocations"].push_back(
        {{"physicalLocation", sarifPlace(P.Location)},
         {"message", {{"text", "another access of " + inQuotes(F.Object)}}}});
  if (F.Suppressed)
    Result["suppressions"] =
        Json::array({{{"kind", "inSource"}, {"justification", *F.Suppressed}}});
  if (F.Fix)
    Result["fixes"] = Json::array({sarifFix(F)});
  Json &More = Result["properties"] = {{"times", toText(F.Times)}};
  if (F.Saved)
    More["saved"] = jsonOf(*F.Saved);
  return Result;
}

/// What could not be looked at. Without it a log of no results would look like one of clean code.
static Json sarifInvocations(const LintReport &Report) {
  Json Notifications = Json::array();
  for (const UncheckedRule &Open : Report.Unchecked)
    Notifications.push_back({{"level", Open.IsAllowed ? "note" : name(Open.How)},
                             {"message", {{"text", "not checked: " + Open.Text}}}});
  for (const std::string &Text : Report.NotChecked)
    Notifications.push_back({{"level", "note"}, {"message", {{"text", "not checked: " + Text}}}});
  for (const std::string &Text : Report.Damaged)
    Notifications.push_back({{"level", "error"}, {"message", {{"text", Text}}}});
  return Json::array({{{"executionSuccessful", Report.Damaged.empty()},
                       {"toolExecutionNotifications", std::move(Notifications)}}});
}

/// Markdown without its links to other pages, which lead nowhere in a log.
static std::string withoutLinks(std::string_view Text) {
  std::string Result(Text);
  for (std::size_t At = 0; (At = Result.find(".md)", At)) != Result.npos;) {
    const std::size_t Middle = Result.rfind("](", At), First = Result.rfind('[', Middle);
    if (Middle == Result.npos || First == Result.npos)
      break;
    Result.erase(Middle, At + 4 - Middle);
    Result.erase(First, 1);
    At = First;
  }
  return Result;
}

static Json sarifRule(const LintRule &Rule, const SarifTool &Tool) {
  Json Result = {{"id", Rule.Id},
                 {"shortDescription", {{"text", Rule.Summary}}},
                 {"defaultConfiguration", {{"level", name(Rule.Default)}}}};
  if (!Tool.DocsUrl.empty())
    Result["helpUri"] = Tool.DocsUrl + (Tool.DocsUrl.ends_with('/') ? "" : "/") + "rules/" +
                        std::string(Rule.Id) + "/";
  if (const auto Page = std::ranges::find(Tool.Pages, Rule.Id, &RulePage::Id);
      Page != Tool.Pages.end()) {
    const std::string Help = withoutLinks(Page->Text);
    const std::size_t First = std::min(Help.find("\n\n"), Help.size() - 2) + 2; // after the heading
    Result["fullDescription"]["text"] = Help.substr(First, Help.find("\n\n", First) - First);
    Result["help"] = {{"text", Help}, {"markdown", Help}};
  }
  return Result;
}

std::string writeSarif(const LintReport &Report, const SarifTool &Tool) {
  static constexpr std::size_t Most = 25'000;
  std::vector<const Finding *> Shown;
  for (FindingLevel How : {FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note})
    for (const Finding &F : Report.Findings)
      if (F.How == How && Shown.size() < Most)
        Shown.push_back(&F);
  std::ranges::sort(Shown); // as the report has them
  Json Driver = {{"name", "Ergon"}, {"semanticVersion", Tool.Version}, {"rules", Json::array()}};
  for (const LintRule &Rule : Tool.Rules)
    Driver["rules"].push_back(sarifRule(Rule, Tool));
  Json Results = Json::array();
  for (const Finding *Element : Shown)
    Results.push_back(sarifResult(
        *Element, std::size_t(std::ranges::find(Tool.Rules, Element->Rule, &LintRule::Id) -
                              Tool.Rules.begin())));
  return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({{{"tool", {{"driver", std::move(Driver)}}},
                                      {"invocations", sarifInvocations(Report)},
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

std::string writeJunit(const LintReport &Report) {
  auto Fails = [](const Finding &F) { return F.IsNew && !F.Suppressed; };
  const auto Allowed =
      std::ranges::count_if(Report.Unchecked, [](const UncheckedRule &R) { return R.IsAllowed; });
  const auto Failures =
      std::ranges::count_if(Report.Findings, Fails) + std::ssize(Report.Unchecked) - Allowed;
  const auto Skipped =
      std::ranges::count_if(Report.Findings,
                            [](const Finding &Element) { return Element.Suppressed.has_value(); }) +
      Allowed;
  std::string Cases;
  for (const Finding &Entry : Report.Findings) {
    Cases += "  <testcase classname=\"" + xml(Entry.Location.File) + "\" name=\"" +
             xml(Entry.Rule) + " in " + xml(Entry.Function) + " at " + xml(Entry.Location.text()) +
             "\"";
    if (Entry.Suppressed)
      Cases += ">\n    <skipped message=\"" + xml(*Entry.Suppressed) + "\"/>\n  </testcase>\n";
    else if (Fails(Entry))
      Cases += ">\n    <failure type=\"" + std::string(name(Entry.How)) + "\" message=\"" +
               xml(Entry.Message) + "\"/>\n  </testcase>\n";
    else
      Cases += "/>\n";
  }
  for (const UncheckedRule &Open : Report.Unchecked) {
    const std::string Message = " message=\"" + xml("not checked: " + Open.Text) + "\"/>\n";
    Cases += "  <testcase classname=\"" + xml(Open.Rule) + "\" name=\"" + xml(Open.Text) +
             "\">\n    " +
             (Open.IsAllowed ? "<skipped" + Message
                             : "<failure type=\"" + std::string(name(Open.How)) + "\"" + Message) +
             "  </testcase>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"ergon lint\" tests=\"" +
         std::to_string(Report.Findings.size() + Report.Unchecked.size()) + "\" failures=\"" +
         std::to_string(Failures) + "\" errors=\"0\" skipped=\"" + std::to_string(Skipped) +
         "\">\n" + Cases + "</testsuite>\n";
}

//===----------------------------------------------------------------------===//
// Baselines
//===----------------------------------------------------------------------===//

std::string writeBaseline(const LintReport &Report) {
  Json Result = {{"schema", BaselineSchema}};
  if (!Report.Machine.empty())
    Result["machine"] = Report.Machine;
  if (!Report.Sets.empty())
    Result["set"] = Report.Sets;
  Result["findings"] = Json::array();
  for (const Finding &F : Report.Findings) {
    if (F.Rule == BudgetRule)
      continue;
    Json &Known = Result["findings"].emplace_back(Json{{"fingerprint", F.Fingerprint},
                                                       {"rule", F.Rule},
                                                       {"file", F.Location.File},
                                                       {"function", F.Function}});
    if (!F.Content.empty())
      Known["content"] = F.Content;
    if (const auto Excess = excessOf(F)) {
      Known["time_s"] = Excess->TimeS;
      Known["energy_j"] = Excess->EnergyJ;
    }
  }
  return dump(Result);
}

static std::optional<Saving> readExcess(const JsonCursor &Known) {
  if (!Known["time_s"] || !Known["energy_j"])
    return std::nullopt;
  return Saving{.TimeS = Known["time_s"].number(), .EnergyJ = Known["energy_j"].number()};
}

std::expected<Baseline, Error> parseBaseline(std::string_view Text) {
  return readJson(Text, BaselineSchema, [](JsonCursor Root) {
    Root.keys({"schema", "findings"}, {"machine", "set"});
    Baseline Result{.Machine = Root["machine"].text(""), .Sets = {}, .Findings = {}};
    if (JsonCursor Sets = Root["set"])
      for (const JsonCursor &Set : Sets.elements())
        Result.Sets.push_back(Set.text());
    for (JsonCursor Known : Root["findings"].elements()) {
      Known.keys({"fingerprint"}, {"content", "rule", "file", "function", "time_s", "energy_j"});
      for (const char *ForPeople : {"file", "function"})
        Known[ForPeople].view("");
      if (Known["rule"].view("") != BudgetRule)
        Result.Findings.emplace(Known["fingerprint"].text(),
                                Baseline::Known{Known["content"].text(""), readExcess(Known)});
    }
    return Result;
  });
}

} // namespace ergon
