//===- AccessTargets.cpp - objects and offsets of accesses ----------------===//

#include "passes/access/AccessTargets.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <array>

namespace ergon {

/// The base of \p Address; null where SCEV does not know it.
static const llvm::Value *baseOf(const llvm::SCEV *Address, llvm::ScalarEvolution &SE) {
  auto *Start = dyn_cast<llvm::SCEVUnknown>(SE.getPointerBase(Address));
  return Start ? Start->getValue()->stripPointerCasts() : nullptr;
}

/// Whether the pointer is constant in the function: defined outside loops, or memory allocated in
/// each iteration and assumed to be freed in it.
bool AccessTargets::isFixed(const llvm::Value &Pointer) const {
  auto *Made = dyn_cast<Instruction>(&Pointer);
  return !Made || isa<llvm::AllocaInst>(Made) || !Context.LI.getLoopFor(Made->getParent()) ||
         llvm::isNoAliasCall(Made);
}

/// What \p Pointer is where it is not null: an array that is allocated unless it is empty. Null
/// where that is not one pointer.
static const llvm::Value *unlessNull(const llvm::Value *Pointer) {
  auto *Joined = dyn_cast_or_null<llvm::PHINode>(Pointer);
  if (!Joined)
    return nullptr;
  const llvm::Value *Result = nullptr;
  for (const llvm::Value *Way : Joined->incoming_values()) {
    if (isa<llvm::ConstantPointerNull>(Way))
      continue;
    if (isa<llvm::PHINode>(Way) || (Result && Result != Way))
      return nullptr;
    Result = Way;
  }
  return Result;
}

AccessTargets::Aim AccessTargets::aimOf(const llvm::Value &Pointer, const llvm::Loop *Scope) {
  const llvm::SCEV *Address = Context.SE.getSCEVAtScope(const_cast<llvm::Value *>(&Pointer), Scope);
  const llvm::Value *Start = baseOf(Address, Context.SE);
  const llvm::Value *Object = pointeeOf(Pointer, Context.F, Context.LI).Object;
  Aim Result;
  if (auto *Loaded = dyn_cast_or_null<llvm::LoadInst>(Start))
    Result = pointedTo(*Loaded, Scope);
  else if (const llvm::Value *Other = unlessNull(Start)) {
    Result = aimOf(*Other, Scope);
    if (!Result.Offset)
      return Result;
  } else if (Object && (!Start || Start == Object->stripPointerCasts()))
    Result.Base = nameOf(*Object);
  else if (Start && isFixed(*Start))
    Result.Base = nameOf(*Start);
  else
    return {Object ? Context.Names.object(*Object) : ""};
  bool IsOne = Start && (isa<llvm::LoadInst>(Start) || isFixed(*Start));
  const auto FromStart = std::exchange(Result.Offset, std::nullopt);
  if (IsOne && !Result.Base.empty())
    Result.Offset = offsetOf(Address, Scope);
  if (Result.Offset && FromStart)
    *Result.Offset += *FromStart;
  return Result;
}

/// Whether no part of \p Of is found out again in a loop, or by each thread: what is unknown of it
/// is the same wherever this function uses it.
bool AccessTargets::isSeenOnce(const llvm::SCEV *Of) const {
  return !Context.IsDevice && !llvm::SCEVExprContains(Of, [&](const llvm::SCEV *Part) {
    auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Part);
    auto *Found = Leaf ? dyn_cast<Instruction>(Leaf->getValue()) : nullptr;
    return Found && Context.LI.getLoopFor(Found->getParent());
  });
}

/// The offset from the base in bytes. No formula may depend on an unknown value that may differ in
/// the next iteration, or thread.
std::optional<Expr> AccessTargets::offsetOf(const llvm::SCEV *Address, const llvm::Loop *Scope) {
  const llvm::SCEV *Bytes = Context.SE.removePointerBase(Address);
  auto Offset = Context.Translate.translate(Bytes, Scope);
  if (Offset && (Scope || Context.IsDevice) && restsOnUnknown(*Offset) && !isSeenOnce(Bytes))
    return std::nullopt;
  return Offset;
}

