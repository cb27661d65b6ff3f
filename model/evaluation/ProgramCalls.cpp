//===- ProgramCalls.cpp - calls with numbers ------------------------------===//
//
// A call with numbers leads to the node of its callee with these. Arguments that change from
// iteration to iteration stay formulas, so that sums over loops are exact; where these have no
// value, or the callee is too large, some of the iterations are evaluated.
//
//===----------------------------------------------------------------------===//

#include "model/evaluation/ProgramEvaluation.h"
#include "model/program/CallBinding.h"
#include "model/program/MeanCalls.h"
#include "model/program/PointerSpaces.h"
#include "model/symbolic/SampledSum.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace ergon {

Expr ProgramNumbers::Context::Level::over(const Expr &Formula) const {
  return Variable.empty() ? sumOverThreads(Formula, Launch) : sum(Variable, 0, Last, Formula);
}

static bool mayWrapAround(const Call &Site, std::ptrdiff_t Number) {
  return std::ranges::find(Site.Wrapping, unsigned(Number)) != Site.Wrapping.end();
}

/// Whether the callee's numbers change with loops and levels around.
bool ProgramNumbers::Evaluation::dependsOnLoops(const Call &Site,
                                                const ProgramSites::Site &To) const {
  if (Variables.size() == At.size() && In.isPlain())
    return false;
  if (std::ranges::any_of(To.Passed, [&](const auto &Value) { return isVarying(Value.second); }))
    return true;
  return std::ranges::any_of(Program.Sites.of(*To.Callee).Needs, [&](const std::string &Symbol) {
    return isSameInCallees(Symbol) && !(Site.IsLaunch && isThreadIndex(Symbol)) &&
           std::ranges::find(To.Passed, Symbol, &std::pair<std::string, Expr>::first) ==
               To.Passed.end() &&
           isVarying(Symbol);
  });
}

/// Counts depend on distances of addresses: the first one is always the same, so that calls with
/// arrays of the same lengths are.
void ProgramNumbers::Evaluation::placeFirst(const Function &Callee, Arguments &Passed) {
  static constexpr int First = 1 << 12; // aligned, and not null
  std::vector<Rational *> Addresses;
  for (const Parameter &P : Callee.Parameters) {
    if (addressNumber(Callee, P.Name) == 0)
      continue;
    if (Passed.Varying.contains(P.Name))
      return;
    for (auto &[Formal, Value] : Passed.Values)
      if (Formal == P.Name)
        Addresses.push_back(&Value.Value);
  }
  if (Addresses.empty())
    return;
  const Rational Moved = *Addresses.front() - Rational(First);
  for (Rational *Address : Addresses)
    *Address -= Moved;
}

ProgramNumbers::Evaluation::Arguments
ProgramNumbers::Evaluation::argumentsOf(const Call &Site, const ProgramSites::Site &To) {
  const Function &Callee = *To.Callee;
  const bool HasMeanings = std::ranges::any_of(
      Callee.Parameters, [](const Parameter &P) { return P.Means || !P.Members.empty(); });
  std::vector<std::pair<std::string, Expr>> OfMeanings;
  if (HasMeanings) {
    Substitution Numbers;
    for (const auto &[Name, Value] : Result.Values)
      Numbers.emplace(Name, Expr(Value.Value));
    OfMeanings = Program.Sites.passedTo(Callee, Site, owner(), Numbers);
  }
  Arguments Passed;
  for (const auto &[Formal, Argument] : HasMeanings ? OfMeanings : To.Passed) {
    if (Passed.contains(Formal))
      continue;
    const auto Position = std::ranges::find(Callee.Parameters, Formal, &Parameter::Name);
    const bool IsParameter = Position != Callee.Parameters.end();
    const bool MayWrap = IsParameter && mayWrapAround(Site, Position - Callee.Parameters.begin());
    if (isVarying(Argument)) {
      Context::Formula Value;
      Value.Value = inVariables(Argument, Value.How);
      if (IsParameter)
        fitInto(*Position, Argument, MayWrap, owner(), Value.Value);
      Passed.Varying.emplace(Formal, std::move(Value));
      continue;
    }
    Slopes Found;
    Number Value = evaluate(Argument, &Found);
    if (IsParameter && Value.Value.isInteger()) {
      Expr Fitted(Value.Value);
      fitInto(*Position, Argument, MayWrap, owner(), Fitted);
      Value.Value = *Fitted.constant();
    }
    Passed.Values.emplace_back(Formal, std::move(Value));
    for (const auto &[Symbol, By] : Found)
      Passed.Slopes.push_back({0, Formal, Symbol, By});
  }
  placeFirst(Callee, Passed);
  for (const std::string &Symbol : Program.Sites.of(Callee).Needs) {
    if (!isSameInCallees(Symbol) || Passed.contains(Symbol) ||
        (Site.IsLaunch && isThreadIndex(Symbol)))
      continue;
    if (isVarying(Symbol)) {
      Context::Formula Value;
      Value.Value = inVariables(Expr::symbol(Symbol), Value.How);
      Passed.Varying.emplace(Symbol, std::move(Value));
    } else if (auto Here = At.find(Symbol); Here != At.end()) {
      Passed.Values.emplace_back(Symbol, Number{Here->second});
    } else if (auto Outer =
                   std::ranges::find(Result.Values, Symbol, &std::pair<std::string, Number>::first);
               Outer != Result.Values.end()) {
      Passed.Values.push_back(*Outer);
    }
  }
  return Passed;
}

