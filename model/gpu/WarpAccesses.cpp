//===- WarpAccesses.cpp - warp requests of accesses -----------------------===//

#include "model/gpu/WarpAccesses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ergon {

namespace {

using Addresses = std::array<std::int64_t, LanesOfWarp>;

std::int64_t floorTo(std::int64_t Value, std::int64_t Unit) {
  return (Value - ((Value % Unit) + Unit) % Unit) / Unit;
}

/// A set of which only the size matters.
class Distinct {
public:
  void add(std::int64_t Value) { Values.push_back(Value); }
  const std::vector<std::int64_t> &all() {
    std::ranges::sort(Values);
    Values.erase(std::ranges::unique(Values).begin(), Values.end());
    return Values;
  }
  double count() { return double(all().size()); }

private:
  std::vector<std::int64_t> Values;
};

/// The cost of one request.
struct RequestCost {
  double Sectors = 0, Lines = 0, Passes = 0, Fewest = 0;
};

RequestCost ofLines(LaneMask Active, const Addresses &A, unsigned Bytes) {
  Distinct Sectors, Lines;
  forLanes(Active, [&](unsigned L) {
    for (std::int64_t S = floorTo(A[L], SectorBytes); S * SectorBytes < A[L] + Bytes; ++S) {
      Sectors.add(S);
      Lines.add(floorTo(S * SectorBytes, DeviceLineBytes));
    }
  });
  return {.Sectors = Sectors.count(), .Lines = Lines.count()};
}

/// Local memory is interleaved: words of one offset are adjacent across lanes (NVIDIA, "CUDA C++
/// Programming Guide", section "Local Memory").
RequestCost ofLocal(LaneMask Active, const Addresses &A, unsigned Bytes) {
  constexpr std::int64_t WordBytes = 4;
  Distinct Sectors, Lines;
  forLanes(Active, [&](unsigned L) {
    for (std::int64_t W = floorTo(A[L], WordBytes); W * WordBytes < A[L] + Bytes; ++W) {
      Sectors.add((W * LanesOfWarp + L) * WordBytes / SectorBytes);
      Lines.add(W);
    }
  });
  return {.Sectors = Sectors.count(), .Lines = Lines.count()};
}

/// Lanes that shared memory serves together: one word per bank for the whole warp (half of a warp
/// for 8 bytes, a quarter for 16).
unsigned lanesTogether(unsigned Bytes) {
  return std::clamp<unsigned>(unsigned(SharedBanks * BankBytes) / std::max(Bytes, 1u), 1,
                              LanesOfWarp);
}

RequestCost ofBanks(LaneMask Active, const Addresses &A, unsigned Bytes, bool IsAtomic) {
  RequestCost Result;
  unsigned Together = lanesTogether(Bytes);
  for (unsigned First = 0; First < LanesOfWarp; First += Together) {
    LaneMask Group = Active & LaneMask(((std::uint64_t(1) << Together) - 1) << First);
    if (!Group)
      continue;
    Distinct Words;
    std::array<unsigned, SharedBanks> Uses{};
    auto Use = [&](std::int64_t Word) {
      ++Uses[std::size_t(((Word % SharedBanks) + SharedBanks) % SharedBanks)];
    };
    forLanes(Group, [&](unsigned L) {
      for (std::int64_t W = floorTo(A[L], BankBytes); W * BankBytes < A[L] + Bytes; ++W)
        IsAtomic ? Use(W) : Words.add(W); // atomics on one word are serialized
    });
    for (std::int64_t Word : Words.all())
      Use(Word);
    Result.Passes += std::ranges::max(Uses);
    Result.Fewest += 1;
  }
  return Result;
}

RequestCost ofAddresses(LaneMask Active, const Addresses &A) {
  Distinct Different;
  forLanes(Active, [&](unsigned L) { Different.add(A[L]); });
  return {.Passes = Different.count(), .Fewest = 1};
}

RequestCost costOf(const MemoryAccess &MA, Space Where, LaneMask Active, const Addresses &A) {
  switch (servedBy(Where)) {
  case ServedBy::Banks:
    return ofBanks(Active, A, MA.Bytes, MA.What == Access::Kind::Atomic);
  case ServedBy::Addresses:
    return ofAddresses(Active, A);
  case ServedBy::Sectors:
    break;
  }
  return Where == Space::Local ? ofLocal(Active, A, MA.Bytes) : ofLines(Active, A, MA.Bytes);
}

/// Adds requests with unknown addresses.
void addUnknown(WarpRequests &Result, const MemoryAccess &Access, const MemoryObject &Object,
                LaneMask Active, double Times) {
  double Lanes = std::popcount(Active);
  // An access is aligned: it spans as few units as possible.
  auto units = [&](std::int64_t Unit) {
    double Value = double((Access.Bytes + Unit - 1) / Unit), Most = Lanes * Value;
    auto Size = Object.Bytes ? Object.Bytes->constant() : std::nullopt;
    if (Size && Object.Where != Space::Local)
      Most = std::clamp(std::ceil(Size->get_d() / double(Unit)), Value, Most);
    return Gap{Value * Times, Most * Times};
  };
  switch (servedBy(Object.Where)) {
  case ServedBy::Sectors:
    Result.Sectors += units(SectorBytes);
    Result.Lines += units(DeviceLineBytes);
    return;
  case ServedBy::Banks: {
    RequestCost Cost = ofBanks(Active, {}, Access.Bytes, false);
    Result.Passes += {Cost.Passes * Times, std::max(Cost.Passes, Lanes) * Times};
    Result.Fewest += Cost.Fewest * Times;
    return;
  }
  case ServedBy::Addresses:
    Result.Passes += {Times, Lanes * Times};
    Result.Fewest += Times;
  }
}

/// Number of points of a box by offset in a line: one count for each byte of a line, over the
/// points Σ Steps[v]·v.
using Residues = std::array<double, DeviceLineBytes>;

Residues residuesOf(const WarpValue &Value, const WarpBox &Box) {
  Residues Result{};
  Result[0] = 1;
  for (unsigned V = 0; V != Box.Variables; ++V) {
    std::int64_t Step = ((Value.Steps[V] % DeviceLineBytes) + DeviceLineBytes) % DeviceLineBytes;
    std::int64_t Count = Box.Ranges[V].size();
    std::int64_t Period = DeviceLineBytes / std::gcd(Step, DeviceLineBytes);
    std::int64_t First = ((Box.Ranges[V].First % Period) + Period) % Period;
    Residues Next{};
    for (std::int64_t I = 0; I < std::min(Count, Period); ++I) {
      auto Times = double((Count - I - 1) / Period + 1);
      auto Moved = std::size_t((First + I) * Step % DeviceLineBytes);
      for (std::size_t R = 0; R != Result.size(); ++R)
        if (Result[R] != 0)
          Next[(R + Moved) % Next.size()] += Times * Result[R];
    }
    Result = Next;
  }
  return Result;
}

} // namespace

