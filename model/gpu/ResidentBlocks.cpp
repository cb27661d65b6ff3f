//===- ResidentBlocks.cpp - concurrent blocks of a launch -----------------===//

#include "model/gpu/ResidentBlocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ergon {

void SectorCounts::add(const SectorCounts &Other, double Times) {
  for (auto Part :
       {&SectorCounts::Sectors, &SectorCounts::L2Reads, &SectorCounts::L2Writes,
        &SectorCounts::DramReads, &SectorCounts::DramWrites, &SectorCounts::FetchedAgain,
        &SectorCounts::SeenReads, &SectorCounts::SeenWrites})
    this->*Part += Times * Other.*Part;
}

static std::int64_t sectorOf(std::int64_t Address) {
  return (Address - (((Address % SectorBytes) + SectorBytes) % SectorBytes)) / SectorBytes;
}

/// Fibonacci hashing (Knuth, "The Art of Computer Programming" 3, section 6.4).
static std::uint64_t hashOf(std::uint64_t Number) { return Number * 11400714819323198485u; }

double ResidentBlocks::Stream::points(unsigned From) const {
  double Result = 1;
  for (unsigned V = From; V < Variables; ++V)
    Result *= double(Ranges[V].size());
  return Result;
}

ResidentBlocks::ResidentBlocks(const AccessProgram &Program, const WarpProgram &Compiled,
                               const LaunchSize &Launch, const DeviceCaches &Through,
                               std::int64_t AtOnce, std::vector<double> BlockSectors)
    : Program(Program), Compiled(Compiled), Launch(Launch), Through(Through), AtOnce(AtOnce),
      BlockSectors(std::move(BlockSectors)), L2(Through.L2Bytes, DeviceLineBytes, Through.L2Ways),
      L1(std::size_t(Through.Multiprocessors), SectorCache(Through.L1Bytes, DeviceLineBytes, 4)) {
  std::size_t Phase = 0;
  for (const AccessItem &Item : Program.Body.Items)
    number(Item, Phase++);
  Phases.resize(Phase);
}

void ResidentBlocks::number(const AccessItem &Item, std::size_t Phase) {
  if (auto *Loop = std::get_if<AccessNest>(&Item.What))
    for (const AccessItem &AI : Loop->Items)
      number(AI, Phase);
  else
    PhaseOf.push_back(Phase);
}

/// The streams of as many blocks from \p From on as form a box: part of a row, rows of a plane, or
/// planes; at most \p Room. Returns the next block.
std::int64_t ResidentBlocks::addStreams(std::int64_t From, std::int64_t Past, std::int64_t &Effort,
                                        std::size_t &Room) {
  std::int64_t Row = Launch.Grid[0], Plane = Row * Launch.Grid[1];
  std::int64_t Unit = From % Plane == 0 && Past - From >= Plane ? Plane
                      : From % Row == 0 && Past - From >= Row   ? Row
                                                                : 1;
  std::int64_t Around = Unit == Plane ? Past
                        : Unit == Row ? (From / Plane + 1) * Plane
                                      : (From / Row + 1) * Row;
  std::int64_t End = From + (std::min(Around, Past) - From) / Unit * Unit;
  std::array<std::int64_t, 3> Low = Launch.blockAt(From), High = Launch.blockAt(End - 1);
  std::array<IndexRange, 3> Box;
  for (unsigned D = 0; D != 3; ++D)
    Box[D] = {Low[D], High[D]};
  for (std::int64_t Warp = 0; Warp != Launch.warps() && Room != 0; ++Warp)
    IsComplete &= Compiled.walk(
        Launch, Warp, Box, Effort,
        [&](const WarpVisit &Visit) {
          const Space Where = Program.Objects[Compiled.accesses()[Visit.Access]->Object].Where;
          if (!Visit.Offset || servedBy(Where) != ServedBy::Sectors || Room == 0)
            return;
          if (--Room == 0)
            Effort = 0; // the rest is not needed
          Phases[PhaseOf[Visit.Access]].push_back({Visit.Access, Warp, Visit.Box.Active,
                                                   Visit.Box.Variables, Visit.Box.Ranges,
                                                   *Visit.Offset});
        },
        OuterRanges);
  return End;
}

