//===- LintDiff.cpp - what changed between two recordings -----------------===//

#include "tools/lint/LintDiff.h"
#include "model/lint/Lint.h"
#include "predict/text/Text.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/lint/LintSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

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
  Comparison(const LintOptions &Options, std::vector<GivenValue> Values, PredictionTarget Target,
             const Thresholds &Least)
      : Values(std::move(Values)), Target(std::move(Target)), Least(Least),
        Sources(Options.SourceRoots) {}
  void know(const Unit &U) { Sources.know(U); }
  std::optional<Error> compare(Version Before, Version After);
  LintReport finish(std::size_t Unpaired);

private:
  std::vector<GivenValue> Values;
  PredictionTarget Target;
  Thresholds Least;
  LintReport Result;
  LintSources Sources;

  std::optional<Error> predictFor(Version &V) const;
  bool describeCosts(Finding &Found, const Cost &Was, const Cost &Now) const;
};
} // namespace

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

/// `+1.32 %`; of what was 0 it is no share.
static std::string changeText(double Before, double After) {
  return Before == 0 ? "was 0" : fmt::format("{:+.3g} %", 100 * (After - Before) / Before);
}

/// Makes \p Found say which of the costs changed. False where neither did by enough.
bool Comparison::describeCosts(Finding &Found, const Cost &Was, const Cost &Now) const {
  const bool EnergyCounts = Least.exceededByEnergy(Was.EnergyJ.Value, Now.EnergyJ.Value),
             TimeCounts = Least.exceededByTime(Was.TimeS.Value, Now.TimeS.Value);
  if (!EnergyCounts && !TimeCounts)
    return false;
  // Less energy does not pay for more time, nor the other way.
  const bool IsWorse = (EnergyCounts && Now.EnergyJ.Value > Was.EnergyJ.Value) ||
                       (TimeCounts && Now.TimeS.Value > Was.TimeS.Value);
  Found.Rule = IsWorse ? "regression" : "improvement";
  Found.How = findRule(Found.Rule)->Default;
  std::string Change;
  if (differs(Was.EnergyJ.Value, Now.EnergyJ.Value))
    Change = changeText(Was.EnergyJ.Value, Now.EnergyJ.Value);
  if (differs(Was.TimeS.Value, Now.TimeS.Value))
    Change += (Change.empty() ? "" : " energy, ") + changeText(Was.TimeS.Value, Now.TimeS.Value) +
              " time";
  Found.Message =
      fmt::format("{} in {} on {}, and was {} in {} ({})", quantity(Now.EnergyJ.Value, "J"),
                  quantity(Now.TimeS.Value, "s"), Target.M->Name, quantity(Was.EnergyJ.Value, "J"),
                  quantity(Was.TimeS.Value, "s"), Change);
  Found.Saved = {Was.TimeS.Value - Now.TimeS.Value, Was.EnergyJ.Value - Now.EnergyJ.Value};
  return true;
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
    if (!describeCosts(Found, Was, Now))
      return std::nullopt;
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
    if (!Least.isEmpty())
      Result.Unchecked.push_back(
          {"regression", "the change of " + Matches.Demangled + ": " + Found.Message});
  }
  if (Before.function().Name != Matches.Name)
    Found.Causes.push_back("it was " + Before.function().Demangled + ", by source and parameters");
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

namespace {
/// The functions of two folders.
struct FunctionPairs {
  std::vector<std::pair<FunctionRef, FunctionRef>> Same; ///< then and now
  std::vector<FunctionRef> Gone, Added;

  /// Moves to Same what was renamed: of equal source and parameters, where one function went and
  /// one came.
  std::optional<Error> addRenamed(CountedRecords &Before, CountedRecords &After);
};
} // namespace

