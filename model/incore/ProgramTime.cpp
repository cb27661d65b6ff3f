//===- ProgramTime.cpp - time of a run on a CPU ---------------------------===//

#include "model/incore/ProgramTime.h"
#include "model/incore/LineTransferCosts.h"
#include "model/incore/LoopTraits.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace ergon {

namespace {
/// What one of the machine loops executes.
struct MadeRuns {
  const MachineLoop &Loop;
  double Iterations;
};

/// The loop-carried dependence of an iteration.
struct Wait {
  double S = 0;
  const InstructionMix *Mix = nullptr; ///< the longest dependence chain; null where there is none
};

/// The time of the lines that a loop accesses.
struct MovedLines {
  std::map<std::string, double> ByLevel{};  ///< and of all lines that pass through it, in seconds
  std::map<std::string, double> Foreseen{}; ///< the part that is sequential
  double MeasuredS = 0; ///< of the first-level accesses included in the measurement
  double NearS = 0;     ///< of lines in a cache that do not come from a farther level
  double WalksS = 0;    ///< of loads that hit in caches at unknown addresses
};

/// Walks a program's loops.
class Timer {
public:
  Timer(const AccessProgram &Program, const TrafficReport &Moved, const Pipeline &P,
        unsigned Threads, const std::vector<PageWalks> &Walks)
      : Program(Program), Moved(Moved), Walks(Walks), Prices(P, Threads),
        LineTransfers(Prices, Moved.Through.front().LineBytes) {}

  std::expected<ProgramTime, Error> run();

private:
  const AccessProgram &Program;
  const TrafficReport &Moved;
  const std::vector<PageWalks> &Walks;
  InCoreCosts Prices;
  LineTransferCosts LineTransfers;
  ProgramTime Result;
  std::optional<Error> Failure;
  std::size_t NextAccess = 0;

  /// A loop around, and its number of entries per iteration of the next outer one.
  struct Level {
    const AccessNest &Nest;
    Expr Entries;
    double Trips = 1;  ///< mean trip count
    unsigned Bits = 0; ///< of the widest accesses; 0 for a loop with inner loops
  };
  std::vector<Level> Around;

  double total(Expr E);
  double beside(const Expr &Offset, unsigned Bits) const;
  InstructionMix withLines(const InstructionMix &Mix, const AccessNest &Nest) const;
  std::vector<MadeRuns> share(const AccessNest &Nest, const Expr &Entries);
  void addNest(const AccessNest &Nest, const Expr &Entries);
  Wait waitOf(const MachineLoop &Loop, double LoadS) const;
  void addCore(const AccessNest &Nest, LoopTime &Result);
  void addMade(const AccessNest &Nest, LoopTime &Result);
  void addMemory(const MemoryAccess &Access, MovedLines &Result, bool IsRead = false);
  double loadS(const AccessNest &Nest) const;
  double surprises(const AccessNest &Nest) const;
  double unlearned(double Branches) const;
  unsigned widthOf(const MemoryAccess &Access) const;
  unsigned bitsAtOnce(const MemoryAccess &Access) const;
  bool isRead(const AccessNest &Nest, const MemoryAccess &Store) const;
  LineOrder orderOf(const MemoryAccess &Access) const;
  void addDataTime(const MovedLines &Data, std::size_t FirstInside, LoopTime &Own) const;
};
} // namespace

/// Total number of runs of something that runs \p E times per iteration of the innermost loop
/// around.
double Timer::total(Expr E) {
  for (auto Loop = Around.rbegin(); Loop != Around.rend(); ++Loop) {
    if (!Loop->Nest.Variable.empty())
      E = sum(Loop->Nest.Variable, 0, Loop->Nest.Last, E);
    E *= Loop->Entries;
  }
  auto Value = E.evaluate([](const std::string &) -> std::optional<Rational> { return {}; });
  if (Value)
    return std::max(0.0, Value->get_d());
  if (!Failure)
    Failure = Error{"how often a loop runs has no value: " + Value.error().What};
  return 0;
}

/// The widest machine loop takes as many iterations of each entry as it can, the next one the rest:
/// for a mean, half of the largest rest.
std::vector<MadeRuns> Timer::share(const AccessNest &Nest, const Expr &Entries) {
  std::vector<MadeRuns> Result;
  Expr Trips = sum(Nest.Variable, 0, Nest.Last, Expr(1));
  for (const MachineLoop &Loop : *Nest.Made) {
    Expr Step(std::int64_t(Loop.Step));
    Expr Times = Loop.Step == 1 ? Trips
                 : isMean(Nest)
                     ? max(Trips - Expr(Rational(std::int64_t(Loop.Step) - 1, 2)), Expr()) *
                           Expr(Rational(1, std::int64_t(Loop.Step)))
                     : floorDiv(Trips, Step);
    Result.push_back({Loop, total(Entries * Times)});
    Trips = Trips - Times * Step;
  }
  return Result;
}

