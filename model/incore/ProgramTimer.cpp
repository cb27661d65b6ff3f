//===- ProgramTimer.cpp - time of a program's loops -----------------------===//

#include "model/incore/ProgramTimer.h"
#include "model/incore/LoopTraits.h"
#include "model/incore/ModelErrors.h"
#include "model/program/ParallelRegions.h"
#include "model/program/Stride.h"
#include "model/symbolic/ApproximateValue.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>
#include <utility>

namespace ergon {

/// Total number of runs of something that runs \p E times per iteration of the innermost loop
/// around.
double ProgramTimer::total(Expr E) {
  for (auto Loop = Around.rbegin(); Loop != Around.rend(); ++Loop) {
    if (!Loop->Nest.Variable.empty())
      E = sum(Loop->Nest.Variable, 0, Loop->Nest.Last, E);
    E *= Loop->Entries;
  }
  const SymbolValues NoValues = [](const std::string &) -> std::optional<Rational> { return {}; };
  // A time is no exact number: what takes long is estimated.
  static constexpr std::uint64_t FewSteps = 50'000;
  auto Value = E.evaluate(NoValues, FewSteps);
  if (Value)
    return std::max(0.0, Value->get_d());
  if (const auto Estimate = approximateValue(E, NoValues))
    return std::max(0.0, Estimate->Value);
  if (!Failure)
    Failure = Error{"how often a loop runs has no value: " + Value.error().What};
  return 0;
}

void ProgramTimer::addCore(const AccessNest &Nest, LoopTime &Result) {
  // Data decide what the remainder of a vector loop executes: the mean will do.
  const bool IsStraight = Nest.Made && !Nest.Made->empty() && Nest.Made->front().Iteration;
  if (IsStraight)
    return addMade(Nest, Result);
  InstructionMix All;
  double Surprises = 0;
  for (const ExecutedBlock &Block : Nest.Executed) {
    All += *Block.Mix * total(Block.Runs);
    if (auto Share = Block.Runs.constant(); Share && *Share < Rational(1)) // one side of a branch
      Surprises = std::max(Surprises, std::min(Share->get_d(), 1 - Share->get_d()));
  }
  Result.Time = Prices.busyS(All);
  Result.WorkSlots = workSlotsOf(All);
  if (Surprises > 0) {
    const double Runs = total(1);
    Result.Time.S += Runs * Surprises * unlearned(2 * Runs) * Prices.mispredictS();
  }
  if (Nest.Made) {
    const double Runs = total(1), LoadS = loadS(Nest);
    for (const InstructionMix &Chain : Nest.Made->back().Chains)
      Result.Time.atLeast(Runs * Prices.chainS(Chain, LoadS) / Nest.Made->back().Step, "latency");
  }
  Result.CoreS = Result.Time.S;
}

void ProgramTimer::addMemory(const MemoryAccess &Access, MovedLines &Result, bool IsRead) {
  const std::size_t Number = NextAccess++;
  const std::vector<LevelTraffic> &Lines = Moved.Accesses[Number];
  const LineOrder Order = orderOf(Access);
  auto Stored = [&](std::size_t L) { return IsRead ? 0 : Lines[L].StoreMisses; };
  auto Fetched = [&](std::size_t L) {
    return L == Lines.size() ? 0 : Lines[L].LoadMisses + Stored(L);
  };
  for (std::size_t L = 0; L != Lines.size(); ++L) {
    const bool IsLast = L + 1 == Lines.size();
    const std::string From = IsLast ? "dram" : Moved.Through[L + 1].Name;
    if (Lines[L].LoadMisses + Lines[L].StoreMisses + Lines[L].WriteBacks == 0)
      continue;
    const LineUse Use = IsLast ? useOf(Access) : LineUse();
    const auto Load = LineTransfers.loadS(From, Order, Use),
               WriteBack = LineTransfers.writeBackS(From, Use.Bits);
    if (!Load || !WriteBack) {
      if (!Failure)
        Failure = Error{"the profile has no bandwidth of " + From, "", "calibrate it again"};
      return;
    }
    double S = Lines[L].LoadMisses * *Load + Lines[L].WriteBacks * *WriteBack;
    if (Stored(L) > 0)
      S += Stored(L) * *LineTransfers.storeS(From, Order, Use, hasLoads(Around.back().Nest));
    Result.ByLevel[From] += S;
    if (const double Share = Fetched(L) / std::max(1.0, Lines[0].Loads + Lines[0].Stores);
        Order.LeavesBytes && Share > 0) {
      MovedLines::Together &Some = Result.InTurns[From];
      Some.S += S;
      Some.Share = std::max(Some.Share, std::min(1.0, Share));
    }
    if (Order.isInOrder())
      Result.Foreseen[From] += S;
    if (IsLast) {
      Result.FarLines += Lines[L].LoadMisses; // stores do not stall
      const double Apart = double(Use.Bits) / std::max(Use.Bits, widthOf(Access));
      Result.MeasuredS +=
          (LineTransfers.accessS("load", Order, widthOf(Access)) * Lines[L].LoadMisses +
           LineTransfers.accessS("store", Order, widthOf(Access)) * Stored(L)) /
          Apart;
    } else
      Result.NearS += std::max(0.0, Fetched(L) - Fetched(L + 1)) * *Load +
                      std::max(0.0, Lines[L].WriteBacks - Lines[L + 1].WriteBacks) * *WriteBack;
  }
  if (Walks.empty() || IsRead || Order.isInOrder())
    return; // as in measured streams
  // Main memory was measured with TLB misses, too.
  const auto &[Times, S] = Walks[Number];
  const double Nearer = std::max(0.0, Times - Fetched(Lines.size() - 1));
  const double WalksS = Times > 0 ? S * Nearer / Times : 0;
  if (WalksS > 0)
    Result.ByLevel["translation"] += WalksS;
  if (Access.What != Access::Kind::Store) // stores do not stall
    Result.WalksS += WalksS;
}

LineUse ProgramTimer::useOf(const MemoryAccess &Access) const {
  return {bitsAtOnce(Access), Around.back().Streams, Around.back().FarBytes};
}

/// The bytes of lines that a loop and its inner ones fetch from main memory; their accesses begin
/// at \p Access, which becomes the next one's.
double ProgramTimer::farBytesOf(const AccessNest &Nest, std::size_t &Access) const {
  double Result = 0;
  for (const AccessItem &Item : Nest.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Item.What)) {
      Result += farBytesOf(*Inner, Access);
    } else {
      const LevelTraffic &Last = Moved.Accesses[Access++].back();
      const bool Fetches = !isRead(Nest, std::get<MemoryAccess>(Item.What));
      Result +=
          (Last.LoadMisses + (Fetches ? Last.StoreMisses : 0)) * Moved.Through.back().LineBytes;
    }
  return Result;
}

