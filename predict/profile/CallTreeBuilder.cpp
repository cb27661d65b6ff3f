//===- CallTreeBuilder.cpp - a run as a graph of calls --------------------===//

#include "model/program/CallBinding.h"
#include "model/program/MeanCalls.h"
#include "model/program/PointerSpaces.h"
#include "model/program/Program.h"
#include "model/program/SymbolEstimate.h"
#include "predict/profile/CallTree.h"
#include "predict/profile/MentionedSymbols.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>

namespace ergon {

namespace {

/// What is true of all calls of a node in one visit.
struct Context {
  /// Loops of callers whose variables the node's values depend on, or the threads of a launch; the
  /// outermost first.
  struct Level {
    std::string Variable; ///< empty: the threads
    Expr Last;
    Substitution Launch{}; ///< its dimensions
  };
  std::vector<Level> Around;
  Expr Weight = 1; ///< calls in each iteration of the innermost
  bool OnDevice = false;

  bool isPlain() const { return Around.empty() && Weight == Expr(1); }
};

constexpr const char *ThreadIndices[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                         "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};

Expr sumOver(const Context::Level &L, const Expr &Formula) {
  return L.Variable.empty() ? sumOverThreads(Formula, L.Launch)
                            : sum(L.Variable, 0, L.Last, Formula);
}

/// A function's values, and how those are known that are not exact.
struct Values {
  Substitution Of;
  std::map<std::string, Known, std::less<>> How;
};

/// A loop of the function that is being walked, with the values of the node.
struct OpenLoop {
  const Loop *Region;
  Expr Last, Entries;
  Known How;
};

class Builder {
public:
  Builder(const FunctionLookup &Find, const CallTreeValues &Given);
  CallTree of(const Function &Entry);

private:
  using Kind = CallNode::Kind;

  const FunctionLookup &Find;
  const CallTreeValues &Given;
  CallFrames Frames;
  /// Numbers for symbols that stay symbols in sums: conditions on iterations are for integers.
  Substitution Fractions;
  /// Unknowns that the prediction needs no value of, as they cancel out: of both sides of a branch
  /// that cost the same.
  std::map<std::string, const Unknown *, std::less<>> NotBound;
  CallTree Result;
  std::map<std::pair<const Function *, std::string>, std::size_t> Made;
  MentionedSymbols Mentions;
  std::set<const Function *> Active;

  /// Terms added up for one formula.
  static constexpr std::uint64_t MaxTerms = 2'000'000;

  /// The node that is being made.
  struct Making {
    const Function &Code;
    const Values &With;
    const Context &In;
    std::vector<OpenLoop> Loops{};
    CallNode Node{};
    using Place = std::tuple<const Loop *, std::string_view, unsigned>;
    std::map<Place, std::size_t> OwnAt{}; ///< indexes in the node's own costs

    /// The costs of a line of \p Region; of null, of code without a line.
    OwnCost &own(const Loop &Region, const LineCost *Line) {
      const Place Where(&Region, Line ? std::string_view(Line->File) : "", Line ? Line->Line : 0);
      auto [Found, New] = OwnAt.try_emplace(Where, Node.Own.size());
      if (New)
        Node.Own.push_back({&Region, Line, {}});
      return Node.Own[Found->second];
    }
  };

  Known howOf(const Making &M, const Expr &Formula) const;
  void takeFractions(const Function &F, Values &V);
  std::optional<Rational> number(const Making &M, Expr Formula);
  static Expr overLoops(const std::vector<OpenLoop> &Loops, Expr Times);
  std::size_t visit(const Function &F, Kind What, Values V, const Context &In);
  void walk(Making &M, const Loop &Region);
  void addBlock(Making &M, const Loop &Region, const Block &B);
  void addCall(Making &M, const Loop &Region, const Call &Site, const Expr &Runs,
               const Rational &Times, Known How);
  Rational takeWeight(Context &In, const Rational &Calls);
  Values passed(Making &M, const Call &Site, const Function &Callee);
  Context contextOf(const Making &M, const Call &Site, const Function &Callee, const Expr &Runs,
                    Values &Inside);
  void closeRecursion(Making &M);
};
} // namespace

Builder::Builder(const FunctionLookup &Find, const CallTreeValues &Given)
    : Find(Find), Given(Given), Frames(Find, Given.Bound), Mentions(Find, Frames) {}

/// How \p Formula, in symbols of the function, is known.
Known Builder::howOf(const Making &M, const Expr &Formula) const {
  Known Result = Known::Exact;
  Formula.hasSymbol([&](const std::string &Symbol) {
    if (auto Found = M.With.How.find(Symbol); Found != M.With.How.end())
      Result = std::max(Result, Found->second);
    else if (NotBound.contains(Symbol))
      Result = Known::Estimated;
    else if ((isUnknownSymbol(Symbol) || isGlobalSymbol(Symbol)) &&
             Given.Estimated.contains(Symbol))
      Result = Known::Estimated;
    else if (isUnknownSymbol(Symbol))
      Result = std::max(Result, Given.Bound.contains(Symbol) ? Known::Assumed : Known::Measured);
    return false;
  });
  return Result;
}

/// Replaces fractions by symbols for them, which are substituted after all sums.
void Builder::takeFractions(const Function &F, Values &V) {
  for (const Unknown &U : F.Unknowns)
    if (U.Measured)
      V.Of.emplace(U.Symbol, Expr(*U.Measured));
    else if (!Given.Bound.contains(U.Symbol))
      NotBound.emplace(U.Symbol, &U);
  for (auto It = V.Of.begin(); It != V.Of.end();) {
    const auto Number = It->second.constant();
    if (!Number || Number->isInteger()) {
      ++It;
      continue;
    }
    const bool IsGlobal = isUnknownSymbol(It->first);
    const std::string Name = IsGlobal ? It->first : "~" + Number->get_str();
    Fractions.emplace(Name, It->second);
    if (IsGlobal) {
      It = V.Of.erase(It);
      continue;
    }
    It->second = Expr::symbol(Name);
    ++It;
  }
}

/// \p Times in one iteration of the innermost of \p Loops, over all of them.
Expr Builder::overLoops(const std::vector<OpenLoop> &Loops, Expr Times) {
  for (auto L = Loops.rbegin(); L != Loops.rend(); ++L) {
    if (!L->Region->Variable.empty())
      Times = sum(L->Region->Variable, 0, L->Last, Times);
    Times *= L->Entries;
  }
  return Times;
}

/// \p Formula of one call, in one visit; nothing, and a note, where it has no value.
std::optional<Rational> Builder::number(const Making &M, Expr Formula) {
  if (!M.In.isPlain()) {
    Formula *= M.In.Weight;
    for (const Context::Level &L : std::views::reverse(M.In.Around))
      Formula = sumOver(L, Formula);
  }
  if (auto Number = Formula.constant())
    return Number;
  if (!Fractions.empty())
    Formula = Formula.substitute(Fractions);
  auto Number = Formula.evaluate(
      [&](const std::string &Name) -> std::optional<Rational> {
        if (Name == "omp.thread") // outside parallel regions there is one
          return Rational(0);
        if (auto Found = NotBound.find(Name); Found != NotBound.end())
          return estimateOf(*Found->second).Value;
        return std::nullopt;
      },
      MaxTerms);
  if (Number)
    return *Number;
  Result.NotEvaluated.emplace(&M.Code, Number.error().What);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Text of all that distinguishes a node of one function.
static std::string keyOf(CallNode::Kind What, const Values &V, const Context &In) {
  std::string Key = std::to_string(int(What));
  for (const auto &[Name, Value] : V.Of)
    Key += ";" + Name + "=" + toText(Value);
  for (const auto &[Name, How] : V.How)
    Key += ";" + Name + "?" + std::to_string(int(How));
  for (const Context::Level &L : In.Around)
    Key += "|" + L.Variable + "<" + toText(L.Last);
  return In.isPlain() ? Key : Key + "*" + toText(In.Weight);
}

std::size_t Builder::visit(const Function &F, Kind What, Values V, const Context &In) {
  std::pair Key(&F, keyOf(What, V, In));
  if (auto Found = Made.find(Key); Found != Made.end())
    return Found->second;
  for (const auto &[Name, Value] : Frames.global())
    V.Of.emplace(Name, Value);
  takeFractions(F, V);
  Making M{F, V, In};
  M.Node.Code = &F;
  M.Node.What = What;
  Active.insert(&F);
  walk(M, F.Body);
  Active.erase(&F);
  closeRecursion(M);
  Result.Nodes.push_back(std::move(M.Node));
  return Made[std::move(Key)] = Result.Nodes.size() - 1;
}

void Builder::walk(Making &M, const Loop &Region) {
  Known How = Region.TripsKnown;
  if (!Region.Variable.empty())
    How = std::max(How, howOf(M, Region.Last));
  else if (!M.Code.Assumptions.empty())
    How = std::max(How, Known::Assumed);
  How = std::max(How, howOf(M, Region.Entries));
  if (!M.Loops.empty())
    How = std::max(How, M.Loops.back().How);
  // The body is entered once.
  const bool IsBody = &Region == &M.Code.Body;
  M.Loops.push_back({&Region, Region.Last.substitute(M.With.Of),
                     IsBody ? Expr(1) : Region.Entries.substitute(M.With.Of), How});
  for (const Block &B : Region.Blocks)
    addBlock(M, Region, B);
  for (const Loop &Inner : Region.Loops)
    walk(M, Inner);
  M.Loops.pop_back();
}

void Builder::addBlock(Making &M, const Loop &Region, const Block &B) {
  const Expr Runs = B.Runs.substitute(M.With.Of);
  if (Runs.isZero())
    return;
  const auto Times = number(M, overLoops(M.Loops, Runs));
  if (!Times || Times->sign() == 0)
    return;
  const Known How = std::max(howOf(M, B.Runs), M.Loops.back().How);
  for (const Call &Site : B.Calls)
    addCall(M, Region, Site, Runs, *Times, How);
  auto Add = [&](const LineCost *Line, const Counts &PerRun) {
    OwnCost *Entry = nullptr;
    for (const auto &[Class, Amount] : PerRun) {
      std::optional<Rational> Units;
      Known AmountHow = std::max(How, B.How);
      if (auto Fixed = Amount.constant()) {
        Units = *Times * *Fixed;
      } else {
        Units = number(M, overLoops(M.Loops, Runs * Amount.substitute(M.With.Of)));
        AmountHow = std::max(AmountHow, howOf(M, Amount));
      }
      if (!Units || Units->sign() == 0)
        continue;
      if (!Entry)
        Entry = &M.own(Region, Line);
      Entry->Counts[Class] += *Units;
      Entry->How = std::max(Entry->How, AmountHow);
    }
  };
  const Counts All = countsIn(B, M.With.Of);
  // What generic pointers reach is known of the block, not of its lines.
  Counts Rest = All;
  for (const LineCost &Line : B.Lines) {
    if (M.In.OnDevice && std::ranges::any_of(Line.PerRun, [&](const Counts::Entry &Class) {
          return !(All[Class.first] - Class.second).constant() ||
                 *(All[Class.first] - Class.second).constant() < 0;
        }))
      continue;
    Rest += Line.PerRun * Expr(-1);
    Add(&Line, Line.PerRun);
  }
  Add(nullptr, Rest);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isOnDevice(const Function &Library) {
  return std::ranges::any_of(Library.Body.Blocks,
                             [](const Block &B) { return usesDeviceMemory(B.PerRun); });
}

/// The values that \p Site passes, in numbers and in variables of loops around.
Values Builder::passed(Making &M, const Call &Site, const Function &Callee) {
  const std::set<std::string> &Used = Mentions.of(Callee).Own;
  CallFrames::Passed All = Frames.at(Site, Callee, M.Code, M.With.Of);
  Values Inside;
  std::set<std::string> Seen;
  auto Pass = [&](const std::string &Formal, const Expr &Argument, Expr Value) {
    const bool IsUsed = Used.contains(Formal) || (Site.IsLaunch && isLaunchDimension(Formal));
    if (!Seen.insert(Formal).second || !IsUsed)
      return;
    if (const Known How = howOf(M, Argument); How != Known::Exact)
      Inside.How.emplace(Formal, How);
    Inside.Of.emplace(Formal, std::move(Value));
  };
  for (const auto &[Formal, Argument] : All.Values) {
    Expr Value = Argument.substitute(M.With.Of);
    if (auto Found = std::ranges::find(Callee.Parameters, Formal, &Parameter::Name);
        Found != Callee.Parameters.end()) {
      const auto Number = unsigned(Found - Callee.Parameters.begin());
      fitInto(*Found, Argument, std::ranges::find(Site.Wrapping, Number) != Site.Wrapping.end(),
              M.Code, Value);
    }
    Pass(Formal, Argument, std::move(Value));
  }
  for (const std::string &Formal : All.NotKnown) {
    const Expr Value = Frames.unknownAt(Site, M.Code, Formal);
    Pass(Formal, Value, Value);
  }
  for (const Cell &C : std::vector(Frames.cells(Callee))) {
    const Expr Value = Frames.cellValue(C, Callee, Site, M.Code);
    Pass(C.Symbol, Value, Value.substitute(M.With.Of));
  }
  if (M.In.OnDevice) // the dimensions of the launch hold in all its code
    for (const auto &[Name, Value] : M.With.Of)
      if (isLaunchDimension(Name))
        Inside.Of.emplace(Name, Value);
  passSpaces(Site, Callee, M.With.Of, Inside.Of);
  return Inside;
}

/// What holds in the calls of a site that runs \p Runs times in an iteration of the loops around.
/// Levels that the callee depends on stay open; the others are summed over. Renames the variables
/// of those that stay in \p Inside.
Context Builder::contextOf(const Making &M, const Call &Site, const Function &Callee,
                           const Expr &Runs, Values &Inside) {
  const std::set<std::string> &Dynamic = Mentions.of(Callee).Dynamic;
  Context Next;
  Next.OnDevice = M.In.OnDevice || Site.IsLaunch;
  std::vector<Context::Level> Kept; // the innermost first
  Next.Weight = Runs;
  auto Fold = [&](const Context::Level &L) {
    auto Needs = [&](const std::string &Variable) {
      return Dynamic.contains(Variable) ||
             std::ranges::any_of(Inside.Of,
                                 [&](const auto &V) { return V.second.dependsOn(Variable); }) ||
             std::ranges::any_of(
                 Kept, [&](const Context::Level &Inner) { return Inner.Last.dependsOn(Variable); });
    };
    if (!L.Variable.empty() ? Needs(L.Variable) : std::ranges::any_of(ThreadIndices, Needs))
      Kept.push_back(L);
    else
      Next.Weight = sumOver(L, Next.Weight);
  };
  for (auto L = M.Loops.rbegin(); L != M.Loops.rend(); ++L) {
    if (!L->Region->Variable.empty())
      Fold({L->Region->Variable, L->Last});
    Next.Weight *= L->Entries;
  }
  Next.Weight *= M.In.Weight;
  for (const Context::Level &L : std::views::reverse(M.In.Around))
    Fold(L);
  // Names that no function has; of a symbol that callees know by name, that.
  Substitution Renamed;
  for (Context::Level &L : std::views::reverse(Kept)) {
    L.Last = L.Last.substitute(Renamed);
    for (auto &[Name, Size] : L.Launch)
      Size = Size.substitute(Renamed);
    if (!L.Variable.empty() && !isDynamic(L.Variable)) {
      std::string Name = "~" + std::to_string(Next.Around.size()) + "i";
      Renamed.emplace(std::exchange(L.Variable, Name), Expr::symbol(Name));
    }
    Next.Around.push_back(std::move(L));
  }
  Next.Weight = Next.Weight.substitute(Renamed);
  for (auto &[Name, Value] : Inside.Of)
    Value = Value.substitute(Renamed);
  return Next;
}

/// The visits of a node with the weight of \p In, which is then 1; all calls are one visit where
/// the weight is not the same in all iterations around.
Rational Builder::takeWeight(Context &In, const Rational &Calls) {
  if (In.Around.empty()) {
    In.Weight = 1;
    return Calls;
  }
  auto IsAround = [&](const std::string &Symbol) {
    return isDynamic(Symbol) ||
           std::ranges::find(In.Around, Symbol, &Context::Level::Variable) != In.Around.end();
  };
  if (In.Weight.hasSymbol(IsAround))
    return 1;
  const auto Times = In.Weight.substitute(Fractions).evaluate(
      [](const std::string &) { return std::nullopt; }, MaxTerms);
  if (!Times)
    return 1;
  In.Weight = 1;
  return *Times;
}

void Builder::addCall(Making &M, const Loop &Region, const Call &Site, const Expr &Runs,
                      const Rational &Times, Known How) {
  const Function *Callee = calleeOf(Site, M.Code, Find);
  const bool IsActive = Callee && Active.contains(Callee);
  if (!Callee || IsActive) {
    M.Node.OpenCalls[openCallName(Site, M.Code, IsActive)] += Times;
    return;
  }
  Values Inside = passed(M, Site, *Callee);
  Context In = contextOf(M, Site, *Callee, Runs, Inside);
  Kind What = M.In.OnDevice ? Kind::Device : Kind::Host;
  CalledNode Next{0, &Site, &Region, takeWeight(In, Times), Times, How};
  if (Site.IsLaunch) {
    What = Kind::Kernel;
    Context::Level Threads;
    for (const auto &[Name, Value] : Inside.Of)
      if (isLaunchDimension(Name))
        Threads.Launch.emplace(Name, Value);
    In.Around.push_back(std::move(Threads));
  } else if (!Callee->Library.empty())
    What = isOnDevice(*Callee) && !M.In.OnDevice ? Kind::LibraryOnDevice : Kind::Library;
  Next.Node = visit(*Callee, What, std::move(Inside), In);
  M.Node.Calls.push_back(Next);
}

/// As TotalsBuilder::closeRecursion.
void Builder::closeRecursion(Making &M) {
  auto Own = M.Node.OpenCalls.find("recursion:" + M.Code.Name);
  if (Own == M.Node.OpenCalls.end() || !M.In.isPlain() || Own->second >= Rational(1) ||
      !isMeanOfAllCalls(M.Code.Body))
    return;
  const Rational Calls = Rational(1) / (Rational(1) - Own->second);
  M.Node.OpenCalls.erase(Own);
  for (OwnCost &O : M.Node.Own) {
    for (const auto &[Class, Units] : ByClass<Rational>(O.Counts))
      O.Counts[Class] = Units * Calls;
    O.How = std::max(O.How, Known::Assumed);
  }
  for (CalledNode &C : M.Node.Calls) {
    C.Times *= Calls;
    C.Calls *= Calls;
  }
  for (auto &[Name, Times] : M.Node.OpenCalls)
    Times *= Calls;
}

CallTree Builder::of(const Function &Entry) {
  Values V;
  V.Of = Given.Bound;
  for (const std::string &Symbol : Given.Estimated)
    V.How.emplace(Symbol, Known::Estimated);
  Context In;
  if (Entry.IsKernel) {
    In.OnDevice = true;
    In.Around.push_back({"", {}, Given.Bound});
  }
  visit(Entry, Entry.IsKernel ? Kind::Kernel : Kind::Host, std::move(V), In);
  return std::move(Result);
}

CallTree callTree(const Function &Entry, const FunctionLookup &Find, const CallTreeValues &Values) {
  return Builder(Find, Values).of(Entry);
}

} // namespace ergon
