//===- ArgumentValues.cpp - what a program makes of its arguments ---------===//

#include "predict/values/ArgumentValues.h"
#include "model/program/CallBinding.h"
#include "predict/values/LinearUses.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ergon {

/// The integers that formulas of \p F use of what it is called with.
static std::vector<code::Input> inputsOf(const Function &F, code::Program &Whole) {
  std::vector<code::Input> Result;
  for (const Cell &C : F.Cells)
    if (C.Parameter < F.Parameters.size() && !isReal(C.Symbol) && C.Bytes != 0)
      Result.push_back({Whole.number(passedToAll(F, C.Symbol)), C.Parameter, C.Path, C.Behind,
                        C.Bytes, C.IsSigned.value_or(true)});
  for (unsigned I = 0; I != F.Parameters.size(); ++I)
    if (const Parameter &P = F.Parameters[I]; P.Type == "i32" || P.Type == "i64")
      Result.push_back({.Symbol = Whole.number(passedToAll(F, P.Name)),
                        .Parameter = I,
                        .Bytes = P.Type == "i32" ? 4U : 8U,
                        .HasSign = P.IsSigned.value_or(true)});
  return Result;
}

static void addCalls(const Loop &L, std::vector<const Call *> &Result) {
  for (const Block &B : L.Blocks)
    for (const Call &Site : B.Calls)
      Result.push_back(&Site);
  for (const Loop &Inner : L.Loops)
    addCalls(Inner, Result);
}

/// Functions whose address is taken may have been called where nobody sees it: forgets what they
/// were seen to be called with.
static void forgetInputsBehindPointers(code::Program &Whole, code::ProgramValues &Values) {
  auto Forget = [&](const code::Operand &What) {
    if (What.What != code::Operand::Kind::Function)
      return;
    auto Found = Whole.FunctionOf.find(What.Number);
    if (Found == Whole.FunctionOf.end())
      return;
    const std::string &Name = Whole.Functions[Found->second].Name;
    Whole.Inputs.erase(Whole.number(Name));
    auto IsInput = [](const auto &Noted) { return isPassedToAll(Noted.first); };
    if (auto Noted = Values.Symbols.find(Name); Noted != Values.Symbols.end())
      std::erase_if(Noted->second, IsInput);
    if (auto Noted = Values.Means.find(Name); Noted != Values.Means.end())
      std::erase_if(Noted->second, IsInput);
  };
  for (const code::Function &F : Whole.Functions)
    for (const std::vector<code::Instruction> &Block : F.Blocks)
      for (const code::Instruction &I : Block)
        for (std::size_t At = I.What == code::Opcode::Call ? 1 : 0; At < I.Operands.size(); ++At)
          Forget(I.Operands[At]);
  for (const auto &[Name, What] : Whole.Globals)
    for (const code::Global::Item &Item : What.Items)
      Forget(Item.What);
}

/// What \p Open and what these call call, as far as it is recorded.
static std::set<const Function *> calledFrom(std::vector<const Function *> Open,
                                             const FunctionLookup &Find) {
  std::set<const Function *> Result;
  while (!Open.empty()) {
    const Function &Next = *Open.back();
    Open.pop_back();
    std::vector<const Call *> Sites;
    addCalls(Next.Body, Sites);
    for (const Call *Site : Sites)
      if (const Function *Callee = Site->IsLaunch ? nullptr : Find(Site->Callee, Next);
          Callee && Result.insert(Callee).second)
        Open.push_back(Callee);
  }
  return Result;
}

/// The kernels that \p Launchers launch.
static std::set<const Function *> launchedBy(const std::set<const Function *> &Launchers,
                                             const FunctionLookup &Find) {
  std::set<const Function *> Result;
  for (const Function *Owner : Launchers) {
    std::vector<const Call *> Sites;
    addCalls(Owner->Body, Sites);
    for (const Call *Site : Sites)
      if (const Function *Kernel = Site->IsLaunch ? Find(Site->Callee, *Owner) : nullptr)
        Result.insert(Kernel);
  }
  return Result;
}

