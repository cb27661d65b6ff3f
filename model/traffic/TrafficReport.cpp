//===- TrafficReport.cpp - where traffic comes from -----------------------===//

#include "model/traffic/TrafficReport.h"
#include "model/access/ObjectExtents.h"
#include "model/machine/CostClass.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ergon {

static void add(std::vector<LevelTraffic> &To, const std::vector<LevelTraffic> &Next) {
  To.resize(Next.size());
  for (std::size_t I = 0; I != Next.size(); ++I)
    To[I] += Next[I];
}

std::string TrafficReport::classBeyond(std::size_t Level) const {
  return levelBytes(Level + 1 < Through.size() ? Through[Level + 1].Name : "dram");
}

std::vector<const TrafficCause *> TrafficReport::topLines(std::size_t Level,
                                                          std::size_t Most) const {
  std::vector<const TrafficCause *> Result;
  for (const TrafficCause &Each : Lines)
    if (bytesBeyond(Each.Levels, Level) > 0)
      Result.push_back(&Each);
  // Of equals the first of the text: they lie in that order.
  std::ranges::sort(Result, {}, [&](const TrafficCause *Each) {
    return std::pair(-bytesBeyond(Each->Levels, Level), Each);
  });
  Result.resize(std::min(Result.size(), Most));
  return Result;
}

double hitShare(const LevelTraffic &Of, const CacheLevel &At) {
  const double All = Of.Loads + (At.WriteAllocate ? Of.Stores : 0);
  return All > 0 ? 1 - (Of.LoadMisses + (At.WriteAllocate ? Of.StoreMisses : 0)) / All : 1;
}

/// 2^47, what a process of x86-64 can address: no object reaches further.
static constexpr std::int64_t MaxReach = std::int64_t(1) << 47;

/// Why \p Of has no traffic before a predictor looks at it.
static std::optional<Error> checkKnown(const AccessProgram &Of) {
  if (!Of.Unbound.empty())
    return Error{"it needs one value of each of " + joined(Of.Unbound), "", "give them with --set"};
  const auto Extents = objectExtents(Of);
  for (std::size_t I = 0; I != Extents.size(); ++I)
    if (Extents[I] && Extents[I]->End - Extents[I]->First > Rational(MaxReach))
      return Error{"accesses to " + Of.Objects[I].Name + " reach over " +
                       floorOf(Extents[I]->End - Extents[I]->First).get_str() +
                       " bytes, more than there are addresses",
                   "", "give smaller values"};
  if (!Of.OpenCalls.empty())
    return Error{"what is accessed by " + joined(Of.OpenCalls) + " is not known", "",
                 "record the code, or say that it accesses nothing: --set " +
                     *Of.OpenCalls.begin() + "=0"};
  return std::nullopt;
}

/// By what accesses to unknown places of an object may move, which moved \p Moved: nothing, or a
/// line each time, and one more where a store leaves it dirty. Of an object that \p Reach is known
/// of no more than others drive out: a line leaves a set once as many others have come there as it
/// has room for. That is an average over all sets, so twice as much is allowed. Where all the \p
/// Lines of the program leave a way of each set, none is driven out.
static void widen(TrafficReport &Of, const std::vector<LevelTraffic> &Moved,
                  const std::optional<Extent> &Reach, double Lines) {
  static constexpr double Unevenness = 2;
  const double Stores = Moved.front().Stores, Accesses = Moved.front().Loads + Stores;
  for (std::size_t L = 0; L != Moved.size(); ++L) {
    const CacheLevel &Through = Of.Through[L];
    auto &[Low, High] = Of.Range[L];
    const double Bytes = Of.bytesBeyond(Moved, L);
    double Misses = Accesses, Written = Stores;
    if (Reach) {
      const double Size = 2 + Rational(Reach->End - Reach->First).get_d() / Through.LineBytes;
      // Lines, not accesses to one line after the other. What fits is not driven out by itself.
      const LevelTraffic &Asks = Of.Levels[L], &Nearer = Of.Levels[L == 0 ? 0 : L - 1];
      const double Comes =
          (Size > double(Through.lines()) ? Accesses : 0) +
          (L == 0 ? Asks.Loads + Asks.Stores : Nearer.LoadMisses + Nearer.StoreMisses);
      const bool Fits = Lines <= double(Through.lines() - Through.sets());
      Misses =
          std::min(Misses, Fits ? Size : Unevenness * Size * (1 + Comes / double(Through.lines())));
      Written = Fits ? 0 : std::min(Misses, Stores);
    }
    Low -= Bytes;
    High += std::max(0.0, (Misses + Written) * Through.LineBytes - Bytes);
  }
}

