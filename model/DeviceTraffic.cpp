//===- DeviceTraffic.cpp - a launch's bytes between levels ----------------===//

#include "model/DeviceTraffic.h"
#include "model/SectorCache.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ergon {

namespace {

/// What sectors of one access did.
struct Seen {
  double Sectors = 0; ///< of requests
  double L2Reads = 0, L2Writes = 0, DramReads = 0, DramWrites = 0;
};

/// The requests of one access of a warp in a box of blocks and iterations.
struct Stream {
  unsigned Access;
  std::int64_t Warp;
  WarpBox Box;
  WarpValue Offset;
  /// Sectors of a request from where its box begins, by the begin's place in a sector.
  std::array<std::vector<std::int64_t>, SectorBytes> Sectors{};
};

std::int64_t sectorOf(std::int64_t Address) {
  return (Address - (((Address % SectorBytes) + SectorBytes) % SectorBytes)) / SectorBytes;
}

/// Rounds of blocks that run at once, through the caches.
class Rounds {
public:
  Rounds(const AccessProgram &Of, const WarpProgram &Compiled, const LaunchSize &Launch,
         const DeviceCaches &Through, std::int64_t AtOnce, std::uint64_t L1Bytes)
      : Of(Of), Compiled(Compiled), Launch(Launch), Through(Through), AtOnce(AtOnce),
        L2(Through.L2Bytes, DeviceLineBytes, Through.L2Ways),
        L1(std::size_t(Through.Multiprocessors), SectorCache(L1Bytes, DeviceLineBytes, 4)) {
    std::size_t Phase = 0;
    for (const AccessItem &Each : Of.Body.Items)
      number(Each, Phase++);
    Phases.resize(Phase);
  }

  /// All that was to run ran; else blocks or iterations were left out.
  bool IsComplete = true;

  /// Runs round \p Number, at most about \p MaxSectors of it; adds what its accesses do to
  /// \p Into.
  void run(std::int64_t Number, std::int64_t MaxSectors, std::int64_t &Effort,
           std::vector<Seen> &Into) {
    First = Number * AtOnce;
    std::int64_t Past = std::min(First + AtOnce, Launch.blocks());
    for (auto &Each : Phases)
      Each.clear();
    for (std::int64_t From = First; From < Past;)
      From = addStreams(From, Past, Effort);
    double All = 0;
    for (auto &Phase : Phases)
      All += sizeOf(Phase);
    for (auto &Phase : Phases)
      runPhase(Phase, All > 0 ? std::min(1.0, double(MaxSectors) / All) : 1, Into);
  }

private:
  const AccessProgram &Of;
  const WarpProgram &Compiled;
  const LaunchSize &Launch;
  const DeviceCaches &Through;
  std::int64_t AtOnce, First = 0;
  SectorCache L2;
  std::vector<SectorCache> L1;
  /// What runs one after the other: items of the kernel's body. By access the number of its item.
  std::vector<std::vector<Stream>> Phases;
  std::vector<std::size_t> PhaseOf;

  void number(const AccessItem &Item, std::size_t Phase) {
    if (auto *Loop = std::get_if<AccessNest>(&Item.What))
      for (const AccessItem &Each : Loop->Items)
        number(Each, Phase);
    else
      PhaseOf.push_back(Phase);
  }

  /// The streams of as many blocks from \p From on as make a box: a part of a row, rows of
  /// a plane, or planes. Returns the block that comes next.
  std::int64_t addStreams(std::int64_t From, std::int64_t Past, std::int64_t &Effort) {
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
    for (std::int64_t Warp = 0; Warp != Launch.warps(); ++Warp)
      IsComplete &= Compiled.walk(Launch, Warp, Box, Effort, [&](const WarpVisit &Visit) {
        Space Where = Of.Objects[Compiled.accesses()[Visit.Access]->Object].Where;
        if (Visit.Offset && servedBy(Where) == ServedBy::Sectors)
          Phases[PhaseOf[Visit.Access]].push_back({Visit.Access, Warp, Visit.Box, *Visit.Offset});
      });
    return End;
  }

  /// About how many sectors.
  double sizeOf(std::vector<Stream> &Phase) {
    double Result = 0;
    for (Stream &Each : Phase)
      Result += double(sectors(Each, 0).size()) * Each.Box.points();
    return Result;
  }

  /// A share of a phase, all blocks side by side in each iteration of its outermost loop.
  void runPhase(std::vector<Stream> &Phase, double Share, std::vector<Seen> &Into) {
    std::int64_t Last = 0;
    for (const Stream &Each : Phase)
      if (Each.Box.Variables > 3)
        Last = std::max(Last, Each.Box.Ranges[3].Last);
    double Left = Share < 1 ? Share * sizeOf(Phase) : INFINITY;
    for (std::int64_t Step = 0; Step <= Last && Left > 0; ++Step)
      for (Stream &Each : Phase) {
        WarpBox Now = Each.Box;
        if (Now.Variables > 3) {
          if (Step < Now.Ranges[3].First || Step > Now.Ranges[3].Last)
            continue;
          Now.Ranges[3] = {Step, Step};
        }
        runPoints(Each, Now, 0, 0, Left, Into[Each.Access]);
      }
  }