/// False where there are too many streams, or finding them takes too many operations.
bool ResidentBlocks::collectWithin(std::int64_t Past, std::int64_t &Effort) {
  for (Phase &P : Phases)
    P.clear();
  std::size_t Room = MaxStreams;
  IsComplete = true;
  for (std::int64_t From = First; From < Past && Room != 0;)
    From = addStreams(From, Past, Effort, Room);
  return Room != 0 && IsComplete;
}

/// The streams of a round. Too many occur where formulas are not affine and each iteration is a box
/// of its own; then only those of some iterations of one loop: the outermost loop in its middle, or
/// if that is still too many the next inner one in a single iteration of it, at its first quarter
/// because of triangles.
void ResidentBlocks::collect(std::int64_t Past, std::int64_t &Effort) {
  constexpr std::int64_t Iterations = 32, Operations = 250'000; // for a try
  const bool WasComplete = IsComplete;
  bool IsFound = OuterRanges.empty() && collectWithin(Past, Effort);
  std::vector<std::int64_t> Last;
  for (const Phase &P : Phases)
    for (const Stream &S : P)
      for (unsigned V = 3; V < S.Variables; ++V) {
        Last.resize(std::max<std::size_t>(Last.size(), V - 2));
        Last[V - 3] = std::max(Last[V - 3], S.Ranges[V].Last);
      }
  for (bool IsAgain = !OuterRanges.empty(); !IsFound; IsAgain = false) {
    if (const std::size_t Loop = OuterRanges.size(); !IsAgain) {
      if (Loop == Last.size())
        break;
      const std::int64_t From = Last[Loop] / (Loop == 0 ? 2 : 4);
      if (Loop != 0)
        OuterRanges.back().Last = OuterRanges.back().First;
      OuterRanges.push_back({From, From + Iterations - 1});
    }
    std::int64_t Some = Operations;
    IsFound = collectWithin(Past, Some);
    if (IsAgain)
      break;
  }
  IsComplete = WasComplete && IsFound;
}

/// \p S with the loops outside the stepped loop fixed at the middle of their range.
ResidentBlocks::Ranges ResidentBlocks::pinned(const Stream &S, const Plan &P) {
  Ranges Now = S.Ranges;
  for (unsigned V = 3; V < std::min(P.Variable, S.Variables); ++V) {
    const std::int64_t Middle = Now[V].First + Now[V].size() / 2;
    Now[V] = {Middle, Middle};
  }
  return Now;
}

/// Mean sectors per step of the loop of \p P; also finds the number of steps and their period.
double ResidentBlocks::sectorsOfStep(Phase &Streams, Plan &P) {
  const unsigned V = P.Variable;
  P.All = P.Period = 1;
  P.First = V - 3 < OuterRanges.size() ? OuterRanges[V - 3].First : 0;
  double Sum = 0;
  for (Stream &S : Streams) {
    const double Blocks = S.points() / S.points(3);
    Sum += Blocks * double(sectors(S, 0).size()) * S.points(V);
    if (S.Variables <= V)
      continue;
    P.All = std::max(P.All, S.Ranges[V].Last + 1 - P.First);
    if (S.Offset.Steps[V] != 0)
      P.Period = std::max(P.Period, SectorBytes / std::gcd(S.Offset.Steps[V], SectorBytes));
  }
  return Sum / double(P.All);
}

/// The outermost loop of which a few steps fit the budget, and the number of steps to run: at least
/// two periods.
ResidentBlocks::Plan ResidentBlocks::planOf(Phase &Streams, double Budget) {
  Plan Result{.MaxSectors = 4 * Budget};
  unsigned Deepest = 3;
  double All = 0;
  for (Stream &S : Streams) {
    Deepest = std::max(Deepest, S.Variables);
    All += S.points() * double(sectors(S, 0).size());
  }
  Result.IsWhole = OuterRanges.empty() && All <= Budget;
  for (; Result.Variable < Deepest; ++Result.Variable) {
    const double Step = std::max(sectorsOfStep(Streams, Result), 1.0);
    Result.Steps = Result.All;
    if (Result.IsWhole)
      return Result;
    // Testing whether a stream is active costs as much as a sector.
    const double Period = double(Result.Period),
                 Affordable =
                     std::floor(Budget / (Step + double(Streams.size())) / Period) * Period;
    Result.Steps = std::min(Result.All, std::int64_t(std::max(Affordable, 2 * Period)));
    if (Step * double(Result.Steps) <= Result.MaxSectors && Result.All > 1)
      return Result;
  }
  Result.Variable = std::max(3u, Deepest - 1);
  return Result;
}

