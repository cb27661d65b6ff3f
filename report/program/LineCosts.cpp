//===- LineCosts.cpp - what lines of source code cost ---------------------===//

#include "report/program/LineCosts.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace ergon {

//===----------------------------------------------------------------------===//
// Parts of a function
//===----------------------------------------------------------------------===//

namespace {
using Place = std::pair<std::string, unsigned>; ///< file and line

/// Takes a function apart.
class Splitter {
public:
  explicit Splitter(const Function &Of) : Of(Of), Empty(Of) {
    Empty.Body.Blocks.clear();
    Empty.Body.Loops.clear();
    split(Of.Body);
  }
  std::map<Place, LinePart> Parts;

private:
  const Function &Of;
  Function Empty;                   ///< the function without code
  std::vector<const Loop *> Around; ///< from the body on

  void split(const Loop &Region);
  LinePart &partAt(const Place &At);
  Block &blockAt(const Place &At, const Block &Like);
  Expr timesOf(const Block &Each) const;
};
} // namespace

LinePart &Splitter::partAt(const Place &At) {
  auto [Found, IsNew] = Parts.try_emplace(At);
  LinePart &Result = Found->second;
  if (IsNew) {
    Result.File = At.first;
    Result.Line = At.second;
    Result.Part = Empty;
  }
  return Result;
}

/// A block like \p Like without a cost, in the loops of the part that it is in in the function.
Block &Splitter::blockAt(const Place &At, const Block &Like) {
  LinePart &In = partAt(At);
  Loop *Inside = &In.Part.Body;
  for (std::size_t Depth = 1; Depth != Around.size(); ++Depth) {
    const Loop &Wanted = *Around[Depth];
    if (Inside->Loops.empty() || Inside->Loops.back().Variable != Wanted.Variable) {
      Loop &Next = Inside->Loops.emplace_back();
      Next.Variable = Wanted.Variable;
      Next.At = Wanted.At;
      Next.Entries = Wanted.Entries;
      Next.Last = Wanted.Last;
      Next.TripsKnown = Wanted.TripsKnown;
    }
    Inside = &Inside->Loops.back();
  }
  Block &Result = Inside->Blocks.emplace_back();
  Result.Runs = Like.Runs;
  Result.How = Like.How;
  return Result;
}

/// How often a block of the innermost of the loops runs in one run of the function.
Expr Splitter::timesOf(const Block &Each) const {
  Expr Result = Each.Runs;
  for (std::size_t Depth = Around.size(); Depth-- > 1;)
    Result = sum(Around[Depth]->Variable, 0, Around[Depth]->Last, Result) * Around[Depth]->Entries;
  return simplifyConditions(Of.IsKernel ? sumOverThreads(Result, {}) : Result);
}

void Splitter::split(const Loop &Region) {
  Around.push_back(&Region);
  for (const Block &Each : Region.Blocks) {
    std::map<Place, Block> Own;
    Counts Rest = Each.PerRun;
    for (const LineCost &One : Each.Lines) {
      const SourceLocation At = placeOf(One, Of);
      Own[{At.File, At.Line}].PerRun += One.PerRun;
      Rest += One.PerRun * Expr(-1);
    }
    for (const auto &[Class, Amount] : Rest)
      if (!Amount.isZero())
        Own[{}].PerRun.add(Class, Amount);
    for (const Call &Site : Each.Calls)
      Own[Site.At.isValid() ? Place(Site.At.File, Site.At.Line) : Place()].Calls.push_back(Site);
    for (auto &[At, Holds] : Own) {
      Block &Into = blockAt(At, Each);
      Into.PerRun = std::move(Holds.PerRun);
      Into.Calls = std::move(Holds.Calls);
      LinePart &In = partAt(At);
      for (const Call &Site : Into.Calls)
        if (std::ranges::find(In.Calls, Site.Callee) == In.Calls.end() && !Site.Callee.empty())
          In.Calls.push_back(Site.Callee);
      if (In.Times.isZero() || Around.size() > In.Depth)
        In.Times = timesOf(Each);
      In.Depth = std::max(In.Depth, Around.size());
    }
  }
  for (const Loop &Inner : Region.Loops)
    split(Inner);
  Around.pop_back();
}

FunctionLines::FunctionLines(const Function &Of, FunctionLookup Lookup) : Of(Of) {
  for (auto &[At, Each] : Splitter(Of).Parts)
    Parts.push_back(std::make_unique<LinePart>(std::move(Each)));
  // The lookup of callees knows the function and not its parts.
  Find = [this, Lookup = std::move(Lookup)](const std::string &Name, const Function &Caller) {
    const bool IsPart =
        std::ranges::any_of(Parts, [&](const auto &Each) { return &Each->Part == &Caller; });
    return Lookup(Name, IsPart ? this->Of : Caller);
  };
  TotalsBuilder Builder(Find);
  for (const auto &Each : Parts)
    Each->InSymbols = Builder.of(Each->Part);
}

//===----------------------------------------------------------------------===//
// Shares of a prediction
//===----------------------------------------------------------------------===//