  /// All points of \p Box, from \p Variable on; those before it have made \p Address.
  void runPoints(Stream &Of, const WarpBox &Box, unsigned Variable, std::int64_t Address,
                 double &Left, Seen &Into) {
    if (Variable == Box.Variables)
      return request(Of, Address, Into);
    for (auto I = Box.Ranges[Variable].First; I <= Box.Ranges[Variable].Last && Left > 0; ++I) {
      if (Variable < 3)
        Block[Variable] = I;
      runPoints(Of, Box, Variable + 1, Address + Of.Offset.Steps[Variable] * I, Left, Into);
    }
    if (Variable + 1 == Box.Variables)
      Left -= double(Box.Ranges[Variable].size()) * double(sectors(Of, 0).size());
  }
  std::array<std::int64_t, 3> Block{};

  const std::vector<std::int64_t> &sectors(Stream &Of, std::int64_t Begin) {
    std::vector<std::int64_t> &Result = Of.Sectors[std::size_t(Begin)];
    if (!Result.empty())
      return Result;
    const MemoryAccess &Access = *Compiled.accesses()[Of.Access];
    bool IsLocal = this->Of.Objects[Access.Object].Where == Space::Local;
    std::int64_t Unit = IsLocal ? BankBytes : SectorBytes;
    for (LaneMask Rest = Of.Box.Active; Rest; Rest &= Rest - 1) {
      auto Lane = unsigned(std::countr_zero(Rest));
      std::int64_t At = Of.Offset.Lane[Lane] + Begin;
      for (std::int64_t Byte = At; Byte < At + Access.Bytes;
           Byte += Unit - (((Byte % Unit) + Unit) % Unit))
        // Words of local memory lie side by side in the lanes.
        Result.push_back(IsLocal ? Byte / Unit * 4 + Lane / 8 : sectorOf(Byte));
    }
    std::ranges::sort(Result);
    Result.erase(std::ranges::unique(Result).begin(), Result.end());
    return Result;
  }

  void request(Stream &Of, std::int64_t Address, Seen &Into) {
    const MemoryAccess &Access = *Compiled.accesses()[Of.Access];
    const MemoryObject &Object = this->Of.Objects[Access.Object];
    bool IsLocal = Object.Where == Space::Local;
    std::int64_t Number = (Block[2] * Launch.Grid[1] + Block[1]) * Launch.Grid[0] + Block[0];
    std::int64_t Slot = Number - First;
    // Objects are far apart; of local memory each warp that is resident has its own part.
    std::int64_t Start = std::int64_t(Access.Object) << 40;
    std::int64_t Begin = ((Address % SectorBytes) + SectorBytes) % SectorBytes;
    if (IsLocal) {
      auto Bytes = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
      std::int64_t Words = Bytes ? std::int64_t(Bytes->get_d()) / BankBytes + 1 : 1024;
      Start += (Slot * Launch.warps() + Of.Warp) * Words * 4 + Address / BankBytes * 4;
      Begin = Address % BankBytes;
    } else {
      Start += sectorOf(Address);
    }
    bool Loads = Access.What == Access::Kind::Load, Stores = Access.What == Access::Kind::Store;
    bool InL1 = IsLocal || Through.GlobalLoadsInL1;
    SectorCache &Near = L1[std::size_t(Slot % Through.Multiprocessors)];
    for (std::int64_t Each : sectors(Of, Begin)) {
      std::int64_t Sector = Start + Each;
      Into.Sectors += 1;
      if (Loads && InL1 && Near.touch(Sector))
        continue;
      Into.L2Reads += !Stores;
      Into.L2Writes += !Loads;
      bool Hits = L2.touch(Sector);
      Into.DramReads += !Hits && !Stores; // a store needs nothing of what was there
      if (!Loads)
        Into.DramWrites += L2.write(Sector);
    }
  }
};

/// What requests do of which the places are not known, or none was seen.
DeviceSectors ofUnknown(const WarpRequests &Of, const MemoryAccess &Access) {
  DeviceSectors Result;
  if (Access.What != Access::Kind::Store) {
    Result.L2Reads = Of.Sectors;
    Result.DramReads = {0, Of.Sectors.High};
  }
  if (Access.What != Access::Kind::Load) {
    Result.L2Writes = Of.Sectors;
    Result.DramWrites = {0, Of.Sectors.High};
  }
  return Result;
}

/// \p Total sectors of requests, of which \p Early were the first and \p Late came then: the
/// rest is as the later ones.
DeviceSectors ofSample(double Total, const Seen &Early, const Seen &Late) {
  const Seen &Typical = Late.Sectors > 0 ? Late : Early;
  double First = std::min(1.0, Total / std::max(1.0, Early.Sectors));
  double Rest = std::max(0.0, Total - Early.Sectors) / Typical.Sectors;
  auto scaled = [&](double Seen::*What) {
    double Value = First * Early.*What + Rest * Typical.*What;
    return Between{Value, Value};
  };
  return {scaled(&Seen::L2Reads), scaled(&Seen::L2Writes), scaled(&Seen::DramReads),
          scaled(&Seen::DramWrites)};
}

} // namespace

