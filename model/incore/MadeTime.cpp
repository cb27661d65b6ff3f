//===- MadeTime.cpp - time of machine loops -------------------------------===//
//
// The time of the machine loops that the compiler made of a source loop.
//
//===----------------------------------------------------------------------===//

#include "model/incore/LoopTraits.h"
#include "model/incore/OverlapShare.h"
#include "model/incore/ProgramTimer.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <numeric>

namespace ergon {

/// The share of the entries of the innermost loop in which its vector loops cannot run.
double ProgramTimer::overlaps() const {
  std::vector<const AccessNest *> Loops;
  for (const Level &L : Around)
    Loops.push_back(&L.Nest);
  double Result = 0;
  // Without a version that always can run, one of the others does.
  if (std::ranges::all_of(*Loops.back()->Made,
                          [](const MachineLoop &Loop) { return Loop.Check.has_value(); }))
    return 0;
  for (const MachineLoop &Loop : *Loops.back()->Made)
    if (Loop.Check)
      Result = std::max(Result, overlapShare(Loops, *Loop.Check));
  return Result;
}

/// What an iteration of the source executes in the mean.
InstructionMix ProgramTimer::meanIteration(const AccessNest &Nest) {
  InstructionMix All;
  for (const ExecutedBlock &Block : Nest.Executed)
    All += *Block.Mix * total(Block.Runs);
  return All * (1 / std::max(1.0, total(1)));
}

/// The widest machine loop takes as many iterations of each entry as it can, the next one the rest:
/// for a mean, half of the largest rest. Those with a check do where it holds.
std::vector<MadeRuns> ProgramTimer::share(const AccessNest &Nest) {
  const double Overlaps = overlaps();
  InstructionMix Mean; // where data decide what an iteration executes
  if (std::ranges::any_of(*Nest.Made, [](const MachineLoop &Loop) { return !Loop.Iteration; }))
    Mean = meanIteration(Nest);
  Level Inner = std::move(Around.back());
  Around.pop_back();
  std::vector<MadeRuns> Result;
  for (const bool IsChecked : {true, false}) {
    const double Share = IsChecked ? 1 - Overlaps : Overlaps;
    if (Share <= 0)
      continue;
    Expr Trips = sum(Nest.Variable, 0, Nest.Last, Expr(1));
    for (const MachineLoop &Loop : *Nest.Made) {
      if (Loop.Check && !IsChecked)
        continue;
      Expr Step(std::int64_t(Loop.Step));
      Expr Times = Loop.Step == 1 ? Trips
                   : isMean(Nest)
                       ? max(Trips - Expr(Rational(std::int64_t(Loop.Step) - 1, 2)), Expr()) *
                             Expr(Rational(1, std::int64_t(Loop.Step)))
                       : floorDiv(Trips, Step);
      Result.push_back({Loop, Share * total(Inner.Entries * Times),
                        Loop.Iteration ? *Loop.Iteration : Mean * double(Loop.Step)});
      Trips = Trips - Times * Step;
    }
  }
  Around.push_back(std::move(Inner));
  return Result;
}

/// The share of unaligned accesses of \p Bits that step by their width: objects start at a line.
double ProgramTimer::beside(const Expr &Offset, unsigned Bits) const {
  const std::int64_t Width = Bits / 8;
  std::int64_t Grid = Width; // the common alignment of all starts
  Expr Start = Offset;
  for (const Level &L : Around) {
    if (L.Nest.Variable.empty() || !Start.dependsOn(L.Nest.Variable))
      continue;
    auto Factor = constantStride(Offset, L.Nest.Variable);
    if (&L != &Around.back())
      Grid = Factor && Factor->isInteger() ? std::gcd(Grid, floorOf(*Factor).get_si()) : 1;
    Start = Start.substitute({{L.Nest.Variable, Expr()}});
  }
  auto First = Start.constant();
  if (!First || !First->isInteger())
    return 0;
  const bool IsOnGrid = floorOf(*First).get_si() % Grid == 0;
  return 1 - (IsOnGrid ? double(Grid) / double(Width) : 0);
}

/// Adds the accesses that cross a line.
InstructionMix ProgramTimer::withLines(const InstructionMix &Mix, const AccessNest &Nest) const {
  InstructionMix Result = Mix;
  for (auto &[Kind, Times] : Result.Counts) {
    const bool IsStore = Kind.Operation == "store";
    if ((Kind.Operation != "load" && !IsStore) || Kind.Bits < VectorBits)
      continue;
    double Sum = 0;
    unsigned Accesses = 0;
    for (const AccessItem &Item : Nest.Items)
      if (auto *MA = std::get_if<MemoryAccess>(&Item.What);
          MA && MA->Offset && (MA->What == Access::Kind::Store) == IsStore) {
        Sum += beside(*MA->Offset, Kind.Bits);
        ++Accesses;
      }
    if (Accesses)
      Times *=
          1 +
          Sum / Accesses *
              (Prices.besideFactor(Kind.Operation, Kind.Bits, Moved.Through.front().LineBytes) - 1);
  }
  return Result;
}

/// The share of \p Nest's entries with a mispredicted exit: a trip count that repeats is learned, a
/// mean counts as unpredictable.
double ProgramTimer::surprises(const AccessNest &Nest) const {
  if (Nest.Last.constant())
    return isMean(Nest);
  const AccessNest *Outer = Around.size() > 1 ? &Around[Around.size() - 2].Nest : nullptr;
  return Outer && !Outer->Variable.empty() && Nest.Last.dependsOn(Outer->Variable);
}

/// The share of data-dependent mispredictions that remains in a run that repeats the same \p
/// Branches.
double ProgramTimer::unlearned(double Branches) const {
  return Moved.IsWarm ? Prices.repeatedShare(Branches) : 1;
}

Wait ProgramTimer::waitOf(const MachineLoop &Loop, double LoadS) const {
  Wait Longest;
  for (const InstructionMix &Chain : Loop.Chains)
    if (const double S = Prices.chainS(Chain, LoadS); !Longest.Mix || S > Longest.S)
      Longest = {S, &Chain};
  return Longest;
}

void ProgramTimer::addMade(const AccessNest &Nest, LoopTime &Result) {
  const std::vector<MadeRuns> All = share(Nest);
  const double Entries = Around.back().Entered;
  // How long each iteration waits for the one before, and the length of that chain.
  const double LoadS = loadS(Nest);
  double InChains = 0, Slots = 0;
  bool DataEnd = false; // the exit depends on a chain
  std::vector<Wait> Waits;
  for (const auto &[Loop, Iterations, Iteration] : All) {
    const Wait &Longest = Waits.emplace_back(waitOf(Loop, LoadS));
    if (!Longest.Mix)
      continue;
    InChains += Iterations * instructionsOf(*Longest.Mix);
    Slots += Iterations * Iteration.Slots;
    DataEnd |= decidesEnd(*Longest.Mix);
  }
  const double Surprises = surprises(Nest);
  // Code after a loop starts only once the exit is resolved, which a chain may delay.
  const bool GoesOn = (Entries > 1 || Moved.IsWarm) && !(DataEnd && Surprises > 0);
  const double Share = GoesOn ? Prices.chainShare(InChains / Entries, Slots / Entries) : 1;
  BoundTime Longest;
  double IssueS = 0, Branches = 2 * Entries, Ends = 0;
  for (std::size_t I = 0; I != All.size(); ++I) {
    const auto &[ML, Iterations, Iteration] = All[I];
    const InstructionMix Executed = withLines(Iteration, Nest);
    BoundTime Time = Prices.busyS(Executed);
    Result.AccessS += Iterations * Prices.busyS(accessesOf(Executed)).S;
    Time.atLeast(Waits[I].S * Share, "latency");
    Result.WorkSlots += Iterations * workSlotsOf(Executed);
    IssueS += Iterations * Prices.issueS(Executed.Slots, 1);
    Result.CoreS += Iterations * Time.S;
    Longest.atLeast(Iterations * Time.S, Time.Bound);
    if (Iterations > 0)
      Result.CoreS += Entries * Prices.busyS(ML.Entry).S;
    Branches += Iterations;
    // A loop that is rarely entered is predicted as skipped.
    Ends += Iterations < Entries ? std::min(Iterations, Entries - Iterations) : Entries;
  }
  // Each iteration ends in a jump, and one jump each enters and leaves the loop.
  IssueS += Prices.issueS(0, 2 * Entries);
  if (IssueS > Result.CoreS) {
    Result.CoreS = IssueS;
    Longest.atLeast(IssueS, "issue");
  }
  // Exits of a loop whose trip count changes on each entry are never learned.
  Result.CoreS +=
      (isMean(Nest) ? Ends : Entries * Surprises) * unlearned(Branches) * Prices.mispredictS();
  Result.Time = {Result.CoreS, Longest.Bound};
}

} // namespace ergon