/// The loads of a loop that get lines from main memory.
unsigned ProgramTimer::streamsOf(const AccessNest &Nest) const {
  unsigned Result = 0;
  std::size_t Access = NextAccess;
  for (const AccessItem &Item : Nest.Items) {
    auto *MA = std::get_if<MemoryAccess>(&Item.What);
    if (!MA)
      break; // no innermost loop
    const bool IsFar = Moved.Accesses[Access++].back().LoadMisses > 0;
    Result += MA->Offset && IsFar;
  }
  return Result;
}

LineOrder ProgramTimer::orderOf(const MemoryAccess &Access) const {
  std::vector<LoopAround> Loops;
  for (const Level &L : Around)
    if (!L.Nest.Variable.empty())
      Loops.push_back({L.Nest.Variable, L.Trips});
  return lineOrder(Access, Loops, Moved.Through.front().LineBytes, bytesBeside(Access));
}

/// Bytes without a gap of a line that the accesses of the innermost loop around \p Access touch in
/// one iteration.
double ProgramTimer::bytesBeside(const MemoryAccess &Access) const {
  const double LineBytes = Moved.Through.front().LineBytes;
  static constexpr std::size_t MaxItems = 256; // each is held against each
  if (Around.back().Nest.Items.size() > MaxItems)
    return Access.Bytes;
  std::vector<std::pair<double, double>> Parts;
  for (const AccessItem &Item : Around.back().Nest.Items) {
    auto *Other = std::get_if<MemoryAccess>(&Item.What);
    if (!Access.Offset || !Other || Other->Object != Access.Object || !Other->Offset)
      continue;
    if (auto Apart = (*Other->Offset - *Access.Offset).constant())
      Parts.emplace_back(Apart->get_d(), Apart->get_d() + Other->Bytes);
  }
  std::ranges::sort(Parts);
  double From = 0, To = Access.Bytes;
  for (const auto &[Begin, End] : Parts)
    if (Begin <= To + LineBytes && Begin >= 0)
      To = std::max(To, End);
  for (const auto &[Begin, End] : Parts | std::views::reverse)
    if (End >= From - LineBytes && Begin < 0)
      From = std::min(From, Begin);
  return To - From;
}

