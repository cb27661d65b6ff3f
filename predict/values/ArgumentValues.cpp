//===- ArgumentValues.cpp - what a program makes of its arguments ---------===//

#include "predict/values/ArgumentValues.h"
#include "model/program/CallBinding.h"

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

/// A function whose address is taken may be called where nobody sees it.
static void forgetInputsBehindPointers(code::Program &Whole) {
  auto Forget = [&](const code::Operand &What) {
    if (What.What != code::Operand::Kind::Function)
      return;
    if (auto Found = Whole.FunctionOf.find(What.Number); Found != Whole.FunctionOf.end())
      Whole.Inputs.erase(Whole.number(Whole.Functions[Found->second].Name));
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

/// What \p Run makes of the code that \p Main reaches.
static code::ProgramValues
valuesOf(const Function &Main, const FunctionLookup &Find, std::set<std::string> &Damaged,
         const std::function<code::ProgramValues(const code::Program &)> &Run) {
  code::Program Whole;
  std::set<const Function *> Seen{&Main};
  std::vector<const Function *> Open{&Main}, WithoutCode, Skipped;
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
    for (const std::string_view Name : code::skippedIn(Next.Code))
      if (const Function *Callee = Find(std::string(Name), Next); Callee && Callee->Library.empty())
        Skipped.push_back(Callee);
    for (const std::string_view Name : code::functionsIn(Next.Code)) {
      const Function *Callee = Find(std::string(Name), Next);
      if (!Callee || Callee->IsKernel || !Callee->Library.empty())
        continue;
      if (Callee->Code.empty()) { // under the name that it is called by
        Whole.Opaque.insert(Whole.number(Name));
        WithoutCode.push_back(Callee);
      } else if (Seen.insert(Callee).second)
        Open.push_back(Callee);
    }
  }
  // Code that was not recorded may pass anything to what it calls; and so may calls that the code
  // leaves out.
  auto Forget = [&](const std::set<const Function *> &Unseen) {
    for (const Function *Callee : Unseen)
      Whole.Inputs.erase(Whole.number(code::nameIn(Callee->Code)));
  };
  std::vector<const Function *> Hidden = std::move(WithoutCode);
  Hidden.insert(Hidden.end(), Skipped.begin(), Skipped.end());
  std::set<const Function *> Unseen = calledFrom(Hidden, Find);
  Unseen.insert(Hidden.begin(), Hidden.end());
  Forget(Unseen);
  forgetInputsBehindPointers(Whole);
  code::ProgramValues Result = Run(Whole);
  for (const Function *Callee : Unseen) {
    Result.Symbols.erase(std::string(code::nameIn(Callee->Code)));
    for (const Unknown &U : Callee->Unknowns) {
      Result.Varying.insert(U.Symbol);
      Result.Means.erase(U.Symbol);
    }
  }
  return Result;
}

code::ProgramValues argumentValues(const Function &Main, const FunctionLookup &Find,
                                   const code::CommandLine &How, std::set<std::string> &Damaged) {
  return valuesOf(Main, Find, Damaged,
                  [&](const code::Program &P) { return code::valuesOf(P, How); });
}

code::ProgramValues entryValues(const Function &Entry, const FunctionLookup &Find,
                                const std::map<std::string, Rational> &Values,
                                const std::vector<code::ProcessorCache> &Caches,
                                std::set<std::string> &Damaged) {
  // Its formulas may say all.
  const std::set<const Function *> Called = calledFrom({&Entry}, Find);
  if (Entry.Unknowns.empty() &&
      std::ranges::all_of(Called, [](const Function *Each) { return Each->Unknowns.empty(); }))
    return {};
  code::EntryCall Call{std::string(code::nameIn(Entry.Code)), {}, Caches};
  for (const Parameter &P : Entry.Parameters) {
    auto Given = Values.find(P.Name);
    const unsigned Bits = Given == Values.end() ? 0 : integerBits(P);
    const auto Number = Bits == 0 ? std::nullopt : Given->second.asWord();
    Call.Arguments.push_back(
        Number ? std::optional(std::int64_t(code::lowBits(std::uint64_t(*Number), Bits)))
               : std::nullopt);
  }
  return valuesOf(Entry, Find, Damaged,
                  [&](const code::Program &P) { return code::valuesOfCall(P, Call); });
}

std::map<std::string, std::int64_t> commonValues(const code::ProgramValues &Values) {
  std::map<std::string, std::int64_t> Result;
  std::set<std::string> Different;
  for (const auto &[Function, Symbols] : Values.Symbols)
    for (const auto &[Symbol, Number] : Symbols)
      if (auto [Slot, New] = Result.try_emplace(Symbol, Number); !New && Slot->second != Number)
        Different.insert(Symbol);
  Different.insert(Values.Varying.begin(), Values.Varying.end());
  for (const std::string &Symbol : Different)
    Result.erase(Symbol);
  for (const std::string &Symbol : Values.Unvisited)
    if (!Different.contains(Symbol))
      Result.try_emplace(Symbol, 0);
  return Result;
}

} // namespace ergon
