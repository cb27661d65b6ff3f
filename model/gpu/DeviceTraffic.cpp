//===- DeviceTraffic.cpp - traffic of a launch between levels -------------===//

#include "model/gpu/DeviceTraffic.h"
#include "model/gpu/LaunchFootprint.h"
#include "model/gpu/ResidentBlocks.h"

#include <algorithm>
#include <numeric>

namespace ergon {

namespace {

/// Sectors of requests with unknown addresses, or not sampled.
DeviceSectors ofUnknown(const WarpRequests &Requests, const MemoryAccess &Access) {
  DeviceSectors Result;
  if (Access.What != Access::Kind::Store) {
    Result.L2Reads = Requests.Sectors;
    Result.DramReads = {0, Requests.Sectors.High};
  }
  if (Access.What != Access::Kind::Load) {
    Result.L2Writes = Requests.Sectors;
    Result.DramWrites = {0, Requests.Sectors.High};
  }
  return Result;
}

/// \p Total sectors of requests, of which \p Early were the first and \p Late the next: the rest is
/// like the later ones.
DeviceSectors ofSample(double Total, const SectorCounts &Early, const SectorCounts &Late) {
  const SectorCounts &Typical = Late.Sectors > 0 ? Late : Early;
  double First = std::min(1.0, Total / std::max(1.0, Early.Sectors));
  double Rest = std::max(0.0, Total - Early.Sectors) / Typical.Sectors;
  auto scaled = [&](double SectorCounts::*What) {
    double Value = First * Early.*What + Rest * Typical.*What;
    return Gap{Value, Value};
  };
  return {scaled(&SectorCounts::L2Reads), scaled(&SectorCounts::L2Writes),
          scaled(&SectorCounts::DramReads), scaled(&SectorCounts::DramWrites)};
}

/// Blocks at different iterations have a larger working set. If they then fetch their own lines
/// again, as L2 evicted them, all loads from L2 may come from DRAM; true if any access does. As
/// long as each block finds its own lines, later blocks hit the lines of earlier ones and catch up.
/// Lines written repeatedly are assumed to stay.
bool driftApart(const RoundCounts &Apart, DeviceTraffic &Result) {
  constexpr double Share = 0.1; // share of refetched sectors
  double Again = 0, Fetched = 0;
  for (const SectorCounts &Counts : Apart) {
    Again += Counts.FetchedAgain;
    Fetched += Counts.DramReads;
  }
  if (Again <= Share * Fetched)
    return false;
  for (std::size_t I = 0; I != Apart.size(); ++I) {
    if (Apart[I].Sectors <= 0)
      continue;
    DeviceSectors &Sectors = Result.Accesses[I];
    if (Apart[I].FetchedAgain > Share * Apart[I].DramReads)
      Sectors.DramReads.High = std::max(Sectors.DramReads.High, Sectors.L2Reads.High);
  }
  return true;
}

/// Where the footprint of a round of blocks fits L2, the next round finds what it has in common
/// with it, and each sector is fetched and written back once: at most the sectors of an object; at
/// least those \p Seen in the sample, where the whole launch fits, else null. True where that
/// bounds anything.
bool boundByFootprint(const AccessProgram &Program,
                      const std::vector<const MemoryAccess *> &Accesses,
                      const std::vector<double> &Touched, const RoundCounts *Seen,
                      DeviceTraffic &Result) {
  bool Bounds = false;
  for (auto [Part, SeenPart] : {std::pair(&DeviceSectors::DramReads, &SectorCounts::SeenReads),
                                std::pair(&DeviceSectors::DramWrites, &SectorCounts::SeenWrites)}) {
    std::vector<double> Asked(Program.Objects.size());
    for (std::size_t I = 0; I != Accesses.size(); ++I)
      Asked[Accesses[I]->Object] += (Result.Accesses[I].*Part).High;
    for (std::size_t I = 0; I != Accesses.size(); ++I)
      if (const unsigned Object = Accesses[I]->Object; Asked[Object] > Touched[Object]) {
        Gap &Moved = Result.Accesses[I].*Part;
        Moved.High *= Touched[Object] / Asked[Object];
        Moved.Low = std::min(Seen ? (*Seen)[I].*SeenPart : Moved.Low, Moved.High);
        Bounds = true;
      }
  }
  return Bounds;
}

/// The multiprocessor resources that a block of the launch needs.
BlockNeeds blockNeeds(const AccessProgram &Program, const LaunchSize &Launch) {
  BlockNeeds Needs{.Threads = Launch.threads(),
                   .RegistersPerThread = Launch.RegistersPerThread,
                   .SharedBytes = Launch.DynamicSharedBytes};
  for (const MemoryObject &Object : Program.Objects)
    if (auto Bytes = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
        Bytes && Object.Where == Space::Shared)
      *Needs.SharedBytes += std::int64_t(Bytes->get_d());
  return Needs;
}

/// The sectors of each access, from the first and second half of the rounds.
void putSectors(const AccessProgram &Program, const WarpProgram &Compiled, const RoundCounts &Early,
                const RoundCounts &Late, DeviceTraffic &Result) {
  for (std::size_t I = 0; I != Result.Accesses.size(); ++I) {
    const MemoryAccess &Access = *Compiled.accesses()[I];
    const WarpRequests &Requests = Result.Requests.Accesses[I];
    if (servedBy(Program.Objects[Access.Object].Where) != ServedBy::Sectors ||
        Requests.Requests == 0)
      continue;
    Result.Accesses[I] = Early[I].Sectors + Late[I].Sectors == 0
                             ? ofUnknown(Requests, Access)
                             : ofSample(Requests.Sectors.Low, Early[I], Late[I]);
  }
}

/// The sectors of one round of \p Blocks, in whole rows of the grid where it has one.
std::optional<std::vector<double>> touchedInRound(const AccessProgram &Program, LaunchSize Launch,
                                                  std::int64_t Blocks) {
  for (std::int64_t &Extent : Launch.Grid) {
    const std::int64_t Rest = (Blocks - 1) / Extent + 1;
    Extent = std::min(Extent, Blocks);
    Blocks = Rest;
  }
  return sectorsTouched(Program, Launch);
}

/// Written data that fit L2 may stay there after the launch.
void leaveInL2(double L2Sectors, DeviceTraffic &Result) {
  const Gap Written = Result.total().DramWrites;
  if (Written.High > 0 && Written.High <= L2Sectors)
    for (DeviceSectors &Access : Result.Accesses)
      Access.DramWrites.Low = 0;
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
  for (const DeviceSectors &Access : Accesses)
    Result += Access;
  return Result;
}

std::expected<DeviceTraffic, Error> deviceTraffic(const AccessProgram &Program,
                                                  const LaunchSize &Launch,
                                                  const DeviceCaches &Through,
                                                  std::int64_t MaxSectors) {
  DeviceTraffic Result;
  Result.Requests = requestsOf(Program, Launch);
  Result.Accesses.resize(Result.Requests.Accesses.size());
  if (Launch.blocks() == 0 || Launch.threads() == 0)
    return Result;
  Residency Resident = residentBlocks(Through.Limits, blockNeeds(Program, Launch));
  if (Resident.Blocks < 1)
    return std::unexpected(
        Error{"no multiprocessor has enough for a block: its " + Resident.LimitedBy, "",
              "choose a smaller block"});
  Result.BlocksAtOnce = Resident.Blocks * Through.Multiprocessors;
  WarpProgram Compiled(Program);
  const std::int64_t Count = (Launch.blocks() - 1) / Result.BlocksAtOnce + 1;
  double Sectors = 0;
  std::vector<double> Block;
  for (const WarpRequests &Access : Result.Requests.Accesses) {
    Sectors += Access.Sectors.Low;
    Block.push_back(Access.Sectors.Low / double(Launch.blocks()));
  }
  ResidentBlocks Run(Program, Compiled, Launch, Through, Result.BlocksAtOnce, Block);
  auto Chosen = std::int64_t(
      std::clamp(double(MaxSectors) / std::max(1.0, Sectors / double(Count)), 1.0, double(Count)));
  RoundCounts Early(Result.Accesses.size()), Late(Result.Accesses.size());
  std::int64_t Effort = 2'000'000;
  for (std::int64_t Round = 0; Round != Chosen; ++Round) {
    const RoundCounts Found = Run.run(Round, double(MaxSectors / Chosen + 1), Effort);
    for (std::size_t I = 0; I != Found.size(); ++I)
      (Round < (Chosen + 1) / 2 ? Early : Late)[I].add(Found[I]);
  }
  putSectors(Program, Compiled, Early, Late, Result);
  auto assume = [&](std::string What) { Result.Requests.Assumptions.push_back(std::move(What)); };
  assume("L2 is empty before the launch, and what is written in it leaves it after the launch at "
         "the latest");
  const double L2Sectors = double(Through.L2Bytes / SectorBytes);
  const bool InPart = Chosen < Count || double(MaxSectors) < Sectors || !Run.IsComplete;
  assume((Launch.RegistersPerThread
              ? "as many blocks are resident as registers for which it was assembled allow: "
              : "as many blocks are resident as registers that are not known allow: ") +
         std::to_string(Resident.Blocks));
  if (InPart)
    assume("some rounds of blocks, or parts of one, stand for the rest");
  if (Run.MayDrift) {
    ResidentBlocks Others(Program, Compiled, Launch, Through, Result.BlocksAtOnce, Block);
    if (driftApart(Others.run(0, double(MaxSectors), Effort, true), Result))
      assume("blocks are side by side in each iteration at the least, and at the most anywhere in "
             "their loops, where L2 does not hold what they come back to");
  }
  const auto Touched = InPart ? sectorsTouched(Program, Launch) : std::nullopt;
  const auto InRound =
      Touched ? touchedInRound(Program, Launch, Result.BlocksAtOnce) : std::nullopt;
  const auto fits = [&](const std::vector<double> &Parts) {
    return std::accumulate(Parts.begin(), Parts.end(), 0.0) <= L2Sectors;
  };
  if (InRound && fits(*InRound)) {
    RoundCounts Seen = Early;
    for (std::size_t I = 0; I != Seen.size(); ++I)
      Seen[I].add(Late[I]);
    if (boundByFootprint(Program, Compiled.accesses(), *Touched, fits(*Touched) ? &Seen : nullptr,
                         Result))
      assume("what resident blocks touch fits into l2, and is fetched once at the most");
  }
  leaveInL2(L2Sectors, Result);
  return Result;
}

} // namespace ergon