/// Width in bits of an access, with all its lanes.
unsigned ProgramTimer::widthOf(const MemoryAccess &Access) const {
  return std::max(8 * Access.Bytes, Around.back().Bits);
}

/// The bits of a line per access of the loop: fewer than it accesses where others soon use the same
/// bytes, and more where bytes are skipped.
unsigned ProgramTimer::bitsAtOnce(const MemoryAccess &Access) const {
  const AccessNest &Nest = Around.back().Nest;
  const unsigned Bits = widthOf(Access);
  auto Stride = Access.Offset && !Nest.Variable.empty()
                    ? constantStride(*Access.Offset, Nest.Variable)
                    : std::nullopt;
  if (!Stride || *Stride == 0)
    return Bits;
  const double LineBytes = Moved.Through.front().LineBytes;
  double Bytes = 0; // of such accesses to the line
  for (const AccessItem &Item : Nest.Items) {
    auto *Other = std::get_if<MemoryAccess>(&Item.What);
    if (!Other || Other->What != Access.What || Other->Object != Access.Object || !Other->Offset)
      continue;
    auto Apart = (*Other->Offset - *Access.Offset).constant();
    if (Apart && std::abs(Apart->get_d()) < LineBytes)
      Bytes += Other->Bytes;
  }
  return unsigned(std::min(8 * LineBytes, Bits * std::abs(Stride->get_d()) / Bytes));
}

/// Whether \p Store and a load of the same iteration both have unknown addresses in one object:
/// assumes that these are equal.
bool ProgramTimer::isRead(const AccessNest &Nest, const MemoryAccess &Store) const {
  return Store.What == Access::Kind::Store && !Store.Offset &&
         std::ranges::any_of(Nest.Items, [&](const AccessItem &Item) {
           auto *MA = std::get_if<MemoryAccess>(&Item.What);
           return MA && MA->What == Access::Kind::Load && !MA->Offset &&
                  MA->Object == Store.Object && MA->Bytes == Store.Bytes;
         });
}

/// Mean latency in seconds of loads with unknown addresses, over the levels that serve them.
double ProgramTimer::loadS(const AccessNest &Nest) const {
  double Loads = 0, Sum = 0;
  std::size_t Access = NextAccess;
  std::set<unsigned> Starts; // loads from one start come together
  for (const AccessItem &Item : Nest.Items) {
    auto *MA = std::get_if<MemoryAccess>(&Item.What);
    if (!MA)
      break; // no innermost loop
    const std::vector<LevelTraffic> &Lines = Moved.Accesses[Access++];
    if (MA->What != Access::Kind::Load || MA->Offset ||
        (MA->From && !Starts.insert(MA->From->Number).second))
      continue;
    double Left = Lines.front().Loads;
    Loads += Left;
    for (std::size_t L = 0; L != Lines.size(); ++L) {
      Sum += (Left - Lines[L].LoadMisses) * Prices.loadS(Moved.Through[L].Name);
      Left = Lines[L].LoadMisses;
    }
    Sum += Left * Prices.loadS("dram", Around.back().FarBytes);
  }
  return Loads > 0 ? Sum / Loads : Prices.loadS("l1");
}

