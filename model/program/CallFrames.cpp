//===- CallFrames.cpp - what calls pass to callees ------------------------===//

#include "model/program/CallFrames.h"
#include "model/code/Code.h"
#include "model/program/CallBinding.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ergon {

const Function *calleeOf(const Call &Site, const Function &Owner, const FunctionLookup &Find) {
  const Function *Callee = Site.Callee.empty() ? nullptr : Find(Site.Callee, Owner);
  if (Callee && (Callee->IsKernel != Site.IsLaunch || (Site.IsLaunch && !Site.Shape)))
    return nullptr;
  return Callee && Owner.IsAsRun && Callee->AsRun ? Callee->AsRun.get() : Callee;
}

CallFrames::CallFrames(FunctionLookup Find, const Substitution &Bound) : Find(std::move(Find)) {
  for (const auto &[Name, Value] : Bound)
    if (isPassedToAll(Name))
      Given.emplace(Name, Value);
    else if (isUnknownSymbol(Name) || isLaunchDimension(Name) || isGlobalSymbol(Name) ||
             Name == ProcessCount)
      Global.emplace(Name, Value);
}

static void nameSites(const Loop &L, const std::string &Owner,
                      std::map<std::string, unsigned> &Seen,
                      std::map<const Call *, std::string> &Result) {
  for (const Block &B : L.Blocks)
    for (const Call &Site : B.Calls) {
      std::string Name = Site.Location.isValid() ? Site.Location.text() : Owner + ":" + Site.Callee;
      unsigned Number = ++Seen[Name];
      Result[&Site] = Number == 1 ? Name : Name + "#" + std::to_string(Number);
    }
  for (const Loop &Inner : L.Loops)
    nameSites(Inner, Owner, Seen, Result);
}

/// The call's position, or the function and its callee; `#2` where several have it.
const std::string &CallFrames::siteName(const Call &Site, const Function &Owner) {
  auto [Found, New] = SiteNames.try_emplace(&Owner);
  if (New) {
    std::map<std::string, unsigned> Seen;
    nameSites(Owner.Body, Owner.Name, Seen, Found->second);
  }
  return Found->second.at(&Site);
}

/// The value of a formal parameter in the caller's symbols; nothing where the argument is no
/// formula, or has no known meaning. For a pointer argument: library formulas mean its target,
/// formulas of code mean the address and have cells for the target.
static std::optional<Expr> argument(const Parameter &Formal, bool Code,
                                    const std::vector<std::optional<Expr>> &Arguments,
                                    std::size_t Number, const Substitution &Frame) {
  bool IsAddress = Code && Formal.Type == "ptr";
  if (IsAddress || Number >= Arguments.size() || !Arguments[Number])
    return std::nullopt;
  if (!Formal.Means)
    return Arguments[Number];
  auto Found = Formal.Means->find(toText(Arguments[Number]->substitute(Frame)));
  return Found == Formal.Means->end() ? std::nullopt : std::optional(Found->second);
}

/// The unknown for the value that a call passes.
static std::string passedValue(const std::string &SiteName, const std::string &Formal) {
  const std::string Name = "value@" + SiteName + ":" + std::string(symbolText(Formal));
  return isReal(Formal) ? realSymbol(Name) : Name;
}

static constexpr std::string_view PassedToAll = "passed@";

/// Whether a run of the program's code can note what all calls of \p Callee pass.
static bool isNoted(const Function &Callee) { return Callee.IsKernel || !Callee.Code.empty(); }

std::string passedToAll(const Function &Callee, const std::string &Formal) {
  std::string Result(PassedToAll);
  Result += Callee.IsKernel ? Callee.Name : code::nameIn(Callee.Code);
  return Result + ":" + Formal;
}

bool isPassedToAll(std::string_view Symbol) { return Symbol.starts_with(PassedToAll); }

std::string formalOf(std::string_view Symbol, std::string_view Callee) {
  return std::string(Symbol.substr(PassedToAll.size() + Callee.size() + 1));
}

std::optional<Expr> CallFrames::givenFor(const Function &Callee, const std::string &Formal) const {
  if (Given.empty() || !isNoted(Callee))
    return std::nullopt;
  auto Found = Given.find(passedToAll(Callee, Formal));
  return Found == Given.end() ? std::nullopt : std::optional(Found->second);
}

