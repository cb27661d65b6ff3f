//===- ProgramProfile.cpp - where a program's time and energy go ----------===//

#include "predict/profile/ProgramProfile.h"
#include "model/program/SymbolEstimate.h"
#include "predict/profile/CostShares.h"
#include "predict/profile/RunAdvice.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
/// Makes rows and stacks of shared costs.
class Profiler {
public:
  Profiler(const ProgramNumbers &Run, const std::vector<SharedCost> &Shares,
           ProgramProfile &Result);
  void run(bool WithStacks);

private:
  using RowKind = ProfileRow::Kind;
  using Node = ProgramNumbers::Node;
  using Edge = ProgramNumbers::Edge;
  /// What one row is of: a function, a loop, or a place.
  using Key = std::tuple<RowKind, const Function *, const Loop *, std::string>;

  const std::deque<Node> &Nodes;
  const std::vector<SharedCost> &Shares;
  ProgramProfile &Result;
  std::vector<ProgramNumbers::Number> Visits;
  std::vector<double> VisitsD;
  std::vector<std::vector<double>> TimesD; ///< of the edges
  std::vector<PartCost> Own, Total;        ///< of all visits of each node
  struct Caller {
    std::size_t Node;
    const Edge *By;
    Rational Share; ///< of the visits
  };
  std::vector<std::vector<Caller>> Callers;
  std::map<std::string, const Function *> Kernels;
  std::map<Key, ProfileRow> Rows;
  std::map<Key, std::map<std::string, double>> Bounds; ///< by what a row waits for

  bool isInScope(const Node &Here) const;
  ProfileRow &row(const Key &Which, std::string Name, const SourceLocation &Where);
  void addTo(const Key &Which, const std::string &Name, const SourceLocation &Where,
             const SharedCost &P, const Rational &Share);
  void addByFunction(const SharedCost &P);
  void addAtCallers(RowKind What, const std::string &Name, const SharedCost &P);
  void addByLine(const SharedCost &P);
  void addByLoop(const SharedCost &P);
  void addTotals();
  void addLoopTotals(std::size_t Node);
  void addStacks(std::size_t Node, std::vector<std::string> &Path, double VisitsHere);
  bool isRecursive(const Function *F) const;
  PartCost outermost(const Function *F) const;
  /// Calls by that node in the run.
  Rational callsBy(std::size_t Number, const Edge &E) const {
    return ProgramNumbers::roundedIf(std::max(Visits[Number].How, E.Times.How),
                                     Visits[Number].Value * E.Calls);
  }
  void finish();
};
} // namespace

static std::string shownName(const ProgramNumbers::Node &Node) {
  return Node.Which->Demangled.empty() ? Node.Which->Name : Node.Which->Demangled;
}

static bool isLibrary(const ProgramNumbers::Node &Node) { return !Node.Which->Library.empty(); }

Profiler::Profiler(const ProgramNumbers &Run, const std::vector<SharedCost> &Shares,
                   ProgramProfile &Result)
    : Nodes(Run.nodes()), Shares(Shares), Result(Result), Visits(Run.visits()),
      TimesD(Nodes.size()), Own(Nodes.size()), Callers(Nodes.size()) {
  for (const Node &Next : Nodes)
    if (Next.isKernel())
      Kernels.emplace(Next.kernelName(), Next.Which);
  for (const ProgramNumbers::Number &Times : Visits)
    VisitsD.push_back(Times.Value.get_d());
  for (const SharedCost &P : Shares)
    Own[P.Node] += P.Cost;
  Total = Own;
  for (std::size_t I = 0; I != Nodes.size(); ++I)
    for (const Edge &E : Nodes[I].Edges) {
      TimesD[I].push_back(E.Times.Value.get_d());
      if (VisitsD[E.To] == 0)
        continue;
      const double Share = VisitsD[I] * TimesD[I].back() / VisitsD[E.To];
      Total[I] += Total[E.To] * Share;
      Callers[E.To].push_back({I, &E, Visits[I].Value * E.Times.Value / Visits[E.To].Value});
    }
}

bool Profiler::isInScope(const Node &Here) const {
  return Result.Scope == RunScope::All ||
         (Here.isKernel() || Here.What == ProgramNumbers::NodeKind::Device) ==
             (Result.Scope == RunScope::Kernels);
}

