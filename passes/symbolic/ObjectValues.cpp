//===- ObjectValues.cpp - values in memory as formulas --------------------===//
//
// What a place in memory holds: what was stored there last, where paths meet a choice between their
// values, after a call what the callee leaves there, with the caller's values put in.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/FortranNames.h"
#include "passes/symbolic/CalleeValues.h"
#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace ergon {

std::optional<Expr> ScevToExpr::valueAt(const Place &Wanted, const llvm::MemoryAccess *From,
                                        const llvm::Loop *Scope) {
  if (!From || Depth > MaxDepth)
    return std::nullopt;
  llvm::SaveAndRestore<unsigned> Deeper(Depth, Depth + 1);
  auto Result = valueAtUncached(Wanted, From, Scope);
  if (Result && isTooLarge(*Result))
    Result.reset();
  return Result;
}

/// The constant that a global holds from the start.
static llvm::Constant *constantAt(const Place &Wanted) {
  auto *Global = dyn_cast<llvm::GlobalVariable>(Wanted.Where.Base);
  llvm::Constant *Content = Global ? fixedContent(*Global) : nullptr;
  if (!Content || Wanted.Where.Path.size() != 1 || Wanted.IsPointer)
    return nullptr;
  llvm::Constant *Result = llvm::ConstantFoldLoadFromConst(
      Content, &Wanted.scalarType(Global->getContext()),
      llvm::APInt(64, std::uint64_t(Wanted.Where.Path.front())), Global->getDataLayout());
  return isa_and_nonnull<llvm::ConstantInt, llvm::ConstantFP>(Result) ? Result : nullptr;
}

std::optional<Expr> ScevToExpr::valueAtUncached(const Place &Wanted, const llvm::MemoryAccess *From,
                                                const llvm::Loop *Scope) {
  using Kind = StoredValues::Origin::Kind;
  const auto [What, At] = Memory.originOf(Wanted, From);
  if (What == Kind::Entry) {
    if (llvm::Constant *Value = constantAt(Wanted))
      return Wanted.IsReal ? realNumber(Value, Scope) : visitValue(Value, Scope);
    if (!isa<llvm::Argument, llvm::GlobalVariable>(Wanted.Where.Base))
      return std::nullopt;
    return Wanted.IsPointer ? Names.seenPointer({Wanted.Where, {}}, nullptr, NewSymbols)
                            : Names.cell(Wanted.Where, Wanted.Bytes, Wanted.IsReal);
  }
  if (What == Kind::Unknown)
    return std::nullopt;
  if (What == Kind::Zero)
    return Expr(0);
  // Of a loop that has ended, the last iteration has written it.
  const llvm::Loop *Inner = LI.getLoopFor(At->getBlock());
  const bool IsOver = Inner && !Inner->contains(Scope);
  const llvm::Loop *In = IsOver ? Inner : Scope;
  std::optional<Expr> Result;
  if (What == Kind::Join) {
    Result = valueAtJoin(Wanted, *cast<llvm::MemoryPhi>(At), In);
  } else if (const auto &Written = *cast<llvm::MemoryDef>(At); What == Kind::Call) {
    Result = valueAfterCall(Wanted, Written, In);
  } else if (What == Kind::Store) {
    auto &Store = *cast<llvm::StoreInst>(Written.getMemoryInst());
    llvm::Value *Stored = Store.getValueOperand();
    llvm::Type &Held = *Stored->getType();
    llvm::Value *Pointer = Wanted.IsPointer ? storedPointer(Store) : nullptr;
    if (Wanted.IsReal && Held.isFloatingPointTy())
      Result = realNumber(Stored, In);
    else if (Pointer || (!Wanted.IsReal && !Wanted.IsPointer && Held.isIntegerTy()))
      Result = visit(Pointer ? Pointer : Stored, In);
  } else {
    auto &Copy = *cast<llvm::AnyMemIntrinsic>(Written.getMemoryInst());
    auto *Transfer = dyn_cast<llvm::AnyMemTransferInst>(&Copy);
    auto To = Memory.pathOf(*Copy.getRawDest());
    auto Source = Transfer && To
                      ? Memory.pathOf(*Transfer->getRawSource(), Written.getDefiningAccess())
                      : std::nullopt;
    if (Source) {
      Source->Path.back() += Wanted.Where.Path.back() - To->Path.back();
      Result = valueAt({*Source, Wanted.Bytes, Wanted.IsPointer, Wanted.IsReal},
                       Written.getDefiningAccess(), In);
    }
  }
  return Result && IsOver ? afterLoops(std::move(*Result), Inner, Scope) : Result;
}

/// The value when an iteration of \p L begins: as before the loop, or with a constant step.
std::optional<Expr> ScevToExpr::valueAtHeader(const Place &Wanted, const llvm::MemoryPhi &Phi,
                                              const llvm::Loop &L) {
  for (const OpenValue &Open : OpenValues)
    if (Open.At == &Phi && Open.Where == Wanted.Where)
      return Expr::symbol(Open.Name);
  const BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
  if (!Before || !Latch)
    return std::nullopt;
  auto First = valueAt(Wanted, Phi.getIncomingValueForBlock(Before), L.getParentLoop());
  if (!First)
    return std::nullopt;
  const std::string Self =
      "value " + std::to_string(OpenValues.size()) + " of the iteration before";
  OpenValues.push_back({&Phi, Wanted.Where, Self});
  auto Next = valueAt(Wanted, Phi.getIncomingValueForBlock(Latch), &L);
  OpenValues.pop_back();
  if (!Next)
    return std::nullopt;
  if (simplifyConditions(Next->substitute({{Self, *First}})) == *First)
    return First;
  const Expr Step = *Next - Expr::symbol(Self);
  if (Step.dependsOn(Self) || Step.dependsOn(Names.loop(L)))
    return std::nullopt;
  return *First + Expr::symbol(Names.loop(L)) * Step;
}