/// The value of a member of the handle in argument \p Number, from the call that created it.
Expr CallFrames::member(const Parameter &Formal, const std::string &Name, std::size_t Number,
                        const Call &Site, const Function &Owner, const Substitution &Frame) {
  const std::string &SiteName = siteName(Site, Owner);
  auto Origin = std::ranges::find(Site.Origins, Number, &MadeBy::Number);
  const Function *Maker = Origin == Site.Origins.end() ? nullptr : Find(Origin->Callee, Owner);
  if (!Maker || !Maker->Makes.contains(Name))
    return Expr::symbol(passedValue(SiteName, Formal.Name + "." + Name));
  Substitution Values;
  for (std::size_t I = 0; I != Maker->Parameters.size(); ++I) {
    const Parameter &P = Maker->Parameters[I];
    auto Value = argument(P, false, Origin->Arguments, I, Frame);
    Values.emplace(P.Name, Value ? *Value
                                 : Expr::symbol(passedValue(SiteName + ":" + Maker->Name, P.Name)));
  }
  return Maker->Makes.at(Name).substitute(Values);
}

/// The pointer that \p Site passes for parameter \p Formal of \p Callee, as bytes from the start of
/// an object; null where that is not known.
static const PointerArgument *placeAt(const Call &Site, const Function &Callee,
                                      const std::string &Formal) {
  if (!Callee.Library.empty())
    return nullptr; // its formulas mean what is there
  for (const PointerArgument &To : Site.Pointers)
    if (To.Argument < Callee.Parameters.size() && Callee.Parameters[To.Argument].Name == Formal)
      return To.Offset && !To.Row && !To.When && !To.Base.empty() ? &To : nullptr;
  return nullptr;
}

Expr CallFrames::unknownAt(const Call &Site, const Function &Callee, const Function &Owner,
                           const std::string &Formal) {
  if (const PointerArgument *Own = placeAt(Site, Callee, Formal)) {
    // A parameter of the caller, whose callers may know it; or its first argument in the object.
    if (std::ranges::count(Owner.Parameters, Own->Base, &Parameter::Name)) {
      const bool IsNumber = std::ranges::count(Owner.Cells, Own->Base, &Cell::Symbol);
      return Expr::symbol((IsNumber ? "&" : "") + Own->Base) + *Own->Offset;
    }
    for (const PointerArgument &First : Site.Pointers)
      if (First.Base == Own->Base && First.Argument < Own->Argument) {
        const std::string &Name = Callee.Parameters[First.Argument].Name;
        if (placeAt(Site, Callee, Name) == &First)
          return unknownAt(Site, Callee, Owner, Name) + *Own->Offset - *First.Offset;
      }
  }
  std::string Symbol = passedValue(siteName(Site, Owner), Formal);
  if (isNoted(Callee))
    PassedTo.try_emplace(Symbol, &Callee, Formal);
  return Expr::symbol(std::move(Symbol));
}

unsigned addressNumber(const Function &F, const std::string &Symbol) {
  const auto Found = std::ranges::find(F.Parameters, Symbol, &Parameter::Name);
  const bool IsAddress = Found != F.Parameters.end() && Found->Type == "ptr" &&
                         F.Library.empty() && // a description means what is there
                         !std::ranges::count(F.Cells, Symbol, &Cell::Symbol);
  return IsAddress ? unsigned(Found - F.Parameters.begin()) + 1 : 0;
}

void CallFrames::explain(Unknown &Result) const {
  auto Found = PassedTo.find(Result.Symbol);
  if (Found == PassedTo.end())
    return;
  const auto &[Callee, Formal] = Found->second;
  Result.PassedAs = passedToAll(*Callee, Formal);
  Result.Address = addressNumber(*Callee, Formal);
}

const std::vector<Cell> &CallFrames::cells(const Function &F) const {
  const auto Found = Cells.find(&F);
  return Found == Cells.end() ? F.Cells : Found->second;
}

/// The value of an integer in memory that the callee uses.
Expr CallFrames::cellValue(const Cell &C, const Function &Callee, const Call &Site,
                           const Function &Owner) {
  if (auto Given = givenFor(Callee, C.Symbol))
    return *Given;
  auto Value =
      valueOfCell(C, Callee, Site, Owner, Cells.try_emplace(&Owner, Owner.Cells).first->second);
  return Value ? *Value : unknownAt(Site, Callee, Owner, C.Symbol);
}

