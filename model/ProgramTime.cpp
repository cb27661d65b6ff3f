//===- ProgramTime.cpp - time of a run on a CPU ---------------------------===//

#include "model/ProgramTime.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergon {

namespace {
/// All that one of the loops that the compiler made does.
struct MadeRuns {
  const MachineLoop &Of;
  double Iterations;
};

/// Walks a program's loops.
class Timer {
public:
  Timer(const AccessProgram &Of, const TrafficReport &Moved, const Pipeline &On, unsigned Threads)
      : Of(Of), Moved(Moved), Prices(On, Threads) {}

  std::expected<ProgramTime, TrafficError> run();

private:
  const AccessProgram &Of;
  const TrafficReport &Moved;
  CorePrices Prices;
  ProgramTime Result;
  std::optional<TrafficError> Failure;
  std::size_t NextAccess = 0;

  /// A loop around, and how often it is entered in one iteration of the next one outward.
  struct Level {
    const AccessNest &Nest;
    Expr Entries;
  };
  std::vector<Level> Around;

  double total(Expr Each);
  double crossing(const Expr &Offset, unsigned Bits) const;
  InstructionMix withCrossings(const InstructionMix &Mix, const AccessNest &Nest) const;
  std::vector<MadeRuns> share(const AccessNest &Nest, const Expr &Entries);
  void addNest(const AccessNest &Of, const Expr &Entries);
  void addCore(const AccessNest &Of, LoopTime &Into);
  void addMade(const AccessNest &Of, LoopTime &Into);
  void addMemory(const MemoryAccess &One, const std::vector<LevelTraffic> &Lines, LoopTime &Into,
                 bool IsRead = false);
  double loadS(const AccessNest &Nest) const;
  bool varies(const AccessNest &Nest) const;
  bool isRead(const AccessNest &Nest, const MemoryAccess &Store) const;
  std::string_view patternOf(const MemoryAccess &One) const;
  std::optional<double> lineS(const std::string &Level, std::string_view Pattern);
};
} // namespace

/// How often something happens in all that happens \p Each times in one iteration of the
/// innermost loop around.
double Timer::total(Expr Each) {
  for (auto Loop = Around.rbegin(); Loop != Around.rend(); ++Loop) {
    if (!Loop->Nest.Variable.empty())
      Each = sum(Loop->Nest.Variable, 0, Loop->Nest.Last, Each);
    Each *= Loop->Entries;
  }
  auto Value = Each.evaluate([](const std::string &) -> std::optional<Rational> { return {}; });
  if (Value)
    return std::max(0.0, Value->get_d());
  if (!Failure)
    Failure = TrafficError{"how often a loop runs has no value: " + Value.error().What, ""};
  return 0;
}

/// The widest does as many iterations as it can of each entry, the next of what is left.
std::vector<MadeRuns> Timer::share(const AccessNest &Nest, const Expr &Entries) {
  std::vector<MadeRuns> Result;
  Expr Trips = sum(Nest.Variable, 0, Nest.Last, Expr(1));
  for (const MachineLoop &Each : *Nest.Made) {
    Expr Step(long(Each.Step));
    Expr Times = Each.Step == 1 ? Trips : floorDiv(Trips, Step);
    Result.push_back({Each, total(Entries * Times)});
    Trips = Trips - Times * Step;
  }
  return Result;
}

/// The share of accesses of \p Bits that lie in two lines, as \p Offset goes on in steps of as
/// many: objects start on a line.
double Timer::crossing(const Expr &Offset, unsigned Bits) const {
  const long Width = Bits / 8;
  long Grid = Width; // what all starts have in common
  Expr Start = Offset;
  for (const Level &Each : Around) {
    if (Each.Nest.Variable.empty() || !Start.dependsOn(Each.Nest.Variable))
      continue;
    auto Factors = Offset.coefficientsOf(Each.Nest.Variable);
    auto Factor = Factors && Factors->size() == 2 ? (*Factors)[1].constant() : std::nullopt;
    if (&Each != &Around.back())
      Grid = Factor && Factor->isInteger() ? std::gcd(Grid, floorOf(*Factor).get_si()) : 1;
    Start = Start.substitute({{Each.Nest.Variable, Expr()}});
  }
  auto First = Start.constant();
  if (!First || !First->isInteger())
    return 0;
  const bool IsOnGrid = floorOf(*First).get_si() % Grid == 0;
  const double Aligned = IsOnGrid ? double(Grid) / double(Width) : 0;
  return (1 - Aligned) * double(Width) / Moved.Through.front().LineBytes;
}