std::int64_t ResidentBlocks::blockNumber() const {
  return (Block[2] * Launch.Grid[1] + Block[1]) * Launch.Grid[0] + Block[0];
}

/// The iteration of a block at the first step.
std::int64_t ResidentBlocks::startOf(const Plan &P) const {
  if (!IsApart || P.IsWhole || P.Variable != 3 || P.All <= 2 * P.Steps)
    return 0;
  const auto Places = std::uint64_t(P.All - P.Steps + 1);
  return std::int64_t((hashOf(std::uint64_t(blockNumber() + 1)) >> 20) % Places);
}

/// The steps of a phase, with all blocks side by side in each.
void ResidentBlocks::runPhase(Phase &Streams, const Plan &P, RoundCounts &Early,
                              RoundCounts &Late) {
  Left = P.IsWhole ? INFINITY : P.MaxSectors;
  // Later steps access as many sectors as others.
  const std::int64_t Later = P.IsWhole ? 0 : P.Steps / 2 / P.Period * P.Period;
  std::vector<Ranges> Boxes;
  for (const Stream &S : Streams)
    Boxes.push_back(pinned(S, P));
  for (std::int64_t Step = 0; Step < P.Steps && Left > 0; ++Step)
    for (Stream &Element : Streams)
      if (const std::size_t V = P.Variable;
          Element.Variables > V ? IsApart || (P.First + Step >= Element.Ranges[V].First &&
                                              P.First + Step <= Element.Ranges[V].Last)
                                : Step == 0)
        runPoints(Element, 0, {Boxes[std::size_t(&Element - Streams.data())], P, Step}, 0,
                  (Step + Later < P.Steps ? Early : Late)[Element.Access]);
}

/// All points of the box in a step, from \p Variable on; outer variables are included in \p
/// Address.
void ResidentBlocks::runPoints(Stream &S, unsigned Variable, const PlanStep &Step,
                               std::int64_t Address, SectorCounts &Result) {
  if (Variable == S.Variables)
    return request(S, Address, Result);
  IndexRange Range = Step.Box[Variable];
  if (Variable == Step.Chosen.Variable) {
    const std::int64_t Now = Step.Chosen.First + startOf(Step.Chosen) + Step.Number;
    if (Now < Range.First || Now > Range.Last)
      return;
    Range = {Now, Now};
  }
  for (auto I = Range.First; I <= Range.Last && Left > 0; ++I) {
    if (Variable < 3)
      Block[Variable] = I;
    runPoints(S, Variable + 1, Step, Address + S.Offset.Steps[Variable] * I, Result);
  }
}

const std::vector<std::int64_t> &ResidentBlocks::sectors(Stream &S, std::int64_t Begin) {
  for (const auto &[Known, Sectors] : S.Sectors)
    if (Known == Begin)
      return Sectors;
  std::vector<std::int64_t> &Result =
      S.Sectors.emplace_back(Begin, std::vector<std::int64_t>()).second;
  const MemoryAccess &Access = *Compiled.accesses()[S.Access];
  bool IsLocal = this->Program.Objects[Access.Object].Where == Space::Local;
  std::int64_t Unit = IsLocal ? BankBytes : SectorBytes;
  for (LaneMask Rest = S.Active; Rest; Rest &= Rest - 1) {
    auto Lane = unsigned(std::countr_zero(Rest));
    std::int64_t Position = S.Offset.Lane[Lane] + Begin;
    for (std::int64_t Byte = Position; Byte < Position + Access.Bytes;
         Byte += Unit - (((Byte % Unit) + Unit) % Unit))
      // Words of local memory are interleaved across lanes.
      Result.push_back(IsLocal ? Byte / Unit * 4 + Lane / 8 : sectorOf(Byte));
  }
  std::ranges::sort(Result);
  Result.erase(std::ranges::unique(Result).begin(), Result.end());
  return Result;
}

