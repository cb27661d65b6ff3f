//===- AccessPlaces.cpp - which object an access goes to ------------------===//

#include "passes/AccessPlaces.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

using llvm::dyn_cast;

/// What \p Address counts from; null where SCEV does not say.
static const llvm::Value *baseOf(const llvm::SCEV *Address, llvm::ScalarEvolution &SE) {
  auto *Start = dyn_cast<llvm::SCEVUnknown>(SE.getPointerBase(Address));
  return Start ? Start->getValue()->stripPointerCasts() : nullptr;
}

/// The same wherever the function is: made outside of loops, or memory that is allocated in
/// each iteration and is taken to be given back in it.
bool AccessPlaces::isFixed(const llvm::Value &Pointer) const {
  auto *Made = dyn_cast<llvm::Instruction>(&Pointer);
  return !Made || llvm::isa<llvm::AllocaInst>(Made) || !LI.getLoopFor(Made->getParent()) ||
         llvm::isNoAliasCall(Made);
}

AccessPlaces::Aim AccessPlaces::aimOf(const llvm::Value &Pointer, const llvm::Loop *Scope) {
  const llvm::SCEV *Address = SE.getSCEVAtScope(const_cast<llvm::Value *>(&Pointer), Scope);
  const llvm::Value *Start = baseOf(Address, SE);
  const llvm::Value *Object = pointeeOf(Pointer, F, LI).Object;
  Aim Result;
  if (auto *Loaded = llvm::dyn_cast_or_null<llvm::LoadInst>(Start))
    Result = pointedTo(*Loaded, Scope);
  else if (Object && (!Start || Start == Object->stripPointerCasts()))
    Result.Base = nameOf(*Object);
  else if (Start && isFixed(*Start))
    Result.Base = nameOf(*Start);
  else
    return {Object ? Names.object(*Object) : ""};
  bool IsOne = Start && (llvm::isa<llvm::LoadInst>(Start) || isFixed(*Start));
  if (IsOne && !Result.Base.empty())
    Result.Offset = offsetOf(Address, Scope);
  return Result;
}

/// Bytes from where \p Address counts. A value that was seen once may be another one in
/// the next iteration, or thread, so no formula rests on it.
std::optional<Expr> AccessPlaces::offsetOf(const llvm::SCEV *Address, const llvm::Loop *Scope) {
  auto Offset = Translate.translate(SE.removePointerBase(Address), Scope);
  if (Offset && (Scope || isDevice(*F.getParent())) && restsOnUnknown(*Offset))
    return std::nullopt;
  return Offset;
}

/// Whether each run of \p Run's loop starts where the one before ended: of `row[i]` to `row[i + 1]`
/// in a loop over i, what an iteration ends with is what the next one has.
bool AccessPlaces::goesOn(const llvm::SCEVAddRecExpr &Run) {
  const llvm::Loop *Outer = Run.getLoop()->getParentLoop();
  const llvm::BasicBlock *Latch = Outer ? Outer->getLoopLatch() : nullptr;
  const llvm::SCEV *Last = SE.getBackedgeTakenCount(Run.getLoop());
  if (!Latch || llvm::isa<llvm::SCEVCouldNotCompute>(Last))
    return false;
  llvm::ValueToSCEVMapTy Next;
  for (llvm::PHINode &Each : Outer->getHeader()->phis())
    if (SE.isSCEVable(Each.getType()))
      Next[&Each] = SE.getSCEV(Each.getIncomingValueForBlock(Latch));
  const llvm::SCEV *Trips = SE.getAddExpr(Last, SE.getOne(Last->getType()));
  const llvm::SCEV *End = Run.evaluateAtIteration(Trips, SE);
  const llvm::SCEV *NextStart = llvm::SCEVParameterRewriter::rewrite(Run.getStart(), SE, Next);
  return NextStart != Run.getStart() && End == NextStart;
}

/// Of an address that is no formula what is one: how it goes on while loops run.
std::optional<UnknownStart> AccessPlaces::startOf(const llvm::SCEV *Address,
                                                  const llvm::Loop *Scope) {
  UnknownStart Result{};
  while (auto *Run = dyn_cast<llvm::SCEVAddRecExpr>(Address)) {
    auto Step = Run->isAffine() ? Translate.translate(Run->getStepRecurrence(SE), Scope)
                                : std::optional<Expr>();
    if (!Step || restsOnUnknown(*Step) || !Run->getLoop()->contains(Scope))
      return std::nullopt;
    Result.GoesOn = Run->getLoop() == Scope && goesOn(*Run);
    Result.Further += *Step * Expr::symbol(Names.loop(*Run->getLoop()));
    Address = Run->getStart();
  }
  if (auto *Sum = dyn_cast<llvm::SCEVAddExpr>(Address))
    if (auto *Constant = dyn_cast<llvm::SCEVConstant>(Sum->getOperand(0))) {
      Result.Further += Expr(long(Constant->getAPInt().getSExtValue()));
      Address = SE.getMinusSCEV(Address, Constant);
    }
  for (const llvm::Loop *Each = Scope; Each && SE.isLoopInvariant(Address, Each);
       Each = Each->getParentLoop())
    ++Result.Loops;
  Result.Number = Starts.try_emplace(Address, Starts.size() + 1).first->second;
  return Result;
}

/// The object that a pointer in memory leads to, where it always is the same one; or the
/// rows that a table of pointers leads to.
AccessPlaces::Aim AccessPlaces::pointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope) {
  if (auto Found = Pointed.find({&Pointer, Scope}); Found != Pointed.end())
    return Found->second;
  Aim Result = newlyPointedTo(Pointer, Scope);
  return Pointed[{&Pointer, Scope}] = std::move(Result);
}