/// An access that lies in two lines is two.
InstructionMix Timer::withCrossings(const InstructionMix &Mix, const AccessNest &Nest) const {
  InstructionMix Result = Mix;
  for (auto &[Kind, Times] : Result.Counts) {
    const bool IsStore = Kind.Operation == "store";
    static constexpr unsigned VectorBits = 128;
    if ((Kind.Operation != "load" && !IsStore) || Kind.Bits < VectorBits)
      continue;
    double Sum = 0;
    unsigned Accesses = 0;
    for (const AccessItem &Each : Nest.Items)
      if (auto *One = std::get_if<MemoryAccess>(&Each.What);
          One && One->Offset && (One->What == Access::Kind::Store) == IsStore) {
        Sum += crossing(*One->Offset, Kind.Bits);
        ++Accesses;
      }
    if (Accesses)
      Times *= 1 + Sum / Accesses;
  }
  return Result;
}

/// Loads and stores alone.
static InstructionMix accessesOf(const InstructionMix &Mix) {
  InstructionMix Result;
  for (const auto &[Kind, Times] : Mix.Counts)
    if (Kind.Operation == "load" || Kind.Operation == "store")
      Result.Counts[Kind] = Times;
  return Result;
}

/// Whether \p Nest has another trip count each time that it is entered, or a mean of them. One that
/// stays for a while is learned.
bool Timer::varies(const AccessNest &Nest) const {
  if (auto Last = Nest.Last.constant())
    return !Last->isInteger();
  const AccessNest *Outer = Around.size() > 1 ? &Around[Around.size() - 2].Nest : nullptr;
  return Outer && !Outer->Variable.empty() && Nest.Last.dependsOn(Outer->Variable);
}

static double instructionsOf(const InstructionMix &Chain) {
  double Sum = 0;
  for (const auto &[Kind, Times] : Chain.Counts)
    Sum += Times;
  return Sum;
}

void Timer::addMade(const AccessNest &Nest, LoopTime &Into) {
  Level Inner = std::move(Around.back());
  Around.pop_back();
  const double Entries = total(Inner.Entries);
  const std::vector<MadeRuns> All = share(Nest, Inner.Entries);
  Around.push_back(std::move(Inner));
  // How long each waits for the one before, and of how many instructions that chain is.
  const double LoadS = loadS(Nest);
  double InChains = 0;
  std::vector<double> Waits;
  for (const auto &[Of, Iterations] : All) {
    const InstructionMix *Longest = nullptr;
    for (const InstructionMix &Chain : Of.Chains)
      if (!Longest || Prices.chainS(Chain, LoadS) > Prices.chainS(*Longest, LoadS))
        Longest = &Chain;
    Waits.push_back(Longest ? Prices.chainS(*Longest, LoadS) : 0);
    InChains += Longest ? Iterations * instructionsOf(*Longest) : 0;
  }
  const double Share = Entries > 1 || Moved.IsWarm ? Prices.chainShare(InChains / Entries) : 1;
  BoundTime Longest;
  for (std::size_t I = 0; I != All.size(); ++I) {
    const auto &[Of, Iterations] = All[I];
    const InstructionMix Executed = withCrossings(*Of.Iteration, Nest);
    BoundTime One = Prices.busyS(Executed);
    Into.AccessS += Iterations * Prices.busyS(accessesOf(Executed)).S;
    One.atLeast(Waits[I] * Share, "latency");
    Into.CoreS += Iterations * One.S;
    Longest.atLeast(Iterations * One.S, One.Bound);
    if (Iterations > 0)
      Into.CoreS += Entries * Prices.busyS(Of.Entry).S;
  }
  if (varies(Nest)) // nobody knows where the loop ends this time
    Into.CoreS += Entries * Prices.mispredictS();
  Into.Time = {Into.CoreS, Longest.Bound};
}

