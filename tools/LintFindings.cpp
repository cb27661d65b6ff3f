//===- LintFindings.cpp - findings of a folder of records -----------------===//

#include "tools/LintFindings.h"
#include "model/Cost.h"
#include "model/Lint.h"
#include "tools/EntryCounts.h"
#include "tools/LintSources.h"
#include "tools/MachineStore.h"
#include "tools/Terminal.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ergon {

namespace {
/// Gathers the findings of one function after the other.
class Gatherer {
public:
  Gatherer(const LintOptions &Options, std::optional<Machine> On)
      : Options(Options), On(std::move(On)), NotHere(Options.Sets.begin(), Options.Sets.end()) {
    if (this->On)
      Result.Machine = this->On->Name;
  }
  std::optional<Error> add(CountedEntry &Entry, const Unit &Of);
  std::expected<LintReport, Error> finish();

private:
  using Place = std::tuple<std::string, std::string, unsigned, unsigned>;

  const LintOptions &Options;
  std::optional<Machine> On;
  LintReport Result;
  LintSources Sources;
  std::set<Place> Seen;
  std::set<std::string> Unbound;
  std::set<std::string> NotHere; ///< what was set and no function has

  std::optional<Error> addSavings(CountedEntry &Entry, std::vector<Finding> &Into);
};
} // namespace

/// What somebody else wrote and nobody here can change.
static bool isForeign(const Finding &Of) {
  return Of.At.File.starts_with("/usr/") || !Of.At.isValid();
}

/// The cost of \p Counted without what \p Of saves; nothing where that has no value.
static std::optional<Cost> costWithout(const Finding &Of, const EntryCounts &Counted,
                                       const Machine &On) {
  CountValues Less = Counted.Counts;
  for (const auto &[Class, Amount] : Of.Saves) {
    auto Saved = Amount.evaluate([&](const std::string &Name) -> std::optional<Rational> {
      const auto Found = Counted.Bound.Given.find(Name);
      return Found == Counted.Bound.Given.end() ? std::nullopt : std::optional(Found->second);
    });
    if (!Saved)
      return std::nullopt;
    Less.Values[std::string(name(Class))] -= *Saved;
  }
  return costOn(On, On.defaultSetting(), Less);
}

std::optional<Error> Gatherer::addSavings(CountedEntry &Entry, std::vector<Finding> &Into) {
  std::set<std::string> Missing;
  auto Counted = Entry.counts(Options.Sets, &Missing);
  if (!Counted)
    return Counted.error();
  std::erase_if(NotHere, [&](const std::string &Each) { return !Missing.contains(Each); });
  if (!On)
    return std::nullopt;
  if (!Counted->Counts.Unbound.empty()) {
    Unbound.insert(Counted->Counts.Unbound.begin(), Counted->Counts.Unbound.end());
    return std::nullopt;
  }
  const Cost Now = costOn(*On, On->defaultSetting(), Counted->Counts);
  if (!Now.Missing.empty())
    return std::nullopt; // the profile does not price the function
  for (Finding &Each : Into)
    if (!Each.Saves.empty())
      if (auto Then = costWithout(Each, *Counted, *On); Then && Then->Missing.empty())
        Each.Saved = {Now.TimeS.Value - Then->TimeS.Value, Now.EnergyJ.Value - Then->EnergyJ.Value};
  return std::nullopt;
}

std::optional<Error> Gatherer::add(CountedEntry &Entry, const Unit &Of) {
  std::vector<Finding> Found = lintFunction(Entry.function());
  for (Finding &Each : Found)
    Sources.read(Each, Of);
  // Of a template or an inline function one is enough.
  std::erase_if(Found, [&](const Finding &Each) {
    return isForeign(Each) ||
           !Seen.insert({Each.Rule, Each.At.File, Each.At.Line, Each.At.Column}).second;
  });
  if (Found.empty() && NotHere.empty())
    return std::nullopt;
  if (auto Bad = addSavings(Entry, Found))
    return Bad;
  for (Finding &Each : Found) {
    if (Each.Suppressed && Each.Suppressed->empty()) {
      Each.Suppressed.reset();
      Each.Message += " (what ignores it gives no reason)";
    }
    Result.Findings.push_back(std::move(Each));
  }
  return std::nullopt;
}

std::expected<LintReport, Error> Gatherer::finish() {
  if (!NotHere.empty())
    return std::unexpected(Error{"no function has what is set by " + *NotHere.begin(), "",
                                 "see `ergon show` for the names", "--set"});
  std::ranges::sort(Result.Findings, {}, [](const Finding &Each) {
    return std::tuple(Each.At.File, Each.At.Line, Each.At.Column, Each.Rule);
  });
  identify(Result.Findings);
  Result.Changed.assign(Sources.changed().begin(), Sources.changed().end());
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  return std::move(Result);
}

std::expected<LintReport, Error> findingsOf(const LintOptions &Options) {
  std::optional<Machine> On;
  if (!Options.Machine.empty()) {
    auto Loaded = loadMachine(Options.Machine);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    On = std::move(*Loaded);
  }
  auto Records = CountedRecords::open(Options.Entry, Detail::All);
  if (!Records)
    return std::unexpected(Records.error());
  CountedRecords &All = keep(std::move(*Records));
  Gatherer Into(Options, std::move(On));
  const std::vector<FunctionRef> Functions = All.select(Options.Entry);
  ProgressBar Bar;
  for (const FunctionRef &Each : Functions) {
    Bar.show(std::size_t(&Each - Functions.data()), Functions.size(), Each.Entry->Demangled);
    // What the compiler made of the code is not what was written.
    if (Options.Entry.Snapshot.empty() && Each.Entry->Snapshot == "machine")
      continue;
    auto Entry = All.load(Each);
    if (!Entry)
      return std::unexpected(Entry.error());
    if (auto Bad = Into.add(*keep(std::move(*Entry)), Each.File->unit()))
      return std::unexpected(*Bad);
  }
  return Into.finish();
}

} // namespace ergon