/// What holds in the calls of a site. Levels that the callee depends on stay open; the others are
/// summed over. Renames the variables of those that stay in \p Passed.
ProgramNumbers::Context ProgramNumbers::Evaluation::contextOf(std::size_t From, Arguments &Passed) {
  Context Next;
  std::vector<Level> Kept; // the innermost first
  auto Fold = [&](const Level &L) {
    auto Needs = [&](const Expr &E) {
      return L.Variable.empty() ? E.hasSymbol(isThreadIndex) : E.dependsOn(L.Variable);
    };
    if (std::ranges::any_of(Passed.Varying, [&](const auto &V) { return Needs(V.second.Value); }) ||
        std::ranges::any_of(Kept, [&](const Level &Inner) { return Needs(Inner.Last); }))
      Kept.push_back(L);
    else
      Next.Weight = L.over(Next.Weight);
  };
  const Item &Of = Result.Items[From];
  Known &How = Next.How = std::max(In.How, Of.Times.How);
  Next.Weight = inVariables(Of.Of->Runs, How);
  for (const Loop *L = Of.In; L; L = Around.at(L)) {
    if (!L->Variable.empty())
      Fold({L->Variable, inVariables(L->Last, How), {}});
    if (L != &owner().Body)
      Next.Weight *= inVariables(L->Entries, How);
  }
  Next.Weight *= In.Weight;
  for (const Level &L : std::views::reverse(In.Around))
    Fold(L);
  Substitution Renamed; // names that no function has
  for (Level &L : std::views::reverse(Kept)) {
    L.Last = L.Last.substitute(Renamed);
    for (auto &[Name, Size] : L.Launch)
      Size = Size.substitute(Renamed);
    if (!L.Variable.empty()) {
      std::string Name = "~" + std::to_string(Next.Around.size()) + "i";
      Renamed.insert_or_assign(std::exchange(L.Variable, Name), Expr::symbol(Name));
    }
    Next.Around.push_back(std::move(L));
  }
  Next.Weight = Next.Weight.substitute(Renamed);
  for (auto &[Name, Value] : Passed.Varying)
    Value.Value = Value.Value.substitute(Renamed);
  Next.Varying = std::move(Passed.Varying);
  return Next;
}

/// The node of \p Callee for these calls.
std::optional<std::size_t> ProgramNumbers::Evaluation::nodeOf(const Call &Site,
                                                              const Function &Callee, Frame Values,
                                                              Context Next) {
  NodeKind What = In.OnDevice ? NodeKind::Device : NodeKind::Host;
  Next.OnDevice = In.OnDevice || Site.IsLaunch;
  passSpaces(Site, Callee, In.Spaces, Next.Spaces);
  if (Site.IsLaunch) {
    What = NodeKind::Kernel;
    Level Threads;
    for (const auto &[Name, Value] : Values)
      if (isLaunchDimension(Name)) {
        Threads.Launch.emplace(Name, Program.inSums(Value.Value));
        Next.How = std::max(Next.How, Value.How);
      }
    for (const auto &[Name, Value] : Next.Varying)
      if (isLaunchDimension(Name)) {
        Threads.Launch.emplace(Name, Value.Value);
        Next.How = std::max(Next.How, Value.How);
      }
    Next.Around.push_back(std::move(Threads));
  } else if (!Callee.Library.empty()) {
    const bool OnDevice = std::ranges::any_of(
        Callee.Body.Blocks, [](const Block &B) { return usesDeviceMemory(B.PerRun); });
    What = OnDevice && !In.OnDevice ? NodeKind::LibraryOnDevice : NodeKind::Library;
  }
  return Program.nodeOf(Callee, What, std::move(Values), Next);
}

