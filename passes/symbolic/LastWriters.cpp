//===- LastWriters.cpp - who wrote a place in memory last -----------------===//
//
// Walks back over memory SSA from one state of memory, as LLVM's clobber walker does, but with
// places that no instruction has a pointer to: a callee's fields in its caller's objects.
//
//===----------------------------------------------------------------------===//

#include "passes/symbolic/CalleeWrites.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ergon {

const llvm::MemoryAccess *StoredValues::before(const Instruction &Point) {
  auto *At = start() ? Memory->getMemoryAccess(&Point) : nullptr;
  return At ? At->getDefiningAccess() : nullptr;
}

const llvm::MemoryAccess *StoredValues::atEnd(const BasicBlock &B) {
  if (!start())
    return nullptr;
  for (auto *Node = Analyses.DT.getNode(&B); Node; Node = Node->getIDom())
    if (auto *Written = Memory->getBlockDefs(Node->getBlock()))
      return &Written->back();
  return Memory->getLiveOnEntryDef();
}

/// The bytes at a fixed distance from a base that an instruction writes.
static std::optional<llvm::MemoryLocation> writtenBy(const Instruction &I) {
  if (auto *Fill = dyn_cast<llvm::AnyMemIntrinsic>(&I))
    return llvm::MemoryLocation::getForDest(Fill);
  return isa<llvm::StoreInst>(I) ? llvm::MemoryLocation::getOrNone(&I) : std::nullopt;
}

/// How written bytes lie to those of a place in one object.
enum class Lie { Apart, Covers, Same, Overlaps };
static Lie lieOf(long First, llvm::LocationSize Size, long Wanted, unsigned Bytes) {
  if (!Size.isPrecise() || Size.isScalable())
    return First >= Wanted + long(Bytes) ? Lie::Apart : Lie::Overlaps;
  const long End = First + long(Size.getValue().getFixedValue());
  if (End <= Wanted || First >= Wanted + long(Bytes))
    return Lie::Apart;
  if (First == Wanted && End == Wanted + long(Bytes))
    return Lie::Same;
  return First <= Wanted && Wanted + long(Bytes) <= End ? Lie::Covers : Lie::Overlaps;
}

/// Whether both locate their last object in the same way.
static bool inSameObject(const AccessPath &Left, const AccessPath &Right) {
  return Left.Base == Right.Base && Left.Path.size() == Right.Path.size() &&
         std::equal(Left.Path.begin(), Left.Path.end() - 1, Right.Path.begin());
}

static bool isOwnObject(const llvm::Value &Object) {
  return isa<llvm::AllocaInst>(Object) || llvm::isNoAliasCall(&Object);
}

llvm::Type &Place::scalarType(llvm::LLVMContext &LLVM) const {
  if (IsPointer)
    return *llvm::PointerType::get(LLVM, 0);
  if (IsReal)
    return Bytes == 4 ? *llvm::Type::getFloatTy(LLVM) : *llvm::Type::getDoubleTy(LLVM);
  return *llvm::Type::getIntNTy(LLVM, 8 * Bytes);
}

/// Whether \p Writer leaves \p Wanted alone, whatever values are in memory.
bool StoredValues::isApart(const Instruction &Writer, const Place &Wanted) {
  const bool Direct = Wanted.Where.Path.size() == 1;
  llvm::Type &Held = Wanted.scalarType(Analyses.F.getContext());
  auto Ignore = [&](const Instruction &I) { return storesOtherKind(I, Held); };
  if (Ignore(Writer))
    return true;
  if (auto Written = writtenBy(Writer))
    if (auto To = pathOf(*Written->Ptr); To && inSameObject(*To, Wanted.Where))
      return lieOf(To->Path.back(), Written->Size, Wanted.Where.Path.back(), Wanted.Bytes) ==
             Lie::Apart;
  if (Wanted.Pointer || Direct) {
    const llvm::MemoryLocation Where =
        Wanted.Pointer ? llvm::MemoryLocation(
                             Wanted.Pointer, llvm::LocationSize::precise(Wanted.Bytes), Wanted.Tags)
                       : llvm::MemoryLocation::getBeforeOrAfter(Wanted.Where.Base, Wanted.Tags);
    return !llvm::isModSet(Aliases->getModRefInfo(&Writer, Where)) ||
           leavesAlone(Writer, Where, Ignore);
  }
  // What a pointer of the caller's leads to is no object that this function made.
  auto To = writtenBy(Writer);
  const llvm::Value *Written = To ? llvm::getUnderlyingObject(To->Ptr) : nullptr;
  if (Written && (isOwnObject(*Written) || isNewBeside(*Written, *Wanted.Where.Base)))
    return true;
  const llvm::MemoryLocation Typed =
      llvm::MemoryLocation::getBeforeOrAfter(Wanted.Where.Base, Wanted.Tags);
  llvm::SimpleAAQueryInfo Query(Analyses.aliases());
  if (To)
    return Analyses.typeBasedAliases().alias(*To, Typed, Query, nullptr) ==
           llvm::AliasResult::NoAlias;
  auto *Site = dyn_cast<CallBase>(&Writer);
  return Site && Calls->isApartByType(*Site, Typed);
}

