//===- LintDiff.cpp - what changed between two recordings -----------------===//

#include "tools/lint/LintDiff.h"
#include "model/lint/Lint.h"
#include "predict/text/Text.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/lint/LintSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace ergon {

namespace {
/// A function as one of the folders has it.
struct Version {
  std::unique_ptr<CountedEntry> Entry;
  const Unit *Of;
  std::vector<Finding> Found; ///< by the rules that need no machine
  std::optional<PredictionDocument> Now;
  std::vector<std::string> Unbound;

  const Function &function() const { return Entry->function(); }
};

class Comparison {
public:
  Comparison(const LintOptions &Options, std::vector<GivenValue> Values, PredictionTarget On)
      : Values(std::move(Values)), On(std::move(On)), Sources(Options.SourceRoots) {}
  void know(const Unit &Of) { Sources.know(Of); }
  std::optional<Error> compare(Version Before, Version After);
  LintReport finish(std::size_t Unpaired);

private:
  std::vector<GivenValue> Values;
  PredictionTarget On;
  LintReport Result;
  LintSources Sources;

  std::optional<Error> predictFor(Version &Of) const;
};
} // namespace

/// Less than this part of a figure is rounding.
static constexpr double Rounding = 1e-9;

static bool differs(double Before, double After) {
  return std::abs(After - Before) > Rounding * std::max(std::abs(Before), std::abs(After));
}

std::optional<Error> Comparison::predictFor(Version &Of) const {
  std::set<std::size_t> NotHere;
  auto Counted = Of.Entry->counts(Values, &NotHere);
  if (!Counted)
    return Counted.error();
  Of.Unbound = Counted->Counts.Unbound;
  if (!On.M || !Of.Unbound.empty())
    return std::nullopt;
  if (auto Now = predict(*Of.Entry, std::move(*Counted), On); Now && Now->OnMachine)
    Of.Now = std::move(*Now);
  return std::nullopt;
}

/// Findings that were not there before: the texts of then are not at hand, so by what they say.
static void addRules(const Version &Before, const Version &After, std::vector<std::string> &Into) {
  std::multiset<std::pair<std::string, std::string>> Known;
  for (const Finding &Each : Before.Found)
    Known.emplace(Each.Rule, Each.Message);
  for (const Finding &Each : After.Found)
    if (const auto Same = Known.find({Each.Rule, Each.Message}); Same != Known.end())
      Known.erase(Same);
    else
      Into.push_back(fmt::format("new at {}: {} [{}]", Each.At.text(), Each.Message, Each.Rule));
}

static void addLoops(const Loop &Before, const Loop &After, std::vector<std::string> &Into) {
  if (Before.Loops.size() != After.Loops.size())
    return; // other loops, which counts show
  for (std::size_t I = 0; I != After.Loops.size(); ++I) {
    const unsigned Was = Before.Loops[I].Shape.VectorWidth, Is = After.Loops[I].Shape.VectorWidth;
    if (Was != Is && Was && Is)
      Into.push_back(fmt::format("the loop at {} works on {} lane{} at once, and did on {}",
                                 After.Loops[I].At.text(), Is, Is == 1 ? "" : "s", Was));
    addLoops(Before.Loops[I], After.Loops[I], Into);
  }
}

/// Classes whose joules changed, the largest change first.
static void addJoules(const Cost &Before, const Cost &After, std::vector<std::string> &Into) {
  std::map<std::string, double> Change;
  for (const auto &[Class, J] : After.BreakdownJ)
    Change[Class] += J;
  for (const auto &[Class, J] : Before.BreakdownJ)
    Change[Class] -= J;
  std::vector<std::pair<std::string, double>> Largest(Change.begin(), Change.end());
  std::ranges::sort(Largest, {},
                    [](const auto &Each) { return std::pair(-std::abs(Each.second), Each.first); });
  static constexpr std::size_t Most = 4;
  for (const auto &[Class, J] : Largest) {
    if (Into.size() == Most || !differs(After.EnergyJ.Value, After.EnergyJ.Value + J))
      break;
    Into.push_back(fmt::format("{}{} for {}", J > 0 ? "+" : "-", quantity(std::abs(J), "J"),
                               Class == "constant" ? "the constant power over the time" : Class));
  }
}