/// Of symbols that were known on all visits of all functions. Those that were the same each time
/// in one of them are among these where \p WithSame.
static std::map<std::string, code::ProgramValues::Mean>
meansOfAll(const code::ProgramValues &Values, bool WithSame) {
  std::map<std::string, code::ProgramValues::Mean> Result;
  std::set<std::string> Others = Values.Varying;
  auto Add = [&](const std::string &Symbol, const code::ProgramValues::Mean &Mean) {
    if (!Result[Symbol].add(Mean))
      Others.insert(Symbol);
  };
  for (const auto &[Function, Means] : Values.Means)
    for (const auto &[Symbol, Mean] : Means)
      Add(Symbol, Mean);
  for (const auto &[Function, Symbols] : Values.Symbols)
    for (const auto &[Symbol, Number] : Symbols)
      if (WithSame)
        Add(Symbol, {Number, 1, {Number, Number}});
      else
        Others.insert(Symbol);
  std::erase_if(Result, [&](const auto &Mean) { return Others.contains(Mean.first); });
  return Result;
}

/// Keeps the means that counts of their functions are right with; others are estimates. Where
/// several functions have a symbol, it has no mean in all.
static void checkMeans(const Function &Main, const std::set<const Function *> &Ran,
                       code::ProgramValues &Result) {
  if (Result.Means.empty())
    return;
  std::map<std::string, std::vector<const Function *>> Owners;
  bool IsCalled = false;
  for (const Function *F : Ran) {
    for (const Unknown &U : F->Unknowns)
      Owners[U.Symbol].push_back(F);
    IsCalled |=
        !F->Code.empty() && std::ranges::count(code::functionsIn(F->Code), code::nameIn(Main.Code));
  }
  const auto OfAll = meansOfAll(Result, /*WithSame=*/false);
  for (auto &[Function, Means] : Result.Means)
    std::erase_if(Means, [&](const auto &Mean) {
      const std::string &Symbol = Mean.first;
      const auto &All = Owners[Symbol];
      const auto Own = std::ranges::find_if(
          All, [&](const ergon::Function *F) { return code::nameIn(F->Code) == Function; });
      const bool IsKept =
          Own != All.end() && isMeanEnough(**Own, Symbol, *Own == &Main && !IsCalled);
      if (!IsKept || All.size() > 1)
        Result.Varying.insert(Symbol);
      if (auto Known = OfAll.find(Symbol); !IsKept && Known != OfAll.end())
        Result.Estimates.insert(*Known);
      return !IsKept;
    });
}

/// Adds what \p Ordinary, a run in which unknown numbers are ordinary, knows beyond.
static void addOrdinary(const code::ProgramValues &Ordinary, code::ProgramValues &Result) {
  for (auto [Symbol, Mean] : meansOfAll(Ordinary, /*WithSame=*/true)) {
    Mean.IsOrdinary = true;
    Result.Estimates.emplace(Symbol, Mean);
  }
  Result.Likes = Ordinary.Likes;
}

using RunOfCode = std::function<code::ProgramValues(code::Program &, code::UnknownNumbers)>;

