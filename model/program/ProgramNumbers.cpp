//===- ProgramNumbers.cpp - a program's counts in numbers -----------------===//

#include "model/program/ProgramNumbers.h"
#include "model/program/CallBinding.h"
#include "model/symbolic/SampledSum.h"
#include "model/symbolic/Slopes.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// \p Value as short as a double is: what is estimated is no longer, and short numbers are fast.
static Rational rounded(double Value) {
  static constexpr int Bits = 52, MostBits = 1000;
  int Exponent = 0;
  const double Fraction = std::frexp(Value, &Exponent);
  if (Value == 0 || !std::isfinite(Value) || std::abs(Exponent) > MostBits)
    return 0;
  const Rational Whole = Rational::wholePartOf(std::ldexp(Fraction, Bits));
  const int Shift = Exponent - Bits;
  return Shift >= 0 ? Whole * twoTo(unsigned(Shift)) : Whole / twoTo(unsigned(-Shift));
}

static Rational roundedIf(Known How, Rational Value) {
  return How == Known::Estimated ? rounded(Value.get_d()) : Value;
}

/// Evaluates one function with the numbers of a frame.
class ProgramNumbers::Evaluation {
public:
  Evaluation(ProgramNumbers &Program, Node &Result)
      : Program(Program), Result(Result), Own(Program.Sites.of(*Result.Which)) {
    nameLoops(Result.Which->Body, nullptr);
  }

  void run();

private:
  ProgramNumbers &Program;
  Node &Result;
  const ProgramSites::Reached &Own;
  std::map<std::string_view, const Loop *> Variables;
  std::map<const Loop *, const Loop *> Around;
  Iteration At; ///< loops of which one iteration is looked at

  const Function &owner() const { return *Result.Which; }
  void nameLoops(const Loop &L, const Loop *Outer);
  const Number &numberOf(const std::string &Symbol);
  bool isVarying(const std::string &Symbol) const {
    return Variables.contains(Symbol) && !At.contains(Symbol);
  }
  bool isVarying(const Expr &Formula) const {
    return Formula.hasSymbol([this](const std::string &Symbol) { return isVarying(Symbol); });
  }
  Number evaluate(const Expr &Formula, Slopes *Found = nullptr);
  void multiply(std::size_t Begin, const Expr &By, Known How);
  Expr put(const Expr &Formula, Known &How, std::size_t Begin);
  void addItems(const Loop &Region);
  void overIterations(const Loop &Region, std::size_t Begin);
  void addCalls(const Item &I, std::size_t Index);
  void addCall(const Call &Site, std::size_t From, const Number &Times);
  void addSampled(const Call &Site, std::size_t From, std::vector<const Loop *> Loops,
                  const Number &Weight);
  std::optional<std::size_t> launch(const Function &Kernel, const Call &Site, const Frame &Values);
};

void ProgramNumbers::Evaluation::nameLoops(const Loop &L, const Loop *Outer) {
  if (!L.Variable.empty())
    Variables.emplace(L.Variable, &L);
  Around.emplace(&L, Outer);
  for (const Loop &Inner : L.Loops)
    nameLoops(Inner, &L);
}

const ProgramNumbers::Number &ProgramNumbers::Evaluation::numberOf(const std::string &Symbol) {
  for (const auto &[Name, Value] : Result.Values)
    if (Name == Symbol)
      return Value;
  auto [Found, New] = Program.Globals.try_emplace(Symbol);
  if (!New)
    return Found->second;
  Number &Value = Found->second;
  if (auto Given = Program.Bound.find(Symbol); Given != Program.Bound.end()) {
    Value = {*Given->second.constant(), isUnknownSymbol(Symbol) ? Known::Assumed : Known::Exact};
    return Value;
  }
  if (Symbol == OmpThread) // outside parallel regions there is one
    return Value;
  auto Described = Own.Unknowns.find(Symbol);
  Unknown What = Described == Own.Unknowns.end() ? TotalsBuilder(Program.Find).explain(Symbol)
                                                 : *Described->second;
  if (What.Measured) {
    Value = {*What.Measured, Known::Measured};
    return Value;
  }
  Value = {(*Program.Of)(What), Known::Estimated};
  Program.Estimated.emplace(Symbol, std::move(What));
  return Value;
}