std::vector<std::pair<std::string, Expr>> CallFrames::all(const Call &Site, const Function &Callee,
                                                          const Function &Owner,
                                                          const Substitution &Frame) {
  Passed Result = at(Site, Callee, Owner, Frame);
  for (const std::string &Formal : Result.NotKnown)
    Result.Values.emplace_back(Formal, unknownAt(Site, Callee, Owner, Formal));
  for (const Cell &C : std::vector(cells(Callee))) // which may get new ones
    if (std::ranges::find(Result.Values, C.Symbol, &std::pair<std::string, Expr>::first) ==
        Result.Values.end())
      Result.Values.emplace_back(C.Symbol, cellValue(C, Callee, Site, Owner));
  return std::move(Result.Values);
}

CallFrames::Passed CallFrames::at(const Call &Site, const Function &Callee, const Function &Owner,
                                  const Substitution &Frame) {
  Passed Result;
  auto Pass = [&](std::string Formal, Expr Value) {
    Result.Values.emplace_back(std::move(Formal), std::move(Value));
  };
  auto IsPassed = [&](const std::string &Formal) {
    return std::ranges::find(Result.Values, Formal, &std::pair<std::string, Expr>::first) !=
           Result.Values.end();
  };
  for (const Cell &C : Callee.Cells)
    Pass(C.Symbol, cellValue(C, Callee, Site, Owner));
  for (std::size_t I = 0; I != Callee.Parameters.size(); ++I) {
    const Parameter &Formal = Callee.Parameters[I];
    auto Value = argument(Formal, Callee.Library.empty(), Site.Arguments, I, Frame);
    const std::string Symbol = Formal.symbol();
    if (!Value)
      Value = givenFor(Callee, Symbol);
    if (!IsPassed(Symbol) && !Value && Global.empty() && Given.empty())
      Result.NotKnown.push_back(Symbol);
    else if (!IsPassed(Symbol))
      Pass(Symbol, Value ? *Value : unknownAt(Site, Callee, Owner, Symbol));
    for (const std::string &Name : Formal.Members)
      Pass(Formal.Name + "." + Name, member(Formal, Name, I, Site, Owner, Frame));
  }
  for (const auto &[Symbol, Value] : Site.Globals)
    if (!Global.contains(Symbol)) // a value given for a global applies everywhere
      Pass(Symbol, Value);
  if (Site.Shape)
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Pass(std::string("grid.") + "xyz"[Axis], Site.Shape->Grid[Axis]);
      Pass(std::string("block.") + "xyz"[Axis], Site.Shape->Block[Axis]);
    }
  return Result;
}

//===----------------------------------------------------------------------===//
// What records of callees tell
//===----------------------------------------------------------------------===//

/// Applies \p Use to each call in \p L.
template <typename Region> static void forEachCall(Region &L, auto &&Use) {
  for (auto &B : L.Blocks)
    for (auto &Site : B.Calls)
      Use(Site);
  for (auto &Inner : L.Loops)
    forEachCall(Inner, Use);
}

/// What \p Site returns, in symbols of \p Owner; nothing where that is not known.
static std::optional<Expr> returnedBy(const Call &Site, const Function &Callee, Function &Owner) {
  std::set<std::string> Symbols;
  Callee.Value->collectSymbols(Symbols);
  Substitution Values;
  for (const std::string &Symbol : Symbols) {
    std::optional<Expr> Value;
    if (auto Held = std::ranges::find(Callee.Cells, Symbol, &Cell::Symbol);
        Held != Callee.Cells.end())
      Value = valueOfCell(*Held, Callee, Site, Owner, Owner.Cells);
    for (std::size_t I = 0; !Value && I != Callee.Parameters.size(); ++I)
      if (Callee.Parameters[I].symbol() == Symbol)
        Value = argument(Callee.Parameters[I], true, Site.Arguments, I, {});
    if (!Value)
      return std::nullopt;
    Values.emplace(Symbol, std::move(*Value));
  }
  return simplifyConditions(Callee.Value->substitute(Values));
}