/// Bytes beyond each level by the analytic predictor.
static std::optional<std::vector<double>> bytesBeyond(const AccessProgram &Of, const CorePath &Path,
                                                      const Placement &At, bool IsWarm) {
  auto Found = analyzeTraffic(Of, Path.Levels, At);
  if (!Found)
    return std::nullopt;
  if (IsWarm || std::ranges::any_of(Of.Objects, &MemoryObject::IsWarm))
    startWarm(*Found, Of, Path.Levels, At, IsWarm);
  std::vector<double> Result;
  for (std::size_t L = 0; L != Path.Levels.size(); ++L)
    Result.push_back(Found->Levels[L].bytes(Path.Levels[L]));
  return Result;
}

static std::vector<double> bytesOfLevels(const TrafficReport &Of) {
  std::vector<double> Result;
  for (std::size_t L = 0; L != Of.Levels.size(); ++L)
    Result.push_back(Of.bytesBeyond(Of.Levels, L));
  return Result;
}

/// By how far traffic is another one where objects start elsewhere. The lines that an object has
/// more, or less, at its ends are none of it.
static void widenByPlaces(TrafficReport &Into, const AccessProgram &Of, const CorePath &Path,
                          const Placement &At, const std::vector<Placement> &Others) {
  static constexpr double Worth = 0.01; // of the bytes, to be told
  if (Others.empty())
    return;
  const auto Here = Into.How == TrafficMethod::Analytic ? std::optional(bytesOfLevels(Into))
                                                        : bytesBeyond(Of, Path, At, Into.IsWarm);
  std::vector<double> Fewer(Path.Levels.size()), More(Path.Levels.size());
  for (const Placement &Each : Others)
    if (auto There = Here ? bytesBeyond(Of, Path, Each, Into.IsWarm) : std::nullopt)
      for (std::size_t L = 0; L != Path.Levels.size(); ++L) {
        Fewer[L] = std::max(Fewer[L], (*Here)[L] - (*There)[L]);
        More[L] = std::max(More[L], (*There)[L] - (*Here)[L]);
      }
  std::vector<std::string> Classes;
  for (std::size_t L = 0; L != Path.Levels.size(); ++L) {
    const double Bytes = Into.bytesBeyond(Into.Levels, L),
                 Ends = 2.0 * double(Of.Objects.size()) * Path.Levels[L].LineBytes;
    if (Fewer[L] + More[L] <= std::max(Worth * Bytes, Ends))
      continue;
    auto &[Low, High] = Into.Range[L];
    Low -= std::min(Fewer[L], Bytes);
    High += More[L];
    Classes.push_back(Into.classBeyond(L));
  }
  if (!Classes.empty())
    Into.Assumptions.push_back("objects start anywhere: by this " + joined(Classes) +
                               " may be other numbers, as their intervals say; --place fixes it");
}