/// The value of a formula without varying symbols; with \p Found also its slopes by estimated
/// symbols and by those that were passed.
ProgramNumbers::Number ProgramNumbers::Evaluation::evaluate(const Expr &Formula, Slopes *Found) {
  if (auto Fixed = Formula.constant())
    return {*Fixed, Known::Exact};
  Known How = Known::Exact;
  auto Of = [&](const std::string &Symbol) -> Rational {
    if (auto Here = At.find(Symbol); Here != At.end())
      return Here->second;
    const Number &Value = numberOf(Symbol);
    How = std::max(How, Value.How);
    return Value.Value;
  };
  Slopes Slope;
  const double Rough = valueWithSlopes(
      Formula, [&](const std::string &Symbol) { return Of(Symbol).get_d(); }, 1, Slope);
  if (Found)
    for (const auto &[Symbol, By] : Slope)
      if (!At.contains(*Symbol) && numberOf(*Symbol).How == Known::Estimated)
        Found->emplace_back(&*Program.Names.insert(*Symbol).first, By); // formulas may be temporary
  if (How == Known::Estimated)
    return {rounded(Rough), How};
  auto Exact = Formula.evaluate(
      [&](const std::string &Symbol) -> std::optional<Rational> { return Of(Symbol); });
  return {Exact ? *Exact : rounded(Rough), Exact ? How : Known::Estimated};
}

/// Multiplies the items from \p Begin on.
void ProgramNumbers::Evaluation::multiply(std::size_t Begin, const Expr &By, Known How) {
  const auto Factor = By.constant();
  for (std::size_t I = Begin; I != Result.Items.size(); ++I) {
    Item &Next = Result.Items[I];
    Next.How = std::max(Next.How, How);
    const auto Times = Next.Times.constant();
    Next.Times = Factor && Times ? Expr(roundedIf(Next.How, *Factor * *Times)) : Next.Times * By;
  }
}

/// \p Formula with numbers for all symbols but those of loops. The items from \p Begin on grow with
/// its estimated symbols.
Expr ProgramNumbers::Evaluation::put(const Expr &Formula, Known &How, std::size_t Begin) {
  if (!isVarying(Formula)) {
    Slopes Found;
    const Number Value = evaluate(Formula, &Found);
    How = std::max(How, Value.How);
    const double Whole = Value.Value.get_d();
    for (const auto &[Symbol, By] : Found)
      if (Whole != 0)
        Result.Influences.push_back({Symbol, Begin, Result.Items.size(), By / Whole});
    return Expr(Value.Value);
  }
  std::set<std::string> Symbols;
  Formula.collectSymbols(Symbols);
  Substitution Values;
  for (const std::string &Symbol : Symbols)
    if (!isVarying(Symbol)) {
      const Number &Value = numberOf(Symbol);
      How = std::max(How, Value.How);
      Values.emplace(Symbol, Expr(Value.Value));
    }
  return Formula.substitute(Values);
}

/// Sums the items from \p Begin on over the iterations of \p Region.
void ProgramNumbers::Evaluation::overIterations(const Loop &Region, std::size_t Begin) {
  Known How = Region.TripsKnown;
  if (Region.Variable.empty() && !owner().Assumptions.empty())
    How = std::max(How, Known::Assumed);
  Expr Trips = 1;
  if (!Region.Variable.empty())
    Trips = put(Region.Last + 1, How, Begin);
  // A mean may be a fraction: it stands for integers while iterations are added up.
  const Expr Mean = Expr::symbol("trips@~");
  const auto Fixed = Trips.constant();
  for (std::size_t I = Begin; I != Result.Items.size(); ++I) {
    Item &Next = Result.Items[I];
    Next.How = std::max(Next.How, How);
    if (Region.Variable.empty())
      continue;
    const auto Times = Next.Times.constant();
    if (Fixed && Times)
      Next.Times = Expr(roundedIf(Next.How, std::max(*Fixed, Rational(0)) * *Times));
    else if (Fixed && !Fixed->isInteger())
      Next.Times = sum(Region.Variable, 0, Mean - 1, Next.Times)
                       .substitute({{"trips@~", Expr(std::max(*Fixed, Rational(0)))}});
    else
      Next.Times = sum(Region.Variable, 0, Trips - 1, Next.Times);
  }
}

