//===- LintFindings.cpp - findings of a folder of records -----------------===//

#include "tools/lint/LintFindings.h"
#include "model/energy/Cost.h"
#include "model/lint/Lint.h"
#include "model/lint/LintRun.h"
#include "predict/answer/Estimates.h"
#include "predict/text/Text.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/base/Terminal.h"
#include "tools/lint/LintBudgets.h"
#include "tools/lint/LintSources.h"
#include "tools/lint/SavingReasons.h"

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
  Gatherer(const LintOptions &Options, std::vector<GivenValue> Values, PredictionTarget Target)
      : Options(Options), Values(std::move(Values)), Target(std::move(Target)),
        Sources(Options.SourceRoots), NotHere(Options.Sets.begin(), Options.Sets.end()) {
    if (this->Target.M)
      Result.Machine = this->Target.M->Name;
  }
  /// Before add(): what other records say of their code.
  void prepare(CountedRecords &Records);
  std::optional<Error> add(CountedEntry &Entry, const Unit &U);
  /// The findings of a record, or of a function of it, are missing.
  void miss(const Error &Bad) { Result.Damaged.push_back(Bad.line()); }
  std::optional<Error> addBudget(const Budget &B, CountedRecords &Records);
  std::expected<LintReport, Error> finish();

private:
  using Place = std::tuple<std::string, std::string, unsigned, unsigned>;

  const LintOptions &Options;
  std::vector<GivenValue> Values; ///< of Options.Sets
  PredictionTarget Target;
  LintReport Result;
  LintSources Sources;
  /// Device functions that are no kernels: they need a caller.
  struct Held {
    std::string Mangled;
    std::vector<Finding> Found;
    const Unit *Origin;
  };
  std::vector<Held> Waiting;
  std::set<std::string> Called; ///< by device code
  std::set<Place> Seen;
  std::set<std::string> WithoutLines; ///< sources with findings that have no place, and why
  BlockShapes Launched;
  std::set<std::string> Unbound;
  std::set<std::string> NotHere; ///< set names that no function has

  std::optional<Error> addOfRun(CountedEntry &Entry, std::vector<Finding> &Result);
  void take(std::vector<Finding> Found, const Unit &U);
  void takeBudget(BudgetCheck Checked, const Unit &U);
};
} // namespace

/// The cost without the savings of \p F; nothing where that has no value.
static std::optional<Cost> costWithout(const Finding &F, const PredictionDocument &Now,
                                       const Machine &M) {
  CountValues Less = Now.Counts;
  for (const auto &[Class, Amount] : F.Saves) {
    auto Saved = Amount.evaluate([&](const std::string &Name) -> std::optional<Rational> {
      const auto Found = Now.Bindings.find(Name);
      return Found == Now.Bindings.end() ? std::nullopt : std::optional(Found->second);
    });
    // A saving that only concerns traffic is uncertain here.
    if (!Saved || (Class == CostClass::BytesDram && Less.DramIsRequested))
      return std::nullopt;
    Less.Values[std::string(name(Class))] -= *Saved;
  }
  return costOn(M, Now.Clocks, Less);
}

