//===- FirstLaunches.cpp - the first launch of each kernel ----------------===//
//
// Follows a program's calls in the order of the code, each loop in its first iteration, then in the
// next and the last one, for kernels that only these launch.
//
//===----------------------------------------------------------------------===//

#include "model/program/CallBinding.h"
#include "model/program/PointerSpaces.h"
#include "model/program/Program.h"

#include <algorithm>
#include <set>
#include <variant>

namespace ergon {

/// Programs call functions that launch in thousands of ways; by then each kernel was launched.
static constexpr unsigned MaxCallsFollowed = 2'000;

struct TotalsBuilder::LaunchWalk {
  std::map<std::string, FirstLaunch> Found; // by the kernel's mangled name
  std::set<Key> Seen;                       // calls that were followed
  std::map<const Function *, bool> Launches;
  std::set<const Function *> Active;
  unsigned Calls = 0;
  bool WithCounts = true;
  const KnownLaunches *Known = nullptr;
  bool FollowsNever = false; ///< also what the formulas never run, for kernels that are known
};

/// The shape as far as it is known.
static void setKnown(const code::LaunchValues &Known, LaunchShape &Shape) {
  for (auto [Numbers, Extent] :
       {std::pair(&Known.Grid, &Shape.Grid), std::pair(&Known.Block, &Shape.Block)})
    for (std::size_t Axis = 0; Axis != 3; ++Axis)
      if ((*Numbers)[Axis])
        (*Extent)[Axis] = Expr(Rational(*(*Numbers)[Axis]));
  if (Known.SharedBytes)
    Shape.SharedBytes = Expr(Rational(*Known.SharedBytes));
}

/// The integers that \p Kernel is known to get, by its symbols.
static Substitution knownArguments(const code::LaunchValues &Known, const Function &Kernel) {
  Substitution Result;
  auto Set = [&](const std::string &Symbol, unsigned Argument, std::int64_t Offset, unsigned Bytes,
                 bool IsSigned) {
    if (Argument >= Known.Arguments.size())
      return;
    const auto Found = Known.Arguments[Argument].find(Offset);
    if (Found == Known.Arguments[Argument].end() || Found->second.Bytes < Bytes)
      return;
    const unsigned Unused = 64 - 8 * Bytes;
    const std::uint64_t Bits = Found->second.Bits << Unused;
    Result.emplace(Symbol, IsSigned ? Expr(Rational(std::int64_t(Bits) >> Unused))
                                    : Expr(Rational(Bits >> Unused)));
  };
  for (unsigned I = 0; I != Kernel.Parameters.size(); ++I)
    if (const unsigned Bits = integerBits(Kernel.Parameters[I]); Bits >= 8 && Bits <= 64)
      Set(Kernel.Parameters[I].Name, I, 0, Bits / 8, Kernel.Parameters[I].IsSigned.value_or(true));
  for (const Cell &C : Kernel.Cells) // of structures passed by value
    if (C.Path.size() == 1 && C.Behind == 0 && C.Bytes >= 1 && C.Bytes <= 8)
      Set(C.Symbol, C.Parameter, C.Path[0], C.Bytes, C.IsSigned.value_or(true));
  return Result;
}

/// True where \p Region launches kernels, itself or in callees.
static bool anyCall(const Loop &Region, const std::function<bool(const Call &)> &Is) {
  return std::ranges::any_of(Region.Blocks,
                             [&](const Block &B) { return std::ranges::any_of(B.Calls, Is); }) ||
         std::ranges::any_of(Region.Loops, [&](const Loop &L) { return anyCall(L, Is); });
}

bool TotalsBuilder::launches(const Loop &Region, const Function &Owner, LaunchWalk &Walk) {
  return anyCall(Region, [&](const Call &Site) {
    if (Site.IsLaunch)
      return true;
    const Function *Callee = calleeOf(Site, Owner, Find);
    if (!Callee || Callee->IsKernel)
      return false;
    auto [Slot, New] = Walk.Launches.try_emplace(Callee, false);
    if (New) {
      const bool Any = launches(Callee->Body, *Callee, Walk);
      Walk.Launches[Callee] = Any;
      return Any;
    }
    return Slot->second;
  });
}

/// The values of \p Callee's symbols at \p Site: numbers and addresses, then formulas.
std::pair<Substitution, Substitution> TotalsBuilder::valuesAt(const Call &Site,
                                                              const Function &Callee,
                                                              const Function &Owner,
                                                              const Substitution &Frame) {
  Substitution Inside = Frames.global(), Actual;
  std::set<std::string> IsPassed; // the first value of a symbol applies
  for (const auto &[Formal, Argument] : Frames.all(Site, Callee, Owner, Frame)) {
    if (!IsPassed.insert(Formal).second)
      continue;
    Inside.erase(Formal);
    Expr Value = asNumber(Argument.substitute(Frame));
    (isFixed(Value) ? Inside : Actual).emplace(Formal, std::move(Value));
  }
  passSpaces(Site, Callee, Frame, Inside, /*OfHost=*/false);
  return {std::move(Inside), std::move(Actual)};
}

/// The call's launch, or those of its callee.
void TotalsBuilder::follow(const Call &Site, const Function &Owner, const Substitution &Frame,
                           LaunchWalk &Walk) {
  const Function *Callee = calleeOf(Site, Owner, Find);
  if (!Callee || ++Walk.Calls > MaxCallsFollowed)
    return;
  const bool IsWanted = !Walk.FollowsNever || Walk.Known->contains(Callee->Name);
  if (Site.IsLaunch && Site.Shape && IsWanted && !Walk.Found.contains(Callee->Name)) {
    FirstLaunch &First = Walk.Found[Callee->Name];
    First.Kernel = Callee->Demangled;
    First.Location = Site.Location;
    First.Shape = Site.Shape->substitute(Frame);
    const auto Known = Walk.Known->find(Callee->Name);
    const bool IsKnown = Known != Walk.Known->end();
    if (IsKnown)
      setKnown(Known->second, First.Shape);
    if (Walk.WithCounts) {
      auto Values = valuesAt(Site, *Callee, Owner, Frame);
      if (IsKnown) {
        Substitution Numbers = knownArguments(Known->second, *Callee);
        for (auto [Name, Extent] :
             {std::pair("grid.", &First.Shape.Grid), std::pair("block.", &First.Shape.Block)})
          for (std::size_t Axis = 0; Axis != 3; ++Axis)
            if ((*Extent)[Axis].constant())
              Numbers.emplace(std::string(Name) + "xyz"[Axis], (*Extent)[Axis]);
        for (auto &[Name, Number] : Numbers) {
          Values.second.erase(Name);
          Values.first.insert_or_assign(Name, Number);
        }
      }
      First.With = Values.first;
      First.With.insert(Values.second.begin(), Values.second.end());
      First.Values = mapped(totalsOfLaunch(*Callee, Values.first).Values,
                            [&](const Expr &E) { return E.substitute(Values.second); });
    }
    for (auto [Name, Extent] :
         {std::pair("grid.", &First.Shape.Grid), std::pair("block.", &First.Shape.Block)})
      for (std::size_t Axis = 0; Axis != 3; ++Axis) {
        Expr &E = (*Extent)[Axis];
        E = asNumber(E);
        if (const auto Number = E.constant(); Walk.FollowsNever && Number && *Number < 1)
          E = Expr::symbol(std::string(Name) + "xyz"[Axis]); // what has no size was not launched
      }
  } else if (!Site.IsLaunch && !Callee->IsKernel && !Walk.Active.contains(Callee) &&
             launches(Callee->Body, *Callee, Walk)) {
    auto [Inside, Actual] = valuesAt(Site, *Callee, Owner, Frame);
    Inside.merge(Actual);
    if (!Walk.Seen.insert(keyOf(*Callee, Inside)).second)
      return;
    Walk.Active.insert(Callee);
    follow(Callee->Body, *Callee, withMeasured(*Callee, Inside), Walk);
    Walk.Active.erase(Callee);
  }
}

/// One iteration of \p Region.
void TotalsBuilder::follow(const Loop &Region, const Function &Owner, const Substitution &Frame,
                           LaunchWalk &Walk) {
  auto IsNever = [&](const Expr &Times) {
    auto Number = asNumber(Times.substitute(Frame)).constant();
    return Number && *Number <= 0 && !Walk.FollowsNever;
  };
  std::multimap<unsigned, std::variant<const Call *, const Loop *>> Parts; // by order
  for (const Block &B : Region.Blocks)
    if (!B.Calls.empty() && !IsNever(B.Runs))
      for (const Call &Site : B.Calls)
        Parts.emplace(Site.Order, &Site);
  for (const Loop &Inner : Region.Loops)
    if (launches(Inner, Owner, Walk) && !IsNever(Inner.Entries))
      Parts.emplace(Inner.Order, &Inner);
  for (const auto &[Order, Part] : Parts) {
    if (auto *Site = std::get_if<const Call *>(&Part)) {
      follow(**Site, Owner, Frame, Walk);
      continue;
    }
    const Loop &Inner = *std::get<const Loop *>(Part);
    const auto Last = asNumber(Inner.Last.substitute(Frame)).constant();
    if (Last && *Last <= -1 && !Walk.FollowsNever)
      continue;
    std::set<Rational> Iterations{0};
    if (!Last || *Last >= 1)
      Iterations.insert(1);
    if (Last && *Last > 0)
      Iterations.insert(*Last);
    for (const Rational &Iteration : Iterations) {
      Substitution Here = Frame;
      Here.insert_or_assign(Inner.Variable, Expr(Iteration));
      follow(Inner, Owner, Here, Walk);
    }
  }
}

std::vector<FirstLaunch> TotalsBuilder::firstLaunches(const Function &Entry, bool WithCounts,
                                                      const KnownLaunches &Known) {
  LaunchWalk Walk;
  Walk.Known = &Known;
  Walk.WithCounts = WithCounts;
  Walk.Active.insert(&Entry);
  if (launches(Entry.Body, Entry, Walk)) {
    const Substitution Frame = withMeasured(Entry, Bound);
    follow(Entry.Body, Entry, Frame, Walk);
    // Where an estimate says that it never runs, the program is known to launch it nevertheless.
    Walk.FollowsNever = std::ranges::any_of(
        Known, [&](const auto &Launch) { return !Walk.Found.contains(Launch.first); });
    if (Walk.FollowsNever) {
      Walk.Seen.clear();
      Walk.Calls = 0;
      follow(Entry.Body, Entry, Frame, Walk);
    }
  }
  std::vector<FirstLaunch> Result;
  for (auto &[Name, First] : Walk.Found) {
    First.Function = Name;
    Result.push_back(std::move(First));
  }
  return Result;
}

} // namespace ergon
