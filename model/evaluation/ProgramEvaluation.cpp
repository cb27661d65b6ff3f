//===- ProgramEvaluation.cpp - one function with numbers ------------------===//

#include "model/evaluation/ProgramEvaluation.h"
#include "model/program/PointerSpaces.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace ergon {

bool ProgramNumbers::Context::isAround(const std::string &Symbol) const {
  return std::ranges::any_of(Around, [&](const Level &L) {
    return L.Variable.empty() ? isThreadIndex(Symbol) : L.Variable == Symbol;
  });
}

std::string ProgramNumbers::Context::key() const {
  std::string Key;
  for (const auto &[Name, Where] : Spaces)
    Key += Name + "=" + toText(Where) + ";";
  if (isPlain())
    return Key;
  for (const auto &[Name, Value] : Varying)
    Key += Name + "=" + toText(Value.Value) + "?" + std::to_string(int(Value.How)) + ";";
  for (const Level &L : Around) {
    Key += "|" + L.Variable + "<" + toText(L.Last);
    for (const auto &[Name, Size] : L.Launch)
      Key += "," + toText(Size);
  }
  return Key + "*" + toText(Weight) + "?" + std::to_string(int(How));
}

void ProgramNumbers::Evaluation::nameLoops(const Loop &L, const Loop *Outer) {
  if (!L.Variable.empty())
    Variables.emplace(L.Variable, &L);
  Around.emplace(&L, Outer);
  for (const Loop &Inner : L.Loops)
    nameLoops(Inner, &L);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

bool ProgramNumbers::Evaluation::isVarying(const std::string &Symbol) const {
  return (Variables.contains(Symbol) && !At.contains(Symbol)) || In.Varying.contains(Symbol) ||
         (isThreadIndex(Symbol) && In.hasThreads());
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
  if (Described == Own.Unknowns.end())
    Program.Sites.explain(What);
  What.Limit = Program.Limits.of(Symbol);
  Value = {(*Program.Of)(What), Known::Estimated};
  Program.Estimated.emplace(Symbol, std::move(What));
  return Value;
}

/// A value that does not rest on estimates; nothing where there is none, or it varies.
std::optional<Rational> ProgramNumbers::Evaluation::certainNumber(const std::string &Symbol) const {
  for (const auto &[Name, Value] : Result.Values)
    if (Name == Symbol)
      return Value.How == Known::Estimated ? std::nullopt : std::optional(Value.Value);
  if (auto Given = Program.Bound.find(Symbol); Given != Program.Bound.end())
    return Given->second.constant();
  auto Described = Own.Unknowns.find(Symbol);
  return Described == Own.Unknowns.end() ? std::nullopt : Described->second->Measured;
}

void ProgramNumbers::Evaluation::addLimits() {
  for (const Unknown &U : owner().Unknowns)
    if (U.Limit && !U.Measured && !Program.Bound.contains(U.Symbol)) {
      auto Most =
          U.Limit->evaluate([this](const std::string &Symbol) { return certainNumber(Symbol); });
      if (Program.Limits.add(U.Symbol, Most ? std::optional(*Most) : std::nullopt))
        Program.HasLargerLimits |= Program.Estimated.contains(U.Symbol);
    }
}

/// The value of a formula without varying symbols; with \p Found also its slopes by estimated
/// symbols and by those that were passed.
ProgramNumbers::Number ProgramNumbers::Evaluation::evaluate(const Expr &Formula, Slopes *Found) {
  if (auto Fixed = Formula.constant())
    return {*Fixed, Known::Exact};
  Known How = Known::Exact;
  auto ValueOf = [&](const std::string &Symbol) -> Rational {
    if (auto Here = At.find(Symbol); Here != At.end())
      return Here->second;
    const Number &Value = numberOf(Symbol);
    How = std::max(How, Value.How);
    return Value.Value;
  };
  Slopes Slope;
  const double Rough = valueWithSlopes(
      Formula, [&](const std::string &Symbol) { return ValueOf(Symbol).get_d(); }, 1, Slope);
  if (Found)
    for (const auto &[Symbol, By] : Slope)
      if (!At.contains(*Symbol) && numberOf(*Symbol).How == Known::Estimated)
        Found->emplace_back(&*Program.Names.insert(*Symbol).first, By); // formulas may be temporary
  if (How == Known::Estimated)
    return {roundedToDouble(Rough), How};
  auto Exact = Formula.evaluate(
      [&](const std::string &Symbol) -> std::optional<Rational> { return ValueOf(Symbol); });
  return {Exact ? *Exact : roundedToDouble(Rough), Exact ? How : Known::Estimated};
}

/// \p Formula with numbers for all symbols but those of loops and of the levels around. A fraction
/// is a symbol until sums are made.
Expr ProgramNumbers::Evaluation::inVariables(const Expr &Formula, Known &How) {
  std::set<std::string> Symbols;
  Formula.collectSymbols(Symbols);
  Substitution Values;
  for (const std::string &Symbol : Symbols) {
    if (auto Varies = In.Varying.find(Symbol); Varies != In.Varying.end()) {
      How = std::max(How, Varies->second.How);
      Values.emplace(Symbol, Varies->second.Value);
    } else if (!isVarying(Symbol)) {
      auto Here = At.find(Symbol);
      const Number Value = Here == At.end() ? numberOf(Symbol) : Number{Here->second};
      How = std::max(How, Value.How);
      Values.emplace(Symbol, Program.inSums(Value.Value));
    }
  }
  return Formula.substitute(Values);
}

/// \p Formula as a number or in variables. The items from \p Begin on grow with its estimated
/// symbols.
Expr ProgramNumbers::Evaluation::put(const Expr &Formula, Known &How, std::size_t Begin) {
  if (isVarying(Formula))
    return inVariables(Formula, How);
  Slopes Found;
  const Number Value = evaluate(Formula, &Found);
  How = std::max(How, Value.How);
  const double Whole = Value.Value.get_d();
  for (const auto &[Symbol, By] : Found)
    if (Whole != 0)
      Result.Influences.push_back({Symbol, Begin, Result.Items.size(), By / Whole});
  return Expr(Value.Value);
}

/// \p InOneCall over the levels around; \p How changes where that is an estimate from some of the
/// terms.
std::optional<Rational> ProgramNumbers::Evaluation::total(const Expr &InOneCall, Known &How) {
  if (auto Fixed = InOneCall.constant(); Fixed && (In.isPlain() || Calls))
    return In.isPlain() ? *Fixed : *Fixed * *Calls;
  auto OverLevels = [this](const Expr &Formula) {
    Expr Result = In.isPlain() ? Formula : Formula * In.Weight;
    for (const Level &L : std::views::reverse(In.Around))
      Result = L.over(Result);
    return Result;
  };
  auto ValueOf = [this](const std::string &Symbol) -> std::optional<Rational> {
    if (Symbol == OmpThread) // the first one
      return Rational(0);
    auto Fraction = Program.Fractions.find(Symbol);
    return Fraction == Program.Fractions.end() ? std::nullopt : Fraction->second.constant();
  };
  LongSumNumbers::Found Found = Program.Sums.of(Levels, InOneCall, OverLevels, ValueOf);
  if (Found.IsSampled)
    How = Known::Estimated;
  if (!Found.Value)
    fail(Found.Lacks);
  return std::move(Found.Value);
}

void ProgramNumbers::Evaluation::fail(const std::string &What) {
  Result.HasFailed = true;
  if (!Result.NotEvaluated)
    Result.NotEvaluated = What;
}

//===----------------------------------------------------------------------===//
// Own work
//===----------------------------------------------------------------------===//

/// Multiplies the items from \p Begin on.
void ProgramNumbers::Evaluation::multiply(std::size_t Begin, const Expr &By, Known How) {
  const auto Factor = By.constant();
  for (std::size_t I = Begin; I != Times.size(); ++I) {
    Known &Next = Result.Items[I].Times.How;
    Next = std::max(Next, How);
    const auto Before = Times[I].constant();
    Times[I] = Factor && Before ? Expr(roundedIf(Next, *Factor * *Before)) : Times[I] * By;
  }
}

/// Sums the items from \p Begin on over the iterations of \p Region.
void ProgramNumbers::Evaluation::overIterations(const Loop &Region, std::size_t Begin) {
  Known How = Region.TripsKnown;
  if (Region.Variable.empty() && !owner().Assumptions.empty())
    How = std::max(How, Known::Assumed);
  Expr Trips = 1;
  if (!Region.Variable.empty())
    Trips = put(Region.Last + 1, How, Begin);
  const auto Fixed = Trips.constant();
  const Expr Last = (Fixed ? Program.inSums(*Fixed) : Trips) - 1;
  for (std::size_t I = Begin; I != Times.size(); ++I) {
    Known &Next = Result.Items[I].Times.How;
    Next = std::max(Next, How);
    if (Region.Variable.empty())
      continue;
    if (const auto Each = Times[I].constant(); Fixed && Each)
      Times[I] = Expr(roundedIf(Next, std::max(*Fixed, Rational(0)) * *Each));
    else
      Times[I] = sum(Region.Variable, 0, Last, Times[I]);
  }
}

bool ProgramNumbers::isPart(const LineCost &Line, const Counts &All) {
  return std::ranges::all_of(Line.PerRun, [&](const Counts::Entry &Class) {
    const auto Rest = (All[Class.first] - Class.second).constant();
    return Rest && *Rest >= 0;
  });
}

/// Adds an item for each line's part of the classes whose amount is a formula.
void ProgramNumbers::Evaluation::addFormulas(const Block &B, const Loop &Region,
                                             const Counts &PerRun) {
  auto Add = [&](CostClass Class, const Expr &Amount, const LineCost *Line) {
    const std::size_t Index = Result.Items.size();
    Result.Items.push_back({&B, &Region, &PerRun, Class, Line, {0, B.How}});
    Times.emplace_back(1);
    Known How = B.How;
    Times[Index] = put(Amount, How, Index);
    Result.Items[Index].Times.How = How;
  };
  for (const auto &[Class, Amount] : PerRun) {
    if (Amount.constant())
      continue;
    Expr Rest = Amount;
    for (const LineCost &Line : B.Lines) {
      const Expr Part = Line.PerRun[Class];
      if (Part.isZero() || (In.OnDevice && !isPart(Line, PerRun)))
        continue;
      Add(Class, Part, &Line);
      Rest -= Part;
    }
    if (!Rest.isZero())
      Add(Class, Rest, nullptr);
  }
}

void ProgramNumbers::Evaluation::addItems(const Loop &Region) {
  const std::size_t Begin = Result.Items.size();
  for (const Block &B : Region.Blocks) {
    if (B.Runs.isZero())
      continue;
    const std::size_t First = Result.Items.size();
    const Counts *PerRun = &B.PerRun;
    if (auto InSpaces = countsIn(B, In.Spaces)) // what generic pointers reach is known of the calls
      PerRun = &Result.InSpaces.emplace_back(std::move(*InSpaces));
    Result.Items.push_back({&B, &Region, PerRun, std::nullopt, nullptr, {0, B.How}});
    Times.emplace_back(1);
    addFormulas(B, Region, *PerRun);
    Known How = B.How;
    const Expr Runs = put(B.Runs, How, First);
    multiply(First, Runs, How);
  }
  for (const Loop &Inner : Region.Loops) {
    if (Inner.Entries.isZero())
      continue;
    const std::size_t First = Result.Items.size();
    addItems(Inner);
    Known How = Known::Exact;
    const Expr Entries = put(Inner.Entries, How, First);
    multiply(First, Entries, How);
  }
  overIterations(Region, Begin);
}

void ProgramNumbers::Evaluation::finishItems() {
  Known HowCalls = Known::Exact;
  if (!In.isPlain())
    Calls = total(1, HowCalls);
  if (!In.isPlain() && !Calls)
    return;
  for (std::size_t I = 0; I != Times.size(); ++I) {
    Number &Sum = Result.Items[I].Times;
    Sum.How = std::max({Sum.How, In.How, HowCalls});
    if (auto Value = total(Times[I], Sum.How))
      Sum.Value = roundedIf(Sum.How, std::move(*Value));
    if (Sum.How == Known::Estimated) // estimates of shares can contradict each other
      Sum.Value = std::max(Sum.Value, Rational(0));
  }
}

void ProgramNumbers::Evaluation::run() {
  addLimits();
  addItems(owner().Body);
  finishItems();
  for (const WrapCheck &Check : owner().WrapChecks) {
    Known How = Known::Exact;
    const Expr Wraps = put(Check.Wraps, How, Result.Items.size());
    if (How == Known::Estimated || Wraps.isZero())
      continue;
    if (const auto Value = total(Wraps, How); Value && *Value != 0)
      addTo(Result.Wraps, Check.Location.isValid() ? Check.Location.text() : owner().Demangled,
            Number{*Value, How});
  }
  for (std::size_t I = 0; I != Result.Items.size(); ++I)
    if (!Result.Items[I].Class && Result.Items[I].Times.Value != 0)
      addCalls(I);
  closeRecursion();
  if (Result.NotEvaluated)
    addTo(Result.OpenCalls, "formula:" + owner().Name, {1, Known::Estimated});
}

void ProgramNumbers::Evaluation::addTo(std::map<std::string, Number> &Calls,
                                       const std::string &Name, const Number &Times) {
  Number &Sum = Calls[Name];
  Sum.Value += Times.Value;
  Sum.How = std::max(Sum.How, Times.How);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::optional<std::size_t> ProgramNumbers::nodeOf(const Function &F, NodeKind What, Frame Values,
                                                  const Context &In) {
  std::ranges::sort(Values, {}, &std::pair<std::string, Number>::first);
  std::string Key = std::to_string(int(What)) + In.key();
  bool IsEstimated = false;
  for (const auto &[Name, Value] : Values) {
    Key += Name + "=" + Value.Value.get_str() + (Value.How == Known::Estimated ? "~;" : ";");
    IsEstimated |= Value.How == Known::Estimated;
  }
  if (!In.isPlain() && Active.contains(&F)) // formulas of a recursion grow without an end
    return std::nullopt;
  auto [Slot, New] = ByFrame.try_emplace({&F, std::move(Key)});
  if (!New)
    return Slot->second; // none: it runs, so that this is a recursion without an end
  const auto Ran = Active.find(&F);
  if (Depth == MaxDepth || (Ran != Active.end() && Nodes.size() >= MaxNodesOfRecursion) ||
      (IsEstimated && Ran != Active.end() && Ran->second >= MaxEstimatedFrames))
    return std::nullopt;
  if (std::vector<std::size_t> &Same = ByFunction[&F];
      In.isPlain() && IsEstimated && Same.size() >= MaxEstimatedFrames)
    return Slot->second = Same.back();
  ++Depth;
  ++Active[&F];
  Node Result;
  Result.Which = &F;
  Result.What = What;
  Result.Values = std::move(Values);
  Evaluation(*this, Result, In).run();
  if (--Active[&F] == 0)
    Active.erase(&F);
  --Depth;
  Nodes.push_back(std::move(Result));
  if (In.isPlain())
    ByFunction[&F].push_back(Nodes.size() - 1);
  return Slot->second = Nodes.size() - 1;
}

void ProgramNumbers::evaluate(const Function &Entry, const Estimate &OfUnknown) {
  Of = &OfUnknown;
  if (!IsPrepared) {
    Sites.find(Entry);
    Sites.prepare(Bound);
    IsPrepared = true;
  }
  Globals.clear();
  Estimated.clear();
  HasLargerLimits = false;
  Nodes.clear();
  Fractions.clear();
  ByFrame.clear();
  ByFunction.clear();
  Context In;
  In.OnDevice = Entry.IsKernel;
  if (Entry.IsKernel)
    In.Around.push_back({"", {}, Bound});
  nodeOf(Entry, Entry.IsKernel ? NodeKind::Kernel : NodeKind::Host, {}, In);
  Of = nullptr;
}

} // namespace ergon