StoredValues::Origin StoredValues::kindOf(const llvm::MemoryDef &Definition, const Place &Wanted) {
  const Instruction &Writer = *Definition.getMemoryInst();
  using Kind = Origin::Kind;
  if (isa<CallBase>(Writer) && !isa<llvm::AnyMemIntrinsic>(Writer))
    return {Kind::Call, &Definition};
  auto Written = writtenBy(Writer);
  auto To = Written ? pathOf(*Written->Ptr) : std::nullopt;
  if (!To || !inSameObject(*To, Wanted.Where))
    return {};
  const Lie How = lieOf(To->Path.back(), Written->Size, Wanted.Where.Path.back(), Wanted.Bytes);
  if (auto *Store = dyn_cast<llvm::StoreInst>(&Writer))
    return Store->isSimple() && How == Lie::Same ? Origin{Kind::Store, &Definition} : Origin{};
  if (How != Lie::Same && How != Lie::Covers)
    return {};
  if (auto *Fill = dyn_cast<llvm::AnyMemSetInst>(&Writer)) {
    auto *Byte = dyn_cast<llvm::ConstantInt>(Fill->getValue());
    return Byte && Byte->isZero() ? Origin{Kind::Zero, &Definition} : Origin{};
  }
  return {Kind::Copy, &Definition};
}

StoredValues::Origin StoredValues::originOf(const Place &Wanted, const llvm::MemoryAccess *From) {
  using Kind = Origin::Kind;
  SmallVector<const llvm::MemoryAccess *, 8> Open{From};
  llvm::SmallPtrSet<const llvm::MemoryAccess *, 16> Seen, Writers;
  bool FromEntry = false;
  for (unsigned Steps = 0; !Open.empty(); ++Steps) {
    const llvm::MemoryAccess *Access = Open.pop_back_val();
    if (!Access || Steps == MaxSteps || StepsLeft == 0)
      return {};
    --StepsLeft;
    if (!Seen.insert(Access).second)
      continue;
    if (Memory->isLiveOnEntryDef(Access)) {
      FromEntry = true;
    } else if (auto *Phi = dyn_cast<llvm::MemoryPhi>(Access)) {
      for (const llvm::Use &Incoming : Phi->incoming_values())
        Open.push_back(cast<llvm::MemoryAccess>(Incoming.get()));
    } else if (auto *Definition = cast<llvm::MemoryDef>(Access);
               isApart(*Definition->getMemoryInst(), Wanted)) {
      Open.push_back(Definition->getDefiningAccess());
    } else {
      Writers.insert(Access);
    }
  }
  if (Writers.empty())
    return {FromEntry ? Kind::Entry : Kind::Unknown, nullptr};
  if (!FromEntry && Writers.size() == 1)
    return kindOf(*cast<llvm::MemoryDef>(*Writers.begin()), Wanted);
  while (!isa<llvm::MemoryPhi>(From)) {
    if (Writers.contains(From))
      return kindOf(*cast<llvm::MemoryDef>(From), Wanted);
    From = cast<llvm::MemoryDef>(From)->getDefiningAccess();
  }
  return {Kind::Join, From};
}

std::optional<AccessPath> StoredValues::pathOf(const llvm::Value &Pointer,
                                               const llvm::MemoryAccess *From) {
  if (auto Known = pathOf(Pointer))
    return Known;
  auto [Base, Bytes] = fromBase(Pointer);
  if (llvm::isNoAliasCall(Base))
    return AccessPath{Base, {Bytes}};
  if (Depth == MaxDepth || !From)
    return std::nullopt;
  if (auto *Phi = dyn_cast<llvm::PHINode>(Base)) { // the same on all paths
    std::optional<AccessPath> To;
    llvm::SaveAndRestore<unsigned> Deeper(Depth, Depth + 1);
    for (const llvm::Use &Incoming : Phi->incoming_values()) {
      auto Next = pathOf(*Incoming, From);
      if (!Next || (To && To != Next))
        return std::nullopt;
      To = std::move(Next);
    }
    To->Path.back() += Bytes;
    return To;
  }
  auto *Load = dyn_cast<llvm::LoadInst>(Base);
  if (!Load || !Load->isSimple())
    return std::nullopt;
  ++Depth;
  const llvm::Value &At = *Load->getPointerOperand();
  auto Where = pathOf(At, before(*Load));
  auto To = Where ? pointerAt({*Where, Analyses.Layout.getPointerSize(), true, false,
                               Load->getAAMetadata(), &At},
                              before(*Load))
                  : std::nullopt;
  --Depth;
  if (To)
    To->Path.back() += Bytes;
  return To;
}

std::optional<AccessPath> StoredValues::pointerAt(const Place &Wanted,
                                                  const llvm::MemoryAccess *From) {
  if (!From)
    return std::nullopt;
  const Origin Found = originOf(Wanted, From);
  if (Found.What == Origin::Kind::Entry &&
      isa<llvm::Argument, llvm::GlobalVariable>(Wanted.Where.Base)) {
    AccessPath Result = Wanted.Where;
    Result.Path.push_back(0);
    return Result;
  }
  if (Found.What != Origin::Kind::Store)
    return std::nullopt;
  auto *Store = cast<llvm::StoreInst>(cast<llvm::MemoryDef>(Found.At)->getMemoryInst());
  llvm::Value *Pointer = storedPointer(*Store);
  return Pointer ? pathOf(*Pointer, Found.At) : std::nullopt;
}

/// A structure of one pointer may be stored as an integer.
llvm::Value *storedPointer(llvm::StoreInst &Store) {
  llvm::Value *Value = Store.getValueOperand();
  auto *Number = dyn_cast<llvm::PtrToIntOperator>(Value);
  if (Number &&
      Store.getDataLayout().getTypeStoreSize(Value->getType()) ==
          Store.getDataLayout().getPointerTypeSize(Number->getPointerOperand()->getType()))
    Value = Number->getPointerOperand();
  return Value->getType()->isPointerTy() ? Value : nullptr;
}

} // namespace ergon