ProfileRow &Profiler::row(const Key &Which, std::string Name, const SourceLocation &Where) {
  auto [Found, New] = Rows.try_emplace(Which);
  if (New) {
    Found->second.What = std::get<0>(Which);
    Found->second.Name = std::move(Name);
    Found->second.Where = Where;
  }
  return Found->second;
}

/// Adds a share of a part's own cost.
void Profiler::addTo(const Key &Which, const std::string &Name, const SourceLocation &Where,
                     const SharedCost &P, const Rational &Share) {
  ProfileRow &Row = row(Which, Name, Where);
  Row.Self += P.Cost * Share.get_d();
  Row.How = std::max(Row.How, P.How);
  for (const auto &[Class, Units] : P.Counts)
    Row.Counts[std::string(ergon::name(Class))] += Units * Share;
  if (!P.Bound.empty())
    Bounds[Which][P.Bound] += P.Cost.TimeS;
}

/// Where what a library does is called.
void Profiler::addAtCallers(RowKind What, const std::string &Name, const SharedCost &P) {
  const Node &Here = Nodes[P.Node];
  for (const Caller &C : Callers[P.Node])
    addTo({What, Here.Which, nullptr, Name + C.By->Site->Location.text()}, Name,
          C.By->Site->Location, P, C.Share);
}

/// `copy to the device` for a class of copies.
static std::string transferName(const SharedCost &P, const ProgramNumbers::Node &Here) {
  const CostClass Class = P.Counts.begin()->first;
  return std::string(Class == CostClass::H2DBytes   ? "copy to the device"
                     : Class == CostClass::D2HBytes ? "copy from the device"
                                                    : "copy on the device") +
         (isLibrary(Here) ? " (" + Here.Which->Name + ")" : "");
}

void Profiler::addByFunction(const SharedCost &P) {
  const Node &Here = Nodes[P.Node];
  if (P.IsCopy && isLibrary(Here))
    return addAtCallers(RowKind::Transfer, transferName(P, Here), P);
  if (P.IsCopy)
    return addTo({RowKind::Transfer, Here.Which, nullptr, ""}, transferName(P, Here),
                 P.Line ? placeOf(*P.Line, *Here.Which) : Here.Which->Location, P, 1);
  if (Result.By == ProfileBy::Kernel && P.Kernel.empty())
    return addTo({RowKind::Host, nullptr, nullptr, ""}, "host", {}, P, 1);
  if (Result.By == ProfileBy::Kernel) { // a kernel, with the device functions that it calls
    const Function &Code = *Kernels.at(P.Kernel);
    return addTo({RowKind::Kernel, &Code, nullptr, ""}, P.Kernel, Code.Location, P, 1);
  }
  const RowKind What = Here.isKernel()   ? RowKind::Kernel
                       : isLibrary(Here) ? RowKind::Library
                                         : RowKind::Function;
  addTo({What, Here.Which, nullptr, ""}, shownName(Here), Here.Which->Location, P, 1);
}

void Profiler::addByLine(const SharedCost &P) {
  const Node &Here = Nodes[P.Node];
  if (isLibrary(Here)) {
    for (const Caller &C : Callers[P.Node]) {
      const Node &By = Nodes[C.Node];
      addTo({RowKind::Line, By.Which, nullptr, C.By->Site->Location.text()}, shownName(By),
            {C.By->Site->Location.File, C.By->Site->Location.Line}, P, C.Share);
    }
    if (!Callers[P.Node].empty())
      return;
  }
  const SourceLocation Where = P.Line ? placeOf(*P.Line, *Here.Which) : SourceLocation{};
  addTo({RowKind::Line, Here.Which, nullptr,
         Where.isValid() ? SourceLocation{Where.File, Where.Line}.text() : ""},
        shownName(Here), Where, P, 1);
}

void Profiler::addByLoop(const SharedCost &P) {
  const Node &Here = Nodes[P.Node];
  if (P.IsCopy || P.Region == &Here.Which->Body)
    return addByFunction(P);
  addTo({RowKind::Loop, Here.Which, P.Region, ""}, shownName(Here), P.Region->Location, P, 1);
}

