//===- TrafficReport.cpp - where traffic comes from -----------------------===//

#include "model/traffic/TrafficReport.h"
#include "model/access/ObjectExtents.h"
#include "model/machine/CostClass.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

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
  for (const TrafficCause &Line : Lines)
    if (bytesBeyond(Line.Levels, Level) > 0)
      Result.push_back(&Line);
  // A stable order: equal ones stay in text order.
  std::ranges::sort(Result, {}, [&](const TrafficCause *Cause) {
    return std::pair(-bytesBeyond(Cause->Levels, Level), Cause);
  });
  Result.resize(std::min(Result.size(), Most));
  return Result;
}

double hitShare(const LevelTraffic &Traffic, const CacheLevel &Level) {
  const double All = Traffic.Loads + (Level.WriteAllocate ? Traffic.Stores : 0);
  return All > 0 ? 1 - (Traffic.LoadMisses + (Level.WriteAllocate ? Traffic.StoreMisses : 0)) / All
                 : 1;
}

/// 2^47, the user address space of x86-64: no object goes beyond it.
static constexpr std::int64_t MaxReach = std::int64_t(1) << 47;

/// Why \p Program cannot have a traffic prediction.
static std::optional<Error> checkKnown(const AccessProgram &Program) {
  if (!Program.Unbound.empty())
    return Error{"it needs one value of each of " + joined(Program.Unbound), "",
                 "give them with --set"};
  const auto Extents = objectExtents(Program);
  for (std::size_t I = 0; I != Extents.size(); ++I)
    if (Extents[I] && Extents[I]->End - Extents[I]->First > Rational(MaxReach))
      return Error{"accesses to " + Program.Objects[I].Name + " reach over " +
                       floorOf(Extents[I]->End - Extents[I]->First).get_str() +
                       " bytes, more than there are addresses",
                   "", "give smaller values"};
  if (!Program.OpenCalls.empty())
    return Error{"what is accessed by " + joined(Program.OpenCalls) + " is not known", "",
                 "record the code, or say that it accesses nothing: --set " +
                     *Program.OpenCalls.begin() + "=0"};
  return std::nullopt;
}