/// The time of a loop, whose core is busy for \p Own so far, with its data. Inner loops begin at \p
/// FirstInside.
void ProgramTimer::addDataTime(const MovedLines &Data, std::size_t FirstInside,
                               LoopTime &Own) const {
  Own.MemoryS = Data.ByLevel;
  double FarS = 0; // of main memory, while no inner loop is at work
  static const std::set<std::string, std::less<>> Slow = {"latency", "divide", "functions"};
  const bool IsSlow = Slow.contains(Own.Time.Bound);
  for (const auto &[Level, S] : Own.MemoryS) {
    // Prefetched lines arrive while inner loops run, unless these wait for the same level.
    double IdleS = 0;
    for (const LoopTime &Time : std::span(Result.Loops).subspan(FirstInside))
      IdleS += Time.Time.S - Time.memoryS(Level);
    auto Foreseen = Data.Foreseen.find(Level);
    const double MayHide = Foreseen == Data.Foreseen.end() ? 0 : Foreseen->second;
    const double Left = S - std::clamp(IdleS, 0.0, MayHide);
    if (Level == "dram")
      FarS = Left;
    // Main memory is slow: transfers from nearer levels, and the core's work for them, do not
    // overlap with it. The measured streams include their own accesses.
    const double More =
        Level == "dram" ? Data.NearS + std::max(0.0, Own.AccessS - Data.MeasuredS) : 0;
    const double Walks = Level == "translation" ? 0 : Data.WalksS;
    Own.Time.atLeast(Left + std::min(Left, More) + Walks, Level);
    // Of a column whose lines have several others, each first walk waits for all of its lines, and
    // the core is as busy as ever in the walks after it.
    if (auto Turns = Data.InTurns.find(Level); Turns != Data.InTurns.end()) {
      const double Busy = (1 - Turns->second.Share) * Own.CoreS;
      Own.Time.atLeast(Turns->second.S + Busy,
                       Turns->second.S > Busy ? Level : std::string(Own.Time.Bound));
    }
  }
  if (Data.FarLines <= 0)
    return;
  // A core that waits for its own results, or has much to do for each line, does not look far
  // ahead.
  const double FarBytes = Around.back().FarBytes;
  if (IsSlow)
    Own.Time.S = std::max(Own.Time.S, std::max(Own.CoreS, FarS) +
                                          Prices.notHidden(FarBytes) * std::min(Own.CoreS, FarS));
  if (FirstInside != Result.Loops.size()) // its lines come while the loops inside are at work
    return;
  FarS += Data.FarLines * Prices.lookaheadS(Own.WorkSlots / Data.FarLines, FarBytes,
                                            Moved.Through.back().LineBytes);
  // A little longer than the core is bound by the core still: a few far lines make it so.
  static constexpr double MuchLonger = 1.15;
  if (FarS > MuchLonger * Own.Time.S)
    Own.Time.Bound = "dram";
  Own.Time.S = std::max(Own.Time.S, FarS);
}

/// Adds a loop to those around.
void ProgramTimer::enter(const AccessNest &Nest, const Expr &Entries) {
  const double Entered = total(Entries);
  Around.push_back({Nest, Entries, Entered});
  Around.back().Trips = Entered > 0 ? total(1) / Entered : 0;
}

