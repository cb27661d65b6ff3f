//===- ProgramProfile.cpp - where a program's time and energy go ----------===//

#include "predict/profile/ProgramProfile.h"
#include "predict/profile/CostShares.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
/// Makes rows and stacks of shared costs.
class Profiler {
public:
  Profiler(const CallTree &Tree, std::vector<SharedCost> Shares, ProgramProfile &Result);
  void run(bool WithStacks);

private:
  using RowKind = ProfileRow::Kind;
  using Kind = CallNode::Kind;
  /// What one row is of: a function, a loop, or a place.
  using Key = std::tuple<RowKind, const Function *, const Loop *, std::string>;

  const CallTree &Tree;
  std::vector<SharedCost> Shares;
  ProgramProfile &Result;
  std::vector<Rational> Visits;
  std::vector<PartCost> Own, Total; ///< of all visits of each node
  struct Caller {
    std::size_t Node;
    const CalledNode *By;
    double Share; ///< of the visits
  };
  std::vector<std::vector<Caller>> Callers;
  std::map<std::string, const Function *> Kernels;
  std::map<Key, ProfileRow> Rows;
  std::map<Key, std::map<std::string, double>> Bounds; ///< by what a row waits for

  bool isInScope(const CallNode &Node) const;
  ProfileRow &row(const Key &Which, std::string Name, const SourceLocation &Where);
  void addTo(const Key &Which, const std::string &Name, const SourceLocation &Where,
             const SharedCost &P, double Share);
  void addByFunction(const SharedCost &P);
  void addAtCallers(RowKind What, const std::string &Name, const SharedCost &P);
  void addByLine(const SharedCost &P);
  void addByLoop(const SharedCost &P);
  void addTotals();
  void addLoopTotals(std::size_t Node);
  void addStacks(std::size_t Node, std::vector<std::string> &Path, double VisitsHere);
  PartCost outermost(const Function *F) const;
  void finish();
};
} // namespace

static std::string shownName(const CallNode &Node) {
  return Node.Code->Demangled.empty() ? Node.Code->Name : Node.Code->Demangled;
}

static bool isLibrary(const CallNode &Node) {
  return Node.What == CallNode::Kind::Library || Node.What == CallNode::Kind::LibraryOnDevice;
}

Profiler::Profiler(const CallTree &Tree, std::vector<SharedCost> All, ProgramProfile &Result)
    : Tree(Tree), Shares(std::move(All)), Result(Result), Visits(Tree.visits()),
      Own(Tree.Nodes.size()), Callers(Tree.Nodes.size()) {
  for (const CallNode &Node : Tree.Nodes)
    if (Node.isKernel())
      Kernels.emplace(kernelName(Node), Node.Code);
  for (const SharedCost &P : Shares)
    Own[P.Node] += P.Cost;
  Total = Own;
  for (std::size_t I = 0; I != Tree.Nodes.size(); ++I)
    for (const CalledNode &C : Tree.Nodes[I].Calls)
      if (Visits[C.Node].sign() != 0) {
        const double Share = (Visits[I] * C.Times / Visits[C.Node]).get_d();
        Total[I] += Total[C.Node] * Share;
        Callers[C.Node].push_back({I, &C, Share});
      }
}

bool Profiler::isInScope(const CallNode &Node) const {
  return Result.Scope == RunScope::All ||
         (Node.isKernel() || Node.What == Kind::Device) == (Result.Scope == RunScope::Kernels);
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
                     const SharedCost &P, double Share) {
  ProfileRow &Row = row(Which, Name, Where);
  Row.Self += P.Cost * Share;
  Row.How = std::max(Row.How, P.How);
  const Rational Part = Share == 1 ? Rational(1) : rationalOf(Share);
  for (const auto &[Class, Units] : P.Counts)
    Row.Counts[std::string(ergon::name(Class))] += Units * Part;
  if (!P.Bound.empty())
    Bounds[Which][P.Bound] += P.Cost.TimeS;
}