static std::string countText(const std::map<std::string, Rational> &Of, const std::string &Class) {
  const auto Found = Of.find(Class);
  return Found == Of.end() ? "0" : fmt::format("{:.6g}", Found->second.get_d());
}

/// How counts changed, of classes that \p Before or \p After prices.
static void addCounts(const PredictionDocument &Before, const PredictionDocument &After,
                      std::vector<std::string> &Into) {
  std::string Text;
  std::set<std::string> Classes;
  for (const auto *Each : {&Before, &After})
    for (const auto &[Class, J] : Each->OnMachine->BreakdownJ)
      Classes.insert(Class);
  for (const std::string &Class : Classes)
    if (std::string Was = countText(Before.Counts.Values, Class),
        Is = countText(After.Counts.Values, Class);
        Was != Is)
      Text += fmt::format("{}{} {} → {}", Text.empty() ? "" : ", ", Class, Was, Is);
  if (!Text.empty())
    Into.push_back("counts: " + Text);
}

/// Formulas of the function's own code that differ.
static void addFormulas(const Function &Before, const Function &After,
                        std::vector<std::string> &Into) {
  const Counts Was = totalsOfLoop(Before, Before.Body), Is = totalsOfLoop(After, After.Body);
  std::set<CostClass> Classes;
  for (const Counts *Each : {&Was, &Is})
    for (const auto &[Class, Amount] : *Each)
      Classes.insert(Class);
  for (CostClass Class : Classes)
    if (Was[Class] != Is[Class])
      Into.push_back(
          fmt::format("{}: {} → {}", name(Class), toPretty(Was[Class]), toPretty(Is[Class])));
}

std::optional<Error> Comparison::compare(Version Before, Version After) {
  for (Version *Each : {&Before, &After})
    if (auto Bad = predictFor(*Each))
      return Bad;
  for (Version *Each : {&Before, &After})
    Each->Found = lintFunction(Each->function(), Each->Entry->lookup());
  for (Finding &Each : After.Found)
    Sources.read(Each, *After.Of);
  const Function &Is = After.function();
  Finding Found{.Rule = "regression",
                .How = FindingLevel::Note,
                .At = Is.At,
                .Function = Is.Demangled,
                .Mangled = Is.Name,
                .Message = {}};
  if (Before.Now && After.Now) {
    const Cost &Was = *Before.Now->OnMachine, &Now = *After.Now->OnMachine;
    if (!differs(Was.EnergyJ.Value, Now.EnergyJ.Value) &&
        !differs(Was.TimeS.Value, Now.TimeS.Value))
      return std::nullopt;
    const double More = Now.EnergyJ.Value - Was.EnergyJ.Value;
    const bool IsWorse = differs(Was.EnergyJ.Value, Now.EnergyJ.Value)
                             ? More > 0
                             : Now.TimeS.Value > Was.TimeS.Value;
    Found.Rule = IsWorse ? "regression" : "improvement";
    Found.How = findRule(Found.Rule)->Default;
    Found.Message = fmt::format("{} in {} on {}, and was {} in {} ({:+.3g} %)",
                                quantity(Now.EnergyJ.Value, "J"), quantity(Now.TimeS.Value, "s"),
                                On.M->Name, quantity(Was.EnergyJ.Value, "J"),
                                quantity(Was.TimeS.Value, "s"), 100 * More / Was.EnergyJ.Value);
    Found.Saved = {Was.TimeS.Value - Now.TimeS.Value, -More};
    addRules(Before, After, Found.Causes);
    addLoops(Before.function().Body, Is.Body, Found.Causes);
    std::vector<std::string> Joules;
    addJoules(Was, Now, Joules);
    addCounts(*Before.Now, *After.Now, Joules);
    Found.Causes.insert(Found.Causes.end(), Joules.begin(), Joules.end());
  } else {
    std::vector<std::string> Formulas;
    addFormulas(Before.function(), Is, Formulas);
    addRules(Before, After, Found.Causes);
    addLoops(Before.function().Body, Is.Body, Found.Causes);
    Found.Causes.insert(Found.Causes.end(), Formulas.begin(), Formulas.end());
    if (Found.Causes.empty())
      return std::nullopt;
    std::string Missing = On.M ? "" : "a machine";
    if (!After.Unbound.empty())
      Missing += (Missing.empty() ? "" : " and ") + joined(After.Unbound);
    Found.Message = Missing.empty()
                        ? "its counts changed; " + On.M->Name + " does not price it"
                        : "its counts changed; the joules are not known without " + Missing;
  }
  Sources.read(Found, *After.Of);
  if (Found.At.isValid())
    Result.Findings.push_back(std::move(Found));
  return std::nullopt;
}