std::optional<Error> Gatherer::addOfRun(CountedEntry &Entry, std::vector<Finding> &Result) {
  if (!Target.M && NotHere.empty())
    return std::nullopt;
  std::set<std::size_t> Missing;
  auto Counted = Entry.counts(Values, &Missing);
  if (!Counted)
    return Counted.error();
  for (std::size_t Index = 0; Index != Values.size(); ++Index)
    if (!Missing.contains(Index))
      NotHere.erase(Options.Sets[Index]);
  if (!Target.M)
    return std::nullopt;
  const bool IsEstimated = !Counted->Counts.Unbound.empty();
  if (IsEstimated) {
    if (Result.empty())
      return std::nullopt;
    Unbound.insert(Counted->Counts.Unbound.begin(), Counted->Counts.Unbound.end());
    for (Finding &F : Result)
      if (!F.Saves.empty())
        F.NotKnown = "it needs a value for " + joined(Counted->Counts.Unbound);
    if (Options.Strict)
      return std::nullopt;
    auto Estimated = estimateCounts(Entry, Values, &Missing, /*OfAccesses=*/false, {});
    if (!Estimated || !Estimated->Counted.Counts.Unbound.empty())
      return std::nullopt;
    *Counted = std::move(Estimated->Counted);
  }
  auto Now = predict(Entry, std::move(*Counted), Target);
  if (!Now || !Now->OnMachine) {
    for (Finding &F : Result)
      if (Now)
        explainUnpriced(F, Target.M->Name, Now->NotPriced);
    return std::nullopt;
  }
  std::map<std::string, Rational> Given = Now->Bindings;
  Given.insert(Now->Defaults.begin(), Now->Defaults.end()); // of launch dimensions
  // Findings of a run as a whole rest on given values alone: an estimate would open a gate, or
  // close it, by chance.
  for (Finding &F : IsEstimated ? std::vector<Finding>()
                                : lintRun({Entry.function(), *Target.M, Target.Clocks, Now->Counts,
                                           *Now->OnMachine, Given, Entry.lookup()}))
    Result.push_back(std::move(F));
  if (std::ranges::all_of(Result, [](const Finding &Element) { return Element.Saves.empty(); }))
    return std::nullopt;
  const Cost Plain = costOn(*Target.M, Target.Clocks, Now->Counts);
  for (Finding &Current : Result)
    if (!Current.Saves.empty()) {
      const auto Then = costWithout(Current, *Now, *Target.M);
      Current.NotKnown.clear();
      if (Then && Then->Missing.empty())
        Current.Saved = {Plain.TimeS.Value - Then->TimeS.Value,
                         Plain.EnergyJ.Value - Then->EnergyJ.Value, IsEstimated};
      explainSaving(Current, Plain, Then, *Target.M);
    }
  return std::nullopt;
}

static void addCallees(const Loop &L, std::set<std::string> &Result) {
  for (const Block &B : L.Blocks)
    for (const Call &Site : B.Calls)
      Result.insert(Site.Callee);
  for (const Loop &Element : L.Loops)
    addCallees(Element, Result);
}

void Gatherer::take(std::vector<Finding> Found, const Unit &U) {
  for (Finding &F : Found) {
    if (!F.Location.isValid())
      WithoutLines.insert(U.Source + (U.Files.empty() ? ": it was compiled without -g"
                                                      : ": the compiler kept no position of it"));
    Sources.read(F, U);
    // Of a template or an inline function one is enough.
    if (isForeign(F) ||
        !Seen.insert({F.Rule, F.Location.File, F.Location.Line, F.Location.Column}).second)
      continue;
    if (F.Suppressed && F.Suppressed->empty()) {
      F.Suppressed.reset();
      F.Message += " (what ignores it gives no reason)";
    }
    Result.Findings.push_back(std::move(F));
  }
}

void Gatherer::takeBudget(BudgetCheck Checked, const Unit &U) {
  if (auto *Why = std::get_if<std::string>(&Checked))
    Result.Unchecked.push_back({"budget", std::move(*Why)});
  if (auto *Excess = std::get_if<Finding>(&Checked)) {
    if (!Excess->Location.isValid()) // code without debug information
      Excess->Location = {U.Source, 1, 0};
    Sources.read(*Excess, U);
    Result.Findings.push_back(std::move(*Excess));
  }
}

std::optional<Error> Gatherer::add(CountedEntry &Entry, const Unit &U) {
  std::vector<Finding> Found = lintFunction(Entry.function(), Entry.lookup(), Launched);
  if (auto Bad = addOfRun(Entry, Found)) {
    if (Bad->File.starts_with("--set"))
      return Bad;
    miss(*Bad); // what is said of the function's runs
  }
  const bool IsDevice = U.Target.starts_with("nvptx");
  if (IsDevice)
    addCallees(Entry.function().Body, Called);
  if (IsDevice && !Entry.function().IsKernel)
    Waiting.push_back({Entry.function().Name, std::move(Found), &U});
  else
    take(std::move(Found), U);
  for (BudgetCheck &CheckAnnotation : checkAnnotations(Entry, Options.Sets, Target))
    takeBudget(std::move(CheckAnnotation), U);
  return std::nullopt;
}