/// Whether each run of \p Run's loop starts where the one before ended: from `row[i]` to `row[i +
/// 1]` in a loop over i, the end of one iteration is the start of the next.
bool AccessTargets::goesOn(const llvm::SCEVAddRecExpr &Run) {
  const llvm::Loop *Outer = Run.getLoop()->getParentLoop();
  const BasicBlock *Latch = Outer ? Outer->getLoopLatch() : nullptr;
  const llvm::SCEV *Last = Context.SE.getBackedgeTakenCount(Run.getLoop());
  if (!Latch || isa<llvm::SCEVCouldNotCompute>(Last))
    return false;
  llvm::ValueToSCEVMapTy Next;
  for (llvm::PHINode &Phi : Outer->getHeader()->phis())
    if (Context.SE.isSCEVable(Phi.getType()))
      Next[&Phi] = Context.SE.getSCEV(Phi.getIncomingValueForBlock(Latch));
  const llvm::SCEV *Trips = Context.SE.getAddExpr(Last, Context.SE.getOne(Last->getType()));
  const llvm::SCEV *End = Run.evaluateAtIteration(Trips, Context.SE);
  const llvm::SCEV *NextStart =
      llvm::SCEVParameterRewriter::rewrite(Run.getStart(), Context.SE, Next);
  return NextStart != Run.getStart() && End == NextStart;
}

/// The known part of an address that is no formula: its strides while loops run.
std::optional<UnknownStart> AccessTargets::startOf(const llvm::SCEV *Address,
                                                   const llvm::Loop *Scope) {
  UnknownStart Result{};
  while (auto *Run = dyn_cast<llvm::SCEVAddRecExpr>(Address)) {
    auto Step = Run->isAffine()
                    ? Context.Translate.translate(Run->getStepRecurrence(Context.SE), Scope)
                    : std::optional<Expr>();
    if (!Step || (restsOnUnknown(*Step) && !isSeenOnce(Run->getStepRecurrence(Context.SE))) ||
        !Run->getLoop()->contains(Scope))
      return std::nullopt;
    Result.GoesOn = Run->getLoop() == Scope && goesOn(*Run);
    Result.Further += *Step * Expr::symbol(Context.Names.loop(*Run->getLoop()));
    Address = Run->getStart();
  }
  if (auto *Sum = dyn_cast<llvm::SCEVAddExpr>(Address))
    if (auto *Constant = dyn_cast<llvm::SCEVConstant>(Sum->getOperand(0))) {
      Result.Further += Expr(long(Constant->getAPInt().getSExtValue()));
      Address = Context.SE.getMinusSCEV(Address, Constant);
    }
  for (const llvm::Loop *Enclosing = Scope;
       Enclosing && Context.SE.isLoopInvariant(Address, Enclosing);
       Enclosing = Enclosing->getParentLoop())
    ++Result.Loops;
  Result.Number = Starts.try_emplace(Address, Starts.size() + 1).first->second;
  return Result;
}

/// The bytes from its base that an access of \p Bytes at \p Address may touch, where the type of an
/// index leaves few.
std::optional<std::uint64_t> AccessTargets::reachOf(const llvm::SCEV *Address, unsigned Bytes) {
  // A pointer that moves leads to other places of its object each time.
  const llvm::Value *Base = baseOf(Address, Context.SE);
  if (!Base || !(isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(Base) ||
                 llvm::isNoAliasCall(Base)))
    return std::nullopt;
  const llvm::ConstantRange Range =
      Context.SE.getSignedRange(Context.SE.removePointerBase(Address));
  static constexpr std::int64_t Most = std::int64_t(1) << 24;
  const llvm::APInt Last = Range.getSignedMax();
  if (Range.getSignedMin().isNegative() || Last.sgt(Most))
    return std::nullopt;
  return Last.getLimitedValue() + Bytes;
}

/// Adds the target of \p Pointer, called \p Name if that name is free.
std::string AccessTargets::addPointed(SizedObject::Through Pointer, std::string Name) {
  if (Context.IsDevice)
    return Name;
  Name = fresh(std::move(Name));
  Sized.push_back({.Name = Name, .Where = Space::Memory, .Via = std::move(Pointer)});
  return Name;
}

/// The same, once.
std::string AccessTargets::pointedFrom(SizedObject::Through Pointer, std::string Name) {
  auto [Found, New] = Reached.try_emplace({Pointer.Object, Pointer.Offset});
  if (New)
    Found->second = addPointed(std::move(Pointer), std::move(Name));
  return Found->second;
}

/// The object that a pointer found at \p Pointer on entry leads to.
AccessTargets::Aim AccessTargets::reachedThrough(const AccessPath &Pointer) {
  AccessPath To = Pointer;
  To.Path.push_back(0);
  std::string Name = Context.Names.object(To);
  if (Name.empty()) {
    Name = "*" + Context.Names.object(*Pointer.Base);
    for (long Offset : Pointer.Path)
      Name += "[" + std::to_string(Offset) + "]";
  }
  AccessPath Holder = Pointer;
  Holder.Path.pop_back();
  std::string Object = Holder.Path.empty() ? nameOf(*Pointer.Base) : reachedThrough(Holder).Base;
  return {pointedFrom({std::move(Object), Pointer.Path.back(), true}, std::move(Name))};
}

