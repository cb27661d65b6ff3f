//===- ProgramSites.cpp - the calls that an entry reaches -----------------===//

#include "model/evaluation/ProgramSites.h"
#include "model/program/CallBinding.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace ergon {

bool isThreadIndex(const std::string &Symbol) {
  return Symbol.starts_with("threadIdx.") || Symbol.starts_with("blockIdx.");
}

bool isSameInCallees(const std::string &Symbol) {
  return Symbol == OmpThread || isGlobalSymbol(Symbol) || isThreadIndex(Symbol) ||
         isLaunchDimension(Symbol);
}

static void addSymbols(const Expr &Formula, std::unordered_set<std::string> &Result) {
  if (Formula.constant())
    return;
  std::set<std::string> Symbols;
  Formula.collectSymbols(Symbols);
  Result.insert(Symbols.begin(), Symbols.end());
}

/// What never runs, as in a function that a run did not reach, needs nothing.
void ProgramSites::visit(const Loop &Region, const Function &Owner, Reached &Result) {
  if (Region.Entries.isZero())
    return;
  addSymbols(Region.Entries, Result.Needs);
  addSymbols(Region.Last, Result.Needs);
  for (const Block &B : Region.Blocks) {
    if (B.Runs.isZero())
      continue;
    addSymbols(B.Runs, Result.Needs);
    for (const auto &[Class, Amount] : B.PerRun)
      addSymbols(Amount, Result.Needs);
    for (const Call &At : B.Calls) {
      const Function *Callee = calleeOf(At, Owner, Find);
      Result.Sites[&At] = {Callee, Callee, {}};
      if (Callee)
        find(*Callee);
      if (Callee && Callee->AsRun)
        find(*Callee->AsRun);
    }
  }
  for (const Loop &Inner : Region.Loops)
    visit(Inner, Owner, Result);
}

void ProgramSites::find(const Function &Entry) {
  auto [Slot, New] = Functions.try_emplace(&Entry);
  if (!New)
    return;
  Slot->second = std::make_unique<Reached>();
  Reached &Result = *Slot->second;
  for (const Unknown &U : Entry.Unknowns) {
    Result.Unknowns.emplace(U.Symbol, &U);
    if (U.Limit && !U.Measured)
      addSymbols(*U.Limit, Result.Needs);
  }
  for (const WrapCheck &Check : Entry.WrapChecks)
    addSymbols(Check.Wraps, Result.Needs);
  if (Entry.IsKernel) // for the number of threads
    for (const char *Size : {"grid.", "block."})
      for (const char *Axis : {"x", "y", "z"})
        Result.Needs.insert(std::string(Size) + Axis);
  visit(Entry.Body, Entry, Result);
  Order.push_back(&Entry);
}

/// Counts the unknowns of what \p F reaches, with its calls through pointers, up to more than
/// formulas are made for. What was not found before is not: most programs are small.
class ProgramSites::UnknownsCounter {
public:
  explicit UnknownsCounter(const ProgramSites &In) : In(In) {}

  std::size_t unknowns() const { return Unknowns; }
  bool isLarge() const { return Unknowns > MaxUnknowns; }
  void add(const Function &F) {
    if (isLarge() || !Seen.insert(&F).second)
      return;
    if (auto Found = In.Functions.find(&F); Found != In.Functions.end()) {
      Unknowns += Found->second->Unknowns.size();
      for (const auto &[At, To] : Found->second->Sites)
        if (To.Callee)
          add(*To.Callee);
      return;
    }
    std::set<std::string_view> Symbols;
    for (const Unknown &U : F.Unknowns)
      Symbols.insert(U.Symbol);
    Unknowns += Symbols.size();
    add(F.Body, F);
  }

private:
  const ProgramSites &In;
  std::unordered_set<const Function *> Seen;
  std::size_t Unknowns = 0;