/// Whether a call of \p F may contain another one.
bool Profiler::isRecursive(const Function *F) const {
  std::vector<bool> Inside(Nodes.size()); // of a call of it
  bool Result = false;
  for (std::size_t I = Nodes.size(); I-- > 0 && !Result;) {
    Result = Inside[I] && Nodes[I].Which == F;
    if (Inside[I] || Nodes[I].Which == F)
      for (const Edge &E : Nodes[I].Edges)
        Inside[E.To] = true;
  }
  return Result;
}

/// The cost of all calls of \p F that no other call of it contains.
PartCost Profiler::outermost(const Function *F) const {
  PartCost Sum;
  std::vector<double> Outside(Nodes.size());
  Outside.back() = 1;
  for (std::size_t I = Nodes.size(); I-- > 0;) {
    if (Outside[I] == 0)
      continue;
    if (Nodes[I].Which == F) {
      if (VisitsD[I] > 0)
        Sum += Total[I] * (Outside[I] / VisitsD[I]);
      continue;
    }
    for (std::size_t K = 0; K != Nodes[I].Edges.size(); ++K)
      Outside[Nodes[I].Edges[K].To] += Outside[I] * TimesD[I][K];
  }
  return Sum;
}

/// The loops of \p Node with what is in them: inner loops, and calls.
void Profiler::addLoopTotals(std::size_t Number) {
  const Node &Here = Nodes[Number];
  std::map<const Loop *, PartCost> Direct;
  // Shares stand in the order of the nodes.
  for (const SharedCost &P : std::ranges::equal_range(Shares, Number, {}, &SharedCost::Node))
    Direct[P.Region] += P.Cost;
  for (std::size_t K = 0; K != Here.Edges.size(); ++K)
    if (const Edge &E = Here.Edges[K]; VisitsD[E.To] != 0)
      Direct[Here.Items[E.From].In] +=
          Total[E.To] * (VisitsD[Number] * TimesD[Number][K] / VisitsD[E.To]);
  auto Sum = [&](auto &Self, const Loop &Region) -> PartCost {
    PartCost All = Direct[&Region];
    for (const Loop &Inner : Region.Loops)
      All += Self(Self, Inner);
    if (auto Found = Rows.find({RowKind::Loop, Here.Which, &Region, ""}); Found != Rows.end()) {
      Found->second.Total += All;
      Found->second.Calls += Visits[Number].Value;
    }
    return All;
  };
  Sum(Sum, Here.Which->Body);
}

void Profiler::addTotals() {
  std::vector<Rational> CallsOfNode(Nodes.size());
  CallsOfNode.back() = 1;
  for (std::size_t I = 0; I != Nodes.size(); ++I)
    for (const Edge &E : Nodes[I].Edges)
      CallsOfNode[E.To] += callsBy(I, E);
  struct AllCalls {
    Rational Number;
    std::size_t NumNodes = 0;
    PartCost Inclusive;
  };
  std::map<const Function *, AllCalls> Calls;
  for (std::size_t I = 0; I != Nodes.size(); ++I) {
    AllCalls &All = Calls[Nodes[I].Which];
    All.Number += CallsOfNode[I];
    All.Inclusive += Total[I];
    ++All.NumNodes;
  }
  for (auto &[F, All] : Calls) // a call may contain others of its function, with other arguments
    if (All.NumNodes > 1 && isRecursive(F))
      All.Inclusive = outermost(F);
  for (std::size_t I = 0; I != Nodes.size(); ++I) {
    const Node &Here = Nodes[I];
    const RowKind What = Here.isKernel()   ? RowKind::Kernel
                         : isLibrary(Here) ? RowKind::Library
                                           : RowKind::Function;
    const bool IsShown = Result.By == ProfileBy::Function || Result.By == ProfileBy::Loop ||
                         (Result.By == ProfileBy::Kernel && Here.isKernel());
    if (!IsShown || VisitsD[I] == 0 || !isInScope(Here))
      continue;
    const Key Which(What, Here.Which, nullptr, "");
    const bool HasRow = Rows.contains(Which);
    const PartCost &All = Calls.at(Here.Which).Inclusive;
    if (!HasRow && (isLibrary(Here) || (All.Size == 0 && All.TimeS == 0)))
      continue;
    ProfileRow &Row =
        row(Which, shownName(Here), isLibrary(Here) ? SourceLocation{} : Here.Which->Location);
    Row.Calls = Calls.at(Here.Which).Number;
    Row.Total = All;
  }
  if (Result.By == ProfileBy::Loop)
    for (std::size_t I = 0; I != Nodes.size(); ++I)
      if (!Nodes[I].Which->Body.Loops.empty() && VisitsD[I] != 0)
        addLoopTotals(I);
  for (auto &[Which, Row] : Rows) {
    if (Row.What == RowKind::Transfer || Row.What == RowKind::Line || Row.What == RowKind::Host)
      Row.Total = Row.Self;
    if (Row.What == RowKind::Host)
      Row.Calls = 1;
  }
  // How often a transfer runs: the calls of its site.
  for (auto &[Which, Row] : Rows)
    for (std::size_t I = 0; Row.What == RowKind::Transfer && I != Nodes.size(); ++I)
      for (const Caller &C : Callers[I])
        if (std::get<1>(Which) == Nodes[I].Which && Row.Where == C.By->Site->Location)
          Row.Calls += callsBy(C.Node, *C.By);
}