/// The object that a pointer in memory leads to, if it is one; or the rows of a pointer table.
AccessTargets::Aim AccessTargets::pointedTo(const llvm::LoadInst &Pointer,
                                            const llvm::Loop *Scope) {
  if (auto From = Context.Memory.entryPath(Pointer)) {
    auto Start = Context.IsDevice ? std::nullopt : Context.Names.followed(*From);
    Aim Result = reachedThrough(Start ? Start->first : *From);
    if (Start)
      Result.Offset = std::move(Start->second);
    return Result;
  }
  if (auto Found = Loaded.find(&Pointer); Found != Loaded.end())
    return {Found->second};
  if (auto Found = Pointed.find({&Pointer, Scope}); Found != Pointed.end())
    return Found->second;
  Aim Result = newlyPointedTo(Pointer, Scope);
  return Pointed[{&Pointer, Scope}] = std::move(Result);
}

AccessTargets::Aim AccessTargets::newlyPointedTo(const llvm::LoadInst &Pointer,
                                                 const llvm::Loop *Scope) {
  Aim Row = aimOf(*Pointer.getPointerOperand(), Scope);
  if (!Row.Offset || Row.Row)
    return {};
  auto Offset = Row.Offset->constant();
  if (Offset && Offset->isInteger() && !Context.IsDevice) {
    std::string Name;
    if (auto Where = Context.Memory.pathOf(*Pointer.getPointerOperand())) {
      Where->Path.push_back(0);
      Name = Context.Names.object(*Where);
    }
    const long Bytes = Offset->get_si();
    if (Name.empty())
      Name = "*" + Row.Base + (Bytes == 0 ? "" : "[" + std::to_string(Bytes) + "]");
    Name = addPointed({std::move(Row.Base), Bytes, false}, std::move(Name));
    return {Loaded[&Pointer] = std::move(Name)};
  }
  std::string Name = pointedFrom({Row.Base, {}, false}, "*" + Row.Base);
  return {std::move(Name), {}, std::move(Row.Offset)};
}

/// The source's variable for \p Value, the result of a call: `tmp = malloc(n)`.
static std::string variableAt(const llvm::Value &Value) {
  SmallVector<llvm::DbgVariableRecord *, 2> Records;
  llvm::findDbgValues(const_cast<llvm::Value *>(&Value), Records);
  for (const llvm::DbgVariableRecord *Record : Records)
    if (Record->getNumVariableLocationOps() == 1 && Record->getExpression()->getNumElements() == 0)
      return "*" + Record->getVariable()->getName().str();
  return "";
}

/// \p Name, or a unique variant if it is taken.
std::string AccessTargets::fresh(std::string Name) {
  if (Taken.empty())
    for (const llvm::Argument &Argument : Context.F.args())
      Taken.insert(Context.Names.argument(Argument));
  const std::string Wanted = Name;
  for (unsigned &Number = NextNumber.try_emplace(Wanted, 2).first->second;
       !Taken.insert(Name).second; ++Number)
    Name = Wanted + "#" + std::to_string(Number);
  return Name;
}

/// A unique name in the function for an object; records what is known of it.
std::string AccessTargets::nameOf(const llvm::Value &Object) {
  if (isa<llvm::Argument>(Object))
    return Context.Names.object(Object);
  if (auto Found = Named.find(&Object); Found != Named.end())
    return Found->second;
  std::string Name = Context.Names.object(Object);
  if (Name.empty())
    Name = variableAt(Object);
  if (Name.empty()) // generated by the compiler
    Name =
        (isa<llvm::AllocaInst>(Object) ? "(local " : "(pointer ") + std::to_string(++Unnamed) + ")";
  if (!Context.IsDevice)
    Name = fresh(std::move(Name));
  Named[&Object] = Name;
  keep(Object, Name);
  return Name;
}

