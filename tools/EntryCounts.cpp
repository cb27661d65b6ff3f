//===- EntryCounts.cpp - counts of a recorded function --------------------===//

#include "tools/EntryCounts.h"

#include <fmt/format.h>

namespace ergon {

std::expected<CountedRecords, Error> CountedRecords::open(const EntryOptions &Options) {
  auto Opened = RecordStore::open(Options.Directory, Detail::Costs);
  if (!Opened)
    return std::unexpected(Opened.error());
  auto Libraries = LibraryStore::open(Options.Libraries);
  if (!Libraries)
    return std::unexpected(Libraries.error());
  return CountedRecords(keep(std::move(*Opened)), keep(std::move(*Libraries)));
}

std::expected<std::unique_ptr<CountedEntry>, Error>
CountedRecords::find(const EntryOptions &Options) {
  auto Ref = Store->find(Options);
  if (!Ref)
    return std::unexpected(Ref.error());
  return load(*Ref);
}

std::expected<std::unique_ptr<CountedEntry>, Error> CountedRecords::load(const FunctionRef &Ref) {
  auto Entry = Store->load(Ref);
  if (!Entry)
    return std::unexpected(Entry.error());
  return std::unique_ptr<CountedEntry>(new CountedEntry(*Store, *Libraries, **Entry));
}

std::expected<std::unique_ptr<CountedEntry>, Error>
CountedEntry::open(const EntryOptions &Options) {
  auto Records = CountedRecords::open(Options);
  if (!Records)
    return std::unexpected(Records.error());
  return Records->find(Options);
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

std::expected<EntryCounts, Error> CountedEntry::counts(const std::vector<std::string> &Sets,
                                                       std::set<std::string> *NotHere) {
  auto TotalsOf = [&]() -> const Totals & { return InSymbols.ofOneThread(*Entry); };
  auto Bound = parseBindings(Sets, *Entry, TotalsOf, NotHere);
  if (!Bound)
    return std::unexpected(Bound.error());
  Composed.emplace(Find, Bound->substitution(), /*UseMeasured=*/true);
  Totals Of = Composed->of(*Entry);
  if (Failure)
    return std::unexpected(*Failure);
  auto Counts = evaluateCounts(Of, Bound->FreeCalls, Bound->DramBytes, Bound->Between);
  if (!Counts)
    return std::unexpected(evaluationError(Counts.error(), *Entry, Composed->divisionByZero()));
  EntryCounts Result{std::move(*Bound), std::move(*Counts), {}};
  for (const std::string &Symbol : Result.Counts.Unbound)
    Result.Unknowns.push_back(Composed->explain(Symbol));
  return Result;
}

int reportUnbound(const std::string &Function, const std::vector<Unknown> &Unknowns) {
  fmt::print(stderr, "ergon: {} needs {} more value{}:\n", Function, Unknowns.size(),
             Unknowns.size() == 1 ? "" : "s");
  for (const Unknown &Each : Unknowns)
    fmt::print(stderr, "  --set {}=…  {}\n", Each.Symbol, Each.Why);
  return UnboundSymbols;
}

} // namespace ergon