LintReport Comparison::finish(std::size_t Unpaired) {
  std::ranges::sort(Result.Findings, {}, [](const Finding &Each) {
    return std::tuple(Each.At.File, Each.At.Line, Each.Mangled);
  });
  identify(Result.Findings);
  Result.Changed.assign(Sources.changed().begin(), Sources.changed().end());
  Result.NotChecked.insert(Result.NotChecked.end(), Sources.notRead().begin(),
                           Sources.notRead().end());
  if (On.M)
    Result.Machine = On.M->Name;
  if (Unpaired)
    Result.NotChecked.push_back(fmt::format("{} function{} that one of the folders alone has",
                                            Unpaired, Unpaired == 1 ? "" : "s"));
  return std::move(Result);
}

static std::expected<CountedRecords *, Error> openFolder(const LintOptions &Options,
                                                         const std::string &Directory) {
  RecordSource From = Options.Entry;
  From.Directory = Directory;
  return openRecords(From, Detail::All);
}

std::expected<LintReport, Error> differencesOf(const LintOptions &Options) {
  auto On = openTarget(Options.Machine);
  if (!On)
    return std::unexpected(On.error());
  auto Before = openFolder(Options, Options.Diff[0]), After = openFolder(Options, Options.Diff[1]);
  for (const auto *Each : {&Before, &After})
    if (!*Each)
      return std::unexpected(Each->error());
  auto Values = readSets(Options.Sets);
  if (!Values)
    return std::unexpected(Values.error());
  std::map<std::tuple<std::string_view, std::string_view, std::string>, FunctionRef> Old;
  const auto keyOf = [](const FunctionRef &Of) {
    return std::tuple(Of.Entry->Name, Of.Entry->Snapshot, Of.File->unit().Target);
  };
  for (const FunctionRef &Each : (*Before)->select(Options.Entry))
    Old.emplace(keyOf(Each), Each);
  Comparison Of(Options, std::move(*Values), std::move(*On));
  std::size_t Unpaired = 0;
  const std::vector<FunctionRef> New = (*After)->select(Options.Entry);
  for (const FunctionRef &Each : New)
    Of.know(Each.File->unit());
  for (const FunctionRef &Each : New) {
    const auto Was = Old.find(keyOf(Each));
    if (Was == Old.end()) {
      ++Unpaired;
      continue;
    }
    const FunctionRef Then = Was->second;
    Old.erase(Was);
    if ((Options.Entry.Snapshot.empty() && Each.Entry->Snapshot == "machine"))
      continue;
    auto Left = (*Before)->load(Then), Right = (*After)->load(Each);
    for (const auto *One : {&Left, &Right})
      if (!*One)
        return std::unexpected(One->error());
    if (auto Bad = Of.compare({std::move(*Left), &Then.File->unit(), {}, {}, {}},
                              {std::move(*Right), &Each.File->unit(), {}, {}, {}}))
      return std::unexpected(*Bad);
  }
  return Of.finish(Unpaired + Old.size());
}

} // namespace ergon