ServedBy servedBy(Space Where) {
  switch (Where) {
  case Space::Shared:
    return ServedBy::Banks;
  case Space::Constant:
  case Space::Param:
    return ServedBy::Addresses;
  default:
    return ServedBy::Sectors;
  }
}

WarpRequests &WarpRequests::operator+=(const WarpRequests &Other) {
  Requests += Other.Requests;
  Threads += Other.Threads;
  Sectors += Other.Sectors;
  Lines += Other.Lines;
  Passes += Other.Passes;
  Fewest += Other.Fewest;
  Alone.Requests += Other.Alone.Requests;
  Alone.Sectors += Other.Alone.Sectors;
  Alone.Passes += Other.Alone.Passes;
  for (auto [Cost, Times] : Other.ByCost)
    ByCost[Cost] += Times;
  return *this;
}

/// Adds \p Times requests of \p Lanes lanes, of which each takes part with probability \p Share,
/// that cost \p Sectors and \p Passes where all do.
static void addAlone(WarpRequests::Mixed &Result, double Share, unsigned Lanes, double Sectors,
                     double Passes, double Times) {
  if (!(Share > 0))
    return;
  auto Any = [&](double Of) { return Share < 1 ? 1 - std::pow(1 - Share, Of) : 1; };
  const double All = Times / Share;
  Result.Requests += All * Any(Lanes);
  if (Sectors > 0)
    Result.Sectors += All * Sectors * Any(Lanes / Sectors);
  if (Passes > 0)
    Result.Passes += All * Passes * Any(Lanes / Passes);
}

