//===- StoredValues.cpp - contents of memory ------------------------------===//

#include "passes/symbolic/StoredValues.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/FortranNames.h"
#include "passes/symbolic/CalleeWrites.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace ergon {

StoredValues::StoredValues(const FunctionAnalyses &Analyses, bool AsWritten)
    : Analyses(Analyses), AsWritten(AsWritten) {}

StoredValues::~StoredValues() = default;

/// Builds the memory SSA on the first query: most functions need none.
bool StoredValues::start() {
  if (!Started) {
    Started = true;
    if (Analyses.F.getInstructionCount() > MaxInstructions)
      return false;
    llvm::AAResults &AA = Analyses.aliases();
    Memory = std::make_unique<llvm::MemorySSA>(Analyses.F, &AA, &Analyses.DT);
    Escapes = std::make_unique<llvm::EarliestEscapeAnalysis>(Analyses.DT, &Analyses.LI);
    Aliases = std::make_unique<llvm::BatchAAResults>(AA, Escapes.get());
    Aliases->enableCrossIterationMode();
    Calls = std::make_unique<CalleeWrites>(Analyses.TLI, AA, Analyses.typeBasedAliases());
  }
  return Memory != nullptr;
}

std::pair<const llvm::Value *, long> StoredValues::fromBase(const llvm::Value &Pointer) const {
  const llvm::DataLayout &Layout = Analyses.Layout;
  llvm::APInt Offset(Layout.getIndexTypeSizeInBits(Pointer.getType()), 0);
  const llvm::Value *Base =
      Pointer.stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
  if (Offset.getSignificantBits() > 48)
    return {&Pointer, 0};
  return {Base, long(Offset.getSExtValue())};
}

bool StoredValues::mayWrite(const Instruction &I, const llvm::Value &Pointer) {
  const auto Where = llvm::MemoryLocation::getBeforeOrAfter(&Pointer);
  return !start() ||
         (llvm::isModSet(Aliases->getModRefInfo(&I, Where)) && !leavesAlone(I, Where, ignoreNone));
}

bool StoredValues::areApart(const llvm::Value &V, const llvm::Value &Other) {
  return start() && Aliases->isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(&V),
                                       llvm::MemoryLocation::getBeforeOrAfter(&Other));
}

std::optional<AccessPath> StoredValues::pathOf(const llvm::Value &Pointer) {
  auto [Base, Bytes] = fromBase(Pointer);
  if (isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(Base))
    return AccessPath{Base, {Bytes}};
  auto *Load = dyn_cast<llvm::LoadInst>(Base);
  auto Through = Load ? entryPath(*Load) : std::nullopt;
  if (Through)
    Through->Path.push_back(Bytes);
  // A pointer that is loaded again on some of the paths is the same on all.
  if (auto *Phi = dyn_cast<llvm::PHINode>(Base); Phi && Depth < MaxDepth) {
    llvm::SaveAndRestore<unsigned> Deeper(Depth, Depth + 1);
    for (const llvm::Use &Incoming : Phi->incoming_values()) {
      auto Next = pathOf(*Incoming);
      if (!Next || (Through && Through != Next))
        return std::nullopt;
      Through = std::move(Next);
    }
    Through->Path.back() += Bytes;
  }
  return Through;
}

std::optional<AccessPath> StoredValues::entryPath(const llvm::LoadInst &Load) {
  if (auto Found = Loads.find(&Load); Found != Loads.end())
    return Found->second;
  if (Depth == MaxDepth)
    return std::nullopt;
  ++Depth;
  auto Result = entryPathUncached(Load);
  --Depth;
  Loads[&Load] = Result;
  return Result;
}