/// By how far the analytic predictor's traffic is another one for the lines that no access tells
/// of: each takes one way of a set from the data. The simulation knows that by itself.
static void widenByHidden(TrafficReport &Into, const AccessProgram &Of, const CorePath &Path,
                          const Placement &At) {
  static constexpr double Worth = 0.01; // of the bytes, to be told
  // They may lie in those sets where it does the most harm; twice the mean is allowed.
  static constexpr double Unevenness = 2;
  if (Into.How != TrafficMethod::Analytic)
    return;
  CorePath Narrow = Path;
  for (CacheLevel &Each : Narrow.Levels)
    if (Each.Ways > 1) {
      Each.Bytes -= Each.Bytes / Each.Ways;
      --Each.Ways;
    }
  const auto There = bytesBeyond(Of, Narrow, At, Into.IsWarm);
  for (std::size_t L = 0; There && L != Path.Levels.size(); ++L) {
    const CacheLevel &Through = Path.Levels[L];
    const double Sets = double(Through.sets()), Line = Through.LineBytes;
    const double Bytes = Into.bytesBeyond(Into.Levels, L), Most = (*There)[L] - Bytes;
    // In a set no more can be missed than comes there.
    const double Comes = L == 0 ? (*There)[L] * Unevenness : Into.bytesBeyond(Into.Levels, L - 1);
    const double InSet = std::min(Unevenness * Most, std::max(Most, Comes - Bytes)) / Sets;
    // A line of code that comes once costs each of a set's lines one miss.
    const double Once = 2 * Through.Ways * Line;
    auto linesOf = [&](std::uint64_t Memory) { return std::ceil(double(Memory) / Line) + 1; };
    const double More =
        std::min(Most, InSet * linesOf(Of.Hidden.StackBytes) +
                           (L == 0 ? 0 : std::min(InSet, Once) * linesOf(Of.Hidden.CodeBytes)));
    if (More <= std::max(Worth * Bytes, 2.0 * Through.LineBytes))
      continue;
    Into.Range[L].second += More;
    Into.Assumptions.push_back(Through.Name +
                               ": data fill it; lines that the record does not know, "
                               "of the stack and of code, may drive some of them out");
  }
}

/// What may be another object may have been there already.
static void widenByOthers(TrafficReport &Into, const AccessProgram &Of) {
  for (std::size_t I = 0; I != Of.Objects.size(); ++I) {
    const TrafficCause &Object = Into.Objects[I];
    if (!Of.Objects[I].MayBeOther || Into.bytesBeyond(Object.Levels, 0) == 0)
      continue;
    for (std::size_t L = 0; L != Into.Levels.size(); ++L)
      Into.Range[L].first -= Into.bytesBeyond(Object.Levels, L);
    Into.Assumptions.push_back("`" + Object.Object +
                               "`, which a pointer that is not known leads to, is no other object");
  }
}

std::expected<TrafficReport, Error> reportTraffic(const AccessProgram &Of, const CorePath &Path,
                                                  const Placement &At, TrafficMethod How,
                                                  bool IsWarm,
                                                  const std::vector<Placement> &Others) {
  if (auto Unknown = checkKnown(Of))
    return std::unexpected(*Unknown);
  auto Predicted = How == TrafficMethod::Simulate ? simulateTraffic(Of, Path.Levels, At)
                                                  : analyzeTraffic(Of, Path.Levels, At);
  if (!Predicted)
    return std::unexpected(Predicted.error());
  if (IsWarm || std::ranges::any_of(Of.Objects, &MemoryObject::IsWarm))
    startWarm(*Predicted, Of, Path.Levels, At, IsWarm);
  TrafficReport Result{.How = How,
                       .Through = Path.Levels,
                       .Levels = Predicted->Levels,
                       .Range = {},
                       .Objects = {},
                       .Lines = {},
                       .IsComplete = Predicted->IsComplete,
                       .IsWarm = IsWarm,
                       .Assumptions = {}};
  for (std::size_t I = 0; I != Of.Objects.size(); ++I)
    Result.Objects.push_back({.Object = Of.Objects[I].Name,
                              .Levels = std::vector<LevelTraffic>(Path.Levels.size()),
                              .Start = At[I]});
  Predicted->Doubts.resize(Path.Levels.size());
  for (std::size_t L = 0; L != Result.Levels.size(); ++L) {
    const auto &[Fewer, More] = Predicted->Doubts[L];
    const double Bytes = Result.bytesBeyond(Result.Levels, L), Line = Path.Levels[L].LineBytes;
    Result.Range.emplace_back(Bytes - Fewer * Line, Bytes + More * Line);
  }
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Of.Body);
  const auto Extents = objectExtents(Of);
  std::map<unsigned, std::vector<LevelTraffic>> Spread; // by object, of accesses to unknown places
  for (std::size_t I = 0; I != Accesses.size(); ++I) {
    const MemoryAccess &One = *Accesses[I];
    const std::vector<LevelTraffic> &Moved = Predicted->Accesses[I];
    if (!One.Offset && Of.Objects[One.Object].Where != Space::Constant)
      add(Spread[One.Object], Moved);
    TrafficCause &Object = Result.Objects[One.Object];
    add(Object.Levels, Moved);
    auto Line = std::ranges::find_if(Result.Lines, [&](const TrafficCause &Each) {
      return Each.At == One.At && Each.Object == Object.Object && Each.What == One.What &&
             Each.Function == One.Function;
    });
    if (Line == Result.Lines.end())
      Line = Result.Lines.insert(Line, {.Object = Object.Object,
                                        .Levels = {},
                                        .What = One.What,
                                        .At = One.At,
                                        .Function = One.Function});
    add(Line->Levels, Moved);
  }
  double Lines = 0;
  for (const std::optional<Extent> &Each : Extents)
    Lines += Each ? 1 + Rational(Each->End - Each->First).get_d() / Path.Levels.front().LineBytes
                  : std::numeric_limits<double>::infinity();
  for (const auto &[Object, Moved] : Spread)
    widen(Result, Moved, Of.Objects[Object].Bytes ? Extents[Object] : std::nullopt, Lines);
  Result.Accesses = std::move(Predicted->Accesses);
  Result.Assumptions = Path.Assumptions;
  Result.Assumptions.insert(Result.Assumptions.end(), Predicted->Assumptions.begin(),
                            Predicted->Assumptions.end());
  widenByOthers(Result, Of);
  widenByPlaces(Result, Of, Path, At, Others);
  if (!Others.empty())
    widenByHidden(Result, Of, Path, At);
  return Result;
}