namespace {
/// Whether functions write through the pointers that they are given.
class Readers {
public:
  Readers(const Function &Caller, const FunctionLookup &Find) : Caller(Caller), Find(Find) {}

  bool onlyReads(const std::string &Name) {
    const Function *Callee = Find(Name, Caller);
    return Callee && Callee->OnlyReads;
  }
  bool onlyRead(const PointerTaker &Taker) { return onlyRead(Taker, Caller); }

private:
  const Function &Caller;
  const FunctionLookup &Find;
  /// Those that call each other are taken to read, as what writes is found in one of them.
  std::set<std::pair<const Function *, unsigned>> Asked;

  bool onlyRead(const PointerTaker &Taker, const Function &From);
};
} // namespace

bool Readers::onlyRead(const PointerTaker &Taker, const Function &From) {
  const Function *Callee = Find(Taker.Callee, From);
  if (!Callee || Callee->OnlyReads || Taker.Arguments.empty())
    return Callee && Callee->OnlyReads;
  return std::ranges::all_of(Taker.Arguments, [&](unsigned Number) {
    auto Read = std::ranges::find(Callee->Reads, Number, &ReadParameter::Parameter);
    if (Read == Callee->Reads.end())
      return false;
    return !Asked.insert({Callee, Number}).second ||
           std::ranges::all_of(Read->If,
                               [&](const PointerTaker &Next) { return onlyRead(Next, *Callee); });
  });
}

/// Replaces the unknowns in \p Known, whose values may depend on each other.
static void putKnown(Function &F, Substitution Known) {
  static constexpr unsigned MaxDepth = 8;
  for (unsigned I = 0; I != MaxDepth; ++I) {
    bool IsDone = true;
    for (auto &[Symbol, Value] : Known)
      if (std::ranges::any_of(Known,
                              [&](const auto &Other) { return Value.dependsOn(Other.first); })) {
        Value = simplifyConditions(Value.substitute(Known));
        IsDone = false;
      }
    if (IsDone)
      break;
  }
  std::erase_if(F.Unknowns, [&](const Unknown &U) { return Known.contains(U.Symbol); });
  substituteSymbols(F, Known);
}

void putCalleeFacts(Function &F, const FunctionLookup &Find) {
  Readers Reading(F, Find);
  std::erase_if(F.Assumptions, [&](const Assumption &A) {
    return !A.OnlyReads.empty() && Reading.onlyReads(A.OnlyReads);
  });
  forEachCall(F.Body, [&](Call &Site) {
    auto Reads = [&](const PointerTaker &Taker) { return Reading.onlyRead(Taker); };
    for (PassedObject &To : Site.Objects) {
      if (To.From)
        std::erase_if(To.From->After, Reads);
      for (PassedObject::Item &Item : To.Stored)
        std::erase_if(Item.After, Reads);
    }
  });
  // A number loaded again, where nobody has written it meanwhile.
  Substitution Loaded;
  for (const Unknown &U : F.Unknowns)
    if (U.Formula && !U.After.empty() &&
        std::ranges::all_of(U.After,
                            [&](const PointerTaker &Taker) { return Reading.onlyRead(Taker); }))
      Loaded.emplace(U.Symbol, *U.Formula);
  if (!Loaded.empty())
    putKnown(F, std::move(Loaded));
  Substitution Returned, Known;
  forEachCall(std::as_const(F.Body), [&](const Call &Site) {
    const Function *Callee = Site.Value.empty() ? nullptr : calleeOf(Site, F, Find);
    if (!Callee || !Callee->Value)
      return;
    if (auto Value = returnedBy(Site, *Callee, F))
      Returned.emplace(Site.Value, std::move(*Value));
  });
  for (const Unknown &U : F.Unknowns) {
    if (auto Own = Returned.find(U.Symbol); Own != Returned.end())
      Known.insert(*Own);
    else if (U.Formula && U.After.empty())
      if (Expr Value = U.Formula->substitute(Returned); !restsOnUnknown(Value))
        Known.emplace(U.Symbol, simplifyConditions(Value));
  }
  if (F.Value)
    F.Value = F.Value->substitute(Returned);
  if (!Known.empty())
    putKnown(F, std::move(Known));
}

} // namespace ergon