DeviceSectors &DeviceSectors::operator+=(const DeviceSectors &Other) {
  L2Reads += Other.L2Reads;
  L2Writes += Other.L2Writes;
  DramReads += Other.DramReads;
  DramWrites += Other.DramWrites;
  return *this;
}

DeviceSectors DeviceTraffic::total() const {
  DeviceSectors Result;
  for (const DeviceSectors &Each : Accesses)
    Result += Each;
  return Result;
}

std::optional<DeviceCaches> deviceCaches(const Machine &Of) {
  if (!Of.Gpu || !Of.Gpu->GlobalLoadsInL1)
    return std::nullopt;
  DeviceCaches Result;
  Result.GlobalLoadsInL1 = *Of.Gpu->GlobalLoadsInL1;
  Result.Multiprocessors = std::int64_t(Of.Gpu->Multiprocessors.Value);
  Result.Limits = Of.Gpu->Limits;
  for (const Cache &Each : Of.Caches) {
    if (Each.Level == "l1")
      Result.L1Bytes = Each.Bytes;
    if (Each.Level == "l2") {
      Result.L2Bytes = Each.Bytes;
      Result.L2Ways = Each.Ways.value_or(Result.L2Ways);
    }
  }
  return Result.L2Bytes ? std::optional(Result) : std::nullopt;
}

std::expected<DeviceTraffic, TrafficError> deviceTraffic(const AccessProgram &Of,
                                                         const LaunchSize &Launch,
                                                         const DeviceCaches &Through,
                                                         std::int64_t MaxSectors) {
  DeviceTraffic Result;
  Result.Requests = requestsOf(Of, Launch);
  Result.Accesses.resize(Result.Requests.Accesses.size());
  if (Launch.blocks() == 0 || Launch.threads() == 0)
    return Result;
  BlockNeeds Needs{.Threads = Launch.threads(),
                   .RegistersPerThread = Launch.RegistersPerThread,
                   .SharedBytes = Launch.DynamicSharedBytes};
  for (const MemoryObject &Each : Of.Objects)
    if (auto Bytes = Each.Bytes ? Each.Bytes->constant() : std::nullopt;
        Bytes && Each.Where == Space::Shared)
      *Needs.SharedBytes += std::int64_t(Bytes->get_d());
  Residency Resident = residentBlocks(Through.Limits, Needs);
  if (Resident.Blocks < 1)
    return std::unexpected(
        TrafficError{"no multiprocessor has enough for a block: its " + Resident.LimitedBy,
                     "choose a smaller block"});
  Result.BlocksAtOnce = Resident.Blocks * Through.Multiprocessors;
  WarpProgram Compiled(Of);
  Rounds Run(Of, Compiled, Launch, Through, Result.BlocksAtOnce, Through.L1Bytes);
  std::int64_t Count = (Launch.blocks() - 1) / Result.BlocksAtOnce + 1;
  double Sectors = 0;
  for (const WarpRequests &Each : Result.Requests.Accesses)
    Sectors += Each.Sectors.Low;
  auto Chosen = std::int64_t(
      std::clamp(double(MaxSectors) / std::max(1.0, Sectors / double(Count)), 1.0, double(Count)));
  std::vector<Seen> Early(Result.Accesses.size()), Late(Result.Accesses.size());
  std::int64_t Effort = 2'000'000;
  for (std::int64_t Round = 0; Round != Chosen; ++Round)
    Run.run(Round, MaxSectors / Chosen + 1, Effort, Round < (Chosen + 1) / 2 ? Early : Late);
  for (std::size_t I = 0; I != Result.Accesses.size(); ++I) {
    const MemoryAccess &Access = *Compiled.accesses()[I];
    const WarpRequests &Requests = Result.Requests.Accesses[I];
    if (servedBy(Of.Objects[Access.Object].Where) != ServedBy::Sectors || Requests.Requests == 0)
      continue;
    Result.Accesses[I] = Early[I].Sectors + Late[I].Sectors == 0
                             ? ofUnknown(Requests, Access)
                             : ofSample(Requests.Sectors.Low, Early[I], Late[I]);
  }
  auto assume = [&](std::string What) { Result.Requests.Assumptions.push_back(std::move(What)); };
  assume("L2 is empty before the launch, and what is written in it leaves it after the launch at "
         "the latest");
  assume("as many blocks are resident as registers that are not known allow: " +
         std::to_string(Resident.Blocks));
  if (Chosen < Count || double(MaxSectors) < Sectors || !Run.IsComplete)
    assume("some rounds of blocks, or parts of one, stand for the rest");
  return Result;
}

} // namespace ergon