std::optional<AccessPath> StoredValues::entryPathUncached(const llvm::LoadInst &Load) {
  if (!Load.isSimple())
    return std::nullopt;
  auto Where = pathOf(*Load.getPointerOperand());
  if (!Where || isa<llvm::AllocaInst>(Where->Base))
    return std::nullopt;
  if (writersBefore(Load).entryOnly())
    return Where;
  auto *Own = dyn_cast<llvm::Argument>(Where->Base);
  if (!Own)
    return std::nullopt;
  // A function of another unit that is not given the pointer seldom has another one to that place;
  // nor do arrays overlap with numbers.
  llvm::SmallSetVector<const llvm::Function *, 4> Calls;
  const auto Place = llvm::MemoryLocation::get(&Load);
  const bool IsReal = Load.getType()->isFloatingPointTy();
  bool Overlaps = false;
  auto Ignore = [&](const Instruction &I) {
    if (storesOtherKind(I, *Load.getType()))
      return true;
    const bool IsCall = isForeignCallWithout(I, *Own);
    auto *Store = IsReal ? dyn_cast<llvm::StoreInst>(&I) : nullptr;
    auto *Into =
        Store ? dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(Store->getPointerOperand(), 0))
              : nullptr;
    if ((!IsCall && (!Into || Into == Own)) || !llvm::isModSet(Aliases->getModRefInfo(&I, Place)))
      return false;
    if (IsCall)
      Calls.insert(cast<CallBase>(I).getCalledFunction());
    Overlaps |= !IsCall;
    return true;
  };
  if (!writersBefore(Load, Place, Ignore).entryOnly())
    return std::nullopt;
  Readers.insert(Calls.begin(), Calls.end());
  if (Overlaps)
    Scalars.insert(Own);
  return Where;
}

/// True for a call of a function of another unit that is not given a pointer into what \p Own leads
/// to.
bool StoredValues::isForeignCallWithout(const Instruction &Writer, const llvm::Argument &Own) {
  auto *Site = dyn_cast<CallBase>(&Writer);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
         !isLibraryFunction(*Callee, Analyses.TLI) &&
         llvm::none_of(Site->args(), [&](const llvm::Use &Passed) {
           return Passed->getType()->isPointerTy() &&
                  llvm::getUnderlyingObject(Passed.get()) == &Own;
         });
}

std::optional<Sight> StoredValues::sightOf(const llvm::LoadInst &Load) {
  if (auto Where = entryPath(Load))
    return Sight{std::move(*Where), {}};
  auto Where = Load.isSimple() ? pathOf(*Load.getPointerOperand()) : std::nullopt;
  if (!Where)
    return std::nullopt;
  const Writers &Candidates = writersBefore(Load);
  if (Candidates.TooMany)
    return std::nullopt;
  Sight Result{std::move(*Where), {Candidates.Who.begin(), Candidates.Who.end()}};
  if (Candidates.Entry)
    Result.Writers.push_back(nullptr);
  std::ranges::sort(Result.Writers);
  return Result;
}

const StoredValues::Writers &StoredValues::writersBefore(const llvm::LoadInst &Load) {
  auto [Found, IsNew] = LoadWriters.try_emplace(&Load);
  auto Ignore = [&](const Instruction &I) { return storesOtherKind(I, *Load.getType()); };
  if (IsNew)
    Found->second = writersBefore(Load, llvm::MemoryLocation::get(&Load), Ignore);
  return Found->second;
}

/// By the type-based aliasing rules of C, C++ and Fortran, a floating-point store changes no
/// integer and no pointer in memory, and vice versa. Optimized code has TBAA metadata; there the
/// type of a store may differ from the source.
bool StoredValues::storesOtherKind(const Instruction &I, const llvm::Type &Held) const {
  if (storesNumbers(I))
    return Held.isIntOrIntVectorTy() || Held.isPtrOrPtrVectorTy();
  auto *Store = dyn_cast<llvm::StoreInst>(&I);
  if (!Store || !AsWritten)
    return false;
  const llvm::Type &Stored = *Store->getValueOperand()->getType();
  return Stored.isIntOrIntVectorTy() != Held.isIntOrIntVectorTy() ||
         Stored.isPtrOrPtrVectorTy() != Held.isPtrOrPtrVectorTy();
}

/// True for a variable whose address only the runtime got, which does not keep it: no loaded
/// pointer leads there.
bool StoredValues::isPrivate(const llvm::AllocaInst &Variable) {
  auto [Found, IsNew] = Private.try_emplace(&Variable, false);
  if (!IsNew)
    return Found->second;
  SmallVector<const llvm::Value *, 8> Open{&Variable};
  for (unsigned Uses = 0; !Open.empty();)
    for (const llvm::Use &Use : Open.pop_back_val()->uses()) {
      const llvm::User *User = Use.getUser();
      auto *Site = dyn_cast<CallBase>(User);
      auto *Store = dyn_cast<llvm::StoreInst>(User);
      if (++Uses > MaxUses)
        return false;
      if (isa<llvm::GEPOperator>(User))
        Open.push_back(User);
      else if (Site    ? !Site->isLifetimeStartOrEnd() && !isa<llvm::AnyMemIntrinsic>(Site) &&
                             !(Site->getCalledFunction() &&
                               keepsNoPointer(Site->getCalledFunction()->getName()))
               : Store ? Use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex()
                       : !isa<llvm::LoadInst>(User))
        return false;
    }
  return Private[&Variable] = true;
}