void ProgramNumbers::Evaluation::addItems(const Loop &Region) {
  const std::size_t Begin = Result.Items.size();
  for (const Block &B : Region.Blocks) {
    const std::size_t First = Result.Items.size();
    Result.Items.push_back({&B, &Region, std::nullopt, 1, B.How});
    for (const auto &[Class, Amount] : B.PerRun)
      if (!Amount.constant()) {
        const std::size_t Index = Result.Items.size();
        Result.Items.push_back({&B, &Region, Class, 1, B.How});
        Known How = B.How;
        Expr Times = put(Amount, How, Index);
        Result.Items[Index].Times = std::move(Times);
        Result.Items[Index].How = How;
      }
    Known How = B.How;
    const Expr Runs = put(B.Runs, How, First);
    multiply(First, Runs, How);
  }
  for (const Loop &Inner : Region.Loops) {
    const std::size_t First = Result.Items.size();
    addItems(Inner);
    Known How = Known::Exact;
    const Expr Entries = put(Inner.Entries, How, First);
    multiply(First, Entries, How);
  }
  overIterations(Region, Begin);
}

static void addTo(auto &Calls, const std::string &Name, const auto &Times) {
  auto &Sum = Calls[Name];
  Sum.Value += Times.Value;
  Sum.How = std::max(Sum.How, Times.How);
}

/// The totals of a launch, with a number for each of its symbols.
std::optional<std::size_t>
ProgramNumbers::Evaluation::launch(const Function &Kernel, const Call &Site, const Frame &Values) {
  Substitution Numbers = Program.Bound;
  for (const auto &[Name, Value] : Values)
    Numbers.insert_or_assign(Name, Expr(Value.Value));
  for (const Unknown &U : Kernel.Unknowns)
    Numbers.emplace(U.Symbol, Expr(numberOf(U.Symbol).Value));
  TotalsBuilder Builder(Program.Find, Numbers, /*UseMeasured=*/true);
  Totals T = Builder.of(Kernel);
  std::set<std::string> Symbols;
  T.collectSymbols(Symbols);
  Substitution Others;
  for (const std::string &Symbol : Symbols)
    Others.emplace(Symbol, Expr(numberOf(Symbol).Value));
  for (auto &[Class, Amount] : Counts(T.Values))
    if (!Amount.constant()) {
      const auto Value =
          Amount.substitute(Others).evaluate([](const std::string &) { return std::nullopt; });
      T.Values.add(Class, (Value ? Expr(*Value) : Expr()) - Amount);
      T.KnownAs[Class] = Known::Estimated;
    }
  Program.Nodes.push_back({&Kernel, Values, {}, {}, {}, {}, {}, {}, {}, std::move(T)});
  return Program.Nodes.size() - 1;
}

