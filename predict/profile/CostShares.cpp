//===- CostShares.cpp - the cost of a run, shared by its parts ------------===//

#include "predict/profile/CostShares.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ergon {

static bool isCopyClass(CostClass Class) { return isCopy(name(Class)); }

/// As countsIn() has it. Of an entry that launches nothing, all is the host's.
static bool isInScope(const SharedCost &P, const ProgramNumbers &Run, RunScope Scope) {
  const bool IsKernels = P.IsCopy || !P.Kernel.empty();
  return Scope == RunScope::All || IsKernels == (Scope == RunScope::Kernels) ||
         (Scope == RunScope::Host && Run.nodes().back().isKernel());
}

namespace {
/// Collects the parts of one node in one kernel.
class NodeParts {
public:
  NodeParts(const ProgramNumbers::Node &Node, SharedCost Empty,
            const ProgramNumbers::Number &Visits, bool ByLine)
      : Node(Node), Empty(std::move(Empty)), Visits(Visits), ByLine(ByLine) {}

  void add(const ProgramNumbers::Item &Item);
  std::vector<SharedCost> take() { return std::move(Parts); }

private:
  using Place = std::tuple<const Loop *, std::string_view, unsigned, bool, bool>;

  const ProgramNumbers::Node &Node;
  const SharedCost Empty;
  const ProgramNumbers::Number &Visits;
  const bool ByLine;
  std::vector<SharedCost> Parts;
  std::map<Place, std::size_t> Positions;

  void add(const ProgramNumbers::Item &Item, const LineCost *Line, CostClass Class,
           const Rational &Units);
};
} // namespace

void NodeParts::add(const ProgramNumbers::Item &Item, const LineCost *Line, CostClass Class,
                    const Rational &Units) {
  const Known How = std::max(Visits.How, Item.Times.How);
  const Rational All = ProgramNumbers::roundedIf(How, Units * Item.Times.Value * Visits.Value);
  if (All == 0)
    return;
  if (!ByLine)
    Line = nullptr;
  const bool IsCopy = isCopyClass(Class);
  auto [Found, New] =
      Positions.try_emplace({Item.In, Line ? std::string_view(Line->File) : "",
                             Line ? Line->Line : 0, How == Known::Estimated, IsCopy},
                            Parts.size());
  if (New) {
    Parts.push_back(Empty);
    Parts.back().Region = Item.In;
    Parts.back().Line = Line;
    Parts.back().IsCopy = IsCopy;
  }
  SharedCost &P = Parts[Found->second];
  P.How = std::max(P.How, How);
  P.Counts[Class] += All;
}

void NodeParts::add(const ProgramNumbers::Item &Item) {
  if (Item.Class)
    return add(Item, Item.Line, *Item.Class, 1);
  const bool OnDevice = Node.What == ProgramNumbers::NodeKind::Device ||
                        Node.What == ProgramNumbers::NodeKind::Kernel;
  std::vector<const LineCost *> Lines;
  if (ByLine)
    for (const LineCost &Line : Item.Of->Lines)
      if (!OnDevice || ProgramNumbers::isPart(Line, *Item.PerRun))
        Lines.push_back(&Line);
  for (const auto &[Class, Amount] : *Item.PerRun) {
    const auto Units = Amount.constant();
    if (!Units)
      continue;
    Rational Rest = *Units;
    for (const LineCost *Line : Lines)
      if (const auto Part = Line->PerRun[Class].constant(); Part && *Part != 0) {
        add(Item, Line, Class, *Part);
        Rest -= *Part;
      }
    add(Item, nullptr, Class, Rest);
  }
}

/// The parts without costs.
static std::vector<SharedCost> partsOf(const ProgramNumbers &Run,
                                       const std::vector<PartValues> &Parts, RunScope Scope,
                                       bool ByLine) {
  const auto Visits = Run.visitsByKernel();
  std::vector<SharedCost> Result;
  for (std::size_t I = 0; I != Run.nodes().size(); ++I)
    for (const auto &[Kernel, Times] : Visits[I]) {
      if (Times.Value == 0)
        continue;
      SharedCost Empty{.Node = I, .Kernel = Kernel};
      if (auto Part = std::ranges::find(Parts, Kernel, &PartValues::Name); Part != Parts.end())
        Empty.Piece = std::size_t(Part - Parts.begin());
      NodeParts Of(Run.nodes()[I], std::move(Empty), Times, ByLine);
      for (const ProgramNumbers::Item &Item : Run.nodes()[I].Items)
        Of.add(Item);
      for (SharedCost &P : Of.take())
        if (isInScope(P, Run, Scope))
          Result.push_back(std::move(P));
    }
  return Result;
}