/// The memory of a loop that was unrolled into the one around.
void ProgramTimer::addWhole(const AccessNest &Nest, const Expr &Entries, MovedLines &Data) {
  const double FarBytes = Around.back().FarBytes;
  enter(Nest, Entries);
  Around.back().FarBytes = FarBytes;
  for (const AccessItem &Item : Nest.Items)
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What))
      addMemory(*Access, Data);
    else
      addWhole(std::get<AccessNest>(Item.What), Item.Runs, Data);
  Around.pop_back();
}

/// The largest share of \p Nest's iterations that one of the team gets: equal parts in a row, each
/// with the work of the loops inside.
double ProgramTimer::largestShare(const AccessNest &Nest) const {
  auto valueAt = [&](const Expr &E, double I) {
    auto Value = E.evaluate([&](const std::string &Name) {
      return Name == Nest.Variable ? std::optional(Rational(std::int64_t(I))) : std::nullopt;
    });
    return Value ? std::max(0.0, Value->get_d()) : 0;
  };
  const double Trips = std::floor(valueAt(Nest.Last, 0)) + 1, Part = std::ceil(Trips / Team);
  double All = 0, Most = 0;
  for (unsigned Thread = 0; Thread != Team; ++Thread) {
    const double From = Thread * Part, To = std::min(Trips, From + Part);
    static constexpr unsigned Samples = 64;
    double Work = 0;
    for (unsigned Sample = 0; Sample != Samples && From < To; ++Sample) {
      const double I = std::floor(From + (To - From) * (Sample + 0.5) / Samples);
      Work += 1;
      for (const AccessItem &Item : Nest.Items)
        if (auto *Inner = std::get_if<AccessNest>(&Item.What))
          Work += valueAt(Inner->Last, I) + 1;
    }
    Work *= std::max(0.0, To - From) / Samples;
    All += Work;
    Most = std::max(Most, Work);
  }
  return All > 0 ? Most / All : 1.0 / Team;
}

/// Whether \p Nest is the loop over the threads of a parallel region.
static bool isOverThreads(const AccessNest &Nest) { return Nest.Variable.starts_with(OmpThread); }

/// Whether the loop's own code calls functions, whose loops are among its inner ones.
static bool hasCalls(const AccessNest &Nest) {
  return std::ranges::any_of(Nest.Made->front().Iteration->Counts,
                             [](const auto &Entry) { return Entry.first.Operation == "call"; });
}

void ProgramTimer::addNest(const AccessNest &Nest, const Expr &Entries) {
  const double ShareAround = Share;
  // Thread 0 of the record runs all of a loop that threads share.
  const AccessNest *Region = nullptr;
  for (const Level &L : Around)
    if (isOverThreads(L.Nest))
      Region = &L.Nest;
  const bool IsShared = Region && Entries.dependsOn(Region->Variable);
  if (Team > 1 && isOverThreads(Nest))
    Share = 1.0 / Team;
  else if (Team > 1 && IsShared)
    Share = largestShare(Nest);
  enter(Nest, Entries);
  const double Entered = Around.back().Entered;
  Around.back().Bits = widestAccess(Nest);
  Around.back().Streams = streamsOf(Nest);
  std::size_t First = NextAccess;
  Around.back().FarBytes = Share * farBytesOf(Nest, First);
  const std::size_t Current = Result.Loops.size();
  Result.Loops.push_back({Nest.Location});
  LoopTime Own{Nest.Location};
  MovedLines Data;
  addCore(Nest, Own);
  // Inner loops that were fully unrolled are part of this one.
  const bool IsWhole = Nest.Made && Nest.Made->front().Iteration && !hasCalls(Nest);
  for (const AccessItem &Item : Nest.Items)
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What))
      addMemory(*Access, Data, isRead(Nest, *Access));
    else if (auto &Inner = std::get<AccessNest>(Item.What); !IsWhole)
      addNest(Inner, Item.Runs);
    else
      addWhole(Inner, Item.Runs, Data);
  if (!IsWhole)
    for (const AccessItem &AI : Nest.Idle)
      addNest(std::get<AccessNest>(AI.What), AI.Runs);
  addDataTime(Data, Current + 1, Own);
  Own.Share = Share;
  if (IsShared)
    Own.Gatherings = Entered;
  if (isOverThreads(Nest)) { // it ends with its last loop
    Own.Gatherings = Entered;
    for (const LoopTime &Inner : std::span(Result.Loops).subspan(Current + 1))
      Own.Gatherings -= Inner.Gatherings;
    Own.Gatherings = std::max(0.0, Own.Gatherings);
  }
  Result.Loops[Current] = std::move(Own);
  Around.pop_back();
  Share = ShareAround;
}