static FunctionPairs pairByName(const std::vector<FunctionRef> &Before,
                                const std::vector<FunctionRef> &After) {
  std::map<std::tuple<std::string_view, std::string_view, std::string>, FunctionRef> Old;
  const auto keyOf = [](const FunctionRef &Ref) {
    return std::tuple(Ref.Entry->Name, Ref.Entry->Snapshot, Ref.File->unit().Target);
  };
  for (const FunctionRef &Ref : Before)
    Old.emplace(keyOf(Ref), Ref);
  FunctionPairs Result;
  for (const FunctionRef &Ref : After)
    if (const auto Was = Old.find(keyOf(Ref)); Was != Old.end()) {
      Result.Same.emplace_back(Was->second, Ref);
      Old.erase(Was);
    } else {
      Result.Added.push_back(Ref);
    }
  for (const auto &[Key, Ref] : Old)
    Result.Gone.push_back(Ref);
  return Result;
}

/// What a function keeps when its name changes.
static std::expected<std::string, Error> signatureOf(const FunctionRef &Ref,
                                                     CountedRecords &Records) {
  auto Entry = Records.load(Ref);
  if (!Entry)
    return std::unexpected(Entry.error());
  const Unit &U = Ref.File->unit();
  std::string Result =
      fmt::format("{}\n{}\n{}\n", U.Source, U.Target, std::string(Ref.Entry->Snapshot));
  for (const Parameter &P : (*Entry)->function().Parameters)
    Result += P.Type + ' ' + P.Name + '\n';
  return Result;
}

std::optional<Error> FunctionPairs::addRenamed(CountedRecords &Before, CountedRecords &After) {
  using Sides = std::array<std::vector<FunctionRef>, 2>;
  std::map<std::string, Sides> BySignature;
  for (std::size_t Side : {0, 1})
    for (const FunctionRef &Ref : Side ? Added : Gone) {
      auto Signature = signatureOf(Ref, Side ? After : Before);
      if (!Signature)
        return Signature.error();
      BySignature[*Signature][Side].push_back(Ref);
    }
  Gone.clear();
  Added.clear();
  for (const auto &[Signature, Both] : BySignature)
    if (Both[0].size() == 1 && Both[1].size() == 1) {
      Same.emplace_back(Both[0][0], Both[1][0]);
    } else {
      Gone.insert(Gone.end(), Both[0].begin(), Both[0].end());
      Added.insert(Added.end(), Both[1].begin(), Both[1].end());
    }
  return std::nullopt;
}

std::expected<LintReport, Error> differencesOf(const LintOptions &Options,
                                               const Thresholds &Least) {
  auto Target = openTarget(Options.Machine);
  if (!Target)
    return std::unexpected(Target.error());
  if (!Target->M && !Least.isEmpty())
    return std::unexpected(Error{"without a machine no change has joules or seconds", "",
                                 "give --machine NAME, or machine in ergon.json", "--threshold"});
  auto Before = openFolder(Options, Options.Diff[0]), After = openFolder(Options, Options.Diff[1]);
  for (const auto *Side : {&Before, &After})
    if (!*Side)
      return std::unexpected(Side->error());
  auto Values = readSets(Options.Sets);
  if (!Values)
    return std::unexpected(Values.error());
  const std::vector<FunctionRef> New = (*After)->select(Options.Entry);
  auto Pairs = pairByName((*Before)->select(Options.Entry), New);
  if (auto Bad = Pairs.addRenamed(**Before, **After))
    return std::unexpected(*Bad);
  Comparison C(Options, std::move(*Values), std::move(*Target), Least);
  for (const FunctionRef &R : New)
    C.know(R.File->unit());
  for (const auto &[Then, Now] : Pairs.Same) {
    if (Options.Entry.Snapshot.empty() && Now.Entry->Snapshot == "machine")
      continue;
    auto Left = (*Before)->load(Then), Right = (*After)->load(Now);
    for (const auto *Side : {&Left, &Right})
      if (!*Side)
        return std::unexpected(Side->error());
    if (auto Bad = C.compare({std::move(*Left), &Then.File->unit(), {}, {}, {}},
                             {std::move(*Right), &Now.File->unit(), {}, {}, {}}))
      return std::unexpected(*Bad);
  }
  return C.finish(Pairs.Gone.size() + Pairs.Added.size());
}

} // namespace ergon