/// What \p Run makes of the code that \p Main reaches.
static code::ProgramValues valuesOf(const Function &Main, const FunctionLookup &Find,
                                    std::set<std::string> &Damaged, const RunOfCode &Run) {
  code::Program Whole;
  std::set<const Function *> Seen{&Main};
  std::vector<const Function *> Open{&Main}, WithoutCode, Skipped;
  auto AddKernel = [&](const Function *Kernel) {
    if (Kernel && Kernel->IsKernel)
      Whole.Inputs.try_emplace(Whole.number(Kernel->Name), inputsOf(*Kernel, Whole));
  };
  while (!Open.empty()) {
    const Function &Next = *Open.back();
    Open.pop_back();
    const bool IsRead = Next.Code.empty() || Whole.add(Next.Code).has_value();
    if (!IsRead)
      Damaged.insert(Next.Demangled);
    if (Next.Code.empty() || !IsRead) {
      Whole.Opaque.insert(Whole.number(Next.Name));
      WithoutCode.push_back(&Next);
      continue;
    }
    Whole.Inputs[Whole.number(code::nameIn(Next.Code))] = inputsOf(Next, Whole);
    for (const std::string &Name : code::skippedIn(Next.Code))
      if (const Function *Callee = Find(Name, Next); Callee && Callee->Library.empty())
        Skipped.push_back(Callee);
    for (const std::string &Name : code::functionsIn(Next.Code)) {
      const Function *Callee = Find(Name, Next);
      AddKernel(Callee);
      if (!Callee || Callee->IsKernel || !Callee->Library.empty())
        continue;
      if (Callee->Code.empty()) { // under the name that it is called by
        Whole.Opaque.insert(Whole.number(Name));
        WithoutCode.push_back(Callee);
      } else if (Seen.insert(Callee).second)
        Open.push_back(Callee);
    }
  }
  for (const auto &[Stub, Name] : Whole.KernelOf)
    AddKernel(Find(Whole.Names[Name], Main));
  // Code that was not recorded may pass anything to what it calls; and so may calls that the code
  // leaves out.
  auto Forget = [&](const std::set<const Function *> &Unseen) {
    for (const Function *Callee : Unseen)
      Whole.Inputs.erase(
          Whole.number(Callee->IsKernel ? Callee->Name : code::nameIn(Callee->Code)));
  };
  std::vector<const Function *> Hidden = std::move(WithoutCode);
  Hidden.insert(Hidden.end(), Skipped.begin(), Skipped.end());
  std::set<const Function *> Unseen = calledFrom(Hidden, Find);
  Unseen.insert(Hidden.begin(), Hidden.end());
  Forget(Unseen);
  Forget(launchedBy(Unseen, Find));
  code::ProgramValues Result = Run(Whole, code::UnknownNumbers::Any);
  if (Result.CallsUnseen)
    forgetInputsBehindPointers(Whole, Result);
  if (Result.OrdinaryMatters)
    addOrdinary(Run(Whole, code::UnknownNumbers::Ordinary), Result);
  for (const Function *Callee : Unseen) {
    const std::string Name = code::nameIn(Callee->Code);
    Result.Symbols.erase(Name);
    Result.Means.erase(Name);
    for (const Unknown &U : Callee->Unknowns)
      Result.Varying.insert(U.Symbol);
  }
  checkMeans(Main, Seen, Result);
  return Result;
}

code::ProgramValues argumentValues(const Function &Main, const FunctionLookup &Find,
                                   const code::CommandLine &How, std::set<std::string> &Damaged) {
  return valuesOf(Main, Find, Damaged, [&](code::Program &P, code::UnknownNumbers Are) {
    return code::valuesOf(P, How, Are);
  });
}

static code::Value integerValue(const Rational &Number, unsigned Bits) {
  const auto Word = Number.asWord();
  return Word && Bits <= 64 ? code::Value::integer(code::lowBits(std::uint64_t(*Word), Bits))
                            : code::Value::unknown();
}

static code::Value realValue(const Rational &Number, unsigned Bytes) {
  const double Value = Number.get_d();
  return Bytes == 8   ? code::Value::real(Value)
         : Bytes == 4 ? code::Value::real(double(float(Value)))
                      : code::Value::unknown();
}

code::ProgramValues entryValues(const Function &Entry, const FunctionLookup &Find,
                                const std::map<std::string, Rational> &Values,
                                const code::Hardware &On, std::set<std::string> &Damaged) {
  // Its formulas may say all.
  const std::set<const Function *> Called = calledFrom({&Entry}, Find);
  auto SaysAll = [](const Function &F) {
    std::vector<const Call *> Sites;
    addCalls(F.Body, Sites);
    return F.Unknowns.empty() && std::ranges::all_of(Sites, [](const Call *Site) {
             return !Site->Callee.empty(); // through a pointer
           });
  };
  if (SaysAll(Entry) &&
      std::ranges::all_of(Called, [&](const Function *Each) { return SaysAll(*Each); }))
    return {};
  code::EntryCall Call{code::nameIn(Entry.Code), {}, On};
  for (const Parameter &P : Entry.Parameters) {
    code::EntryCall::Argument &Next = Call.Arguments.emplace_back();
    auto Given = Values.find(P.symbol());
    if (Given == Values.end())
      continue;
    if (const unsigned Bits = integerBits(P))
      Next.What = integerValue(Given->second, Bits);
    else if (P.Type == "float" || P.Type == "double")
      Next.What = realValue(Given->second, P.Type == "float" ? 4 : 8);
    else if (P.Type == "ptr" && P.Scalar.Kind == ScalarKind::Character &&
             std::ranges::find(Entry.Cells, P.Name, &Cell::Symbol) == Entry.Cells.end())
      Next.Behind.push_back({{0}, 1, integerValue(Given->second, 8)}); // no formula has it
  }
  for (const Cell &C : Entry.Cells) {
    auto Given = Values.find(C.Symbol);
    if (Given == Values.end() || C.Path.empty() || C.Behind != 0 || C.Bytes == 0 || C.Bytes > 8 ||
        C.Parameter >= Call.Arguments.size() || Entry.Parameters[C.Parameter].Type != "ptr")
      continue;
    Call.Arguments[C.Parameter].Behind.push_back({C.Path, C.Bytes,
                                                  isReal(C.Symbol)
                                                      ? realValue(Given->second, C.Bytes)
                                                      : integerValue(Given->second, 8 * C.Bytes)});
  }
  return valuesOf(Entry, Find, Damaged, [&](code::Program &P, code::UnknownNumbers Are) {
    return code::valuesOfCall(P, Call, Are);
  });
}