/// True where \p I is a call that does not write \p Where, though its address may have escaped.
bool StoredValues::leavesAlone(const Instruction &I, const llvm::MemoryLocation &Where,
                               Filter Ignore) {
  auto *Fill = dyn_cast<llvm::AnyMemIntrinsic>(&I);
  auto To = Fill ? llvm::MemoryLocation::getForDest(Fill) : llvm::MemoryLocation::getOrNone(&I);
  if (To && isNewBeside(*To->Ptr, *Where.Ptr))
    return true;
  auto *Site = dyn_cast<CallBase>(&I);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  if (!Callee)
    return false;
  // A kernel's writes to managed memory are visible once the host has waited for it.
  StringRef Name = Callee->getName();
  const llvm::Value *Object = llvm::getUnderlyingObject(Where.Ptr);
  if (isLaunchFunction(Name) || isKernelStub(Name))
    return true;
  auto *Variable = dyn_cast<llvm::AllocaInst>(Object);
  if ((Variable || isa<llvm::GlobalVariable>(Object)) && writesDeviceOnly(*Site))
    return true;
  if (isAllocation(Name))
    return Aliases->isNoAlias(
        llvm::MemoryLocation(Site->getArgOperand(0), llvm::LocationSize::precise(8)), Where);
  if (Variable && keepsNoPointer(Name) && isPrivate(*Variable) &&
      llvm::none_of(Site->args(), [&](const llvm::Use &Argument) {
        SmallVector<const llvm::Value *, 4> To;
        llvm::getUnderlyingObjects(Argument.get(), To);
        return llvm::any_of(To, [&](const llvm::Value *Pointer) {
          return Pointer == Variable || isa<llvm::PHINode, llvm::SelectInst>(Pointer);
        });
      }))
    return true;
  if (waitsForKernels(Name) && !isa<llvm::AllocaInst, llvm::GlobalVariable>(Object))
    return false;
  // A node is written to the first argument; the others are only read.
  if (isa<llvm::AllocaInst>(Object) && Name.starts_with("cudaGraphAdd"))
    return Aliases->isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(Site->getArgOperand(0)),
                              Where);
  return Calls->leavesAlone(*Site, Where, *Aliases, Ignore);
}

/// Walks back over the memory definitions before \p Point, along all paths. The base of \p Where is
/// constant in the function, so one iteration of a loop represents all.
StoredValues::Writers StoredValues::writersBefore(const Instruction &Point,
                                                  const llvm::MemoryLocation &Where,
                                                  Filter Ignore) {
  Writers Result;
  Result.TooMany = true;
  if (!start())
    return Result;
  auto *From = Memory->getMemoryAccess(&Point);
  if (!From)
    return Result;
  SmallVector<const llvm::MemoryAccess *, 8> Open{From->getDefiningAccess()};
  llvm::SmallPtrSet<const llvm::MemoryAccess *, 16> Seen;
  for (unsigned Steps = 0; !Open.empty(); ++Steps) {
    if (Steps == MaxSteps || StepsLeft == 0)
      return Result;
    --StepsLeft;
    const llvm::MemoryAccess *Access = Open.pop_back_val();
    if (!Seen.insert(Access).second)
      continue;
    if (Memory->isLiveOnEntryDef(Access)) {
      Result.Entry = true;
      continue;
    }
    if (auto *Phi = dyn_cast<llvm::MemoryPhi>(Access)) {
      for (const llvm::Use &Incoming : Phi->incoming_values())
        Open.push_back(cast<llvm::MemoryAccess>(Incoming.get()));
      continue;
    }
    auto *Definition = cast<llvm::MemoryDef>(Access);
    Instruction *Writer = Definition->getMemoryInst();
    if (Ignore(*Writer) || !llvm::isModSet(Aliases->getModRefInfo(Writer, Where)) ||
        leavesAlone(*Writer, Where, Ignore))
      Open.push_back(Definition->getDefiningAccess());
    else
      Result.Who.push_back(Writer);
  }
  Result.TooMany = false;
  return Result;
}