void ProgramNumbers::Evaluation::addEdge(const Call &Site, std::size_t From,
                                         std::vector<PassedSlope> Slopes, std::size_t To,
                                         const Number &Visits, const Number &Calls) {
  if (!Program.Nodes[To].Which->Library.empty())
    addTo(Result.LibraryCalls, Site.Callee, Calls);
  for (PassedSlope &Slope : Slopes) {
    Slope.By = Result.Edges.size();
    Result.Passed.push_back(std::move(Slope));
  }
  Result.HasFailed |= Program.Nodes[To].HasFailed;
  Result.Edges.push_back({To, From, &Site, Visits, Calls.Value});
}

/// \p Times calls with numbers.
void ProgramNumbers::Evaluation::addCall(const Call &Site, std::size_t From, const Number &Times) {
  const ProgramSites::Site &To = Own.Sites.at(&Site);
  Arguments Passed = argumentsOf(Site, To);
  const auto Run = nodeOf(Site, *To.Callee, std::move(Passed.Values), {});
  if (!Run)
    return addTo(Result.OpenCalls, openCallName(Site, owner(), true), Times);
  addEdge(Site, From, std::move(Passed.Slopes), *Run, Times, Times);
}

/// All calls of a site whose arguments change from iteration to iteration, as one visit; false
/// where they have no value.
bool ProgramNumbers::Evaluation::addInFormulas(const Call &Site, std::size_t From) {
  const ProgramSites::Site &To = Own.Sites.at(&Site);
  Arguments Passed = argumentsOf(Site, To);
  Context Next = contextOf(From, Passed);
  Number Visits{1, Result.Items[From].Times.How};
  const bool Varies = Next.Weight.hasSymbol([&](const std::string &S) { return Next.isAround(S); });
  if (!Varies)
    if (auto Value = Next.Weight.substitute(Program.Fractions)
                         .evaluate([](const std::string &) { return std::nullopt; }, MaxTerms)) {
      Visits.Value = roundedIf(Visits.How, *Value);
      Next.Weight = 1;
    }
  const auto Run = nodeOf(Site, *To.Callee, std::move(Passed.Values), std::move(Next));
  if (!Run || Program.Nodes[*Run].HasFailed) {
    if (In.isPlain())
      return false;
    if (!Run) {
      fail("a call of itself");
      addTo(Result.OpenCalls, openCallName(Site, owner(), true), Result.Items[From].Times);
      return true;
    }
  }
  addEdge(Site, From, std::move(Passed.Slopes), *Run, Visits, Result.Items[From].Times);
  return true;
}

/// The same in some of the iterations of \p Loops, the outermost last.
void ProgramNumbers::Evaluation::addSampled(const Call &Site, std::size_t From,
                                            std::vector<const Loop *> Loops, const Number &Weight) {
  if (Loops.empty()) {
    const Number Runs = evaluate(Result.Items[From].Of->Runs);
    return addCall(Site, From, {Weight.Value * Runs.Value, std::max(Weight.How, Runs.How)});
  }
  const Loop &L = *Loops.back();
  Loops.pop_back();
  const Number Entries = evaluate(L.Entries);
  Number Times{Weight.Value * Entries.Value, std::max({Weight.How, Entries.How, L.TripsKnown})};
  if (L.Variable.empty())
    return addSampled(Site, From, std::move(Loops), Times);
  const Number Trips = evaluate(L.Last + 1);
  const SampledIterations Some = sampleIterations(Trips.Value);
  Times.How = std::max({Times.How, Trips.How, Some.IsWhole ? Known::Exact : Known::Estimated});
  for (const auto &[Index, Share] : Some.Points) {
    At[L.Variable] = Index;
    addSampled(Site, From, Loops, {Times.Value * Share, Times.How});
  }
  At.erase(L.Variable);
}