/// The share of unaligned accesses of \p Bits that step by their width: objects start at a line.
double Timer::beside(const Expr &Offset, unsigned Bits) const {
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
InstructionMix Timer::withLines(const InstructionMix &Mix, const AccessNest &Nest) const {
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
double Timer::surprises(const AccessNest &Nest) const {
  if (Nest.Last.constant())
    return isMean(Nest);
  const AccessNest *Outer = Around.size() > 1 ? &Around[Around.size() - 2].Nest : nullptr;
  return Outer && !Outer->Variable.empty() && Nest.Last.dependsOn(Outer->Variable);
}

/// The share of data-dependent mispredictions that remains in a run that repeats the same \p
/// Branches.
double Timer::unlearned(double Branches) const {
  return Moved.IsWarm ? Prices.repeatedShare(Branches) : 1;
}

Wait Timer::waitOf(const MachineLoop &Loop, double LoadS) const {
  Wait Longest;
  for (const InstructionMix &Chain : Loop.Chains)
    if (const double S = Prices.chainS(Chain, LoadS); !Longest.Mix || S > Longest.S)
      Longest = {S, &Chain};
  return Longest;
}

void Timer::addMade(const AccessNest &Nest, LoopTime &Result) {
  Level Inner = std::move(Around.back());
  Around.pop_back();
  const double Entries = total(Inner.Entries);
  const std::vector<MadeRuns> All = share(Nest, Inner.Entries);
  Around.push_back(std::move(Inner));
  // How long each iteration waits for the one before, and the length of that chain.
  const double LoadS = loadS(Nest);
  double InChains = 0, Slots = 0;
  bool DataEnd = false; // the exit depends on a chain
  std::vector<Wait> Waits;
  for (const auto &[Loop, Iterations] : All) {
    const Wait &Longest = Waits.emplace_back(waitOf(Loop, LoadS));
    if (!Longest.Mix)
      continue;
    InChains += Iterations * instructionsOf(*Longest.Mix);
    Slots += Iterations * Loop.Iteration->Slots;
    DataEnd |= decidesEnd(*Longest.Mix);
  }
  const double Surprises = surprises(Nest);
  // Code after a loop starts only once the exit is resolved, which a chain may delay.
  const bool GoesOn = (Entries > 1 || Moved.IsWarm) && !(DataEnd && Surprises > 0);
  const double Share = GoesOn ? Prices.chainShare(InChains / Entries, Slots / Entries) : 1;
  BoundTime Longest;
  double IssueS = 0, Branches = 2 * Entries, Ends = 0;
  for (std::size_t I = 0; I != All.size(); ++I) {
    const auto &[ML, Iterations] = All[I];
    const InstructionMix Executed = withLines(*ML.Iteration, Nest);
    BoundTime Time = Prices.busyS(Executed);
    Result.AccessS += Iterations * Prices.busyS(accessesOf(Executed)).S;
    Time.atLeast(Waits[I].S * Share, "latency");
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
      (isMean(Nest) ? Ends * unlearned(Branches) : Entries * Surprises) * Prices.mispredictS();
  Result.Time = {Result.CoreS, Longest.Bound};
}

void Timer::addCore(const AccessNest &Nest, LoopTime &Result) {
  const bool IsStraight = Nest.Made && std::ranges::all_of(*Nest.Made, [](const MachineLoop &Loop) {
                            return Loop.Iteration.has_value();
                          });
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

void Timer::addMemory(const MemoryAccess &Access, MovedLines &Result, bool IsRead) {
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
    const unsigned Bits = IsLast ? bitsAtOnce(Access) : 0; // irrelevant for caches
    const auto Load = LineTransfers.loadS(From, Order, Bits),
               WriteBack = LineTransfers.writeBackS(From, Bits);
    if (!Load || !WriteBack) {
      if (!Failure)
        Failure = Error{"the profile has no bandwidth of " + From, "", "calibrate it again"};
      return;
    }
    double S = Lines[L].LoadMisses * *Load + Lines[L].WriteBacks * *WriteBack;
    if (Stored(L) > 0)
      S += Stored(L) * *LineTransfers.storeS(From, Order, Bits, hasLoads(Around.back().Nest));
    Result.ByLevel[From] += S;
    if (Order.isInOrder())
      Result.Foreseen[From] += S;
    if (IsLast) {
      const double Apart = double(Bits) / std::max(Bits, widthOf(Access));
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

LineOrder Timer::orderOf(const MemoryAccess &Access) const {
  std::vector<LoopAround> Loops;
  for (const Level &L : Around)
    if (!L.Nest.Variable.empty())
      Loops.push_back({L.Nest.Variable, L.Trips});
  return lineOrder(Access, Loops, Moved.Through.front().LineBytes);
}

/// Width in bits of an access, with all its lanes.
unsigned Timer::widthOf(const MemoryAccess &Access) const {
  return std::max(8 * Access.Bytes, Around.back().Bits);
}

/// The bits of a line per access of the loop: fewer than it accesses where others soon use the same
/// bytes, and more where bytes are skipped.
unsigned Timer::bitsAtOnce(const MemoryAccess &Access) const {
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
bool Timer::isRead(const AccessNest &Nest, const MemoryAccess &Store) const {
  return Store.What == Access::Kind::Store && !Store.Offset &&
         std::ranges::any_of(Nest.Items, [&](const AccessItem &Item) {
           auto *MA = std::get_if<MemoryAccess>(&Item.What);
           return MA && MA->What == Access::Kind::Load && !MA->Offset &&
                  MA->Object == Store.Object && MA->Bytes == Store.Bytes;
         });
}

/// Mean latency in seconds of loads with unknown addresses, over the levels that serve them.
double Timer::loadS(const AccessNest &Nest) const {
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
    Sum += Left * Prices.loadS("dram");
  }
  return Loads > 0 ? Sum / Loads : Prices.loadS("l1");
}

/// The time of a loop, whose core is busy for \p Own so far, with its data. Inner loops begin at \p
/// FirstInside.
void Timer::addDataTime(const MovedLines &Data, std::size_t FirstInside, LoopTime &Own) const {
  Own.MemoryS = Data.ByLevel;
  for (const auto &[Level, S] : Own.MemoryS) {
    // Prefetched lines arrive while inner loops run, unless these wait for the same level.
    double IdleS = 0;
    for (const LoopTime &Time : std::span(Result.Loops).subspan(FirstInside)) {
      auto Waits = Time.MemoryS.find(Level);
      IdleS += Time.Time.S - (Waits == Time.MemoryS.end() ? 0 : Waits->second);
    }
    auto Foreseen = Data.Foreseen.find(Level);
    const double MayHide = Foreseen == Data.Foreseen.end() ? 0 : Foreseen->second;
    const double Left = S - std::clamp(IdleS, 0.0, MayHide);
    // Main memory is slow: transfers from nearer levels, and the core's work for them, do not
    // overlap with it. The measured streams include their own accesses.
    const double More =
        Level == "dram" ? Data.NearS + std::max(0.0, Own.AccessS - Data.MeasuredS) : 0;
    const double Walks = Level == "translation" ? 0 : Data.WalksS;
    Own.Time.atLeast(Left + std::min(Left, More) + Walks, Level);
  }
}

void Timer::addNest(const AccessNest &Nest, const Expr &Entries) {
  const double Entered = total(Entries);
  Around.push_back({Nest, Entries});
  Around.back().Trips = Entered > 0 ? total(1) / Entered : 0;
  Around.back().Bits = widestAccess(Nest);
  const std::size_t Current = Result.Loops.size();
  Result.Loops.push_back({Nest.Location});
  LoopTime Own{Nest.Location};
  MovedLines Data;
  addCore(Nest, Own);
  // Inner loops that were fully unrolled are part of this one.
  const bool IsWhole = Nest.Made && Nest.Made->front().Iteration;
  for (const AccessItem &Item : Nest.Items)
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What))
      addMemory(*Access, Data, isRead(Nest, *Access));
    else if (auto &Inner = std::get<AccessNest>(Item.What); !IsWhole)
      addNest(Inner, Item.Runs);
    else
      for (const MemoryAccess *MA : accessesIn(Inner))
        addMemory(*MA, Data);
  if (!IsWhole)
    for (const AccessItem &AI : Nest.Idle)
      addNest(std::get<AccessNest>(AI.What), AI.Runs);
  addDataTime(Data, Current + 1, Own);
  Result.Loops[Current] = std::move(Own);
  Around.pop_back();
}

std::expected<ProgramTime, Error> Timer::run() {
  addNest(Program.Body, Expr(1));
  if (Failure)
    return std::unexpected(std::move(*Failure));
  const LoopTime *Longest = nullptr;
  for (const LoopTime &Loop : Result.Loops) {
    Result.TimeS += Loop.Time.S;
    if (!Longest || Loop.Time.S > Longest->Time.S)
      Longest = &Loop;
  }
  Result.Bound = Longest->Time.Bound;
  Result.Unpriced.assign(Prices.unpriced().begin(), Prices.unpriced().end());
  return std::move(Result);
}

std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks) {
  return Timer(Program, Moved, P, Threads, Walks).run();
}

} // namespace ergon