void Timer::addCore(const AccessNest &Nest, LoopTime &Into) {
  const bool IsStraight = Nest.Made && std::ranges::all_of(*Nest.Made, [](const MachineLoop &Each) {
                            return Each.Iteration.has_value();
                          });
  if (IsStraight)
    return addMade(Nest, Into);
  InstructionMix All;
  double Surprises = 0;
  for (const ExecutedBlock &Each : Nest.Executed) {
    All += *Each.Each * total(Each.Runs);
    if (auto Share = Each.Runs.constant(); Share && *Share < Rational(1)) // one way of a branch
      Surprises = std::max(Surprises, std::min(Share->get_d(), 1 - Share->get_d()));
  }
  Into.Time = Prices.busyS(All);
  if (Surprises > 0)
    Into.Time.S += total(1) * Surprises * Prices.mispredictS();
  if (Nest.Made) {
    const double Runs = total(1), LoadS = loadS(Nest);
    for (const InstructionMix &Chain : Nest.Made->back().Chains)
      Into.Time.atLeast(Runs * Prices.chainS(Chain, LoadS) / Nest.Made->back().Step, "latency");
  }
  Into.CoreS = Into.Time.S;
}

/// In what order the lines of an access come: `load`, `load_line`, … as in PipelineStream.
std::string_view Timer::patternOf(const MemoryAccess &One) const {
  if (!One.Offset)
    return "load_random";
  for (auto Loop = Around.rbegin(); Loop != Around.rend(); ++Loop) {
    if (Loop->Nest.Variable.empty() || !One.Offset->dependsOn(Loop->Nest.Variable))
      continue;
    auto Factors = One.Offset->coefficientsOf(Loop->Nest.Variable);
    if (!Factors || Factors->size() != 2)
      return "load_random";
    auto Stride = (*Factors)[1].constant();
    if (!Stride)
      return "load_random";
    const double Bytes = std::abs(Stride->get_d()), Line = Moved.Through.front().LineBytes;
    return Bytes < Line       ? "load"
           : Bytes < 2 * Line ? "load_line"
           : Bytes < 2048     ? "load_4_lines"
                              : "load_page";
  }
  return "load";
}

/// Seconds for a line of a level, whatever the width of accesses: what a core has to do for them
/// is counted apart.
std::optional<double> Timer::lineS(const std::string &Level, std::string_view Pattern) {
  const double Line = Moved.Through.front().LineBytes;
  auto Rate = Prices.bytesPerS(Level, Pattern);
  if (Pattern == "load" || Pattern == "store" || Pattern == "update")
    return Rate ? std::optional(Line / *Rate) : std::nullopt;
  // Of a line that is not read in order, one operand of 8 bytes is what the stream counts.
  static constexpr double OperandBytes = 8;
  if (Rate)
    return OperandBytes / *Rate;
  return lineS(Level, Pattern == "load_line" ? "load" : "load_4_lines");
}

void Timer::addMemory(const MemoryAccess &One, const std::vector<LevelTraffic> &Lines,
                      LoopTime &Into, bool IsRead) {
  std::string_view Pattern = patternOf(One);
  for (std::size_t L = 0; L != Lines.size(); ++L) {
    const std::string From = L + 1 < Lines.size() ? Moved.Through[L + 1].Name : "dram";
    const LevelTraffic &Each = Lines[L];
    if (Each.LoadMisses + Each.StoreMisses + Each.WriteBacks == 0)
      continue;
    auto Load = lineS(From, Pattern), InOrder = lineS(From, "load"), Store = lineS(From, "store"),
         Updated = lineS(From, "update");
    if (!Load || !InOrder || !Store) {
      if (!Failure)
        Failure = TrafficError{"the profile has no bandwidth of " + From, "calibrate it again"};
      return;
    }
    // A line that is stored to is fetched and written back: both together were measured. An
    // update counts its bytes twice.
    const double WriteBack = std::max(0.0, Updated ? 2 * *Updated - *InOrder : *Store - *InOrder);
    Into.MemoryS[From] +=
        (Each.LoadMisses + (IsRead ? 0 : Each.StoreMisses)) * *Load + Each.WriteBacks * WriteBack;
  }
}