/// Launches with the block shape of a --set.
static std::optional<BlockShape> givenShape(const std::vector<std::string> &Sets) {
  static constexpr std::array<std::string_view, 3> Names = {"block.x=", "block.y=", "block.z="};
  BlockShape Result = {0, 1, 1}; // CUDA's default of y and z
  bool Any = false;
  for (std::string_view Set : Sets)
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (Set.starts_with(Names[Axis])) {
        const std::string_view Text = Set.substr(Names[Axis].size());
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
  for (const FunctionRef &Function : Functions)
    if (Known.insert(Function.File).second)
      Sources.know(Function.File->unit());
  if (std::ranges::none_of(
          Known, [](const RecordFile *File) { return File->unit().Target.starts_with("nvptx"); }))
    return;
  const auto Given = givenShape(Options.Sets);
  for (const FunctionRef &Ref : Functions) {
    auto Entry = Records.load(Ref);
    if (!Entry)
      continue; // told where it is looked at
    CountedEntry &Loaded = *keep(std::move(*Entry));
    if (Given && Loaded.function().IsKernel)
      Launched[Loaded.function().Name] = {*Given};
    else if (!Given)
      addLaunches(Loaded.function(), Loaded.lookup(), Launched);
  }
}

std::optional<Error> Gatherer::addBudget(const Budget &B, CountedRecords &Records) {
  FunctionQuery Named = Options.Entry;
  Named.Entry = B.Entry;
  auto Found = Records.findRef(Named);
  if (!Found)
    return Found.error();
  auto Entry = Records.load(*Found);
  if (!Entry)
    return Entry.error();
  takeBudget(checkBudget(B, *keep(std::move(*Entry)), Options.Sets, Target), Found->File->unit());
  return std::nullopt;
}

std::expected<LintReport, Error> Gatherer::finish() {
  if (!NotHere.empty())
    return std::unexpected(Error{"no function has what is set by " + *NotHere.begin(), "",
                                 "see `ergon show` for the names", "--set"});
  // A function that is always inlined runs nowhere else.
  for (Held &H : Waiting)
    if (Called.contains(H.Mangled))
      take(std::move(H.Found), *H.Origin);
  std::ranges::sort(Result.Findings, {}, [](const Finding &F) {
    return std::tuple(F.Location.File, F.Location.Line, F.Location.Column, F.Rule);
  });
  identify(Result.Findings);
  Result.Changed.assign(Sources.changed().begin(), Sources.changed().end());
  for (const std::string &Text : Sources.notRead())
    Result.NotChecked.push_back(Text);
  for (const std::string &WithoutLine : WithoutLines)
    Result.NotChecked.push_back("findings without a line in " + WithoutLine);
  Result.IsEstimated = !Options.Strict;
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
  Gatherer Result(Options, std::move(*Values), std::move(*Target));
  for (const Error &E : Skipped)
    Result.miss(E);
  Result.prepare(All);
  const std::vector<FunctionRef> Functions = All.select(Options.Entry);
  ProgressBar Bar;
  for (const FunctionRef &Function : Functions) {
    Bar.show(std::size_t(&Function - Functions.data()), Functions.size(),
             Function.Entry->Demangled);
    // Compiler-generated code is not the user's.
    if (Options.Entry.Snapshot.empty() && Function.Entry->Snapshot == "machine")
      continue;
    auto Entry = All.load(Function);
    if (!Entry) {
      Result.miss(Entry.error());
      continue;
    }
    if (auto Bad = Result.add(*keep(std::move(*Entry)), Function.File->unit()))
      return std::unexpected(*Bad);
  }
  for (const Budget &B : Budgets)
    if (auto Bad = Result.addBudget(B, All))
      return std::unexpected(*Bad);
  return Result.finish();
}

} // namespace ergon
