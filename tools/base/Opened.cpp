//===- Opened.cpp - machine, target and records of a command --------------===//

#include "tools/base/Opened.h"
#include "predict/store/MachineStore.h"
#include "tools/base/CacheOptions.h"
#include "tools/base/OwnMachine.h"
#include "tools/base/SetOptions.h"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

std::expected<PredictionTarget, Error> openTarget(const std::string &Machine,
                                                  const CacheOptions &Caches,
                                                  std::optional<double> CoreMhz,
                                                  std::optional<double> MemMhz) {
  auto M = loadNamedMachine(Machine);
  if (!M)
    return std::unexpected(M.error());
  auto Traffic = readTraffic(Caches);
  if (!Traffic)
    return std::unexpected(Traffic.error());
  return targetOf(std::move(*M), {CoreMhz, MemMhz, std::move(*Traffic)});
}

std::expected<CountedRecords *, Error> openRecords(const RecordSource &From, Detail HowMuch,
                                                   std::vector<Error> *Skipped) {
  auto Records = CountedRecords::open(From, HowMuch, printNotice, Skipped);
  if (!Records)
    return std::unexpected(Records.error());
  return &keep(std::move(*Records));
}

/// Whether there is code of a GPU, which the profile of a CPU has no costs of.
static bool hasDeviceCode(CountedRecords &Records, FunctionQuery Wanted) {
  Wanted.Entry.clear();
  return std::ranges::any_of(Records.select(Wanted), [](const FunctionRef &F) {
    return F.File->unit().Target.starts_with("nvptx");
  });
}

std::expected<Predictor *, Error> openPredictor(const PredictOptions &Options, bool WithLines) {
  auto Target =
      openTarget(machineOrOwn(Options.Machine), Options.Caches, Options.CoreMhz, Options.MemMhz);
  if (!Target)
    return std::unexpected(Target.error());
  if (!Options.Measured.empty()) {
    if (!Target->M)
      return std::unexpected(Error{"a measured run, but no machine", "",
                                   "give the one that it ran on with --machine", "--measured"});
    auto Runs = readMeasured(Options.Measured, *Target->M, Options.Entry.Entry);
    if (!Runs)
      return std::unexpected(Runs.error());
    Target->Measured = std::move(*Runs);
  }
  for (RunScope Scope : {RunScope::Kernels, RunScope::Host})
    if (Options.Scope == name(Scope))
      Target->Scope = Scope;
  auto Records = openRecords(Options.Entry, Target->detail(WithLines));
  if (!Records)
    return std::unexpected(Records.error());
  // Nobody asked for the own profile: where it would be refused, the answer is without a machine.
  if (Options.Machine.empty() && Target->M && Target->Measured.empty() &&
      Target->Scope != RunScope::Host && hasDeviceCode(**Records, Options.Entry)) {
    const RunScope Scope = Target->Scope;
    Target = openTarget("", Options.Caches);
    if (!Target)
      return std::unexpected(Target.error());
    Target->Scope = Scope;
  }
  return &keep(Predictor(std::move(*Target), **Records));
}

std::expected<EntryPredictor *, Error> openEntry(Predictor &From, const FunctionQuery &Wanted,
                                                 const std::vector<std::string> &Sets) {
  auto Entry = From.entry(Wanted);
  if (!Entry)
    return std::unexpected(Entry.error());
  auto Values = readSets(Sets);
  if (!Values)
    return std::unexpected(Values.error());
  Entry->set(std::move(*Values));
  return &keep(std::move(*Entry));
}

int reportUnbound(const std::string &Function, const std::vector<Unknown> &Unknowns) {
  fmt::print(stderr, "ergon: {} needs {} more value{}:\n", Function, Unknowns.size(),
             Unknowns.size() == 1 ? "" : "s");
  for (const Unknown &U : Unknowns)
    fmt::print(stderr, "  --set {}=…  {}\n", U.Symbol, U.Why);
  return UnboundSymbols;
}

} // namespace ergon