void ProgramNumbers::Evaluation::addCalls(std::size_t Index) {
  for (const Call &Site : Result.Items[Index].Of->Calls) {
    const ProgramSites::Site &To = Own.Sites.at(&Site);
    const bool IsActive = To.Callee && Program.Active.contains(To.Callee);
    if (!To.Callee || (IsActive && Program.OfActive == Recursion::LeftOut)) {
      addTo(Result.OpenCalls, openCallName(Site, owner(), IsActive), Result.Items[Index].Times);
      continue;
    }
    if (!dependsOnLoops(Site, To)) {
      addCall(Site, Index, Result.Items[Index].Times);
      continue;
    }
    if (!(In.isPlain() && Program.Sites.isLarge(*To.Callee)) && addInFormulas(Site, Index))
      continue;
    std::vector<const Loop *> Loops;
    for (const Loop *L = Result.Items[Index].In; L; L = Around.at(L))
      Loops.push_back(L);
    addSampled(Site, Index, std::move(Loops), {1, Known::Exact});
  }
}

/// How often it is called again in one call, by itself and by those that it calls.
ProgramNumbers::Number ProgramNumbers::Evaluation::callsOfItself(const std::string &Name) const {
  Number Calls;
  auto Take = [&](const std::map<std::string, Number> &From, const Number &Visits) {
    if (auto Open = From.find(Name); Open != From.end()) {
      Calls.Value += Visits.Value * Open->second.Value;
      Calls.How = std::max({Calls.How, Visits.How, Open->second.How});
    }
  };
  Take(Result.OpenCalls, {1});
  const auto IsOpen = [&](const Node &Inside) { return Inside.OpenCalls.contains(Name); };
  if (std::none_of(Program.Nodes.begin() + std::ptrdiff_t(FirstInside), Program.Nodes.end(),
                   IsOpen))
    return Calls;
  std::vector<Number> Visits(Program.Nodes.size() - FirstInside);
  auto Visit = [&](const std::vector<Edge> &Edges, const Number &Times) {
    for (const Edge &E : Edges)
      if (E.To >= FirstInside) {
        Number &Sum = Visits[E.To - FirstInside];
        Sum.Value += Times.Value * E.Times.Value;
        Sum.How = std::max({Sum.How, Times.How, E.Times.How});
      }
  };
  Visit(Result.Edges, {1});
  for (std::size_t I = Visits.size(); I-- > 0;)
    if (Visits[I].Value != 0) {
      Visit(Program.Nodes[FirstInside + I].Edges, Visits[I]);
      Take(Program.Nodes[FirstInside + I].OpenCalls, Visits[I]);
    }
  return Calls;
}

/// As TotalsBuilder::closeRecursion. Nodes that lead back to it then stand for calls from here
/// alone.
void ProgramNumbers::Evaluation::closeRecursion() {
  const std::string Name = "recursion:" + owner().Name;
  // With other numbers in calls of itself, those that stayed open are not calls from here.
  const auto Same = Program.ByFunction.find(&owner());
  if (Same != Program.ByFunction.end() && !Same->second.empty() &&
      Same->second.back() >= FirstInside)
    FirstInside = Program.Nodes.size();
  if (!In.isPlain() || !isMeanOfAllCalls(owner().Body))
    return;
  const Number Again = callsOfItself(Name);
  if (Again.Value <= 0 || Again.Value >= 1)
    return;
  std::vector<bool> Leads(Program.Nodes.size() - FirstInside); // back to it
  for (std::size_t I = 0; I != Leads.size(); ++I) {
    Node &Inside = Program.Nodes[FirstInside + I];
    Leads[I] =
        Inside.OpenCalls.erase(Name) != 0 || std::ranges::any_of(Inside.Edges, [&](const Edge &E) {
          return E.To >= FirstInside && Leads[E.To - FirstInside];
        });
  }
  std::erase_if(Program.ByFrame, [&](const auto &Slot) {
    return Slot.second && *Slot.second >= FirstInside && Leads[*Slot.second - FirstInside];
  });
  Result.OpenCalls.erase(Name);
  const Known How = std::max(Again.How, Known::Assumed);
  const Rational Factor = Rational(1) / (Rational(1) - Again.Value);
  auto Scale = [&](Number &N) {
    N.How = std::max(N.How, How);
    N.Value = roundedIf(N.How, N.Value * Factor);
  };
  for (Item &I : Result.Items)
    Scale(I.Times);
  for (Edge &E : Result.Edges) {
    Scale(E.Times);
    E.Calls = roundedIf(E.Times.How, E.Calls * Factor);
  }
  for (auto *Named : {&Result.OpenCalls, &Result.LibraryCalls})
    for (auto &[Name, Times] : *Named)
      Scale(Times);
}

} // namespace ergon