/// Units of each class that are priced.
static std::map<std::string, double> valuesOf(const CountValues &Of,
                                              const std::vector<std::string> &Classes) {
  std::map<std::string, double> Result;
  for (const Piece &Each : workOf(Of, Classes).Pieces)
    for (std::size_t K = 0; K != Classes.size(); ++K)
      if (Each.Value[K] != 0)
        Result[Classes[K]] += Each.Value[K];
  return Result;
}

/// The mean of the bounds of the bytes that move.
static double bytesOf(const Between &First, const Between &Second) {
  static constexpr double SectorBytes = 32;
  return SectorBytes * (First.Low + First.High + Second.Low + Second.High) / 2;
}

/// Puts what \p Whole says that this line moves between levels into \p Into.
static void addTraffic(const PredictionDocument &Whole, const LinePart &Of, CountValues &Into) {
  auto IsHere = [&](const SourceLocation &At, const std::string &Function) {
    return Function == Whole.Function && At.File == Of.File && At.Line == Of.Line;
  };
  auto Put = [&](const std::string &Class, double Bytes) {
    Into.Values[Class] = rationalOf(Bytes);
    Into.KnownAs[Class] = Known::Assumed;
  };
  std::map<std::string, double> Moved;
  if (const auto &Report = Whole.Traffic) {
    const std::string Nearest = levelBytes(Report->Through.front().Name);
    putRequested(Nearest, {Space::Memory, Space::Stack, Space::Generic}, Into);
    for (std::size_t Level = 0; Level != Report->Levels.size(); ++Level)
      Moved[Report->classBeyond(Level)];
    for (const TrafficCause &Each : Report->Lines)
      if (IsHere(Each.At, Each.Function))
        for (std::size_t Level = 0; Level != Report->Levels.size(); ++Level)
          Moved[Report->classBeyond(Level)] += Report->bytesBeyond(Each.Levels, Level);
  }
  if (const auto &Report = Whole.LaunchTraffic) {
    putRequested("bytes_shared", {Space::Shared}, Into);
    Moved = {{"bytes_l2", 0}, {"bytes_dram", 0}};
    for (const DeviceLine &Each : Report->Lines)
      if (IsHere(Each.Of.At, Each.Of.Function)) {
        Moved["bytes_l2"] += bytesOf(Each.Moved.L2Reads, Each.Moved.L2Writes);
        Moved["bytes_dram"] += bytesOf(Each.Moved.DramReads, Each.Moved.DramWrites);
      }
  }
  for (const auto &[Class, Bytes] : Moved)
    if (Whole.Counts.Values.contains(Class))
      Put(Class, Bytes);
}

std::expected<FunctionLines::Table, Error> FunctionLines::share(const PredictionDocument &Whole,
                                                                const Bindings &Bound) const {
  const std::vector<std::string> Classes = classesOf(Whole.Counts);
  const std::map<std::string, double> All = valuesOf(Whole.Counts, Classes);
  std::map<std::string, double> Joules, Left;
  if (Whole.OnMachine)
    Joules = Left = Whole.OnMachine->BreakdownJ;
  Table Result;
  TotalsBuilder Builder(Find, Bound.substitution(), /*UseMeasured=*/true);
  for (const auto &Each : Parts) {
    auto Counted =
        evaluateCounts(Builder.of(Each->Part), Bound.FreeCalls, Bound.DramBytes, Bound.Between);
    if (!Counted)
      return std::unexpected(Error{"a formula has no value: " + Counted.error().What, "",
                                   "give another value", Of.Demangled});
    if (Bound.DramBytes) // given for the whole run
      Counted->Values.erase("bytes_dram");
    if (!Whole.Counts.Parts.empty() && Counted->Parts.empty())
      Counted->Parts.push_back({"host", std::nullopt, Counted->Values, Counted->Between});
    addTraffic(Whole, *Each, *Counted);
    Row Next{Each.get(), std::move(*Counted), {}, {}};
    Next.Values = valuesOf(Next.Counts, Classes);
    if (Whole.OnMachine)
      Next.EnergyJ = 0;
    for (const auto &[Class, Units] : Next.Values)
      if (auto Priced = Joules.find(Class); Priced != Joules.end() && All.at(Class) != 0) {
        const double Share = Priced->second * Units / All.at(Class);
        *Next.EnergyJ += Share;
        Left[Class] -= Share;
      }
    if (Each->Line != 0)
      Result.Rows.push_back(std::move(Next));
    else if (Next.EnergyJ.value_or(0) != 0)
      Result.Rest.push_back({"code of which no line is known", *Next.EnergyJ});
  }
  for (const auto &[Class, Rest] : Left)
    if (Class == "constant")
      Result.Rest.push_back({"constant power", Rest});
    else if (std::abs(Rest) > 1e-12 * std::abs(Joules.at(Class)))
      Result.Rest.push_back({Class + (Bound.DramBytes && Class == DramBytes
                                          ? ", which is given for the whole run"
                                          : " of code that is called, or of no line"),
                             Rest});
  return Result;
}

} // namespace ergon