void ProgramNumbers::Evaluation::addCall(const Call &Site, std::size_t From, const Number &Times) {
  const ProgramSites::Site &To = Own.Sites.at(&Site);
  if (!To.Callee)
    return addTo(Result.OpenCalls, openCallName(Site, owner(), false), Times);
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
  Frame Values;
  std::vector<PassedSlope> Passed;
  for (const auto &[Formal, Argument] : HasMeanings ? OfMeanings : To.Passed) {
    if (std::ranges::find(Values, Formal, &std::pair<std::string, Number>::first) != Values.end())
      continue;
    Slopes Found;
    Number Value = evaluate(Argument, &Found);
    auto Position = std::ranges::find(Callee.Parameters, Formal, &Parameter::Name);
    if (Position != Callee.Parameters.end() && Value.Value.isInteger()) {
      Expr Fitted(Value.Value);
      const Expr Wraps = fitInto(*Position, Argument, false, owner(), Fitted);
      if (auto Number = Fitted.constant(); Number && Wraps.isZero())
        Value.Value = *Number;
    }
    Values.emplace_back(Formal, std::move(Value));
    for (const auto &[Symbol, By] : Found)
      Passed.push_back({0, Formal, Symbol, By});
  }
  for (const std::string &Symbol : Program.Sites.of(Callee).Needs)
    if (isSameInCallees(Symbol) &&
        std::ranges::find(Values, Symbol, &std::pair<std::string, Number>::first) == Values.end()) {
      if (auto Here = At.find(Symbol); Here != At.end())
        Values.emplace_back(Symbol, Number{Here->second});
      else if (auto Outer =
                   std::ranges::find(Result.Values, Symbol, &std::pair<std::string, Number>::first);
               Outer != Result.Values.end())
        Values.push_back(*Outer);
    }
  const auto Run =
      Site.IsLaunch ? launch(Callee, Site, Values) : Program.nodeOf(Callee, std::move(Values));
  if (!Run)
    return addTo(Result.OpenCalls, openCallName(Site, owner(), true), Times);
  if (!Callee.Library.empty())
    addTo(Result.LibraryCalls, Site.Callee, Times);
  for (PassedSlope &Slope : Passed) {
    Slope.By = Result.Edges.size();
    Result.Passed.push_back(std::move(Slope));
  }
  Result.Edges.push_back({*Run, From, Times});
}

/// Calls whose arguments change from iteration to iteration, in some of the iterations of \p Loops,
/// the outermost last.
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

void ProgramNumbers::Evaluation::addCalls(const Item &I, std::size_t Index) {
  for (const Call &Site : I.Of->Calls) {
    const ProgramSites::Site &To = Own.Sites.at(&Site);
    const bool Varies =
        std::ranges::any_of(To.Passed, [&](const auto &Value) { return isVarying(Value.second); });
    if (!Varies) {
      addCall(Site, Index, {*I.Times.constant(), I.How});
      continue;
    }
    std::vector<const Loop *> Loops;
    for (const Loop *L = I.In; L; L = Around.at(L))
      Loops.push_back(L);
    addSampled(Site, Index, std::move(Loops), {1, Known::Exact});
  }
}

void ProgramNumbers::Evaluation::run() {
  addItems(owner().Body);
  for (Item &I : Result.Items)
    if (!I.Times.constant()) {
      auto Sum = I.Times.evaluate([](const std::string &) { return std::nullopt; });
      I.Times = Expr(Sum ? *Sum : Rational(0));
      if (!Sum)
        addTo(Result.OpenCalls, "formula:" + owner().Name, Number{1, Known::Estimated});
    }
  for (const WrapCheck &Check : owner().WrapChecks)
    if (const Number Wraps = evaluate(Check.Wraps);
        Wraps.How != Known::Estimated && Wraps.Value != 0)
      addTo(Result.Wraps, Check.Location.isValid() ? Check.Location.text() : owner().Demangled,
            Wraps);
  for (std::size_t I = 0; I != Result.Items.size(); ++I)
    if (!Result.Items[I].Class && *Result.Items[I].Times.constant() != 0)
      addCalls(Result.Items[I], I);
}

std::optional<std::size_t> ProgramNumbers::nodeOf(const Function &F, Frame Values) {
  std::ranges::sort(Values, {}, &std::pair<std::string, Number>::first);
  std::string Key;
  bool IsEstimated = false;
  for (const auto &[Name, Value] : Values) {
    Key += Name + "=" + Value.Value.get_str() + (Value.How == Known::Estimated ? "~;" : ";");
    IsEstimated |= Value.How == Known::Estimated;
  }
  auto [Slot, New] = ByFrame.try_emplace({&F, std::move(Key)});
  if (!New)
    return Slot->second; // none: it runs, so that this is a recursion without an end
  std::vector<std::size_t> &Same = ByFunction[&F];
  if (Depth == MaxDepth)
    return std::nullopt;
  if (IsEstimated && Same.size() >= MaxEstimatedFrames)
    return Slot->second = Same.back();
  ++Depth;
  Node Result{&F, std::move(Values), {}, {}, {}, {}, {}, {}, {}, std::nullopt};
  Evaluation(*this, Result).run();
  --Depth;
  Nodes.push_back(std::move(Result));
  ByFunction[&F].push_back(Nodes.size() - 1);
  return Slot->second = Nodes.size() - 1;
}