/// The loops around the code of each node's body that is in no loop of its own: for each, its share
/// of the visits. Null: no loop.
static std::vector<std::map<const Loop *, double>> loopsAround(const ProgramNumbers &Run) {
  const auto Visits = Run.visits();
  std::vector<std::map<const Loop *, double>> Result(Visits.size());
  Result.back()[nullptr] = 1;
  for (std::size_t I = Visits.size(); I-- > 0;) {
    const ProgramNumbers::Node &Node = Run.nodes()[I];
    for (const ProgramNumbers::Edge &E : Node.Edges) {
      if (Visits[E.To].Value == 0)
        continue;
      const double Part = (Visits[I].Value * E.Times.Value / Visits[E.To].Value).get_d();
      if (const Loop *In = Node.Items[E.From].In; In != &Node.Which->Body)
        Result[E.To][In] += Part;
      else
        for (const auto &[Around, Share] : Result[I])
          Result[E.To][Around] += Part * Share;
    }
  }
  return Result;
}

namespace {
/// Shares a prediction out.
class Sharer {
public:
  Sharer(const ProgramNumbers &Run, const PredictionDocument &Whole, std::vector<SharedCost> &Parts)
      : Run(Run), Whole(Whole), Parts(Parts), Classes(classesOf(Whole.Counts)) {}
  void share(const Machine *M);

private:
  const ProgramNumbers &Run;
  const PredictionDocument &Whole;
  std::vector<SharedCost> &Parts;
  const std::vector<std::string> Classes;
  std::vector<std::vector<double>> Units; ///< by part, of each class

  /// Code in one loop, which may overlap.
  using Group = std::tuple<std::size_t, const Loop *, std::size_t, bool>;
  static Group groupOf(const SharedCost &P) { return {P.Node, P.Region, P.Piece, P.IsCopy}; }

  void countUnits();
  void shareTraffic(std::size_t K, const std::vector<double> &Requested);
  void shareTime(const SettingCosts &Costs, const Work &Pieces);
  void shareLoopTimes();
  void scaleTime(double TotalS);
  void shareEnergy(const SettingCosts &Costs, const Work &Pieces);
};
} // namespace

static double requestedBytes(const SharedCost &P, bool FromMainMemory) {
  double Result = 0;
  for (const auto &[Class, Amount] : P.Counts)
    if (isMainMemoryTraffic(Class) ||
        (!FromMainMemory &&
         (family(Class) == ClassFamily::LoadBytes || family(Class) == ClassFamily::StoreBytes)))
      Result += Amount.get_d();
  return Result;
}

void Sharer::countUnits() {
  for (SharedCost &P : Parts) {
    std::vector<double> &Mine = Units.emplace_back(Classes.size());
    for (const auto &[Class, Amount] : P.Counts) {
      P.Cost.Size += Amount.get_d();
      auto Found = std::ranges::lower_bound(Classes, name(Class));
      if (Found != Classes.end() && *Found == name(Class))
        Mine[std::size_t(Found - Classes.begin())] = Amount.get_d();
    }
  }
  for (std::size_t K = 0; K != Classes.size(); ++K)
    if (memoryLevel(Classes[K])) {
      std::vector<double> Requested;
      for (const SharedCost &P : Parts)
        Requested.push_back(requestedBytes(P, Classes[K] == DramBytes));
      shareTraffic(K, Requested);
    }
}