/// Whether a block fetched a sector before; records it.
bool ResidentBlocks::fetchedBefore(std::int64_t Slot, std::int64_t Sector) {
  if (Fetched.empty())
    Fetched.resize(std::size_t(1) << 22);
  const std::uint64_t Hash = hashOf(std::uint64_t(Sector)) ^ hashOf(std::uint64_t(Slot + 1) << 17);
  std::uint64_t &Known = Fetched[hashOf(Hash) >> 42];
  const bool Result = Known == Hash;
  Known = Hash;
  return Result;
}

void ResidentBlocks::request(Stream &S, std::int64_t Address, SectorCounts &Result) {
  const MemoryAccess &Access = *Compiled.accesses()[S.Access];
  const MemoryObject &Object = this->Program.Objects[Access.Object];
  bool IsLocal = Object.Where == Space::Local;
  std::int64_t Slot = blockNumber() - First;
  // Objects are far apart; each resident warp has its own part of local memory.
  std::int64_t Start = std::int64_t(Access.Object) << 40;
  std::int64_t Begin = ((Address % SectorBytes) + SectorBytes) % SectorBytes;
  if (IsLocal) {
    auto Bytes = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
    std::int64_t Words = Bytes ? std::int64_t(Bytes->get_d()) / BankBytes + 1 : 1024;
    Start += (Slot * Launch.warps() + S.Warp) * Words * 4 + Address / BankBytes * 4;
    Begin = Address % BankBytes;
  } else {
    Start += sectorOf(Address);
  }
  bool Loads = Access.What == Access::Kind::Load, Stores = Access.What == Access::Kind::Store;
  bool InL1 = IsLocal || Through.GlobalLoadsInL1;
  SectorCache &Near = L1[std::size_t(Slot % Through.Multiprocessors)];
  for (std::int64_t Value : sectors(S, Begin)) {
    std::int64_t Sector = Start + Value;
    Result.Sectors += 1;
    Left -= 1;
    if (Loads && InL1 && Near.touch(Sector))
      continue;
    Result.L2Reads += !Stores;
    Result.L2Writes += !Loads;
    bool Hits = L2.touch(Sector);
    const bool Fetches = !Hits && !Stores; // a store does not fetch old data
    Result.DramReads += Fetches;
    Result.SeenReads += Fetches;
    if (IsApart && Fetches)
      Result.FetchedAgain += fetchedBefore(Slot, Sector);
    if (!Loads && L2.write(Sector)) {
      Result.DramWrites += 1;
      Result.SeenWrites += 1;
    }
  }
}

RoundCounts ResidentBlocks::run(std::int64_t Number, double MaxSectors, std::int64_t &Effort,
                                bool Apart) {
  First = Number * AtOnce;
  IsApart = Apart;
  const std::int64_t Past = std::min(First + AtOnce, Launch.blocks());
  collect(Past, Effort);
  std::vector<double> RoundSectors = BlockSectors;
  for (double &RoundSector : RoundSectors)
    RoundSector *= double(Past - First);
  RoundCounts Result(RoundSectors.size());
  std::vector<double> Expected(Phases.size());
  double All = 0;
  for (std::size_t I = 0; I != RoundSectors.size(); ++I) {
    Expected[PhaseOf[I]] += RoundSectors[I];
    All += RoundSectors[I];
  }
  for (std::size_t P = 0; P != Phases.size(); ++P) {
    if (Phases[P].empty())
      continue;
    const double Share = std::max(Expected[P] / All, 0.25 / double(Phases.size()));
    const Plan Chosen = planOf(Phases[P], All > MaxSectors ? MaxSectors * Share : INFINITY);
    MayDrift |= !Chosen.IsWhole && Chosen.Variable == 3 && Chosen.All > 2 * Chosen.Steps &&
                OuterRanges.empty();
    RoundCounts Early(RoundSectors.size()), Late(RoundSectors.size());
    runPhase(Phases[P], Chosen, Early, Late);
    for (std::size_t I = 0; I != Result.size(); ++I) {
      Result[I].add(Early[I]);
      Result[I].add(Late[I]);
      SectorCounts Steady = Late[I].Sectors > 0 ? Late[I] : Early[I];
      Steady.SeenReads = Steady.SeenWrites = 0;
      const double Rest = RoundSectors[I] - Early[I].Sectors - Late[I].Sectors;
      if (!Chosen.IsWhole && PhaseOf[I] == P && Rest > 0 && Steady.Sectors > 0)
        Result[I].add(Steady, Rest / Steady.Sectors);
    }
  }
  return Result;
}

} // namespace ergon