std::map<std::string, Rational> meanValues(const code::ProgramValues &Values) {
  std::map<std::string, Rational> Result;
  for (const auto &[Function, Means] : Values.Means)
    for (const auto &[Symbol, Mean] : Means)
      if (!Values.Varying.contains(Symbol))
        Result.emplace(Symbol, Rational(Mean.Sum, std::int64_t(Mean.Times)));
  return Result;
}

std::map<std::string, Substitution> valuesOfFunctions(const code::ProgramValues &Values) {
  const std::map<std::string, std::int64_t> Common = commonValues(Values);
  std::map<std::string, Substitution> Result;
  auto IsOwn = [&](const std::string &Symbol) {
    return (isUnknownSymbol(Symbol) || isGlobalSymbol(Symbol)) && !isPassedToAll(Symbol) &&
           !Common.contains(Symbol);
  };
  for (const auto &[Function, Numbers] : Values.Symbols)
    for (const auto &[Symbol, Number] : Numbers)
      if (IsOwn(Symbol))
        Result[Function].emplace(Symbol, Expr(Rational(Number)));
  for (const auto &[Function, Means] : Values.Means)
    for (const auto &[Symbol, Mean] : Means)
      if (IsOwn(Symbol) && Values.Varying.contains(Symbol))
        Result[Function].emplace(Symbol, Expr(Rational(Mean.Sum, std::int64_t(Mean.Times))));
  return Result;
}

std::map<std::string, Substitution> likelyFormulas(const code::ProgramValues &Values) {
  std::map<std::string, Substitution> Result;
  for (const auto &[Function, Likes] : Values.Likes)
    for (const auto &[Symbol, Like] : Likes)
      if (isUnknownSymbol(Symbol) && !isPassedToAll(Symbol))
        Result[Function].emplace(Symbol,
                                 Expr::symbol(formalOf(Like.Symbol, Function)) + Expr(Like.More));
  return Result;
}

std::map<std::string, std::int64_t> commonValues(const code::ProgramValues &Values) {
  std::map<std::string, std::int64_t> Result;
  std::set<std::string> Different;
  for (const auto &[Function, Symbols] : Values.Symbols)
    for (const auto &[Symbol, Number] : Symbols)
      if (auto [Slot, New] = Result.try_emplace(Symbol, Number); !New && Slot->second != Number)
        Different.insert(Symbol);
  // Code that was not seen may find another number in a global, unless it keeps the one it has.
  std::erase_if(Result, [&](const auto &Each) {
    return isGlobalSymbol(Each.first) && !Values.Globals.contains(Each.first);
  });
  for (const auto &[Symbol, Number] : Values.Globals)
    if (auto [Slot, New] = Result.try_emplace(Symbol, Number); !New && Slot->second != Number)
      Different.insert(Symbol);
  Different.insert(Values.Varying.begin(), Values.Varying.end());
  for (const std::string &Symbol : Different)
    Result.erase(Symbol);
  for (const std::string &Symbol : Values.Unvisited)
    if (!Different.contains(Symbol) && !isGlobalSymbol(Symbol))
      Result.try_emplace(Symbol, 0);
  return Result;
}

} // namespace ergon