void addRequest(WarpRequests &Result, const MemoryAccess &Access, Space Where, LaneMask Active,
                const std::array<std::int64_t, LanesOfWarp> &Addresses, double Times,
                double Share) {
  RequestCost Cost = costOf(Access, Where, Active, Addresses);
  Result.Requests += Times;
  Result.Threads += Times * std::popcount(Active);
  Result.Sectors += {Cost.Sectors * Times, Cost.Sectors * Times};
  Result.Lines += {Cost.Lines * Times, Cost.Lines * Times};
  Result.Passes += {Cost.Passes * Times, Cost.Passes * Times};
  Result.Fewest += Cost.Fewest * Times;
  addAlone(Result.Alone, Share, unsigned(std::popcount(Active)), Cost.Sectors, Cost.Passes, Times);
  Result.ByCost[unsigned(servedBy(Where) == ServedBy::Sectors ? Cost.Sectors : Cost.Passes)] +=
      Times;
}

namespace {

/// Counts the requests of a launch.
class Counter {
public:
  Counter(const AccessProgram &Program, const WarpProgram &Compiled, const LaunchSize &Launch,
          const Placement &P)
      : Program(Program), Compiled(Compiled), Launch(Launch), Position(P) {}

  /// All blocks at once; nothing where that exceeds the effort.
  std::optional<LaunchRequests> all(std::int64_t Effort) {
    begin();
    std::array<IndexRange, 3> Blocks;
    for (unsigned I = 0; I != 3; ++I)
      Blocks[I] = {0, Launch.Grid[I] - 1};
    for (std::int64_t Warp = 0; Warp != Launch.warps(); ++Warp)
      if (!walk(Warp, Blocks, Effort, 1))
        return std::nullopt;
    return std::move(Result);
  }

  /// Samples blocks at equal distances.
  LaunchRequests some(std::int64_t Effort) {
    begin();
    std::int64_t Blocks = Launch.blocks(), Chosen = std::min<std::int64_t>(Blocks, 64);
    Result.IsComplete = Chosen == Blocks;
    for (std::int64_t I = 0; I != Chosen; ++I) {
      std::int64_t First = Blocks * I / Chosen, Past = Blocks * (I + 1) / Chosen;
      std::array<std::int64_t, 3> Middle = Launch.blockAt((First + Past) / 2);
      std::array<IndexRange, 3> Box;
      for (unsigned D = 0; D != 3; ++D)
        Box[D] = {Middle[D], Middle[D]};
      for (std::int64_t Warp = 0; Warp != Launch.warps(); ++Warp) {
        std::int64_t Share = std::max<std::int64_t>(Effort / (Chosen * Launch.warps()), 1);
        Result.IsComplete &= walk(Warp, Box, Share, double(Past - First));
      }
    }
    return std::move(Result);
  }

private:
  const AccessProgram &Program;
  const WarpProgram &Compiled;
  const LaunchSize &Launch;
  const Placement &Position;
  LaunchRequests Result;

  void begin() {
    Result = {};
    Result.Accesses.resize(Compiled.accesses().size());
  }

  bool walk(std::int64_t Warp, const std::array<IndexRange, 3> &Blocks, std::int64_t &Effort,
            double Weight) {
    return Compiled.walk(Launch, Warp, Blocks, Effort, [&](const WarpVisit &Visit) {
      count(Visit, Visit.Weight * Weight, Effort);
    });
  }