  void add(const Loop &Region, const Function &Owner) {
    for (const Block &B : Region.Blocks)
      for (const Call &At : B.Calls) {
        Unknowns += At.Callee.empty(); // which function it calls
        if (const Function *Callee = isLarge() ? nullptr : calleeOf(At, Owner, In.Find))
          add(*Callee);
      }
    for (const Loop &Inner : Region.Loops)
      add(Inner, Owner);
  }
};

std::size_t ProgramSites::unknowns(const Function &F) {
  auto [Slot, New] = Unknowns.try_emplace(&F);
  if (!New)
    return Slot->second;
  UnknownsCounter Counter(*this);
  Counter.add(F);
  return Slot->second = Counter.unknowns();
}

std::vector<std::pair<std::string, Expr>> ProgramSites::passedTo(const Function &Callee,
                                                                 const Call &At,
                                                                 const Function &Owner,
                                                                 const Substitution &Frame) {
  return Frames->all(At, Callee, Owner, Frame);
}

/// Adds to the needs of \p Owner what its callees' depend on; false where there is nothing new.
bool ProgramSites::addNeeds(const Function &Owner) {
  Reached &Result = *Functions.at(&Owner);
  const std::size_t Before = Result.Needs.size();
  for (const auto &[At, To] : Result.Sites) {
    if (!To.Callee)
      continue;
    const std::unordered_set<std::string> &Needed = Functions.at(To.Callee)->Needs;
    std::set<std::string> Passed;
    for (const auto &[Formal, Value] : To.Passed) {
      Passed.insert(Formal);
      if (Needed.contains(Formal))
        addSymbols(Value, Result.Needs);
    }
    std::vector<std::string> Same; // Needed may be of the owner itself
    for (const std::string &Symbol : Needed)
      if (isSameInCallees(Symbol) && !Passed.contains(Symbol) &&
          !(At->IsLaunch && isThreadIndex(Symbol)))
        Same.push_back(Symbol);
    Result.Needs.insert(Same.begin(), Same.end());
  }
  return Result.Needs.size() != Before;
}

/// Removes what no count of the callee needs.
void ProgramSites::keepNeeded(Site &To) const {
  std::erase_if(To.Passed, [&](const auto &Value) {
    return !Functions.at(To.Callee)->Needs.contains(Value.first);
  });
}

/// Whether the callee needs an argument that is no formula and has no number.
bool ProgramSites::lacksArgument(const Function &Owner, const Site &To,
                                 const Substitution &Bound) const {
  const Reached &Own = *Functions.at(&Owner);
  auto IsUnknown = [&](const std::string &Symbol) {
    if (!Symbol.starts_with("value@") || Bound.contains(Symbol))
      return false;
    auto Found = Own.Unknowns.find(Symbol);
    return Found == Own.Unknowns.end() || !Found->second->Measured ||
           !Found->second->Measured->isInteger();
  };
  return std::ranges::any_of(To.Passed,
                             [&](const auto &Value) { return Value.second.hasSymbol(IsUnknown); });
}

void ProgramSites::prepare(const Substitution &Bound) {
  Frames.emplace(Find, Bound);
  for (const Function *Owner : Order)
    for (auto &[At, To] : Functions.at(Owner)->Sites)
      if (To.Recorded) {
        To.Callee = To.Recorded;
        To.Passed = passedTo(*To.Callee, *At, *Owner, {});
      }
  // Callees come first, so that one round does but for recursion.
  for (bool Again = true; Again;) {
    Again = false;
    for (const Function *Owner : Order)
      Again |= addNeeds(*Owner);
  }
  for (const Function *Owner : Order)
    for (auto &[At, To] : Functions.at(Owner)->Sites)
      if (To.Callee) {
        keepNeeded(To);
        if (!At->IsLaunch && To.Callee->AsRun && lacksArgument(*Owner, To, Bound)) {
          To.Callee = To.Callee->AsRun.get();
          To.Passed = passedTo(*To.Callee, *At, *Owner, {});
          keepNeeded(To);
        }
      }
}

} // namespace ergon
