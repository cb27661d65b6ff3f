//===- LineCosts.cpp - what lines of source code cost ---------------------===//

#include "report/program/LineCosts.h"
#include "model/evaluation/ProgramNumbers.h"
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
  explicit Splitter(const Function &F) : Split(F), Empty(F) {
    Empty.Body.Blocks.clear();
    Empty.Body.Loops.clear();
    split(F.Body);
  }
  std::map<Place, LinePart> Parts;

private:
  const Function &Split;
  Function Empty;                   ///< the function without code
  std::vector<const Loop *> Around; ///< from the body on

  void split(const Loop &Region);
  LinePart &partAt(const Place &P);
  Block &blockAt(const Place &P, const Block &Like);
  Expr timesOf(const Block &B) const;
};
} // namespace

LinePart &Splitter::partAt(const Place &P) {
  auto [Found, IsNew] = Parts.try_emplace(P);
  LinePart &Result = Found->second;
  if (IsNew) {
    Result.File = P.first;
    Result.Line = P.second;
    Result.Part = Empty;
  }
  return Result;
}

/// A block like \p Like without a cost, in the loops of the part that it is in in the function.
Block &Splitter::blockAt(const Place &P, const Block &Like) {
  LinePart &Part = partAt(P);
  Loop *Inside = &Part.Part.Body;
  for (std::size_t Depth = 1; Depth != Around.size(); ++Depth) {
    const Loop &Wanted = *Around[Depth];
    if (Inside->Loops.empty() || Inside->Loops.back().Variable != Wanted.Variable) {
      Loop &Next = Inside->Loops.emplace_back();
      Next.Variable = Wanted.Variable;
      Next.Location = Wanted.Location;
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
Expr Splitter::timesOf(const Block &B) const {
  Expr Result = B.Runs;
  for (std::size_t Depth = Around.size(); Depth-- > 1;)
    Result = sum(Around[Depth]->Variable, 0, Around[Depth]->Last, Result) * Around[Depth]->Entries;
  return simplifyConditions(Split.IsKernel ? sumOverThreads(Result, {}) : Result);
}

void Splitter::split(const Loop &Region) {
  Around.push_back(&Region);
  for (const Block &B : Region.Blocks) {
    std::map<Place, Block> Own;
    Counts Rest = B.PerRun;
    for (const LineCost &Line : B.Lines) {
      const SourceLocation L = placeOf(Line, Split);
      Own[{L.File, L.Line}].PerRun += Line.PerRun;
      Rest += Line.PerRun * Expr(-1);
    }
    for (const auto &[Class, Amount] : Rest)
      if (!Amount.isZero())
        Own[{}].PerRun.add(Class, Amount);
    for (const Call &Site : B.Calls)
      Own[Site.Location.isValid() ? Place(Site.Location.File, Site.Location.Line) : Place()]
          .Calls.push_back(Site);
    for (auto &[Entry, Holds] : Own) {
      Block &Result = blockAt(Entry, B);
      Result.PerRun = std::move(Holds.PerRun);
      Result.Calls = std::move(Holds.Calls);
      LinePart &Part = partAt(Entry);
      for (const Call &Site : Result.Calls)
        if (std::ranges::find(Part.Calls, Site.Callee) == Part.Calls.end() && !Site.Callee.empty())
          Part.Calls.push_back(Site.Callee);
      if (Part.Times.isZero() || Around.size() > Part.Depth)
        Part.Times = timesOf(B);
      Part.Depth = std::max(Part.Depth, Around.size());
    }
  }
  for (const Loop &Inner : Region.Loops)
    split(Inner);
  Around.pop_back();
}

FunctionLines::FunctionLines(const Function &F, FunctionLookup Lookup)
    : Source(F), IsLarge(!F.IsKernel && ProgramNumbers(Lookup).isLarge(F)) {
  for (auto &[Part, LP] : Splitter(F).Parts)
    Parts.push_back(std::make_unique<LinePart>(std::move(LP)));
  // The lookup of callees knows the function and not its parts.
  Find = [this, Lookup = std::move(Lookup)](const std::string &Name, const Function &Caller) {
    const bool IsPart =
        std::ranges::any_of(Parts, [&](const auto &Item) { return &Item->Part == &Caller; });
    return Lookup(Name, IsPart ? this->Source : Caller);
  };
  const FunctionLookup Nothing = [](const std::string &, const Function &) { return nullptr; };
  TotalsBuilder Builder(IsLarge ? Nothing : Find);
  for (const auto &P : Parts)
    P->InSymbols = Builder.of(P->Part);
}

//===----------------------------------------------------------------------===//
// Shares of a prediction
//===----------------------------------------------------------------------===//

/// Units of each class that are priced.
static std::map<std::string, double> valuesOf(const CountValues &Values,
                                              const std::vector<std::string> &Classes) {
  std::map<std::string, double> Result;
  for (const Piece &P : workOf(Values, Classes).Pieces)
    for (std::size_t K = 0; K != Classes.size(); ++K)
      if (P.Amounts[K] != 0)
        Result[Classes[K]] += P.Amounts[K];
  return Result;
}

/// The mean of the bounds of the bytes that move.
static double bytesOf(const Gap &First, const Gap &Second) {
  static constexpr double SectorBytes = 32;
  return SectorBytes * (First.Low + First.High + Second.Low + Second.High) / 2;
}

/// Puts what \p Whole says that this line moves between levels into \p Result.
static void addTraffic(const PredictionDocument &Whole, const LinePart &Part, CountValues &Result) {
  auto IsHere = [&](const SourceLocation &L, const std::string &Function) {
    return Function == Whole.Function && L.File == Part.File && L.Line == Part.Line;
  };
  auto Put = [&](const std::string &Class, double Bytes) {
    Result.Values[Class] = rationalOf(Bytes);
    Result.KnownAs[Class] = Known::Assumed;
  };
  std::map<std::string, double> Moved;
  if (const auto &Report = Whole.Traffic) {
    const std::string Nearest = levelBytes(Report->Through.front().Name);
    putRequested(Nearest, {Space::Memory, Space::Stack, Space::Generic}, Result);
    for (std::size_t Level = 0; Level != Report->Levels.size(); ++Level)
      Moved[Report->classBeyond(Level)];
    for (const TrafficCause &Line : Report->Lines)
      if (IsHere(Line.Location, Line.Function))
        for (std::size_t Level = 0; Level != Report->Levels.size(); ++Level)
          Moved[Report->classBeyond(Level)] += Report->bytesBeyond(Line.Levels, Level);
  }
  if (const auto &Report = Whole.LaunchTraffic) {
    putRequested("bytes_shared", {Space::Shared}, Result);
    Moved = {{"bytes_l2", 0}, {"bytes_dram", 0}};
    for (const DeviceLine &DL : Report->Lines)
      if (IsHere(DL.Access.Location, DL.Access.Function)) {
        Moved["bytes_l2"] += bytesOf(DL.Moved.L2Reads, DL.Moved.L2Writes);
        Moved["bytes_dram"] += bytesOf(DL.Moved.DramReads, DL.Moved.DramWrites);
      }
  }
  for (const auto &[Class, Bytes] : Moved)
    if (Whole.Counts.Values.contains(Class))
      Put(Class, Bytes);
}

/// Marks the classes of \p T that depend on an estimate.
static void markEstimated(const Totals &T, const std::vector<SymbolEstimate> &Estimates,
                          std::map<std::string, Known> &KnownAs) {
  for (const auto &[Class, Amount] : T.Values) {
    std::set<std::string> Symbols;
    Amount.collectSymbols(Symbols);
    auto Found = KnownAs.find(std::string(name(Class)));
    if (Found != KnownAs.end() && std::ranges::any_of(Estimates, [&](const SymbolEstimate &E) {
          return Symbols.contains(E.What.Symbol);
        }))
      Found->second = Known::Estimated;
  }
}

/// The counts of a line with the values of a prediction.
Totals FunctionLines::totalsOf(const LinePart &Part, const PredictionDocument &Whole,
                               const Bindings &Bound, TotalsBuilder &Builder) const {
  if (!IsLarge)
    return Builder.of(Part.Part);
  ProgramNumbers Numbers(Find);
  Numbers.bind(Bound.substitution());
  Totals Result = Numbers.of(Part.Part, [](const Unknown &U) { return estimateOf(U).Value; });
  if (!Part.Calls.empty() && !Whole.Estimates.empty())
    for (auto &[Class, Amount] : Result.Values)
      Result.KnownAs[Class] = Known::Estimated;
  return Result;
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
  for (const auto &Part : Parts) {
    const Totals T = totalsOf(*Part, Whole, Bound, Builder);
    std::set<std::string> LeftOut = Bound.FreeCalls;
    if (IsLarge)
      for (const auto &[Call, Times] : T.OpenCalls)
        LeftOut.insert(Call);
    auto Counted = evaluateCounts(T, LeftOut, Bound.DramBytes, Bound.Ranges);
    if (!Counted)
      return std::unexpected(Error{"a formula has no value: " + Counted.error().What, "",
                                   "give another value", Source.Demangled});
    markEstimated(Part->InSymbols, Whole.Estimates, Counted->KnownAs);
    if (Bound.DramBytes) // given for the whole run
      Counted->Values.erase("bytes_dram");
    if (!Whole.Counts.Parts.empty() && Counted->Parts.empty())
      Counted->Parts.push_back({"host", std::nullopt, Counted->Values, Counted->Ranges});
    addTraffic(Whole, *Part, *Counted);
    Row Next{Part.get(), std::move(*Counted), {}, {}};
    Next.Values = valuesOf(Next.Counts, Classes);
    if (Whole.OnMachine)
      Next.EnergyJ = 0;
    for (const auto &[Class, Units] : Next.Values)
      if (auto Priced = Joules.find(Class); Priced != Joules.end() && All.at(Class) != 0) {
        const double Share = Priced->second * Units / All.at(Class);
        *Next.EnergyJ += Share;
        Left[Class] -= Share;
      }
    if (Part->Line != 0)
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