std::optional<Expr> ScevToExpr::valueAfterCall(const Place &Wanted, const llvm::MemoryDef &At,
                                               const llvm::Loop *Scope) {
  auto &Site = *cast<CallBase>(At.getMemoryInst());
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callees || !CalleeValues::hasBody(Callee))
    return std::nullopt;
  const llvm::MemoryAccess *Before = At.getDefiningAccess();
  std::optional<Place> Formal;
  if (isa<llvm::GlobalVariable>(Wanted.Where.Base))
    Formal = Wanted;
  for (const llvm::Argument &Parameter : Callee->args()) {
    if (!Parameter.getType()->isPointerTy())
      continue;
    auto To = Memory.pathOf(*Site.getArgOperand(Parameter.getArgNo()), Before);
    const std::vector<long> &Path = Wanted.Where.Path;
    if (!To || To->Base != Wanted.Where.Base || To->Path.size() > Path.size() ||
        !std::equal(To->Path.begin(), To->Path.end() - 1, Path.begin()))
      continue;
    if (Formal) // two ways to one place
      return std::nullopt;
    const auto Last = Path.begin() + long(To->Path.size()) - 1;
    Formal = Place{{&Parameter, {Last, Path.end()}},
                   Wanted.Bytes,
                   Wanted.IsPointer,
                   Wanted.IsReal,
                   Wanted.Tags};
    Formal->Where.Path.front() -= To->Path.back();
  }
  if (!Formal)
    return std::nullopt;
  const std::optional<CalleeValues::Effect> &Left = Callees->after(*Callee, *Formal);
  if (!Left)
    return std::nullopt;
  return Left->IsUnchanged ? valueAt(Wanted, Before, Scope) : inCaller(*Left, Site, Before, Scope);
}

/// \p What with the values that \p Site gives its callee.
std::optional<Expr> ScevToExpr::inCaller(const CalleeValues::Effect &What, const CallBase &Site,
                                         const llvm::MemoryAccess *Before,
                                         const llvm::Loop *Scope) {
  Substitution Values;
  for (const auto &[Symbol, Means] : What.Symbols) {
    auto Value = inCaller(Symbol, Means, Site, Before, Scope);
    if (!Value)
      return std::nullopt;
    Values.emplace(Symbol, std::move(*Value));
  }
  return simplifyConditions(What.Value.substitute(Values));
}

std::optional<Expr> ScevToExpr::inCaller(const std::string &Symbol,
                                         const CalleeValues::Meaning &Means, const CallBase &Site,
                                         const llvm::MemoryAccess *Before,
                                         const llvm::Loop *Scope) {
  if (!Means.Base) {
    auto [Found, IsNew] = CalleeObjects.try_emplace({&Site, Symbol});
    if (IsNew)
      Found->second = Names.calleeAddress(Means.Object);
    return Found->second;
  }
  auto *Formal = dyn_cast<llvm::Argument>(Means.Base);
  llvm::Value *Actual = Formal ? Site.getArgOperand(Formal->getArgNo()) : nullptr;
  if (Means.Path.empty())
    return Actual->getType()->isFloatingPointTy() ? realNumber(Actual, Scope)
                                                  : visit(Actual, Scope);
  if (Actual && !Actual->getType()->isPointerTy()) // fields in a register
    return std::nullopt;
  const unsigned PointerBytes = Site.getDataLayout().getPointerSize();
  const bool IsPointer = Means.Bytes == 0 || Means.Behind != 0;
  const Place Wanted{
      {Means.Base, Means.Path}, IsPointer ? PointerBytes : Means.Bytes, IsPointer, Means.IsReal};
  auto Where = Actual ? placeOf(*Actual, Wanted, Before) : std::optional(Wanted);
  auto Value = Where ? valueAt(*Where, Before, Scope) : std::nullopt;
  if (!Value || Means.Behind == 0)
    return Value;
  Where->Where.Path.back() -= Means.Behind;
  auto First = valueAt(*Where, Before, Scope);
  return First ? formula(floorDiv(*Value - *First, Expr(long(Means.Bytes)))) : std::nullopt;
}

std::optional<Place> ScevToExpr::placeOf(const llvm::Value &Pointer, const Place &Formal,
                                         const llvm::MemoryAccess *From) {
  auto To = From ? Memory.pathOf(Pointer, From) : std::nullopt;
  const unsigned PointerBytes = Names.function().getDataLayout().getPointerSize();
  for (std::size_t I = 0; To && I != Formal.Where.Path.size(); ++I) {
    if (I != 0)
      To = Memory.pointerAt({*To, PointerBytes, true}, From);
    if (To)
      To->Path.back() += Formal.Where.Path[I];
  }
  if (!To)
    return std::nullopt;
  return Place{std::move(*To), Formal.Bytes, Formal.IsPointer, Formal.IsReal, Formal.Tags};
}

/// A scalar of the structure that a call returns.
std::optional<Expr> ScevToExpr::visitPart(const llvm::ExtractValueInst &Part,
                                          const llvm::Loop *Scope) {
  auto *Site = dyn_cast<CallBase>(Part.getAggregateOperand());
  if (!Site || !Callees || !CalleeValues::hasBody(Site->getCalledFunction()) ||
      !Part.getType()->isIntOrPtrTy())
    return std::nullopt;
  const auto &Returned = Callees->returned(*Site->getCalledFunction(), Part.getIndices());
  return Returned ? inCaller(*Returned, *Site, Memory.before(*Site), Scope) : std::nullopt;
}

} // namespace ergon