/// Records what is known of an object beside its name.
void AccessTargets::keep(const llvm::Value &Object, const std::string &Name) {
  const llvm::DataLayout &Layout = Context.F.getDataLayout();
  std::optional<llvm::TypeSize> Bytes;
  SizedObject New{.Name = Name, .Where = pointeeOf(Object, Context.F, Context.LI).Where};
  auto *Global = dyn_cast<llvm::GlobalVariable>(&Object);
  if (auto *Local = dyn_cast<llvm::AllocaInst>(&Object))
    Bytes = Local->getAllocationSize(Layout);
  else if (Global && Global->getValueType()->isSized() &&
           !(Context.IsDevice && Global->isDeclaration()))
    Bytes = Layout.getTypeAllocSize(Global->getValueType());
  if (Bytes && Bytes->isFixed())
    New.Bytes = long(Bytes->getFixedValue());
  if (!Context.IsDevice) {
    if (Global)
      New.Symbol = (Global->hasLocalLinkage() ? sourceFile(*Context.F.getParent()) + ":" : "") +
                   Global->getName().str();
    New.IsAllocated = llvm::isNoAliasCall(&Object);
  }
  if (New.Bytes == 0 && New.Symbol.empty() && !New.IsAllocated)
    return;
  auto IsThis = [&](const SizedObject &Known) { return Known.Name == Name; };
  if (!Context.IsDevice || llvm::none_of(Sized, IsThis))
    Sized.push_back(std::move(New));
}

/// The pointers that \p Which alternates between, one per iteration of its loop: two arrays swapped
/// after each step. Empty where it is anything else.
static std::vector<const llvm::Value *> turnsOf(const llvm::PHINode &Which, const llvm::Loop *L) {
  static constexpr std::size_t MaxTurns = 4;
  const BasicBlock *Latch = L ? L->getLoopLatch() : nullptr;
  const BasicBlock *Before = L ? L->getLoopPredecessor() : nullptr;
  if (!Latch || !Before || L->getHeader() != Which.getParent())
    return {};
  std::vector<const llvm::Value *> Result;
  const llvm::PHINode *Next = &Which;
  do {
    Result.push_back(Next->getIncomingValueForBlock(Before));
    Next = dyn_cast<llvm::PHINode>(Next->getIncomingValueForBlock(Latch)->stripPointerCasts());
    if (!Next || Next->getParent() != Which.getParent() || Result.size() > MaxTurns)
      return {};
  } while (Next != &Which);
  return Result;
}

std::optional<std::vector<std::pair<Expr, Access>>>
AccessTargets::accessOf(const Instruction &I, const llvm::Loop *Scope) {
  const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I);
  const llvm::Type *T = Pointer ? llvm::getLoadStoreType(&I) : nullptr;
  Access Found{};
  Found.What = isa<llvm::LoadInst>(I) ? Access::Kind::Load : Access::Kind::Store;
  if (auto *Modify = dyn_cast<llvm::AtomicRMWInst>(&I)) {
    Pointer = Modify->getPointerOperand();
    T = Modify->getType();
    Found.What = Access::Kind::Atomic;
  } else if (auto *Exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&I)) {
    Pointer = Exchange->getPointerOperand();
    T = Exchange->getCompareOperand()->getType();
    Found.What = Access::Kind::Atomic;
  }
  if (!Pointer)
    return std::nullopt;
  Found.Where = pointeeOf(*Pointer, Context.F, Context.LI).Where;
  Found.Bytes = unsigned(
      Context.F.getDataLayout().getTypeStoreSize(const_cast<llvm::Type *>(T)).getKnownMinValue());
  Found.NonTemporal = I.hasMetadata(llvm::LLVMContext::MD_nontemporal);
  setPosition(Found, locationOf(I.getDebugLoc()), Context.F);

  std::vector<std::pair<Expr, Access>> Result;
  for (auto &[Share, Element] : aimsOf(*Pointer, Scope)) {
    Access &Turn = Result.emplace_back(std::move(Share), Found).second;
    Turn.Base = std::move(Element.Base);
    Turn.Offset = std::move(Element.Offset);
    Turn.Row = std::move(Element.Row);
  }
  Access &Only = Result.front().second;
  if (Result.size() == 1 && !Only.Offset && !Context.IsDevice) {
    const llvm::SCEV *Address =
        Context.SE.getSCEVAtScope(const_cast<llvm::Value *>(Pointer), Scope);
    Only.From = startOf(Address, Scope);
    Only.Within = reachOf(Address, Only.Bytes);
  }
  return Result;
}

/// The targets of an address that starts at either pointer of \p Choice.
std::vector<std::pair<Expr, AccessTargets::Aim>>
AccessTargets::chosenBy(const llvm::SelectInst &Choice, const llvm::SCEV *Address,
                        const llvm::Loop *Scope) {
  auto Further = offsetOf(Address, Scope);
  std::array Ways{aimOf(*Choice.getTrueValue(), Scope), aimOf(*Choice.getFalseValue(), Scope)};
  if (!Further || std::ranges::any_of(Ways, [](const Aim &Way) { return Way.Base.empty(); }))
    return {};
  for (Aim &Way : Ways)
    if (Way.Offset)
      *Way.Offset += *Further;
  // Where data decide, one is as likely as the other.
  Expr Share = Context.Translate.condition(const_cast<llvm::Value *>(Choice.getCondition()), Scope)
                   .value_or(Expr(Rational(1, 2)));
  if (restsOnUnknown(Share))
    Share = Expr(Rational(1, 2));
  Expr Rest = Expr(1) - Share;
  return {{std::move(Share), std::move(Ways[0])}, {std::move(Rest), std::move(Ways[1])}};
}