Rational rationalOf(double Bytes) {
  return Rational(mpz_class(std::round(Bytes * 1024)), mpz_class(1024));
}

void putRequested(const std::string &Class, std::initializer_list<Space> Of, CountValues &Into) {
  Rational Requested = 0;
  Known How = Known::Exact;
  Bounds Range{0, 0};
  bool Any = false, AnyRange = false;
  for (CostClass Family : {CostClass::LoadBytes, CostClass::StoreBytes})
    for (Space Where : Of) {
      auto Found = Into.Values.find(std::string(name(of(Family, Where))));
      if (Found == Into.Values.end())
        continue;
      Any = true;
      Requested += Found->second;
      How = std::max(How, Into.KnownAs.at(Found->first));
      auto Between = Into.Between.find(Found->first);
      AnyRange |= Between != Into.Between.end();
      const Bounds &Each =
          Between == Into.Between.end() ? Bounds{Found->second, Found->second} : Between->second;
      Range = {Range.Low + Each.Low, Range.High + Each.High};
    }
  if (!Any)
    return;
  Into.Values[Class] = Requested;
  Into.KnownAs[Class] = How;
  if (AnyRange)
    Into.Between[Class] = Range;
}

void addTraffic(const TrafficReport &Of, CountValues &Into) {
  const std::string Nearest = levelBytes(Of.Through.front().Name);
  Into.Values[Nearest] = 0;
  Into.KnownAs[Nearest] = Known::Exact;
  putRequested(Nearest, {Space::Memory, Space::Stack, Space::Generic}, Into);
  const bool IsGiven = !Into.DramIsRequested;
  for (std::size_t I = 0; I != Of.Levels.size(); ++I)
    if (const std::string Class = Of.classBeyond(I); Class != DramBytes || !IsGiven) {
      Into.Values[Class] = rationalOf(Of.bytesBeyond(Of.Levels, I));
      Into.KnownAs[Class] = Known::Assumed;
      Into.Between.erase(Class);
      if (const auto &[Low, High] = Of.Range[I]; Low != High)
        Into.Between[Class] = {rationalOf(std::max(0.0, Low)), rationalOf(High)};
    }
  Into.DramIsRequested = false;
}

} // namespace ergon
