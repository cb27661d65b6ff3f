//===- ProgramTime.cpp - time of a run on a CPU ---------------------------===//

#include "model/ProgramTime.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
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
  void addNest(const AccessNest &Of, const Expr &Entries);
  void addCore(const AccessNest &Of, LoopTime &Into);
  void addMade(const AccessNest &Of, LoopTime &Into);
  void addMemory(const MemoryAccess &One, const std::vector<LevelTraffic> &Lines, unsigned Bits,
                 LoopTime &Into);
  std::string_view patternOf(const MemoryAccess &One) const;
  std::optional<double> lineS(const std::string &Level, std::string_view Pattern, unsigned Bits);
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

/// What the compiler made of the loop: the widest does as many iterations as it can of each
/// entry, the next of what is left.
void Timer::addMade(const AccessNest &Nest, LoopTime &Into) {
  Expr Trips = sum(Nest.Variable, 0, Nest.Last, Expr(1));
  Expr Entries = Around.back().Entries;
  Level Inner = std::move(Around.back());
  Around.pop_back();
  double EntriesAll = total(Entries);
  BoundTime Longest;
  for (std::size_t I = 0; I != Nest.Made->size(); ++I) {
    const MachineLoop &Each = (*Nest.Made)[I];
    Expr Step(long(Each.Step));
    Expr Times = Each.Step == 1 ? Trips : floorDiv(Trips, Step);
    const double Runs = total(Entries * Times);
    Trips = Trips - Times * Step;
    if (I + 1 == Nest.Made->size() && Each.Step != 1)
      Trips = Expr(); // its own rest is not known
    BoundTime One = Prices.busyS(*Each.Iteration);
    for (const InstructionMix &Chain : Each.Chains)
      One.atLeast(Prices.chainS(Chain), "latency");
    Into.CoreS += Runs * One.S;
    Longest.atLeast(Runs * One.S, One.Bound);
    if (Runs > 0)
      Into.CoreS += EntriesAll * Prices.busyS(Each.Entry).S;
  }
  Into.Time = {Into.CoreS, Longest.Bound};
  Around.push_back(std::move(Inner));
}

void Timer::addCore(const AccessNest &Nest, LoopTime &Into) {
  const bool IsStraight = Nest.Made && std::ranges::all_of(*Nest.Made, [](const MachineLoop &Each) {
                            return Each.Iteration.has_value();
                          });
  if (IsStraight)
    return addMade(Nest, Into);
  InstructionMix All;
  for (const ExecutedBlock &Each : Nest.Executed)
    All += *Each.Each * total(Each.Runs);
  Into.Time = Prices.busyS(All);
  if (Nest.Made) {
    const double Runs = total(1);
    for (const InstructionMix &Chain : Nest.Made->back().Chains)
      Into.Time.atLeast(Runs * Prices.chainS(Chain) / Nest.Made->back().Step, "latency");
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

/// Seconds for a line of a level.
std::optional<double> Timer::lineS(const std::string &Level, std::string_view Pattern,
                                   unsigned Bits) {
  const double Line = Moved.Through.front().LineBytes;
  auto Rate = Prices.bytesPerS(Level, Pattern, Bits);
  if (Pattern == "load" || Pattern == "store")
    return Rate ? std::optional(Line / *Rate) : std::nullopt;
  // Of a line that is not read in order, one operand of 8 bytes is what the stream counts.
  static constexpr double OperandBytes = 8;
  if (Rate)
    return OperandBytes / *Rate;
  if (Pattern == "load_page")
    return lineS(Level, "load_4_lines", Bits);
  if (Pattern == "load_random")
    return lineS(Level, "load_4_lines", Bits);
  return lineS(Level, "load", Bits);
}

void Timer::addMemory(const MemoryAccess &One, const std::vector<LevelTraffic> &Lines,
                      unsigned Bits, LoopTime &Into) {
  std::string_view Pattern = patternOf(One);
  for (std::size_t L = 0; L != Lines.size(); ++L) {
    const std::string From = L + 1 < Lines.size() ? Moved.Through[L + 1].Name : "dram";
    const LevelTraffic &Each = Lines[L];
    if (Each.LoadMisses + Each.StoreMisses + Each.WriteBacks == 0)
      continue;
    auto Load = lineS(From, Pattern, Bits), InOrder = lineS(From, "load", Bits),
         Store = lineS(From, "store", Bits);
    if (!Load || !InOrder || !Store) {
      if (!Failure)
        Failure = TrafficError{"the profile has no bandwidth of " + From, "calibrate it again"};
      return;
    }
    // A line that is stored to is fetched and written back: both together were measured.
    const double WriteBack = std::max(0.0, *Store - *InOrder / 2) / 1.0;
    const double Fetch = std::max(*Store - WriteBack, *Load - *InOrder / 2);
    Into.MemoryS[From] +=
        Each.LoadMisses * *Load + Each.StoreMisses * Fetch + Each.WriteBacks * WriteBack;
  }
}

/// The width of most of what a loop accesses.
static unsigned accessBits(const AccessNest &Nest) {
  std::map<unsigned, double> Bits;
  auto Count = [&](const InstructionMix &Of) {
    for (const auto &[Kind, Times] : Of.Counts)
      if (Kind.Operation == "load" || Kind.Operation == "store")
        Bits[Kind.Bits] += Times * Kind.Bits;
  };
  if (Nest.Made && Nest.Made->front().Iteration)
    Count(*Nest.Made->front().Iteration);
  else
    for (const ExecutedBlock &Each : Nest.Executed)
      Count(*Each.Each);
  auto Most = std::ranges::max_element(Bits, {}, [](const auto &Each) { return Each.second; });
  return Most == Bits.end() ? 64 : Most->first;
}

void Timer::addNest(const AccessNest &Nest, const Expr &Entries) {
  Around.push_back({Nest, Entries});
  const std::size_t Here = Result.Loops.size();
  Result.Loops.push_back({Nest.At});
  LoopTime Own{Nest.At};
  addCore(Nest, Own);
  const unsigned Bits = accessBits(Nest);
  // Loops inside that the compiler unrolled are a part of this one.
  const bool IsWhole = Nest.Made && Nest.Made->front().Iteration;
  for (const AccessItem &Each : Nest.Items)
    if (auto *One = std::get_if<MemoryAccess>(&Each.What))
      addMemory(*One, Moved.Accesses[NextAccess++], Bits, Own);
    else if (auto &Inner = std::get<AccessNest>(Each.What); !IsWhole)
      addNest(Inner, Each.Runs);
    else
      for (const MemoryAccess *One : accessesIn(Inner))
        addMemory(*One, Moved.Accesses[NextAccess++], Bits, Own);
  if (!IsWhole)
    for (const AccessItem &Each : Nest.Idle)
      addNest(std::get<AccessNest>(Each.What), Each.Runs);
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