/// The interval of the time: the errors of all loops together, as they are of one kind, and lines
/// at unknown places that may or may not move.
void ProgramTimer::addInterval() {
  double CoreS = 0, FarS = 0;
  for (const LoopTime &Loop : Result.Loops) {
    const TimeError Error = errorOf(Loop, Prices.hasPasses());
    Result.LowS += Error.Low * Loop.Time.S;
    Result.HighS += Error.High * Loop.Time.S;
    CoreS += Loop.CoreS;
    FarS += Loop.memoryS("dram");
  }
  if (FarS > 0 && !Prices.hasPasses())
    Result.HighS += FirstLatencies * Prices.loadS("dram");
  double LessS = 0, MoreS = 0;
  for (std::size_t L = 0; L != Moved.Range.size(); ++L) {
    const std::string From = L + 1 == Moved.Range.size() ? "dram" : Moved.Through[L + 1].Name;
    const double Bytes = Moved.bytesBeyond(Moved.Levels, L), Line = Moved.Through[L].LineBytes,
                 LineS = LineTransfers.loadS(From, {.IsKnown = false}, {}).value_or(0);
    LessS = std::max(LessS, (Bytes - Moved.Range[L].first) / Line * LineS);
    MoreS = std::max(MoreS, (Moved.Range[L].second - Bytes) / Line * LineS);
  }
  if (Result.TimeS <= 0)
    return;
  Result.LowS *= std::max(std::min(CoreS, Result.TimeS), Result.TimeS - LessS) / Result.TimeS;
  Result.HighS *= (Result.TimeS + MoreS) / Result.TimeS;
}

std::optional<Error> ProgramTimer::walk() {
  addNest(Program.Body, Expr(1));
  return std::move(Failure);
}

void ProgramTimer::takeRegions(const ProgramTimer &Shared) {
  for (std::size_t L = 0; L != Result.Loops.size(); ++L)
    if (const LoopTime &With = Shared.Result.Loops[L]; With.Share < 1) {
      LoopTime &Loop = Result.Loops[L];
      Loop = With;
      for (double *S : {&Loop.CoreS, &Loop.AccessS, &Loop.WorkSlots, &Loop.Time.S})
        *S *= With.Share;
      for (auto &[Level, S] : Loop.MemoryS)
        S *= With.Share;
    }
}

ProgramTime ProgramTimer::finish() {
  for (std::size_t L = Result.Loops.size(); L--;)
    if (const LoopTime Region = Result.Loops[L]; Region.Gatherings > 0)
      Result.Loops.push_back({.Location = Region.Location,
                              .Time = {Region.Gatherings * gatheringS(Team), "parallel region"}});
  const LoopTime *Longest = nullptr;
  for (const LoopTime &Loop : Result.Loops) {
    Result.TimeS += Loop.Time.S;
    if (!Longest || Loop.Time.S > Longest->Time.S)
      Longest = &Loop;
  }
  Result.Bound = Longest->Time.Bound;
  addInterval();
  Result.Unpriced.assign(Prices.unpriced().begin(), Prices.unpriced().end());
  return std::move(Result);
}

} // namespace ergon