/// The traffic of a level by what each part requests; where the lines that cause it are known, by
/// those first.
void Sharer::shareTraffic(std::size_t K, const std::vector<double> &Requested) {
  double Left = Whole.Counts.Values.at(Classes[K]).get_d();
  using Place = std::tuple<std::string_view, std::string_view, unsigned>; // function, file, line
  std::map<Place, double> Caused;
  if (const auto &Report = Whole.Traffic)
    for (std::size_t Level = 0; Level != Report->Levels.size(); ++Level)
      if (Report->classBeyond(Level) == Classes[K])
        for (const TrafficCause &Line : Report->Lines)
          Caused[{Line.Function, Line.Location.File, Line.Location.Line}] +=
              Report->bytesBeyond(Line.Levels, Level);
  auto PlaceOfPart = [&](const SharedCost &P) {
    const Function &Code = *Run.nodes()[P.Node].Which;
    const LineCost *Line = P.Line;
    return Place(Code.Demangled,
                 !Line || Line->File.empty() ? std::string_view(Code.Location.File) : Line->File,
                 Line ? Line->Line : 0);
  };
  std::map<Place, double> RequestedAt;
  double All = 0;
  for (std::size_t I = 0; I != Parts.size(); ++I) {
    All += Requested[I];
    if (!Caused.empty())
      RequestedAt[PlaceOfPart(Parts[I])] += Requested[I];
  }
  for (const auto &[At, Bytes] : Caused)
    if (auto Found = RequestedAt.find(At); Found != RequestedAt.end() && Found->second > 0)
      Left -= Bytes;
  Left = std::max(0.0, Left);
  for (std::size_t I = 0; I != Parts.size(); ++I) {
    if (Requested[I] == 0)
      continue;
    if (All > 0)
      Units[I][K] += Left * Requested[I] / All;
    if (Caused.empty())
      continue;
    const Place At = PlaceOfPart(Parts[I]);
    if (auto Found = Caused.find(At); Found != Caused.end())
      Units[I][K] += Found->second * Requested[I] / RequestedAt.at(At);
  }
}

/// The time of each piece by what its loops take alone, and of these by what their lines take.
void Sharer::shareTime(const SettingCosts &Costs, const Work &Pieces) {
  std::map<Group, std::vector<double>> Loops;
  std::vector<double> Alone(Parts.size());
  std::map<Group, double> LinesAlone;
  for (std::size_t I = 0; I != Parts.size(); ++I) {
    const SharedCost &P = Parts[I];
    if (Pieces.Pieces.size() > 1 && P.Piece == 0 && !P.IsCopy)
      continue; // on another processor
    std::vector<double> &Sum = Loops.try_emplace(groupOf(P), Classes.size()).first->second;
    for (std::size_t K = 0; K != Classes.size(); ++K)
      Sum[K] += Units[I][K];
    Alone[I] = Costs.of(Units[I]).TimeS;
    LinesAlone[groupOf(P)] += Alone[I];
  }
  std::map<Group, std::pair<double, std::string>> OfLoop; // seconds, bound
  std::vector<double> OfPiece(Pieces.Pieces.size());
  for (const auto &[Which, Counts] : Loops) {
    const Estimate E = estimate(Costs, Classes, Counts);
    OfLoop[Which] = {E.TimeS, E.Bound};
    OfPiece[std::get<2>(Which)] += E.TimeS;
  }
  for (std::size_t I = 0; I != Parts.size(); ++I) {
    SharedCost &P = Parts[I];
    auto Found = OfLoop.find(groupOf(P));
    if (Found == OfLoop.end())
      continue;
    P.Bound = Found->second.second;
    const double InLoop = LinesAlone.at(groupOf(P)), InPiece = OfPiece[P.Piece];
    if (InLoop > 0 && InPiece > 0)
      P.Cost.TimeS = Costs.of(Pieces.Pieces[P.Piece].Amounts).TimeS * Found->second.first /
                     InPiece * Alone[I] / InLoop;
  }
}

/// The times of the loops of a CPU by the operations and bytes of the code in them. Code of a
/// callee that is in no loop of its own is in the loop around the call.
void Sharer::shareLoopTimes() {
  auto Text = [](const Loop *L) { return L ? L->Location.text() : std::string(); };
  const auto Around = loopsAround(Run);
  std::map<std::string, std::pair<double, std::string>> Times;
  std::map<std::string, double> Slowest;
  for (const LoopTime &L : Whole.Time->Loops) {
    auto &[Seconds, Bound] = Times[L.Location.text()];
    Seconds += L.Time.S;
    if (L.Time.S >= Slowest[L.Location.text()])
      Bound = L.Time.Bound;
    Slowest[L.Location.text()] = std::max(Slowest[L.Location.text()], L.Time.S);
  }
  auto ForPlaces = [&](const SharedCost &P, auto Do) {
    if (P.Region != &Run.nodes()[P.Node].Which->Body)
      return Do(Text(P.Region), 1.0);
    for (const auto &[L, Share] : Around[P.Node])
      Do(Text(L), Share);
  };
  std::map<std::string, double> Sizes;
  for (const SharedCost &P : Parts)
    ForPlaces(P, [&](const std::string &At, double Share) { Sizes[At] += Share * P.Cost.Size; });
  for (SharedCost &P : Parts) {
    double Most = -1;
    ForPlaces(P, [&](const std::string &At, double Share) {
      auto Found = Times.find(At);
      if (Found == Times.end() || Sizes[At] <= 0)
        return;
      const double S = Found->second.first * Share * P.Cost.Size / Sizes[At];
      P.Cost.TimeS += S;
      if (S > Most) {
        Most = S;
        P.Bound = Found->second.second;
      }
    });
  }
}