/// Widens the range by accesses to unknown addresses of an object, which moved \p Moved: nothing,
/// or a line each time and a write-back where a store dirties it. For an object of known \p Reach,
/// at most the lines that others evict: a set evicts a line once as many others have come as it has
/// ways. That is a mean over sets, so the limit is twice as much. Where all \p Lines of the program
/// leave one way of each set free, none is evicted.
static void widen(TrafficReport &Report, const std::vector<LevelTraffic> &Moved,
                  const std::optional<Extent> &Reach, double Lines) {
  static constexpr double Unevenness = 2;
  const double Stores = Moved.front().Stores, Accesses = Moved.front().Loads + Stores;
  for (std::size_t L = 0; L != Moved.size(); ++L) {
    const CacheLevel &Through = Report.Through[L];
    auto &[Low, High] = Report.Range[L];
    const double Bytes = Report.bytesBeyond(Moved, L);
    double Misses = Accesses, Written = Stores;
    if (Reach) {
      const double Size = 2 + Rational(Reach->End - Reach->First).get_d() / Through.LineBytes;
      // Counts lines, not accesses to a line in sequence. An object that fits does not evict
      // itself.
      const LevelTraffic &Asks = Report.Levels[L], &Nearer = Report.Levels[L == 0 ? 0 : L - 1];
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
static std::optional<std::vector<double>>
bytesBeyond(const AccessProgram &Program, const CorePath &Path, const Placement &P, bool IsWarm) {
  auto Found = analyzeTraffic(Program, Path.Levels, P);
  if (!Found)
    return std::nullopt;
  if (IsWarm || std::ranges::any_of(Program.Objects, &MemoryObject::IsWarm))
    startWarm(*Found, Program, Path.Levels, P, IsWarm);
  std::vector<double> Result;
  for (std::size_t L = 0; L != Path.Levels.size(); ++L)
    Result.push_back(Found->Levels[L].bytes(Path.Levels[L]));
  return Result;
}

static std::vector<double> bytesOfLevels(const TrafficReport &Report) {
  std::vector<double> Result;
  for (std::size_t L = 0; L != Report.Levels.size(); ++L)
    Result.push_back(Report.bytesBeyond(Report.Levels, L));
  return Result;
}

/// Widens the range by the difference that other start addresses of objects make, without the
/// partial lines at an object's ends.
static void widenByPlaces(TrafficReport &Result, const AccessProgram &Program, const CorePath &Path,
                          const Placement &P, const std::vector<Placement> &Others) {
  static constexpr double Worth = 0.01; // share of bytes that is worth reporting
  if (Others.empty())
    return;
  const auto V = Result.How == TrafficMethod::Analytic
                     ? std::optional(bytesOfLevels(Result))
                     : bytesBeyond(Program, Path, P, Result.IsWarm);
  std::vector<double> Fewer(Path.Levels.size()), More(Path.Levels.size());
  for (const Placement &Other : Others)
    if (auto Values = V ? bytesBeyond(Program, Path, Other, Result.IsWarm) : std::nullopt)
      for (std::size_t L = 0; L != Path.Levels.size(); ++L) {
        Fewer[L] = std::max(Fewer[L], (*V)[L] - (*Values)[L]);
        More[L] = std::max(More[L], (*Values)[L] - (*V)[L]);
      }
  std::vector<std::string> Classes;
  for (std::size_t L = 0; L != Path.Levels.size(); ++L) {
    const double Bytes = Result.bytesBeyond(Result.Levels, L),
                 Ends = 2.0 * double(Program.Objects.size()) * Path.Levels[L].LineBytes;
    if (Fewer[L] + More[L] <= std::max(Worth * Bytes, Ends))
      continue;
    auto &[Low, High] = Result.Range[L];
    Low -= std::min(Fewer[L], Bytes);
    High += More[L];
    Classes.push_back(Result.classBeyond(L));
  }
  if (!Classes.empty())
    Result.Assumptions.push_back("objects start anywhere: by this " + joined(Classes) +
                                 " may be other numbers, as their intervals say; --place fixes it");
}

/// Widens the analytic range by lines that no access names (stack, code): each takes one way of a
/// set from the data. The simulation includes them.
static void widenByHidden(TrafficReport &Result, const AccessProgram &Program, const CorePath &Path,
                          const Placement &P) {
  static constexpr double Worth = 0.01; // share of bytes that is worth reporting
  // They may lie in the worst sets: the limit is twice the mean.
  static constexpr double Unevenness = 2;
  if (Result.How != TrafficMethod::Analytic)
    return;
  CorePath Narrow = Path;
  for (CacheLevel &Level : Narrow.Levels)
    if (Level.Ways > 1) {
      Level.Bytes -= Level.Bytes / Level.Ways;
      --Level.Ways;
    }
  const auto Values = bytesBeyond(Program, Narrow, P, Result.IsWarm);
  for (std::size_t L = 0; Values && L != Path.Levels.size(); ++L) {
    const CacheLevel &Through = Path.Levels[L];
    const double Sets = double(Through.sets()), Line = Through.LineBytes;
    const double Bytes = Result.bytesBeyond(Result.Levels, L), Most = (*Values)[L] - Bytes;
    // A set cannot miss more often than it is accessed.
    const double Comes =
        L == 0 ? (*Values)[L] * Unevenness : Result.bytesBeyond(Result.Levels, L - 1);
    const double InSet = std::min(Unevenness * Most, std::max(Most, Comes - Bytes)) / Sets;
    // A line of code that is used once costs each line of its set one miss.
    const double Once = 2 * Through.Ways * Line;
    auto linesOf = [&](std::uint64_t Memory) { return std::ceil(double(Memory) / Line) + 1; };
    const double More = std::min(
        Most, InSet * linesOf(Program.Hidden.StackBytes) +
                  (L == 0 ? 0 : std::min(InSet, Once) * linesOf(Program.Hidden.CodeBytes)));
    if (More <= std::max(Worth * Bytes, 2.0 * Through.LineBytes))
      continue;
    Result.Range[L].second += More;
    Result.Assumptions.push_back(Through.Name +
                                 ": data fill it; lines that the record does not know, "
                                 "of the stack and of code, may drive some of them out");
  }
}

/// An object that may alias another one may be resident already.
static void widenByOthers(TrafficReport &Result, const AccessProgram &Program) {
  for (std::size_t I = 0; I != Program.Objects.size(); ++I) {
    const TrafficCause &Object = Result.Objects[I];
    if (!Program.Objects[I].MayBeOther || Result.bytesBeyond(Object.Levels, 0) == 0)
      continue;
    for (std::size_t L = 0; L != Result.Levels.size(); ++L)
      Result.Range[L].first -= Result.bytesBeyond(Object.Levels, L);
    Result.Assumptions.push_back(
        "`" + Object.Object + "`, which a pointer that is not known leads to, is no other object");
  }
}

namespace {
/// Causes by place, in the order of the text.
class PlacedCauses {
public:
  explicit PlacedCauses(std::vector<TrafficCause> &Result) : Result(Result) {}
  void add(const MemoryAccess &Access, unsigned Column, const std::string &Object,
           const std::vector<LevelTraffic> &Moved);

private:
  std::vector<TrafficCause> &Result;
  std::map<std::tuple<std::string, unsigned, unsigned, std::string, Access::Kind, std::string>,
           std::size_t>
      Positions;
};
} // namespace

void PlacedCauses::add(const MemoryAccess &Access, unsigned Column, const std::string &Object,
                       const std::vector<LevelTraffic> &Moved) {
  const auto [Found, New] = Positions.try_emplace(
      {Access.Location.File, Access.Location.Line, Column, Object, Access.What, Access.Function},
      Result.size());
  if (New)
    Result.push_back({.Object = Object,
                      .Levels = {},
                      .What = Access.What,
                      .Location = {Access.Location.File, Access.Location.Line, Column},
                      .Function = Access.Function});
  ergon::add(Result[Found->second].Levels, Moved);
}

/// Adds the traffic of each access, \p AccessesResult, to its object and source line. Returns that
/// of accesses to unknown addresses, by object.
static std::map<unsigned, std::vector<LevelTraffic>>
addCauses(TrafficReport &Result, const AccessProgram &Program,
          const std::vector<std::vector<LevelTraffic>> &AccessesResult) {
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Program.Body);
  std::map<unsigned, std::vector<LevelTraffic>> Irregular;
  PlacedCauses Lines(Result.Lines), Sites(Result.Sites);
  for (std::size_t I = 0; I != Accesses.size(); ++I) {
    const MemoryAccess &Access = *Accesses[I];
    const std::vector<LevelTraffic> &Moved = AccessesResult[I];
    if (!Access.Offset && Program.Objects[Access.Object].Where != Space::Constant)
      add(Irregular[Access.Object], Moved);
    TrafficCause &Object = Result.Objects[Access.Object];
    add(Object.Levels, Moved);
    Lines.add(Access, 0, Object.Object, Moved);
    if (Access.Column)
      Sites.add(Access, Access.Column, Object.Object, Moved);
  }
  return Irregular;
}

std::expected<TrafficReport, Error> reportTraffic(const AccessProgram &Program,
                                                  const CorePath &Path, const Placement &P,
                                                  TrafficMethod How, bool IsWarm,
                                                  const std::vector<Placement> &Others) {
  if (auto Unknown = checkKnown(Program))
    return std::unexpected(*Unknown);
  auto Predicted = How == TrafficMethod::Simulate ? simulateTraffic(Program, Path.Levels, P)
                                                  : analyzeTraffic(Program, Path.Levels, P);
  if (!Predicted)
    return std::unexpected(Predicted.error());
  if (IsWarm || std::ranges::any_of(Program.Objects, &MemoryObject::IsWarm))
    startWarm(*Predicted, Program, Path.Levels, P, IsWarm);
  TrafficReport Result{.How = How,
                       .Through = Path.Levels,
                       .Levels = Predicted->Levels,
                       .Range = {},
                       .Objects = {},
                       .Lines = {},
                       .IsComplete = Predicted->IsComplete,
                       .IsWarm = IsWarm,
                       .Assumptions = {}};
  for (std::size_t I = 0; I != Program.Objects.size(); ++I)
    Result.Objects.push_back({.Object = Program.Objects[I].Name,
                              .Levels = std::vector<LevelTraffic>(Path.Levels.size()),
                              .Start = P[I]});
  Predicted->Doubts.resize(Path.Levels.size());
  for (std::size_t L = 0; L != Result.Levels.size(); ++L) {
    const auto &[Fewer, More] = Predicted->Doubts[L];
    const double Bytes = Result.bytesBeyond(Result.Levels, L), Line = Path.Levels[L].LineBytes;
    Result.Range.emplace_back(std::max(0.0, Bytes - Fewer * Line), Bytes + More * Line);
  }
  const auto Extents = objectExtents(Program);
  const auto Irregular = addCauses(Result, Program, Predicted->Accesses);
  double Lines = 0;
  for (const std::optional<Extent> &E : Extents)
    Lines += E ? 1 + Rational(E->End - E->First).get_d() / Path.Levels.front().LineBytes
               : std::numeric_limits<double>::infinity();
  for (const auto &[Object, Moved] : Irregular)
    widen(Result, Moved, Program.Objects[Object].Bytes ? Extents[Object] : std::nullopt, Lines);
  Result.Accesses = std::move(Predicted->Accesses);
  Result.Assumptions = Path.Assumptions;
  Result.Assumptions.insert(Result.Assumptions.end(), Predicted->Assumptions.begin(),
                            Predicted->Assumptions.end());
  widenByOthers(Result, Program);
  widenByPlaces(Result, Program, Path, P, Others);
  if (!Others.empty())
    widenByHidden(Result, Program, Path, P);
  return Result;
}

Rational rationalOf(double Bytes) { return Rational::wholePartOf(std::round(Bytes * 1024)) / 1024; }

void putRequested(const std::string &Class, std::initializer_list<Space> Spaces,
                  CountValues &Result) {
  Rational Requested = 0;
  Known How = Known::Exact;
  Bounds Range{0, 0};
  bool Any = false, AnyRange = false;
  for (CostClass Family : {CostClass::LoadBytes, CostClass::StoreBytes})
    for (Space Where : Spaces) {
      auto Found = Result.Values.find(std::string(name(of(Family, Where))));
      if (Found == Result.Values.end())
        continue;
      Any = true;
      Requested += Found->second;
      How = std::max(How, Result.KnownAs.at(Found->first));
      auto Position = Result.Ranges.find(Found->first);
      AnyRange |= Position != Result.Ranges.end();
      const Bounds &B =
          Position == Result.Ranges.end() ? Bounds{Found->second, Found->second} : Position->second;
      Range = {Range.Low + B.Low, Range.High + B.High};
    }
  if (!Any)
    return;
  Result.Values[Class] = Requested;
  Result.KnownAs[Class] = How;
  if (AnyRange)
    Result.Ranges[Class] = Range;
}

void addTraffic(const TrafficReport &Report, CountValues &Result) {
  const std::string Nearest = levelBytes(Report.Through.front().Name);
  Result.Values[Nearest] = 0;
  Result.KnownAs[Nearest] = Known::Exact;
  putRequested(Nearest, {Space::Memory, Space::Stack, Space::Generic}, Result);
  const bool IsGiven = !Result.DramIsRequested;
  for (std::size_t I = 0; I != Report.Levels.size(); ++I)
    if (const std::string Class = Report.classBeyond(I); Class != DramBytes || !IsGiven) {
      Result.Values[Class] = rationalOf(Report.bytesBeyond(Report.Levels, I));
      Result.KnownAs[Class] = Known::Assumed;
      Result.Ranges.erase(Class);
      if (const auto &[Low, High] = Report.Range[I]; Low != High)
        Result.Ranges[Class] = {rationalOf(std::max(0.0, Low)), rationalOf(High)};
    }
  Result.DramIsRequested = false;
}

} // namespace ergon