/// \p Writer, where it is a store of exactly these bytes; else null.
llvm::StoreInst *StoredValues::exactStore(Instruction &Writer, const AccessPath &Where,
                                          unsigned Bytes) {
  auto *Store = dyn_cast<llvm::StoreInst>(&Writer);
  const bool IsExact =
      Store && Store->isSimple() && pathOf(*Store->getPointerOperand()) == Where &&
      Analyses.Layout.getTypeStoreSize(Store->getValueOperand()->getType()) == Bytes;
  return IsExact ? Store : nullptr;
}

/// The stored value, where \p Candidates is one store of exactly these bytes and every path to \p
/// Point passes it, in the same iterations.
llvm::Value *StoredValues::soleStore(const Writers &Candidates, const AccessPath &Where,
                                     unsigned Bytes, const Instruction &Point) {
  if (Candidates.Entry || Candidates.TooMany || Candidates.Who.size() != 1)
    return nullptr;
  llvm::StoreInst *Store = exactStore(*Candidates.Who.front(), Where, Bytes);
  const llvm::Loop *Around = Store ? Analyses.LI.getLoopFor(Store->getParent()) : nullptr;
  return Store && (!Around || Around->contains(&Point)) ? Store->getValueOperand() : nullptr;
}

llvm::Value *StoredValues::storedValue(const llvm::Value &Pointer, unsigned Bytes,
                                       const Instruction &Point) {
  auto Where = pathOf(Pointer);
  if (!Where)
    return nullptr;
  llvm::MemoryLocation Location(&Pointer, llvm::LocationSize::precise(Bytes));
  auto *Load = dyn_cast<llvm::LoadInst>(&Point);
  return soleStore(Load ? writersBefore(*Load) : writersBefore(Point, Location), *Where, Bytes,
                   Point);
}

std::vector<StoredValues::Global> StoredValues::globalsAt(const Instruction &Point) {
  if (!GlobalStores) {
    GlobalStores.emplace();
    for (Instruction &I : llvm::instructions(Analyses.F))
      if (auto *Store = dyn_cast<llvm::StoreInst>(&I);
          Store && Store->getValueOperand()->getType()->isIntegerTy() &&
          isa<llvm::GlobalVariable>(Store->getPointerOperand()->stripInBoundsConstantOffsets()))
        GlobalStores->push_back(Store);
    if (GlobalStores->size() > MaxUses)
      GlobalStores->clear();
  }
  std::vector<Global> Result;
  for (llvm::StoreInst *Store : *GlobalStores) {
    auto Where = pathOf(*Store->getPointerOperand());
    unsigned Bytes =
        unsigned(Analyses.Layout.getTypeStoreSize(Store->getValueOperand()->getType()));
    if (llvm::Value *Value =
            soleStore(writersBefore(Point, llvm::MemoryLocation::get(Store)), *Where, Bytes, Point);
        Value == Store->getValueOperand())
      Result.push_back({*Where, Bytes, Value});
  }
  return Result;
}

/// The stores of this function at fixed offsets into \p Object.
std::vector<llvm::StoreInst *> StoredValues::storesInto(const llvm::Value &Object) {
  std::vector<llvm::StoreInst *> Result;
  SmallVector<const llvm::Value *, 8> Open{&Object};
  for (unsigned Uses = 0; !Open.empty();)
    for (const llvm::Use &Use : Open.pop_back_val()->uses()) {
      if (++Uses > MaxUses)
        return {};
      const llvm::User *User = Use.getUser();
      if (auto *I = dyn_cast<Instruction>(User); I && I->getFunction() != &Analyses.F)
        continue;
      if (auto *Step = dyn_cast<llvm::GEPOperator>(User); Step && Step->hasAllConstantIndices())
        Open.push_back(Step);
      else if (auto *Store = dyn_cast<llvm::StoreInst>(User);
               Store && Use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex())
        Result.push_back(const_cast<llvm::StoreInst *>(Store));
    }
  return Result;
}

} // namespace ergon
