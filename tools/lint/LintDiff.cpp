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
  const Unit *Origin;
  std::vector<Finding> Found; ///< by the rules that need no machine
  std::optional<PredictionDocument> Now;
  std::vector<std::string> Unbound;

  const Function &function() const { return Entry->function(); }
};

class Comparison {
public:
  Comparison(const LintOptions &Options, std::vector<GivenValue> Values, PredictionTarget Target)
      : Values(std::move(Values)), Target(std::move(Target)), Sources(Options.SourceRoots) {}
  void know(const Unit &U) { Sources.know(U); }
  std::optional<Error> compare(Version Before, Version After);
  LintReport finish(std::size_t Unpaired);

private:
  std::vector<GivenValue> Values;
  PredictionTarget Target;
  LintReport Result;
  LintSources Sources;

  std::optional<Error> predictFor(Version &V) const;
};
} // namespace

/// Less than this part of a figure is rounding.
static constexpr double Rounding = 1e-9;

static bool differs(double Before, double After) {
  return std::abs(After - Before) > Rounding * std::max(std::abs(Before), std::abs(After));
}

std::optional<Error> Comparison::predictFor(Version &V) const {
  std::set<std::size_t> NotHere;
  auto Counted = V.Entry->counts(Values, &NotHere);
  if (!Counted)
    return Counted.error();
  V.Unbound = Counted->Counts.Unbound;
  if (!Target.M || !V.Unbound.empty())
    return std::nullopt;
  if (auto Now = predict(*V.Entry, std::move(*Counted), Target); Now && Now->OnMachine)
    V.Now = std::move(*Now);
  return std::nullopt;
}

/// Findings that were not there before: the texts of then are not at hand, so by what they say.
static void addRules(const Version &Before, const Version &After,
                     std::vector<std::string> &Result) {
  std::multiset<std::pair<std::string, std::string>> Known;
  for (const Finding &F : Before.Found)
    Known.emplace(F.Rule, F.Message);
  for (const Finding &Found : After.Found)
    if (const auto Position = Known.find({Found.Rule, Found.Message}); Position != Known.end())
      Known.erase(Position);
    else
      Result.push_back(
          fmt::format("new at {}: {} [{}]", Found.Location.text(), Found.Message, Found.Rule));
}

static void addLoops(const Loop &Before, const Loop &After, std::vector<std::string> &Result) {
  if (Before.Loops.size() != After.Loops.size())
    return; // other loops, which counts show
  for (std::size_t I = 0; I != After.Loops.size(); ++I) {
    const unsigned Was = Before.Loops[I].Shape.VectorWidth,
                   Number = After.Loops[I].Shape.VectorWidth;
    if (Was != Number && Was && Number)
      Result.push_back(fmt::format("the loop at {} works on {} lane{} at once, and did on {}",
                                   After.Loops[I].Location.text(), Number, Number == 1 ? "" : "s",
                                   Was));
    addLoops(Before.Loops[I], After.Loops[I], Result);
  }
}

/// Classes whose joules changed, the largest change first.
static void addJoules(const Cost &Before, const Cost &After, std::vector<std::string> &Result) {
  std::map<std::string, double> Change;
  for (const auto &[Class, J] : After.BreakdownJ)
    Change[Class] += J;
  for (const auto &[Class, J] : Before.BreakdownJ)
    Change[Class] -= J;
  std::vector<std::pair<std::string, double>> Largest(Change.begin(), Change.end());
  std::ranges::sort(Largest, {},
                    [](const auto &Item) { return std::pair(-std::abs(Item.second), Item.first); });
  static constexpr std::size_t Most = 4;
  for (const auto &[Class, J] : Largest) {
    if (Result.size() == Most || !differs(After.EnergyJ.Value, After.EnergyJ.Value + J))
      break;
    Result.push_back(fmt::format("{}{} for {}", J > 0 ? "+" : "-", quantity(std::abs(J), "J"),
                                 Class == "constant" ? "the constant power over the time" : Class));
  }
}

static std::string countText(const std::map<std::string, Rational> &Rationals,
                             const std::string &Class) {
  const auto Found = Rationals.find(Class);
  return Found == Rationals.end() ? "0" : fmt::format("{:.6g}", Found->second.get_d());
}

/// How counts changed, of classes that \p Before or \p After prices.
static void addCounts(const PredictionDocument &Before, const PredictionDocument &After,
                      std::vector<std::string> &Result) {
  std::string Text;
  std::set<std::string> Classes;
  for (const auto *Document : {&Before, &After})
    for (const auto &[Class, J] : Document->OnMachine->BreakdownJ)
      Classes.insert(Class);
  for (const std::string &Class : Classes)
    if (std::string Was = countText(Before.Counts.Values, Class),
        T = countText(After.Counts.Values, Class);
        Was != T)
      Text += fmt::format("{}{} {} → {}", Text.empty() ? "" : ", ", Class, Was, T);
  if (!Text.empty())
    Result.push_back("counts: " + Text);
}