  void count(const WarpVisit &Visit, double Weight, std::int64_t &Effort) {
    const MemoryAccess &Access = *Compiled.accesses()[Visit.Access];
    const MemoryObject &Object = Program.Objects[Access.Object];
    WarpRequests &Target = Result.Accesses[Visit.Access];
    if (!Visit.Offset) {
      double Times = Weight * Visit.Box.points();
      Target.Requests += Times;
      Target.Threads += Times * std::popcount(Visit.Box.Active);
      addUnknown(Target, Access, Object, Visit.Box.Active, Times);
      const auto Lanes = unsigned(std::popcount(Visit.Box.Active));
      static constexpr double LikelyPasses = 1; // code for shared memory avoids conflicts
      return addAlone(Target.Alone, Visit.Share, Lanes, std::sqrt(double(Lanes)), LikelyPasses,
                      Times);
    }
    auto Start = std::int64_t(Access.Object < Position.size() ? Position[Access.Object] : 0);
    Residues Moved = residuesOf(*Visit.Offset, Visit.Box);
    for (std::size_t R = 0; R != Moved.size(); ++R) {
      if (Moved[R] == 0)
        continue;
      Effort -= 8; // costs this many operations
      Addresses Lanes = Visit.Offset->Lane;
      for (std::int64_t &Lane : Lanes)
        Lane += Start + std::int64_t(R);
      addRequest(Target, Access, Object.Where, Visit.Box.Active, Lanes, Weight * Moved[R],
                 Visit.Share);
    }
  }
};

} // namespace

LaunchRequests requestsOf(const AccessProgram &Program, const LaunchSize &Launch,
                          const Placement &P, std::int64_t Effort) {
  WarpProgram Compiled(Program);
  Counter Count(Program, Compiled, Launch, P);
  auto Every = Count.all(Effort);
  LaunchRequests Result = Every ? std::move(*Every) : Count.some(Effort);
  Result.Open = Compiled.open();
  auto assume = [&](std::string What) { Result.Assumptions.push_back(std::move(What)); };
  std::set<unsigned> Objects, Unknown;
  for (std::size_t I = 0; I != Result.Accesses.size(); ++I) {
    const MemoryAccess &Access = *Compiled.accesses()[I];
    if (Result.Accesses[I].Requests == 0)
      continue;
    if (servedBy(Program.Objects[Access.Object].Where) == ServedBy::Sectors &&
        P.size() <= Access.Object)
      Objects.insert(Access.Object);
    if (Result.Accesses[I].ByCost.empty() && Unknown.insert(Access.Object).second)
      assume("of " + Program.Objects[Access.Object].Name +
             " any places are accessed: between the same one and different ones in all lanes");
  }
  if (!Objects.empty())
    assume("objects start on a line of " + std::to_string(DeviceLineBytes) + " bytes");
  if (Compiled.hasShares())
    assume(
        "requests and sectors are those of warps whose lanes all take a branch with a given share, "
        "or none; bytes and instructions are those of lanes that take it each by itself");
  if (!Result.IsComplete)
    assume("some blocks and iterations stand for others: there are too many different ones");
  return Result;
}

std::string describe(const WarpRequests &Requests, Space Where) {
  bool BySector = servedBy(Where) == ServedBy::Sectors;
  auto text = [](double Low, double High, const char *Single) {
    auto Rounded = [](double Value) {
      std::string Text = std::to_string(std::int64_t(Value * 100 + 0.5));
      Text.insert(0, Text.size() < 3 ? 3 - Text.size() : 0, '0');
      Text.insert(Text.size() - 2, ".");
      while (Text.ends_with('0'))
        Text.pop_back();
      if (Text.ends_with('.'))
        Text.pop_back();
      return Text;
    };
    std::string Result = Rounded(Low);
    if (Low != High)
      Result += " to " + Rounded(High);
    return Result + " " + Single + (Result == "1" ? "" : Single[0] == 'p' ? "es" : "s");
  };
  if (Requests.Requests == 0)
    return "no request";
  const char *Unit = BySector ? "sector" : "pass";
  Gap All = BySector ? Requests.Sectors : Requests.Passes;
  bool IsUnknown = Requests.ByCost.empty();
  std::string Result =
      IsUnknown ? text(All.Low / Requests.Requests, All.High / Requests.Requests, Unit)
                : text(Requests.ByCost.begin()->first, Requests.ByCost.rbegin()->first, Unit);
  if (!IsUnknown && Requests.ByCost.size() > 1)
    Result += ", " + text(All.Low / Requests.Requests, All.High / Requests.Requests, Unit) +
              " in the mean";
  return Result;
}

} // namespace ergon
