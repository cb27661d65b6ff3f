//===- TrafficReport.cpp - where traffic comes from -----------------------===//

#include "model/TrafficReport.h"

#include <algorithm>
#include <cmath>

namespace ergon {

static void collectAccesses(const AccessNest &Of, std::vector<const MemoryAccess *> &Into) {
  for (const AccessItem &Each : Of.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      collectAccesses(*Inner, Into);
    else
      Into.push_back(&std::get<MemoryAccess>(Each.What));
}

static void add(std::vector<LevelTraffic> &To, const std::vector<LevelTraffic> &Next) {
  To.resize(Next.size());
  for (std::size_t I = 0; I != Next.size(); ++I)
    To[I] += Next[I];
}

std::string TrafficReport::classBeyond(std::size_t Level) const {
  return "bytes_" + (Level + 1 < Through.size() ? Through[Level + 1].Name : "dram");
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

/// Why \p Of has no traffic before a predictor looks at it.
static std::optional<TrafficError> checkKnown(const AccessProgram &Of) {
  auto Listed = [](const std::set<std::string> &Names) {
    std::string Text;
    for (const std::string &Each : Names)
      Text += (Text.empty() ? "" : ", ") + Each;
    return Text;
  };
  if (!Of.Unbound.empty())
    return TrafficError{"it needs one value of each of " + Listed(Of.Unbound),
                        "give them with --set"};
  if (!Of.OpenCalls.empty())
    return TrafficError{"what is accessed by " + Listed(Of.OpenCalls) + " is not known",
                        "record the code, or say that it accesses nothing: --set " +
                            *Of.OpenCalls.begin() + "=0"};
  return std::nullopt;
}

std::expected<TrafficReport, TrafficError> reportTraffic(const AccessProgram &Of,
                                                         const CorePath &Path, const Placement &At,
                                                         TrafficMethod How) {
  if (auto Unknown = checkKnown(Of))
    return std::unexpected(*Unknown);
  auto Predicted = How == TrafficMethod::Simulate ? simulateTraffic(Of, Path.Levels, At)
                                                  : analyzeTraffic(Of, Path.Levels, At);
  if (!Predicted)
    return std::unexpected(Predicted.error());
  TrafficReport Result{How, Path.Levels, Predicted->Levels, {}, {}, Predicted->IsComplete, {}};
  for (std::size_t I = 0; I != Of.Objects.size(); ++I)
    Result.Objects.push_back({.Object = Of.Objects[I].Name,
                              .Levels = std::vector<LevelTraffic>(Path.Levels.size()),
                              .Start = At[I]});
  std::vector<const MemoryAccess *> Accesses;
  collectAccesses(Of.Body, Accesses);
  for (std::size_t I = 0; I != Accesses.size(); ++I) {
    const MemoryAccess &One = *Accesses[I];
    const std::vector<LevelTraffic> &Moved = Predicted->Accesses[I];
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
  Result.Assumptions = Path.Assumptions;
  Result.Assumptions.insert(Result.Assumptions.end(), Predicted->Assumptions.begin(),
                            Predicted->Assumptions.end());
  return Result;
}

/// Exact but for what is less than a thousandth of a byte.
static Rational rationalOf(double Value) {
  return Rational(mpz_class(std::round(Value * 1024)), mpz_class(1024));
}

void addTraffic(const TrafficReport &Of, CountValues &Into) {
  Rational Requested = 0;
  Known How = Known::Exact;
  for (CostClass Family : {CostClass::LoadBytes, CostClass::StoreBytes})
    for (Space Where : {Space::Memory, Space::Stack, Space::Generic})
      if (auto Found = Into.Values.find(std::string(name(of(Family, Where))));
          Found != Into.Values.end()) {
        Requested += Found->second;
        How = std::max(How, Into.KnownAs.at(Found->first));
      }
  auto Put = [&](const std::string &Class, const Rational &Value, Known As) {
    Into.Values[Class] = Value;
    Into.KnownAs[Class] = As;
    Into.Between.erase(Class);
  };
  Put("bytes_" + Of.Through.front().Name, Requested, How);
  const bool IsGiven = !Into.DramIsRequested;
  for (std::size_t I = 0; I != Of.Levels.size(); ++I)
    if (const std::string Class = Of.classBeyond(I); Class != "bytes_dram" || !IsGiven)
      Put(Class, rationalOf(Of.bytesBeyond(Of.Levels, I)), Known::Assumed);
  Into.DramIsRequested = false;
}

} // namespace ergon