/// Whether \p Store goes to a place that is no formula, and a load of the same iteration has been
/// to such a place of the object: that it is the same one is taken for granted.
bool Timer::isRead(const AccessNest &Nest, const MemoryAccess &Store) const {
  return Store.What == Access::Kind::Store && !Store.Offset &&
         std::ranges::any_of(Nest.Items, [&](const AccessItem &Each) {
           auto *One = std::get_if<MemoryAccess>(&Each.What);
           return One && One->What == Access::Kind::Load && !One->Offset &&
                  One->Object == Store.Object && One->Bytes == Store.Bytes;
         });
}

/// Seconds until a load in a chain is there: in the mean of those whose places are no formulas, by
/// the levels that have them.
double Timer::loadS(const AccessNest &Nest) const {
  double Loads = 0, Sum = 0;
  std::size_t Access = NextAccess;
  for (const AccessItem &Each : Nest.Items) {
    auto *One = std::get_if<MemoryAccess>(&Each.What);
    if (!One)
      break; // none of an innermost loop
    const std::vector<LevelTraffic> &Lines = Moved.Accesses[Access++];
    if (One->What != Access::Kind::Load || One->Offset)
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

void Timer::addNest(const AccessNest &Nest, const Expr &Entries) {
  Around.push_back({Nest, Entries});
  const std::size_t Here = Result.Loops.size();
  Result.Loops.push_back({Nest.At});
  LoopTime Own{Nest.At};
  addCore(Nest, Own);
  // Loops inside that the compiler unrolled are a part of this one.
  const bool IsWhole = Nest.Made && Nest.Made->front().Iteration;
  for (const AccessItem &Each : Nest.Items)
    if (auto *One = std::get_if<MemoryAccess>(&Each.What))
      addMemory(*One, Moved.Accesses[NextAccess++], Own, isRead(Nest, *One));
    else if (auto &Inner = std::get<AccessNest>(Each.What); !IsWhole)
      addNest(Inner, Each.Runs);
    else
      for (const MemoryAccess *One : accessesIn(Inner))
        addMemory(*One, Moved.Accesses[NextAccess++], Own);
  if (!IsWhole)
    for (const AccessItem &Each : Nest.Idle)
      addNest(std::get<AccessNest>(Each.What), Each.Runs);
  // Main memory is far: what the core has to do for data that are nearer is not hidden behind it,
  // and of a stream's own accesses it was measured with.
  if (auto Far = Own.MemoryS.find("dram"); Far != Own.MemoryS.end())
    if (auto InOrder = Prices.bytesPerS("l1", "load"), From = Prices.bytesPerS("dram", "load");
        InOrder && From)
      Far->second += std::max(0.0, Own.AccessS - Far->second * *From / *InOrder);
  for (const auto &[Level, S] : Own.MemoryS)
    Own.Time.atLeast(S, Level);
  Result.Loops[Here] = std::move(Own);
  Around.pop_back();
}

std::expected<ProgramTime, TrafficError> Timer::run() {
  addNest(Of.Body, Expr(1));
  if (Failure)
    return std::unexpected(std::move(*Failure));
  const LoopTime *Longest = nullptr;
  for (const LoopTime &Each : Result.Loops) {
    Result.TimeS += Each.Time.S;
    if (!Longest || Each.Time.S > Longest->Time.S)
      Longest = &Each;
  }
  Result.Bound = Longest->Time.Bound;
  Result.Unpriced.assign(Prices.unpriced().begin(), Prices.unpriced().end());
  return std::move(Result);
}

std::expected<ProgramTime, TrafficError> timeOf(const AccessProgram &Of, const TrafficReport &Moved,
                                                const Pipeline &On, unsigned Threads) {
  return Timer(Of, Moved, On, Threads).run();
}

} // namespace ergon