/// Writes the stacks of \p VisitsHere visits of a node. A path that costs next to nothing is not
/// followed: its stack has all of it.
void Profiler::addStacks(std::size_t Number, std::vector<std::string> &Path, double VisitsHere) {
  static constexpr double Negligible = 1e-5;
  static constexpr std::size_t MaxStacks = 200'000, MaxDepth = 200;
  const Node &Here = Nodes[Number];
  const double All = VisitsD[Number];
  if (All <= 0 || VisitsHere <= 0)
    return;
  const double Share = VisitsHere / All;
  const PartCost Cost = Total[Number] * Share;
  if (Result.measure(Cost) <= 0)
    return;
  Path.push_back(shownName(Here));
  const bool IsLeaf = Result.measure(Cost) < Negligible * Result.measure(Total.back()) ||
                      Result.Stacks.size() >= MaxStacks || Path.size() >= MaxDepth;
  if (IsLeaf || Result.measure(Own[Number]) > 0)
    Result.Stacks.push_back({Path, IsLeaf ? Cost : Own[Number] * Share});
  if (!IsLeaf)
    for (std::size_t K = 0; K != Here.Edges.size(); ++K)
      addStacks(Here.Edges[K].To, Path, VisitsHere * TimesD[Number][K]);
  Path.pop_back();
}

/// Relative to the work of all rows: rows of one size stay in the order of their names.
void Profiler::finish() {
  for (auto &[Which, Row] : Rows) {
    double Longest = -1;
    for (const auto &[Bound, Seconds] : Bounds[Which])
      if (Seconds > Longest) {
        Longest = Seconds;
        Row.Bound = Bound;
      }
    Result.Rows.push_back(std::move(Row));
  }
  std::ranges::sort(Result.Rows, {}, [&](const ProfileRow &Row) {
    return std::tuple(-Result.measure(Row.Self), -Result.measure(Row.Total),
                      std::string_view(Row.Name), Row.Where.text());
  });
  double Estimated = 0;
  for (const SharedCost &P : Shares) {
    Result.Sum += P.Cost;
    if (P.How == Known::Estimated)
      Estimated += Result.measure(P.Cost);
  }
  if (const double Sum = Result.measure(Result.Sum); Sum > 0)
    Result.EstimatedShare = Estimated / Sum;
  // Equal paths, which differ in arguments, are one.
  std::ranges::sort(Result.Stacks, {}, &FoldedStack::Path);
  std::vector<FoldedStack> Merged;
  for (FoldedStack &Stack : Result.Stacks)
    if (!Merged.empty() && Merged.back().Path == Stack.Path)
      Merged.back().Self += Stack.Self;
    else
      Merged.push_back(std::move(Stack));
  Result.Stacks = std::move(Merged);
}

void Profiler::run(bool WithStacks) {
  for (const SharedCost &P : Shares)
    switch (Result.By) {
    case ProfileBy::Function:
    case ProfileBy::Kernel:
      addByFunction(P);
      break;
    case ProfileBy::Line:
      addByLine(P);
      break;
    case ProfileBy::Loop:
      addByLoop(P);
      break;
    }
  addTotals();
  if (std::vector<std::string> Path; WithStacks)
    addStacks(Nodes.size() - 1, Path, 1);
  finish();
}