/// Where what a library does is called.
void Profiler::addAtCallers(RowKind What, const std::string &Name, const SharedCost &P) {
  const CallNode &Node = Tree.Nodes[P.Node];
  for (const Caller &C : Callers[P.Node])
    addTo({What, Node.Code, nullptr, Name + C.By->Site->Location.text()}, Name,
          C.By->Site->Location, P, C.Share);
}

/// `copy to the device` for a class of copies.
static std::string transferName(const SharedCost &P, const CallNode &Node) {
  const CostClass Class = P.Counts.begin()->first;
  return std::string(Class == CostClass::H2DBytes   ? "copy to the device"
                     : Class == CostClass::D2HBytes ? "copy from the device"
                                                    : "copy on the device") +
         (isLibrary(Node) ? " (" + Node.Code->Name + ")" : "");
}

void Profiler::addByFunction(const SharedCost &P) {
  const CallNode &Node = Tree.Nodes[P.Node];
  if (P.IsCopy && isLibrary(Node))
    return addAtCallers(RowKind::Transfer, transferName(P, Node), P);
  if (P.IsCopy)
    return addTo({RowKind::Transfer, Node.Code, nullptr, ""}, transferName(P, Node),
                 P.Own->Line ? placeOf(*P.Own->Line, *Node.Code) : Node.Code->Location, P, 1);
  if (Result.By == ProfileBy::Kernel && P.Kernel.empty())
    return addTo({RowKind::Host, nullptr, nullptr, ""}, "host", {}, P, 1);
  if (Result.By == ProfileBy::Kernel) { // a kernel, with the device functions that it calls
    const Function &Code = *Kernels.at(P.Kernel);
    return addTo({RowKind::Kernel, &Code, nullptr, ""}, P.Kernel, Code.Location, P, 1);
  }
  const RowKind What = Node.isKernel()   ? RowKind::Kernel
                       : isLibrary(Node) ? RowKind::Library
                                         : RowKind::Function;
  addTo({What, Node.Code, nullptr, ""}, shownName(Node), Node.Code->Location, P, 1);
}

void Profiler::addByLine(const SharedCost &P) {
  const CallNode &Node = Tree.Nodes[P.Node];
  if (isLibrary(Node)) {
    for (const Caller &C : Callers[P.Node]) {
      const CallNode &By = Tree.Nodes[C.Node];
      addTo({RowKind::Line, By.Code, nullptr, C.By->Site->Location.text()}, shownName(By),
            {C.By->Site->Location.File, C.By->Site->Location.Line}, P, C.Share);
    }
    if (!Callers[P.Node].empty())
      return;
  }
  const SourceLocation Where = P.Own->Line ? placeOf(*P.Own->Line, *Node.Code) : SourceLocation{};
  addTo({RowKind::Line, Node.Code, nullptr,
         Where.isValid() ? SourceLocation{Where.File, Where.Line}.text() : ""},
        shownName(Node), Where, P, 1);
}

void Profiler::addByLoop(const SharedCost &P) {
  const CallNode &Node = Tree.Nodes[P.Node];
  if (P.IsCopy || P.Own->Region == &Node.Code->Body)
    return addByFunction(P);
  addTo({RowKind::Loop, Node.Code, P.Own->Region, ""}, shownName(Node), P.Own->Region->Location, P,
        1);
}

/// The cost of all calls of \p F that no other call of it contains.
PartCost Profiler::outermost(const Function *F) const {
  PartCost Sum;
  std::vector<double> Outside(Tree.Nodes.size());
  Outside.back() = 1;
  for (std::size_t I = Tree.Nodes.size(); I-- > 0;) {
    const CallNode &Node = Tree.Nodes[I];
    if (Outside[I] == 0)
      continue;
    if (Node.Code == F) {
      if (const double All = Visits[I].get_d(); All > 0)
        Sum += Total[I] * (Outside[I] / All);
      continue;
    }
    for (const CalledNode &C : Node.Calls)
      Outside[C.Node] += Outside[I] * C.Times.get_d();
  }
  return Sum;
}