/// Formulas of the function's own code that differ.
static void addFormulas(const Function &Before, const Function &After,
                        std::vector<std::string> &Result) {
  const Counts Was = totalsOfLoop(Before, Before.Body), C = totalsOfLoop(After, After.Body);
  std::set<CostClass> Classes;
  for (const Counts *Element : {&Was, &C})
    for (const auto &[Class, Amount] : *Element)
      Classes.insert(Class);
  for (CostClass Class : Classes)
    if (Was[Class] != C[Class])
      Result.push_back(
          fmt::format("{}: {} → {}", name(Class), toPretty(Was[Class]), toPretty(C[Class])));
}

std::optional<Error> Comparison::compare(Version Before, Version After) {
  for (Version *V : {&Before, &After})
    if (auto Bad = predictFor(*V))
      return Bad;
  for (Version *Element : {&Before, &After})
    Element->Found = lintFunction(Element->function(), Element->Entry->lookup());
  for (Finding &F : After.Found)
    Sources.read(F, *After.Origin);
  const Function &Matches = After.function();
  Finding Found{.Rule = "regression",
                .How = FindingLevel::Note,
                .Location = Matches.Location,
                .Function = Matches.Demangled,
                .Mangled = Matches.Name,
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
                                Target.M->Name, quantity(Was.EnergyJ.Value, "J"),
                                quantity(Was.TimeS.Value, "s"), 100 * More / Was.EnergyJ.Value);
    Found.Saved = {Was.TimeS.Value - Now.TimeS.Value, -More};
    addRules(Before, After, Found.Causes);
    addLoops(Before.function().Body, Matches.Body, Found.Causes);
    std::vector<std::string> Joules;
    addJoules(Was, Now, Joules);
    addCounts(*Before.Now, *After.Now, Joules);
    Found.Causes.insert(Found.Causes.end(), Joules.begin(), Joules.end());
  } else {
    std::vector<std::string> Formulas;
    addFormulas(Before.function(), Matches, Formulas);
    addRules(Before, After, Found.Causes);
    addLoops(Before.function().Body, Matches.Body, Found.Causes);
    Found.Causes.insert(Found.Causes.end(), Formulas.begin(), Formulas.end());
    if (Found.Causes.empty())
      return std::nullopt;
    std::string Missing = Target.M ? "" : "a machine";
    if (!After.Unbound.empty())
      Missing += (Missing.empty() ? "" : " and ") + joined(After.Unbound);
    Found.Message = Missing.empty()
                        ? "its counts changed; " + Target.M->Name + " does not price it"
                        : "its counts changed; the joules are not known without " + Missing;
  }
  Sources.read(Found, *After.Origin);
  if (Found.Location.isValid())
    Result.Findings.push_back(std::move(Found));
  return std::nullopt;
}

LintReport Comparison::finish(std::size_t Unpaired) {
  std::ranges::sort(Result.Findings, {}, [](const Finding &F) {
    return std::tuple(F.Location.File, F.Location.Line, F.Mangled);
  });
  identify(Result.Findings);
  Result.Changed.assign(Sources.changed().begin(), Sources.changed().end());
  Result.NotChecked.insert(Result.NotChecked.end(), Sources.notRead().begin(),
                           Sources.notRead().end());
  if (Target.M)
    Result.Machine = Target.M->Name;
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
  auto Target = openTarget(Options.Machine);
  if (!Target)
    return std::unexpected(Target.error());
  auto Before = openFolder(Options, Options.Diff[0]), After = openFolder(Options, Options.Diff[1]);
  for (const auto *Side : {&Before, &After})
    if (!*Side)
      return std::unexpected(Side->error());
  auto Values = readSets(Options.Sets);
  if (!Values)
    return std::unexpected(Values.error());
  std::map<std::tuple<std::string_view, std::string_view, std::string>, FunctionRef> Old;
  const auto keyOf = [](const FunctionRef &Ref) {
    return std::tuple(Ref.Entry->Name, Ref.Entry->Snapshot, Ref.File->unit().Target);
  };
  for (const FunctionRef &FR : (*Before)->select(Options.Entry))
    Old.emplace(keyOf(FR), FR);
  Comparison C(Options, std::move(*Values), std::move(*Target));
  std::size_t Unpaired = 0;
  const std::vector<FunctionRef> New = (*After)->select(Options.Entry);
  for (const FunctionRef &R : New)
    C.know(R.File->unit());
  for (const FunctionRef &Element : New) {
    const auto Was = Old.find(keyOf(Element));
    if (Was == Old.end()) {
      ++Unpaired;
      continue;
    }
    const FunctionRef Then = Was->second;
    Old.erase(Was);
    if ((Options.Entry.Snapshot.empty() && Element.Entry->Snapshot == "machine"))
      continue;
    auto Left = (*Before)->load(Then), Right = (*After)->load(Element);
    for (const auto *Side : {&Left, &Right})
      if (!*Side)
        return std::unexpected(Side->error());
    if (auto Bad = C.compare({std::move(*Left), &Then.File->unit(), {}, {}, {}},
                             {std::move(*Right), &Element.File->unit(), {}, {}, {}}))
      return std::unexpected(*Bad);
  }
  return C.finish(Unpaired + Old.size());
}

} // namespace ergon