/// The middle of an interval that was given.
static Rational middleOf(const Bounds &Range) {
  const Rational Middle = (Range.Low + Range.High) / Rational(2);
  return Range.Low.isInteger() && Range.High.isInteger() ? floorOf(Middle) : Middle;
}

/// The run of \p Entry that \p Whole is of.
static void evaluateRun(ProgramNumbers &Run, const Function &Entry,
                        const PredictionDocument &Whole) {
  Substitution Bound;
  for (const auto *Given : {&Whole.Bindings, &Whole.Defaults, &Whole.Passed})
    for (const auto &[Name, Value] : *Given)
      Bound.emplace(Name, Expr(Value));
  for (const auto &[Name, Range] : Whole.Bounds)
    Bound.insert_or_assign(Name, Expr(middleOf(Range)));
  std::map<std::string, Rational> Estimates;
  for (const SymbolEstimate &E : Whole.Estimates) {
    Bound.erase(E.What.Symbol);
    Estimates.emplace(E.What.Symbol, E.Value);
  }
  Run.bind(std::move(Bound));
  Run.evaluate(Entry, [&](const Unknown &U) {
    auto Found = Estimates.find(U.Symbol);
    // What cancels out of the prediction has none: both sides of a branch may cost the same.
    return Found == Estimates.end() ? estimateOf(U).Value : Found->second;
  });
}

/// The counts of \p Run in the place of those that formulas lack.
static void completeCounts(const ProgramNumbers &Run, const Machine *M, PredictionDocument &Whole,
                           const ProfileQuestion &Asked) {
  Totals T = Run.totals();
  std::set<std::string> LeftOut;
  for (const auto &[Call, Times] : T.OpenCalls)
    LeftOut.insert(Call);
  auto Counted = evaluateCounts(T, LeftOut, std::nullopt);
  if (!Counted)
    return;
  Whole.Counts = countsIn(std::move(*Counted), Asked.Scope);
  if (!M)
    return;
  Cost C = costOn(*M, Whole.Clocks, Whole.Counts, Asked.Measured);
  if (!C.Missing.empty())
    return;
  Whole.Measured = C.Measured;
  Whole.MeasureNext = C.MeasureNext;
  Whole.OnMachine = std::move(C);
}

std::vector<std::string> neededFor(const PredictionDocument &Whole) {
  std::vector<std::string> Result;
  for (const std::string &Symbol : Whole.Counts.Unbound)
    if (!Symbol.starts_with("formula:"))
      Result.push_back(Symbol);
  return Result;
}

ProgramProfile profileOf(const Function &Entry, const FunctionLookup &Find,
                         PredictionDocument Whole, const Machine *M, ProfileQuestion Asked) {
  using Recursion = ProgramNumbers::Recursion;
  ProgramNumbers Run(Find, Whole.IsInNumbers ? Recursion::Followed : Recursion::LeftOut);
  evaluateRun(Run, Entry, Whole);
  const auto Visits = Run.visits();
  ProgramProfile Result;
  std::map<std::string, Rational> Open;
  for (std::size_t I = 0; I != Visits.size(); ++I) {
    const ProgramNumbers::Node &Here = Run.nodes()[I];
    if (Visits[I].Value == 0)
      continue;
    for (const auto &[Name, Times] : Here.OpenCalls)
      Open[Name] += Visits[I].Value * Times.Value;
    if (Here.NotEvaluated)
      Result.NotEvaluated.emplace(Here.Which->Demangled, *Here.NotEvaluated);
  }
  for (auto &[Name, Times] : Whole.Counts.LeftOut)
    if (auto Found = Open.find(Name); Found != Open.end())
      Times = Expr(Found->second);
  if (!Whole.Counts.Unbound.empty())
    completeCounts(Run, M, Whole, Asked);
  Result.By = Asked.By;
  Result.Scope = Asked.Scope;
  const std::vector<SharedCost> Shares =
      shareCost(Run, Whole, M, Asked.Scope, Asked.By == ProfileBy::Line);
  Result.Whole = std::move(Whole);
  Profiler(Run, Shares, Result).run(Asked.WithStacks);
  if (Asked.Advice)
    Result.Advised = adviceOn(Run, Shares, Result, M, *Asked.Advice);
  return Result;
}

} // namespace ergon
