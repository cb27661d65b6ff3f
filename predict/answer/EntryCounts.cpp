//===- EntryCounts.cpp - counts of a recorded function --------------------===//

#include "predict/answer/EntryCounts.h"
#include "model/access/AccessWriter.h"
#include "model/program/CallFrames.h"

namespace ergon {

Unknown CountedEntry::explain(const std::string &Symbol) const {
  Unknown Result = Composed->explain(Symbol);
  if (Result.Address == 0)
    Result.Address = addressNumber(function(), Symbol);
  return Result;
}

bool CountedEntry::isDevice() const {
  return Entry->IsKernel || // what ran is known of hosts alone
         (!Recorded->IsAsRun && Store->refOf(*Recorded).File->unit().Target.starts_with("nvptx"));
}

std::expected<std::unique_ptr<CountedEntry>, Error>
CountedRecords::find(const FunctionQuery &Wanted) {
  auto Ref = Store->find(Wanted);
  if (!Ref)
    return std::unexpected(Ref.error());
  return load(*Ref, Wanted.AsRun);
}

std::expected<std::unique_ptr<CountedEntry>, Error> CountedRecords::load(const FunctionRef &Ref,
                                                                         bool AsRun) {
  auto Entry = Store->load(Ref);
  if (!Entry)
    return std::unexpected(Entry.error());
  if (AsRun && (*Entry)->AsRun)
    Entry = (*Entry)->AsRun.get();
  return std::unique_ptr<CountedEntry>(
      new CountedEntry(Store, Libraries, **Entry, HowMuch != Detail::Costs));
}

static Error evaluationError(const EvaluationError &Bad, const Function &Entry,
                             const std::optional<std::string> &Division) {
  std::string Where = Entry.Demangled;
  switch (Bad.Why) {
  case EvaluationError::Kind::DivisionByZero:
    return {"a formula divides by zero: " + Bad.What, "", "give another value",
            Division.value_or(Where)};
  case EvaluationError::Kind::Undefined:
    return {"a formula has no value: " + Bad.What, "", "give another value", Where};
  case EvaluationError::Kind::TooExpensive: // these leave their class open instead
  case EvaluationError::Kind::Unbound:
    break;
  }
  return {"no value for " + Bad.What, "", "give one with --set", Where};
}

std::expected<Bindings, Error> CountedEntry::bind(const std::vector<GivenValue> &Values,
                                                  std::set<std::size_t> *NotHere,
                                                  const AccessNames &AlsoKnown) {
  auto TotalsOf = [&]() -> const Totals & { return InSymbols.ofOneThread(*Entry); };
  auto AccessesOf = [&](const Substitution &S) -> AccessNames {
    if (!HasAccesses)
      return {};
    AccessProgram Program = accessesWith(S);
    return {std::move(Program.Unbound), std::move(Program.OpenCalls)};
  };
  auto InSymbolsToo = [&] {
    if (!NamesOfAccesses)
      NamesOfAccesses = AccessesOf({});
    return *NamesOfAccesses;
  };
  AccessNames Asked = AlsoKnown; // for, where those so far have values
  for (;;) {
    std::set<std::size_t> Others;
    auto Bound = bindValues(Values, *Entry, TotalsOf, &Others, InSymbolsToo, Asked);
    if (!Bound)
      return Bound;
    Composed.emplace(builder(Bound->substitution()));
    auto NumAsked = [&] { return Asked.Symbols.size() + Asked.OpenCalls.size(); };
    const std::size_t Before = NumAsked();
    if (!Others.empty()) {
      const Totals T = Composed->of(*Entry);
      T.collectSymbols(Asked.Symbols);
      for (const auto &[Name, Times] : T.OpenCalls)
        Asked.OpenCalls.insert(Name);
    }
    if (!Others.empty() && NumAsked() == Before) { // which takes longer
      AccessNames More = AccessesOf(Bound->substitution());
      Asked.Symbols.merge(More.Symbols);
      Asked.OpenCalls.merge(More.OpenCalls);
    }
    if (NumAsked() != Before)
      continue;
    std::erase_if(Others, [&](std::size_t Number) { return Values[Number].IsOptional; });
    if (NotHere)
      NotHere->merge(Others);
    else if (!Others.empty()) // reports unknown names, and lists the known ones
      return bindValues(Values, *Entry, TotalsOf, nullptr, InSymbolsToo, Asked);
    return Bound;
  }
}

/// What stands for unknowns of \p F, in its symbols.
Substitution CountedEntry::knownIn(const Function &F) const {
  const std::string Name = code::nameIn(F.Code);
  auto Own = [&](const std::map<std::string, Substitution> &Of) {
    const auto Found = Name.empty() ? Of.end() : Of.find(Name);
    return Found == Of.end() ? Substitution() : Found->second;
  };
  Substitution Result = Own(KnownValues);
  if (Taken != &WithLikely)
    return Result;
  Substitution Usual = Own(Likely);
  for (const Unknown &U : F.Unknowns)
    if (U.Measured) // a run knows better
      Usual.erase(U.Symbol);
    else if (U.Usually)
      Usual.emplace(U.Symbol, *U.Usually);
  std::erase_if(Usual, [&](const auto &Each) { return NotLikely.contains(Each.first); });
  Result.merge(Usual);
  return Result;
}

/// \p F with the calls and values that are known; itself where it has none.
const Function *CountedEntry::withKnown(const Function &F) {
  auto [Slot, New] = Taken->try_emplace(&F);
  if (!New)
    return Slot->second ? Slot->second.get() : &F;
  const std::string Name = code::nameIn(F.Code);
  const auto Calls = Name.empty() ? KnownCalls.end() : KnownCalls.find(Name);
  const Substitution Values = knownIn(F);
  if (Calls == KnownCalls.end() && Values.empty())
    return &F;
  Slot->second = std::make_unique<Function>(F);
  if (Calls != KnownCalls.end())
    bindTargets(*Slot->second, Calls->second);
  if (!Values.empty()) {
    substituteSymbols(*Slot->second, Values);
    Slot->second->Assumptions.push_back({F.Location, "it runs with the values that are given"});
  }
  WithoutKnown.emplace(Slot->second.get(), &F);
  return Slot->second.get();
}

FunctionLookup CountedEntry::withKnown(FunctionLookup Inner) {
  return [this, Inner = std::move(Inner)](const std::string &Name, const Function &Caller) {
    auto Found = WithoutKnown.find(&Caller);
    const Function *Callee = Inner(Name, Found == WithoutKnown.end() ? Caller : *Found->second);
    const bool IsSomeKnown = Taken == &WithLikely || !KnownCalls.empty() || !KnownValues.empty();
    return Callee && IsSomeKnown ? withKnown(*Callee) : Callee;
  };
}

void CountedEntry::setKnownCalls(std::map<std::string, KnownTargets> Known) {
  if (Recorded->IsAsRun) // a run knows better
    return;
  KnownCalls = std::move(Known);
  useKnown();
}

void CountedEntry::setKnownValues(std::map<std::string, Substitution> Known) {
  if (Recorded->IsAsRun)
    return;
  KnownValues = std::move(Known);
  useKnown();
}

void CountedEntry::useKnown() {
  WithKnown.clear();
  WithLikely.clear();
  WithoutKnown.clear();
  NamesOfAccesses.reset();
  use(WithKnown);
}

void CountedEntry::use(Versions &Wanted) {
  Taken = &Wanted;
  Entry = withKnown(*Recorded);
  InSymbols = TotalsBuilder(Find);
  Sites = ProgramSites(Find);
  Accesses.reset();
}

void CountedEntry::takeLikely(std::set<std::string> Except) {
  if (Recorded->IsAsRun)
    return;
  if (Except != NotLikely)
    WithLikely.clear();
  NotLikely = std::move(Except);
  use(WithLikely);
}

void CountedEntry::dropLikely() {
  if (Taken == &WithLikely)
    use(WithKnown);
}

void CountedEntry::addKnownKernels(Totals &T) const {
  for (const auto &[Name, Known] : Launches)
    if (const Function *Kernel = Find(Name, *Entry); Kernel && Kernel->IsKernel)
      T.Kernels.try_emplace(Kernel->Demangled);
}

std::expected<EntryCounts, Error> CountedEntry::counts(const std::vector<GivenValue> &Values,
                                                       std::set<std::size_t> *NotHere, LongSums How,
                                                       const AccessNames &AlsoKnown) {
  auto Bound = bind(Values, NotHere, AlsoKnown);
  if (!Bound)
    return std::unexpected(Bound.error());
  Totals T = Composed->of(*Entry);
  addKnownKernels(T);
  if (Failure)
    return std::unexpected(*Failure);
  auto Counts = evaluateCounts(T, Bound->FreeCalls, Bound->DramBytes, Bound->Ranges, How);
  if (!Counts)
    return std::unexpected(evaluationError(Counts.error(), *Entry, Composed->divisionByZero()));
  if (Entry->IsKernel)
    Counts->Executed = executedFlops(T.Values, {Bound->Ranges, {}}, How);
  EntryCounts Result{std::move(*Bound), std::move(*Counts), {}, false, How};
  // A class that wraps around with these values is uncertain too.
  if (!Result.Counts.Wraps.empty())
    for (const auto &[Class, Amount] : InSymbols.ofOneThread(*Entry).Values)
      if (const std::string Key(name(Class)); !Result.Counts.Needs.contains(Key)) {
        Result.Counts.Values.try_emplace(Key, 0);
        Result.Counts.KnownAs.try_emplace(Key, Known::Assumed);
      }
  for (const std::string &Symbol : Result.Counts.Unbound)
    Result.Unknowns.push_back(Composed->explain(Symbol));
  return Result;
}

const Function *CountedEntry::detailed() {
  if (Detailed)
    return Detailed;
  RecordStore &Whole = Store->detailed();
  FindDetailed = withKnown(Libraries->after(Whole.lookup(Failure), Failure));
  const auto Read = Whole.load(Store->refOf(*Recorded));
  if (Read)
    Detailed = Entry->IsAsRun ? (*Read)->AsRun.get() : *Read;
  else
    Failure = Failure.value_or(Read.error());
  return Detailed;
}

AccessProgram CountedEntry::accessesWith(const Substitution &Values) {
  const Function *Read = detailed();
  return Read ? accessesOf(*withKnown(*Read), FindDetailed, Values) : AccessProgram();
}

AccessProgram CountedEntry::accessesOfLaunch(const FirstLaunch &First) {
  const Function *Read = detailed();
  const Function *Kernel = Read ? FindDetailed(First.Function, *Read) : nullptr;
  return Kernel ? accessesOf(*Kernel, FindDetailed, First.With) : AccessProgram();
}

std::expected<const AccessProgram *, Error> CountedEntry::accesses(const Bindings &Bound) {
  Substitution S = Bound.substitution();
  if (Accesses &&
      std::tie(std::get<0>(*Accesses), std::get<1>(*Accesses)) == std::tie(S, Bound.FreeCalls))
    return &std::get<2>(*Accesses);
  Substitution Given = S;
  AccessProgram Result = accessesWith(S);
  bool AnyMeasured = false;
  for (const std::string &Symbol : Result.Unbound)
    if (auto Measured = Composed->explain(Symbol).Measured)
      AnyMeasured |= S.emplace(Symbol, Expr(*Measured)).second;
  if (AnyMeasured)
    Result = accessesWith(S);
  if (Failure)
    return std::unexpected(*Failure);
  std::erase_if(Result.OpenCalls,
                [&](const std::string &Name) { return Bound.FreeCalls.contains(Name); });
  return &std::get<2>(Accesses.emplace(std::move(Given), Bound.FreeCalls, std::move(Result)));
}

} // namespace ergon