std::vector<std::pair<Expr, AccessTargets::Aim>> AccessTargets::aimsOf(const llvm::Value &Pointer,
                                                                       const llvm::Loop *Scope) {
  const llvm::SCEV *Address = Context.SE.getSCEVAtScope(const_cast<llvm::Value *>(&Pointer), Scope);
  if (auto *Choice = dyn_cast_or_null<llvm::SelectInst>(baseOf(Address, Context.SE));
      Choice && !Context.IsDevice)
    if (auto Ways = chosenBy(*Choice, Address, Scope); !Ways.empty())
      return Ways;
  auto *Joined = dyn_cast_or_null<llvm::PHINode>(baseOf(Address, Context.SE));
  const llvm::Loop *Turning = Joined ? Context.LI.getLoopFor(Joined->getParent()) : nullptr;
  std::vector<const llvm::Value *> Turns =
      Joined ? turnsOf(*Joined, Turning) : std::vector<const llvm::Value *>();
  auto Further = Turns.empty() ? std::nullopt : offsetOf(Address, Scope);
  std::vector<std::pair<Expr, Aim>> Result;
  if (!Further) {
    Result.emplace_back(1, aimOf(Pointer, Scope));
    return Result;
  }
  Expr Iteration = Expr::symbol(Context.Names.loop(*Turning)), Number(long(Turns.size()));
  for (std::size_t I = 0; I != Turns.size(); ++I) {
    Aim &Turn =
        Result
            .emplace_back(isEqual(Iteration - Number * floorDiv(Iteration, Number), Expr(long(I))),
                          aimOf(*Turns[I], Turning->getParentLoop()))
            .second;
    if (Turn.Offset)
      *Turn.Offset += *Further;
  }
  return Result;
}

std::optional<PointerLoad> AccessTargets::pointerLoadOf(const Instruction &I,
                                                        const llvm::Loop *Scope) {
  auto *Load = dyn_cast<llvm::LoadInst>(&I);
  if (!Load || !Load->getType()->isPointerTy() || Context.IsDevice)
    return std::nullopt;
  pointedTo(*Load, Scope);
  auto Found = Loaded.find(Load);
  return Found == Loaded.end() ? std::nullopt : std::optional(PointerLoad{Found->second});
}

std::optional<PointerStore> AccessTargets::pointerStoreOf(const Instruction &I,
                                                          const llvm::Loop *Scope) {
  auto *Store = dyn_cast<llvm::StoreInst>(&I);
  if (!Store || !Store->getValueOperand()->getType()->isPointerTy() || Context.IsDevice)
    return std::nullopt;
  const llvm::Value &Stored = *Store->getValueOperand();
  // Function tables, functions and strings.
  auto *Constant = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(&Stored));
  if (isa<llvm::Function>(Stored) || (Constant && Constant->isConstant()))
    return std::nullopt;
  Aim To = aimOf(*Store->getPointerOperand(), Scope);
  if (To.Base.empty() || To.Row || !To.Offset || !To.Offset->constant())
    return std::nullopt;
  Aim Value = isa<llvm::Constant>(Stored) && !Constant ? Aim() : aimOf(Stored, Scope);
  if (Value.Row)
    Value = {};
  return PointerStore{.Object = To.Base, .Offset = *To.Offset, .Value = {Value.Base, Value.Offset}};
}

std::string AccessTargets::resultOf(const CallBase &Site) {
  bool IsUsed = Site.getType()->isPointerTy() && !Site.use_empty();
  return IsUsed && !Context.IsDevice ? nameOf(Site) : "";
}

std::optional<PointedLocation> AccessTargets::returned() {
  if (!Context.F.getReturnType()->isPointerTy() || Context.IsDevice)
    return std::nullopt;
  std::optional<PointedLocation> Result;
  for (const BasicBlock &Block : Context.F)
    if (auto *Return = dyn_cast<llvm::ReturnInst>(Block.getTerminator())) {
      Aim To = aimOf(*Return->getReturnValue(), Context.LI.getLoopFor(&Block));
      if (Result || To.Base.empty() || To.Row)
        return std::nullopt;
      Result = PointedLocation{std::move(To.Base), std::move(To.Offset)};
    }
  return Result;
}

} // namespace ergon
