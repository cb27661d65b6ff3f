//===- LintFindings.cpp - findings of a folder of records -----------------===//

#include "tools/lint/LintFindings.h"
#include "model/energy/Cost.h"
#include "model/lint/Lint.h"
#include "model/lint/LintRun.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/base/Terminal.h"
#include "tools/lint/LintBudgets.h"
#include "tools/lint/LintSources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <tuple>

namespace ergon {

namespace {
/// Gathers the findings of one function after the other.
class Gatherer {
public:
  Gatherer(const LintOptions &Options, std::vector<GivenValue> Values, PredictionTarget On)
      : Options(Options), Values(std::move(Values)), On(std::move(On)),
        Sources(Options.SourceRoots), NotHere(Options.Sets.begin(), Options.Sets.end()) {
    if (this->On.M)
      Result.Machine = this->On.M->Name;
  }
  /// Before add(): what other records say of their code.
  void prepare(CountedRecords &Records);
  std::optional<Error> add(CountedEntry &Entry, const Unit &Of);
  /// The findings of a record, or of a function of it, are missing.
  void miss(const Error &Bad) { Result.Damaged.push_back(Bad.line()); }
  std::optional<Error> addBudget(const Budget &Each, CountedRecords &Records);
  std::expected<LintReport, Error> finish();

private:
  using Place = std::tuple<std::string, std::string, unsigned, unsigned>;

  const LintOptions &Options;
  std::vector<GivenValue> Values; ///< of Options.Sets
  PredictionTarget On;
  LintReport Result;
  LintSources Sources;
  /// Of device functions that are no kernels: somebody has to call them.
  struct Held {
    std::string Mangled;
    std::vector<Finding> Found;
    const Unit *Of;
  };
  std::vector<Held> Waiting;
  std::set<std::string> Called; ///< by device code
  std::set<Place> Seen;
  std::set<std::string> WithoutLines; ///< sources with findings that have no place, and why
  BlockShapes Launched;
  std::set<std::string> Unbound;
  std::set<std::string> NotHere; ///< what was set and no function has