/// The loops of \p Node with what is in them: inner loops, and calls.
void Profiler::addLoopTotals(std::size_t Number) {
  const CallNode &Node = Tree.Nodes[Number];
  std::map<const Loop *, PartCost> Direct;
  // Shares stand in the order of the nodes.
  for (const SharedCost &P : std::ranges::equal_range(Shares, Number, {}, &SharedCost::Node))
    Direct[P.Own->Region] += P.Cost;
  for (const CalledNode &C : Node.Calls)
    if (Visits[C.Node].sign() != 0)
      Direct[C.Region] += Total[C.Node] * (Visits[Number] * C.Times / Visits[C.Node]).get_d();
  auto Sum = [&](auto &Self, const Loop &Region) -> PartCost {
    PartCost All = Direct[&Region];
    for (const Loop &Inner : Region.Loops)
      All += Self(Self, Inner);
    if (auto Found = Rows.find({RowKind::Loop, Node.Code, &Region, ""}); Found != Rows.end()) {
      Found->second.Total += All;
      Found->second.Calls += Visits[Number];
    }
    return All;
  };
  Sum(Sum, Node.Code->Body);
}

void Profiler::addTotals() {
  std::map<const Function *, std::pair<Rational, std::size_t>> Calls; // and nodes
  std::vector<Rational> CallsOfNode(Tree.Nodes.size());
  CallsOfNode.back() = 1;
  for (std::size_t I = 0; I != Tree.Nodes.size(); ++I)
    for (const CalledNode &C : Tree.Nodes[I].Calls)
      CallsOfNode[C.Node] += Visits[I] * C.Calls;
  std::map<const Function *, PartCost> Inclusive;
  for (std::size_t I = 0; I != Tree.Nodes.size(); ++I) {
    auto &[Number, Nodes] = Calls[Tree.Nodes[I].Code];
    Number += CallsOfNode[I];
    ++Nodes;
    Inclusive[Tree.Nodes[I].Code] += Total[I];
  }
  // A call may contain others of its function, with other arguments.
  if (std::ranges::any_of(Tree.Nodes, [](const CallNode &Node) {
        return std::ranges::any_of(
            Node.OpenCalls, [](const auto &Open) { return Open.first.starts_with("recursion:"); });
      }))
    for (auto &[F, Cost] : Inclusive)
      if (Calls.at(F).second > 1)
        Cost = outermost(F);
  for (std::size_t I = 0; I != Tree.Nodes.size(); ++I) {
    const CallNode &Node = Tree.Nodes[I];
    const RowKind What = Node.isKernel()   ? RowKind::Kernel
                         : isLibrary(Node) ? RowKind::Library
                                           : RowKind::Function;
    const bool IsShown = Result.By == ProfileBy::Function || Result.By == ProfileBy::Loop ||
                         (Result.By == ProfileBy::Kernel && Node.isKernel());
    if (!IsShown || Visits[I].sign() == 0 || !isInScope(Node))
      continue;
    const Key Which(What, Node.Code, nullptr, "");
    const bool HasRow = Rows.contains(Which);
    const PartCost &All = Inclusive.at(Node.Code);
    if (!HasRow && (isLibrary(Node) || (All.Size == 0 && All.TimeS == 0)))
      continue;
    ProfileRow &Row =
        row(Which, shownName(Node), isLibrary(Node) ? SourceLocation{} : Node.Code->Location);
    Row.Calls = Calls.at(Node.Code).first;
    Row.Total = All;
  }
  if (Result.By == ProfileBy::Loop)
    for (std::size_t I = 0; I != Tree.Nodes.size(); ++I)
      if (!Tree.Nodes[I].Code->Body.Loops.empty() && Visits[I].sign() != 0)
        addLoopTotals(I);
  for (auto &[Which, Row] : Rows) {
    if (Row.What == RowKind::Transfer || Row.What == RowKind::Line || Row.What == RowKind::Host)
      Row.Total = Row.Self;
    if (Row.What == RowKind::Host)
      Row.Calls = 1;
  }
  // How often a transfer runs: the calls of its site.
  for (auto &[Which, Row] : Rows)
    for (std::size_t I = 0; Row.What == RowKind::Transfer && I != Tree.Nodes.size(); ++I)
      for (const Caller &C : Callers[I])
        if (std::get<1>(Which) == Tree.Nodes[I].Code && Row.Where == C.By->Site->Location)
          Row.Calls += Visits[C.Node] * C.By->Calls;
}