AccessPlaces::Aim AccessPlaces::newlyPointedTo(const llvm::LoadInst &Pointer,
                                               const llvm::Loop *Scope) {
  if (auto From = Memory.entryPlace(Pointer)) {
    From->Path.push_back(0);
    std::string Name = Names.object(*From);
    if (!Name.empty())
      return {Name};
    From->Path.pop_back();
    Name = "*" + Names.object(*From->Base);
    for (long Offset : From->Path)
      Name += "[" + std::to_string(Offset) + "]";
    return {Name};
  }
  Aim Row = aimOf(*Pointer.getPointerOperand(), Scope);
  if (!Row.Offset || Row.Row)
    return {};
  return {"*" + Row.Base, {}, std::move(Row.Offset)};
}

/// The pointer of the source that \p Value is, which a call returned: `tmp = malloc(n)`.
static std::string variableAt(const llvm::Value &Value) {
  llvm::SmallVector<llvm::DbgVariableRecord *, 2> Records;
  llvm::findDbgValues(const_cast<llvm::Value *>(&Value), Records);
  for (const llvm::DbgVariableRecord *Each : Records)
    if (Each->getNumVariableLocationOps() == 1 && Each->getExpression()->getNumElements() == 0)
      return "*" + Each->getVariable()->getName().str();
  return "";
}

/// The name of an object; if its size is known, that is kept in mind.
std::string AccessPlaces::nameOf(const llvm::Value &Object) {
  if (auto Found = Named.find(&Object); Found != Named.end())
    return Found->second;
  return Named[&Object] = newNameOf(Object);
}

std::string AccessPlaces::newNameOf(const llvm::Value &Object) {
  std::string Name = Names.object(Object);
  std::optional<llvm::TypeSize> Bytes;
  auto *Local = dyn_cast<llvm::AllocaInst>(&Object);
  if (Name.empty())
    Name = variableAt(Object);
  if (Name.empty()) // the compiler's own
    Name = (Local ? "(local " : "(pointer ") +
           std::to_string(Unnamed.try_emplace(&Object, Unnamed.size() + 1).first->second) + ")";
  if (Local)
    Bytes = Local->getAllocationSize(F.getDataLayout());
  else if (auto *Global = dyn_cast<llvm::GlobalVariable>(&Object);
           Global && !Global->isDeclaration())
    Bytes = F.getDataLayout().getTypeAllocSize(Global->getValueType());
  if (!Name.empty() && Bytes && Bytes->isFixed() && Bytes->getFixedValue() != 0 &&
      SizedNames.insert(Name).second)
    Sized.push_back({Name, pointeeOf(Object, F, LI).Where, long(Bytes->getFixedValue())});
  return Name;
}

/// The pointers that \p Which is in turn, one in each iteration of its loop: two arrays
/// that are swapped after every step. Empty where it is anything else.
static std::vector<const llvm::Value *> turnsOf(const llvm::PHINode &Which, const llvm::Loop *L) {
  static constexpr std::size_t MaxTurns = 4;
  const llvm::BasicBlock *Latch = L ? L->getLoopLatch() : nullptr;
  const llvm::BasicBlock *Before = L ? L->getLoopPredecessor() : nullptr;
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
AccessPlaces::accessOf(const llvm::Instruction &I, const llvm::Loop *Scope) {
  const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I);
  const llvm::Type *T = Pointer ? llvm::getLoadStoreType(&I) : nullptr;
  Access Found{};
  Found.What = llvm::isa<llvm::LoadInst>(I) ? Access::Kind::Load : Access::Kind::Store;
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
  Found.Where = pointeeOf(*Pointer, F, LI).Where;
  Found.Bytes =
      unsigned(F.getDataLayout().getTypeStoreSize(const_cast<llvm::Type *>(T)).getKnownMinValue());
  Found.NonTemporal = I.hasMetadata(llvm::LLVMContext::MD_nontemporal);
  setPlace(Found, locationOf(I.getDebugLoc()), F);

  const llvm::SCEV *Address = SE.getSCEVAtScope(const_cast<llvm::Value *>(Pointer), Scope);
  auto *Joined = llvm::dyn_cast_or_null<llvm::PHINode>(baseOf(Address, SE));
  const llvm::Loop *Turning = Joined ? LI.getLoopFor(Joined->getParent()) : nullptr;
  std::vector<const llvm::Value *> Turns =
      Joined ? turnsOf(*Joined, Turning) : std::vector<const llvm::Value *>();
  auto Further = Turns.empty() ? std::nullopt : offsetOf(Address, Scope);
  if (!Further) {
    aimOf(*Pointer, Scope).putInto(Found);
    if (!Found.Offset && !isDevice(*F.getParent()))
      Found.From = startOf(Address, Scope);
    return {{{Expr(1), std::move(Found)}}};
  }
  std::vector<std::pair<Expr, Access>> Result;
  Expr Iteration = Expr::symbol(Names.loop(*Turning)), Number(long(Turns.size()));
  for (std::size_t I = 0; I != Turns.size(); ++I) {
    Access &Turn =
        Result
            .emplace_back(isEqual(Iteration - Number * floorDiv(Iteration, Number), Expr(long(I))),
                          Found)
            .second;
    aimOf(*Turns[I], Turning->getParentLoop()).putInto(Turn);
    if (Turn.Offset)
      *Turn.Offset += *Further;
  }
  return Result;
}

} // namespace ergon