  std::optional<Error> addOfRun(CountedEntry &Entry, std::vector<Finding> &Into);
  void take(std::vector<Finding> Found, const Unit &Of);
  void takeBudget(BudgetCheck Checked, const Unit &Of);
};
} // namespace

/// What somebody else wrote and nobody here can change.
static bool isForeign(const Finding &Of) {
  return Of.At.File.starts_with("/usr/") || !Of.At.isValid();
}

/// The cost without what \p Of saves; nothing where that has no value.
static std::optional<Cost> costWithout(const Finding &Of, const PredictionDocument &Now,
                                       const Machine &On) {
  CountValues Less = Now.Counts;
  for (const auto &[Class, Amount] : Of.Saves) {
    auto Saved = Amount.evaluate([&](const std::string &Name) -> std::optional<Rational> {
      const auto Found = Now.Bindings.find(Name);
      return Found == Now.Bindings.end() ? std::nullopt : std::optional(Found->second);
    });
    // What only traffic has is not known to be there.
    if (!Saved || (Class == CostClass::BytesDram && Less.DramIsRequested))
      return std::nullopt;
    Less.Values[std::string(name(Class))] -= *Saved;
  }
  return costOn(On, Now.At, Less);
}

std::optional<Error> Gatherer::addOfRun(CountedEntry &Entry, std::vector<Finding> &Into) {
  if (!On.M && NotHere.empty())
    return std::nullopt;
  std::set<std::size_t> Missing;
  auto Counted = Entry.counts(Values, &Missing);
  if (!Counted)
    return Counted.error();
  for (std::size_t Index = 0; Index != Values.size(); ++Index)
    if (!Missing.contains(Index))
      NotHere.erase(Options.Sets[Index]);
  if (!On.M)
    return std::nullopt;
  if (!Counted->Counts.Unbound.empty()) {
    if (!Into.empty())
      Unbound.insert(Counted->Counts.Unbound.begin(), Counted->Counts.Unbound.end());
    return std::nullopt;
  }
  auto Now = predict(Entry, std::move(*Counted), On);
  if (!Now || !Now->OnMachine)
    return std::nullopt; // the profile does not price the function
  for (Finding &Each :
       lintRun({Entry.function(), *On.M, On.At, Now->Counts, *Now->OnMachine, Now->Bindings}))
    Into.push_back(std::move(Each));
  if (std::ranges::all_of(Into, [](const Finding &Each) { return Each.Saves.empty(); }))
    return std::nullopt;
  const Cost Plain = costOn(*On.M, On.At, Now->Counts);
  for (Finding &Each : Into)
    if (!Each.Saves.empty())
      if (auto Then = costWithout(Each, *Now, *On.M); Then && Then->Missing.empty())
        Each.Saved = {Plain.TimeS.Value - Then->TimeS.Value,
                      Plain.EnergyJ.Value - Then->EnergyJ.Value};
  return std::nullopt;
}

static void addCallees(const Loop &Of, std::set<std::string> &Into) {
  for (const Block &Each : Of.Blocks)
    for (const Call &Site : Each.Calls)
      Into.insert(Site.Callee);
  for (const Loop &Each : Of.Loops)
    addCallees(Each, Into);
}

void Gatherer::take(std::vector<Finding> Found, const Unit &Of) {
  for (Finding &Each : Found) {
    if (!Each.At.isValid())
      WithoutLines.insert(Of.Source + (Of.Files.empty() ? ": it was compiled without -g"
                                                        : ": the compiler kept no position of it"));
    Sources.read(Each, Of);
    // Of a template or an inline function one is enough.
    if (isForeign(Each) ||
        !Seen.insert({Each.Rule, Each.At.File, Each.At.Line, Each.At.Column}).second)
      continue;
    if (Each.Suppressed && Each.Suppressed->empty()) {
      Each.Suppressed.reset();
      Each.Message += " (what ignores it gives no reason)";
    }
    Result.Findings.push_back(std::move(Each));
  }
}

void Gatherer::takeBudget(BudgetCheck Checked, const Unit &Of) {
  if (auto *Why = std::get_if<std::string>(&Checked))
    Result.NotChecked.push_back(std::move(*Why));
  if (auto *Over = std::get_if<Finding>(&Checked)) {
    if (!Over->At.isValid()) // code without debug information
      Over->At = {Of.Source, 1, 0};
    Sources.read(*Over, Of);
    Result.Findings.push_back(std::move(*Over));
  }
}

std::optional<Error> Gatherer::add(CountedEntry &Entry, const Unit &Of) {
  std::vector<Finding> Found = lintFunction(Entry.function(), Entry.lookup(), Launched);
  if (auto Bad = addOfRun(Entry, Found)) {
    if (Bad->File.starts_with("--set"))
      return Bad;
    miss(*Bad); // what is said of the function's runs
  }
  const bool IsDevice = Of.Target.starts_with("nvptx");
  if (IsDevice)
    addCallees(Entry.function().Body, Called);
  if (IsDevice && !Entry.function().IsKernel)
    Waiting.push_back({Entry.function().Name, std::move(Found), &Of});
  else
    take(std::move(Found), Of);
  for (BudgetCheck &Each : checkAnnotations(Entry, Options.Sets, On))
    takeBudget(std::move(Each), Of);
  return std::nullopt;
}

/// Launches whose blocks a --set says are those.
static std::optional<BlockShape> givenShape(const std::vector<std::string> &Sets) {
  static constexpr std::array<std::string_view, 3> Names = {"block.x=", "block.y=", "block.z="};
  BlockShape Result = {0, 1, 1}; // CUDA's default of y and z
  bool Any = false;
  for (std::string_view Each : Sets)
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (Each.starts_with(Names[Axis])) {
        const std::string_view Text = Each.substr(Names[Axis].size());
        std::int64_t Value = 0;
        const auto [End, Bad] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
        if (Bad != std::errc() || End != Text.data() + Text.size() || Value < 1 || Value > 1024)
          return std::nullopt;
        Result[Axis] = Value;
        Any = true;
      }
  return Any ? std::optional(Result) : std::nullopt;
}

void Gatherer::prepare(CountedRecords &Records) {
  FunctionQuery All; // launches are in the host's code, whatever is looked at
  std::set<const RecordFile *> Known;
  const std::vector<FunctionRef> Functions = Records.select(All);
  for (const FunctionRef &Each : Functions)
    if (Known.insert(Each.File).second)
      Sources.know(Each.File->unit());
  if (std::ranges::none_of(
          Known, [](const RecordFile *Each) { return Each->unit().Target.starts_with("nvptx"); }))
    return;
  const auto Given = givenShape(Options.Sets);
  for (const FunctionRef &Each : Functions) {
    auto Entry = Records.load(Each);
    if (!Entry)
      continue; // told where it is looked at
    CountedEntry &Loaded = *keep(std::move(*Entry));
    if (Given && Loaded.function().IsKernel)
      Launched[Loaded.function().Name] = {*Given};
    else if (!Given)
      addLaunches(Loaded.function(), Loaded.lookup(), Launched);
  }
}

std::optional<Error> Gatherer::addBudget(const Budget &Each, CountedRecords &Records) {
  FunctionQuery Named = Options.Entry;
  Named.Entry = Each.Entry;
  auto Found = Records.findRef(Named);
  if (!Found)
    return Found.error();
  auto Entry = Records.load(*Found);
  if (!Entry)
    return Entry.error();
  takeBudget(checkBudget(Each, *keep(std::move(*Entry)), Options.Sets, On), Found->File->unit());
  return std::nullopt;
}

std::expected<LintReport, Error> Gatherer::finish() {
  if (!NotHere.empty())
    return std::unexpected(Error{"no function has what is set by " + *NotHere.begin(), "",
                                 "see `ergon show` for the names", "--set"});
  // What is inlined wherever it is called runs nowhere else.
  for (Held &Each : Waiting)
    if (Called.contains(Each.Mangled))
      take(std::move(Each.Found), *Each.Of);
  std::ranges::sort(Result.Findings, {}, [](const Finding &Each) {
    return std::tuple(Each.At.File, Each.At.Line, Each.At.Column, Each.Rule);
  });
  identify(Result.Findings);
  Result.Changed.assign(Sources.changed().begin(), Sources.changed().end());
  for (const std::string &Each : Sources.notRead())
    Result.NotChecked.push_back(Each);
  for (const std::string &Each : WithoutLines)
    Result.NotChecked.push_back("findings without a line in " + Each);
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  return std::move(Result);
}

std::expected<LintReport, Error> findingsOf(const LintOptions &Options,
                                            const std::vector<Budget> &Budgets) {
  auto Target = openTarget(Options.Machine);
  if (!Target)
    return std::unexpected(Target.error());
  std::vector<Error> Skipped;
  auto Records = openRecords(Options.Entry, Detail::All, &Skipped);
  if (!Records)
    return std::unexpected(Records.error());
  auto Values = readSets(Options.Sets);
  if (!Values)
    return std::unexpected(Values.error());
  CountedRecords &All = **Records;
  Gatherer Into(Options, std::move(*Values), std::move(*Target));
  for (const Error &Each : Skipped)
    Into.miss(Each);
  Into.prepare(All);
  const std::vector<FunctionRef> Functions = All.select(Options.Entry);
  ProgressBar Bar;
  for (const FunctionRef &Each : Functions) {
    Bar.show(std::size_t(&Each - Functions.data()), Functions.size(), Each.Entry->Demangled);
    // What the compiler made of the code is not what was written.
    if (Options.Entry.Snapshot.empty() && Each.Entry->Snapshot == "machine")
      continue;
    auto Entry = All.load(Each);
    if (!Entry) {
      Into.miss(Entry.error());
      continue;
    }
    if (auto Bad = Into.add(*keep(std::move(*Entry)), Each.File->unit()))
      return std::unexpected(*Bad);
  }
  for (const Budget &Each : Budgets)
    if (auto Bad = Into.addBudget(Each, All))
      return std::unexpected(*Bad);
  return Into.finish();
}

} // namespace ergon