/// Writes the stacks of \p VisitsHere visits of a node. A path that costs next to nothing is not
/// followed: its stack has all of it.
void Profiler::addStacks(std::size_t Number, std::vector<std::string> &Path, double VisitsHere) {
  static constexpr double Negligible = 1e-5;
  static constexpr std::size_t MaxStacks = 200'000, MaxDepth = 200;
  const CallNode &Node = Tree.Nodes[Number];
  const double All = Visits[Number].get_d();
  if (All <= 0 || VisitsHere <= 0)
    return;
  const double Share = VisitsHere / All;
  const PartCost Here = Total[Number] * Share;
  if (Result.measure(Here) <= 0)
    return;
  Path.push_back(shownName(Node));
  const bool IsLeaf = Result.measure(Here) < Negligible * Result.measure(Total.back()) ||
                      Result.Stacks.size() >= MaxStacks || Path.size() >= MaxDepth;
  if (IsLeaf || Result.measure(Own[Number]) > 0)
    Result.Stacks.push_back({Path, IsLeaf ? Here : Own[Number] * Share});
  if (!IsLeaf)
    for (const CalledNode &C : Node.Calls)
      addStacks(C.Node, Path, VisitsHere * C.Times.get_d());
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
    addStacks(Tree.root(), Path, 1);
  finish();
}

/// The middle of an interval that was given.
static Rational middleOf(const Bounds &Range) {
  const Rational Middle = (Range.Low + Range.High) / Rational(2);
  return Range.Low.isInteger() && Range.High.isInteger() ? floorOf(Middle) : Middle;
}

ProgramProfile profileOf(const Function &Entry, const FunctionLookup &Find,
                         PredictionDocument Whole, const Machine *M, ProfileQuestion Asked) {
  CallTreeValues Values;
  for (const auto *Given : {&Whole.Bindings, &Whole.Defaults})
    for (const auto &[Name, Value] : *Given)
      Values.Bound.emplace(Name, Expr(Value));
  for (const auto &[Name, Range] : Whole.Bounds)
    Values.Bound.insert_or_assign(Name, Expr(middleOf(Range)));
  for (const SymbolEstimate &E : Whole.Estimates) {
    Values.Bound.insert_or_assign(E.What.Symbol, Expr(E.Value));
    Values.Estimated.insert(E.What.Symbol);
  }
  const CallTree Tree = callTree(Entry, Find, Values);
  const std::vector<Rational> Visits = Tree.visits();
  std::map<std::string, Rational> Open;
  for (std::size_t I = 0; I != Tree.Nodes.size(); ++I)
    for (const auto &[Name, Times] : Tree.Nodes[I].OpenCalls)
      Open[Name] += Visits[I] * Times;
  for (auto &[Name, Times] : Whole.Counts.LeftOut)
    if (auto Found = Open.find(Name); Found != Open.end())
      Times = Expr(Found->second);
  if (!Whole.Counts.Unbound.empty()) {
    CountValues Counted = countsOf(Tree);
    Counted.LeftOut = std::move(Whole.Counts.LeftOut);
    Counted.LibraryCalls = std::move(Whole.Counts.LibraryCalls);
    Whole.Counts = std::move(Counted);
    Whole.Counts = countsIn(std::move(Whole.Counts), Asked.Scope);
    if (M)
      if (Cost C = costOn(*M, Whole.Clocks, Whole.Counts); C.Missing.empty())
        Whole.OnMachine = std::move(C);
  }
  ProgramProfile Result;
  Result.By = Asked.By;
  Result.Scope = Asked.Scope;
  std::vector<SharedCost> Shares = shareCost(Tree, Whole, M, Asked.Scope);
  Result.Whole = std::move(Whole);
  for (const auto &[F, What] : Tree.NotEvaluated)
    Result.NotEvaluated.emplace(F->Demangled, What);
  Profiler(Tree, std::move(Shares), Result).run(Asked.WithStacks);
  return Result;
}

} // namespace ergon