/// Makes the times add up to \p TotalS.
void Sharer::scaleTime(double TotalS) {
  double Sum = 0, Size = 0;
  for (const SharedCost &P : Parts) {
    Sum += P.Cost.TimeS;
    Size += P.Cost.Size;
  }
  for (SharedCost &P : Parts)
    if (Sum > 0)
      P.Cost.TimeS *= TotalS / Sum;
    else if (Size > 0)
      P.Cost.TimeS = TotalS * P.Cost.Size / Size;
}

void Sharer::shareEnergy(const SettingCosts &Costs, const Work &Pieces) {
  const double TotalJ = Whole.OnMachine->EnergyJ.Value, TotalS = Whole.OnMachine->TimeS.Value;
  auto Constant = Whole.OnMachine->BreakdownJ.find("constant");
  const double ConstantJ = Constant == Whole.OnMachine->BreakdownJ.end() ? 0 : Constant->second;
  double Dynamic = 0;
  for (std::size_t Number = 0; Number != Pieces.Pieces.size(); ++Number) {
    const auto Joules = estimate(Costs, Classes, Pieces.Pieces[Number].Amounts).BreakdownJ;
    for (std::size_t K = 0; K != Classes.size(); ++K) {
      auto Priced = Joules.find(Classes[K]);
      if (Priced == Joules.end() || Priced->second == 0)
        continue;
      auto IsHere = [&](const SharedCost &P) {
        return P.Piece == Number && (Pieces.Pieces.size() == 1 || Number != 0 || P.IsCopy);
      };
      double All = 0;
      for (std::size_t I = 0; I != Parts.size(); ++I)
        if (IsHere(Parts[I]))
          All += Units[I][K];
      if (All > 0)
        for (std::size_t I = 0; I != Parts.size(); ++I)
          if (IsHere(Parts[I]))
            Parts[I].Cost.EnergyJ += Priced->second * Units[I][K] / All;
    }
  }
  for (const SharedCost &P : Parts)
    Dynamic += P.Cost.EnergyJ;
  for (SharedCost &P : Parts) {
    if (Dynamic > 0)
      P.Cost.EnergyJ *= (TotalJ - ConstantJ) / Dynamic;
    if (TotalS > 0)
      P.Cost.EnergyJ += ConstantJ * P.Cost.TimeS / TotalS;
  }
}

void Sharer::share(const Machine *M) {
  countUnits();
  const bool IsOnMachine = M && Whole.OnMachine;
  if (!IsOnMachine && !Whole.Time)
    return;
  const Work Pieces = workOf(Whole.Counts, Classes);
  std::optional<SettingCosts> Costs;
  if (M)
    Costs.emplace(*M, Whole.Clocks, Classes);
  if (Whole.Time)
    shareLoopTimes();
  else
    shareTime(*Costs, Pieces);
  scaleTime(IsOnMachine ? Whole.OnMachine->TimeS.Value : Whole.Time->TimeS);
  if (IsOnMachine)
    shareEnergy(*Costs, Pieces);
}

std::vector<SharedCost> shareCost(const ProgramNumbers &Run, const PredictionDocument &Whole,
                                  const Machine *M, RunScope Scope, bool ByLine) {
  // Where the lines that cause traffic are known, they have it.
  std::vector<SharedCost> Result =
      partsOf(Run, Whole.Counts.Parts, Scope, ByLine || Whole.Traffic.has_value());
  Sharer(Run, Whole, Result).share(M);
  return Result;
}

} // namespace ergon