void ProgramNumbers::bind(Substitution Values) {
  Bound = std::move(Values);
  IsPrepared = false;
}

std::set<std::string> ProgramNumbers::symbols() const {
  std::set<std::string> Result;
  for (const Function *F : Sites.functions())
    for (const std::string &Symbol : Sites.of(*F).Needs)
      if (isUnknownSymbol(Symbol) || isGlobalSymbol(Symbol))
        Result.insert(Symbol);
  return Result;
}

Totals ProgramNumbers::of(const Function &Entry, const Estimate &OfUnknown) {
  Of = &OfUnknown;
  if (!IsPrepared) {
    Sites.find(Entry);
    Sites.prepare(Bound);
    IsPrepared = true;
  }
  Globals.clear();
  Estimated.clear();
  Nodes.clear();
  ByFrame.clear();
  ByFunction.clear();
  nodeOf(Entry, {});
  std::vector<Number> Runs(Nodes.size());
  Runs.back().Value = 1;
  std::map<CostClass, Number> Sums;
  std::map<std::string, std::map<CostClass, Number>> OfKernels;
  Totals Result;
  auto AddTo = [](Number &Sum, const Rational &Value, Known How) {
    Sum.How = std::max(Sum.How, How);
    Sum.Value += roundedIf(How, Value);
  };
  for (std::size_t I = Nodes.size(); I-- > 0;) {
    const Node &N = Nodes[I];
    const Number &Times = Runs[I];
    if (Times.Value == 0)
      continue;
    for (const Edge &E : N.Edges)
      AddTo(Runs[E.To], Times.Value * E.Times.Value, std::max(Times.How, E.Times.How));
    auto AddNamed = [&](const std::map<std::string, Number> &From,
                        std::map<std::string, Expr> &To) {
      for (const auto &[Name, Value] : From)
        To[Name] += Expr(roundedIf(std::max(Times.How, Value.How), Times.Value * Value.Value));
    };
    AddNamed(N.OpenCalls, Result.OpenCalls);
    AddNamed(N.LibraryCalls, Result.LibraryCalls);
    AddNamed(N.Wraps, Result.Wraps);
    const bool OnDevice = N.OfLaunch.has_value();
    auto Add = [&](CostClass Class, const Rational &Value, Known How) {
      How = std::max(How, Times.How);
      AddTo(Sums[Class], Times.Value * Value, How);
      if (OnDevice)
        AddTo(OfKernels[N.Which->Demangled][Class], Times.Value * Value, How);
    };
    if (OnDevice) {
      Result.Kernels[N.Which->Demangled].Launches += Expr(Times.Value);
      for (const auto &[Class, Amount] : N.OfLaunch->Values)
        if (auto Value = Amount.constant())
          Add(Class, *Value, N.OfLaunch->KnownAs.at(Class));
    }
    for (const Item &Next : N.Items) {
      const Rational Each = *Next.Times.constant();
      if (Next.Class)
        Add(*Next.Class, Each, Next.How);
      else
        for (const auto &[Class, Amount] : Next.Of->PerRun)
          if (auto Value = Amount.constant())
            Add(Class, *Value * Each, Next.How);
    }
  }
  for (const auto &[Class, Sum] : Sums) {
    Result.Values.add(Class, Expr(Sum.Value));
    Result.KnownAs[Class] = Sum.How;
    Result.Rests[Class];
  }
  for (const auto &[Name, Values] : OfKernels)
    for (const auto &[Class, Sum] : Values)
      Result.Kernels[Name].Values.add(Class, Expr(Sum.Value));
  Of = nullptr;
  return Result;
}

} // namespace ergon
