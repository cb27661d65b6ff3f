//===- TransferHints.cpp - copies that move what is there -----------------===//

#include "passes/TransferHints.h"
#include "passes/CalleeWrites.h"
#include "passes/Launches.h"
#include "passes/ScevToExpr.h"
#include "passes/SourceNames.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

namespace ergon {

using llvm::dyn_cast;
using llvm::isa;

static llvm::StringRef nameOf(const llvm::Value *Site) {
  auto *Call = llvm::dyn_cast_or_null<llvm::CallBase>(Site);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee ? Callee->getName() : "";
}

//===----------------------------------------------------------------------===//
// Values and copies
//===----------------------------------------------------------------------===//

TransferHints::Value TransferHints::valueOf(const llvm::Value &Of) {
  if (!Of.getType()->isPointerTy()) {
    auto *Load = dyn_cast<llvm::LoadInst>(&Of);
    auto Seen = Load ? Memory.sightOf(*Load) : std::nullopt;
    return Seen ? Value{nullptr, std::move(Seen)} : Value{&Of};
  }
  auto [Base, Offset] = Memory.fromBase(Of);
  auto *Load = dyn_cast<llvm::LoadInst>(Base);
  auto Seen = Load ? Memory.sightOf(*Load) : std::nullopt;
  return Seen ? Value{nullptr, std::move(Seen), Offset} : Value{Base, std::nullopt, Offset};
}

/// The call that made what \p Of points to, where it is one of the runtime and the only one.
static const llvm::Instruction *allocationOf(const std::optional<Sight> &Of) {
  if (!Of || Of->Writers.size() != 1 || !Of->Writers.front())
    return nullptr;
  llvm::StringRef Name = nameOf(Of->Writers.front());
  return returnsStatus(Name) && Name.contains_insensitive("alloc") ? Of->Writers.front() : nullptr;
}

const std::optional<TransferHints::Copy> &TransferHints::copyAt(const llvm::Instruction &I) {
  static const std::optional<Copy> None;
  auto *Site = dyn_cast<llvm::CallBase>(&I);
  if (!nameOf(Site).contains("Memcpy"))
    return None;
  auto Found = Copies.find(Site);
  if (Found == Copies.end())
    Found = Copies.insert({Site, parse(*Site)}).first;
  return Found->second;
}

/// Of plain copies, of which the arguments say where from and where to.
std::optional<TransferHints::Copy> TransferHints::parse(const llvm::CallBase &Site) {
  llvm::StringRef Name = nameOf(&Site);
  for (llvm::StringRef Ending : {"_ptds", "_ptsz", "_v2", "Async"})
    Name.consume_back(Ending);
  Name.consume_back("_v2"); // as in cuMemcpyHtoDAsync_v2_ptsz
  enum { HostToDevice = 1, DeviceToHost, DeviceToDevice } How;
  if ((Name == "cudaMemcpy" || Name == "hipMemcpy") && Site.arg_size() >= 4) {
    auto *Kind = dyn_cast<llvm::ConstantInt>(Site.getArgOperand(3));
    if (!Kind || Kind->isZero() || Kind->getValue().ugt(DeviceToDevice))
      return std::nullopt;
    How = decltype(How)(Kind->getZExtValue());
  } else if ((Name.consume_front("cu") || Name.consume_front("hip")) && Site.arg_size() >= 3) {
    if (Name == "MemcpyHtoD")
      How = HostToDevice;
    else if (Name == "MemcpyDtoH")
      How = DeviceToHost;
    else if (Name == "MemcpyDtoD")
      How = DeviceToDevice;
    else
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto EndAt = [&](unsigned Operand, bool IsDevice) {
    return End{Site.getArgOperand(Operand), valueOf(*Site.getArgOperand(Operand)), IsDevice};
  };
  Copy Result{.Site = &Site,
              .To = EndAt(0, How != DeviceToHost),
              .From = EndAt(1, How != HostToDevice),
              .Length = Site.getArgOperand(2),
              .Bytes = valueOf(*Site.getArgOperand(2)),
              .Moves = How == HostToDevice   ? CostClass::H2DBytes
                       : How == DeviceToHost ? CostClass::D2HBytes
                                             : CostClass::D2DBytes};
  for (const End *Each : {&Result.To, &Result.From}) {
    // What host and device share is written by both.
    const llvm::Instruction *Made = allocationOf(Each->Is.Seen);
    if (Each->IsDevice && Made && nameOf(Made).contains("Managed"))
      return std::nullopt;
  }
  return Result;
}

/// Whether \p Of is evidently no memory that the runtime allocated in this function: another
/// object, or what was there when it was entered.
bool TransferHints::isOlderOrOther(const Value &Of) {
  if (!Of.Base)
    return Of.Seen->Writers.empty();
  llvm::SmallVector<const llvm::Value *, 4> Objects;
  llvm::getUnderlyingObjects(Of.Base, Objects);
  return llvm::all_of(Objects, [](const llvm::Value *Each) {
    return isa<llvm::Argument, llvm::ConstantPointerNull>(Each) || llvm::isIdentifiedObject(Each);
  });
}

/// Whether \p Other, an address, may be of the object that \p One is in.
bool TransferHints::maySame(const End &One, const llvm::Value &Other) {
  if (isa<llvm::Constant>(Other) && !isa<llvm::GlobalValue>(Other))
    return false;
  const Value Is = valueOf(Other);
  if (Is.Base == One.Is.Base && Is.Seen == One.Is.Seen)
    return true;
  const llvm::Instruction *Mine = allocationOf(One.Is.Seen), *Its = allocationOf(Is.Seen);
  if (Mine && Its)
    return Mine == Its;
  if ((Mine && isOlderOrOther(Is)) || (Its && isOlderOrOther(One.Is)))
    return false;
  return !(One.Pointer->getType()->isPointerTy() && Other.getType()->isPointerTy() &&
           Memory.areApart(*One.Pointer, Other));
}

/// Whether \p By leaves the two ends of \p One equal.
bool TransferHints::isLeft(const Copy &One, const Copy &By) const {
  return One.Bytes == By.Bytes && ((One.To.Is == By.To.Is && One.From.Is == By.From.Is) ||
                                   (One.To.Is == By.From.Is && One.From.Is == By.To.Is));
}

//===----------------------------------------------------------------------===//
// What writes
//===----------------------------------------------------------------------===//

/// Whether \p F, or what it calls, may use the device.
bool TransferHints::reachesDevice(const llvm::Function &F) {
  if (returnsStatus(F.getName()) || isLaunchFunction(F.getName()) || isKernelStub(F.getName()))
    return true;
  if (F.isIntrinsic() || F.onlyReadsMemory())
    return false;
  if (F.isDeclaration() || F.isInterposable())
    return !isLibraryFunction(F, TLI);
  auto [Found, IsNew] = Reaching.try_emplace(&F, false); // itself adds nothing
  if (!IsNew)
    return Found->second;
  for (const llvm::Instruction &I : llvm::instructions(F)) {
    auto *Site = dyn_cast<llvm::CallBase>(&I);
    if (CalleeStepsLeft == 0 ||
        (Site && !Site->isInlineAsm() &&
         (!Site->getCalledFunction() || reachesDevice(*Site->getCalledFunction()))))
      return Reaching[&F] = true;
    --CalleeStepsLeft;
  }
  return false;
}

/// Whether kernels leave \p Of alone; \p If has those that only their records tell of.
bool TransferHints::keepsInLaunch(const llvm::CallBase &Site, const End &Of,
                                  std::vector<KernelArgument> &If) {
  auto Kernel = Launcher.kernelAt(Site);
  if (!Kernel)
    return false;
  for (unsigned I = 0; I != Kernel->Addresses.size(); ++I) {
    if (!Kernel->Addresses[I])
      return false;
    const StoredValues::Contents Held = Memory.contentsOf(*Kernel->Addresses[I], Site);
    for (const StoredValues::Contents::Item &Each : Held.Stored)
      if (!Each.Value || Each.Value->getType()->isAggregateType())
        return false;
      else if (Each.Value->getType() == Of.Pointer->getType() && maySame(Of, *Each.Value))
        If.push_back({Kernel->Site.Callee, I});
    if (Held.Stored.empty())
      return false;
  }
  return true;
}

bool TransferHints::keepsInCall(const llvm::CallBase &Site, const End &Of,
                                std::vector<KernelArgument> &If) {
  llvm::StringRef Name = nameOf(&Site);
  if (auto &Other = copyAt(Site))
    return !maySame(Of, *Other->To.Pointer);
  if (isLaunchFunction(Name))
    return keepsInLaunch(Site, Of, If);
  const llvm::Function *Callee = Site.getCalledFunction();
  const bool IsLibrary = Callee && Callee->isDeclaration() && isLibraryFunction(*Callee, TLI);
  if (keepsNoPointer(Name) || (IsLibrary && Of.IsDevice)) {
    // What works on lists of pointers, or calls back, may write anywhere.
    if (Name.contains("Batched") || Name.contains("Graph") || Name.contains("Stream") ||
        Name.contains("Launch"))
      return Name.contains("StreamSynchronize") || Name.contains("StreamCreate") ||
             Name.contains("StreamDestroy") || Name.contains("StreamWaitEvent");
    return llvm::none_of(Site.args(), [&](const llvm::Use &Each) {
      return Each->getType() == Of.Pointer->getType() && maySame(Of, *Each);
    });
  }
  if (Of.IsDevice)
    return Callee && !reachesDevice(*Callee);
  return !Memory.mayWrite(Site, *Of.Pointer);
}

/// Whether \p Of has after \p I what it had before.
bool TransferHints::keeps(const llvm::Instruction &I, const End &Of,
                          std::vector<KernelArgument> &If) {
  if (!I.mayWriteToMemory())
    return true;
  if (auto *Site = dyn_cast<llvm::CallBase>(&I); Site && !isa<llvm::IntrinsicInst>(I))
    return keepsInCall(*Site, Of, If);
  return Of.IsDevice || !Memory.mayWrite(I, *Of.Pointer);
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// The copies that on every way to \p One, in \p Scope (null: the function), left the same bytes;
/// nothing where on one way there is none. How the loop is entered does not matter.
std::optional<TransferHints::Repeated> TransferHints::repeatedIn(const Copy &One,
                                                                 const llvm::Loop *Scope) {
  Repeated Result;
  auto Changes = [&](const Value &Of, const llvm::Instruction &I) {
    return Of.Base == &I || (Of.Seen && llvm::is_contained(Of.Seen->Writers, &I));
  };
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Visited;
  llvm::SmallVector<const llvm::Instruction *, 8> Open; // read on before these
  auto LeaveUpwards = [&](const llvm::BasicBlock &B) {
    if (pred_empty(&B))
      return false;
    for (const llvm::BasicBlock *Before : predecessors(&B))
      if ((!Scope || Scope->contains(Before)) && Visited.insert(Before).second)
        Open.push_back(Before->getTerminator());
    return true;
  };
  const llvm::Instruction *Next = One.Site->getPrevNode();
  if (Next)
    Open.push_back(Next);
  else if (!LeaveUpwards(*One.Site->getParent()))
    return std::nullopt;
  while (!Open.empty()) {
    const llvm::Instruction *I = Open.pop_back_val();
    for (;; I = I->getPrevNode()) {
      if (StepsLeft == 0)
        return std::nullopt;
      --StepsLeft;
      if (auto &Other = copyAt(*I); Other && isLeft(One, *Other)) {
        Result.Left.push_back(Other->Site);
        break;
      }
      if (Changes(One.To.Is, *I) || Changes(One.From.Is, *I) || Changes(One.Bytes, *I) ||
          !keeps(*I, One.To, Result.IfOnlyRead) || !keeps(*I, One.From, Result.IfOnlyRead))
        return std::nullopt;
      if (!I->getPrevNode()) {
        if (!LeaveUpwards(*I->getParent()))
          return std::nullopt;
        break;
      }
    }
  }
  return Result.Left.empty() ? std::nullopt : std::optional(std::move(Result));
}

void TransferHints::add(const llvm::Instruction &I, std::vector<Hint> &Into) {
  auto &One = copyAt(I);
  if (!One)
    return;
  // In the function, then in the loops around, from the outside.
  llvm::SmallVector<const llvm::Loop *, 4> Scopes;
  for (const llvm::Loop *Each = LI.getLoopFor(I.getParent()); Each; Each = Each->getParentLoop())
    Scopes.push_back(Each);
  Scopes.push_back(nullptr);
  for (unsigned Loops = unsigned(Scopes.size()); Loops-- != 0;) {
    auto Found = repeatedIn(*One, Scopes[Loops]);
    if (!Found)
      continue;
    auto Other = std::ranges::find_if(Found->Left, [&](auto *Each) { return Each != One->Site; });
    const bool IsOwn = Other == Found->Left.end();
    Hint &New = Into.emplace_back(
        Hint{.What = IsOwn ? "invariant_transfer" : "redundant_copy", .At = nearestLocation(I)});
    if (!IsOwn)
      if (auto At = nearestLocation(**Other); At.isValid())
        New.Detail = std::to_string(At.Line);
    New.NeededIn = Scopes[Loops] ? Loops + 1 : 0;
    New.IfOnlyRead = std::move(Found->IfOnlyRead);
    std::ranges::sort(New.IfOnlyRead);
    New.IfOnlyRead.erase(std::ranges::unique(New.IfOnlyRead).begin(), New.IfOnlyRead.end());
    if (auto Bytes = Translate.translate(One->Length, LI.getLoopFor(I.getParent())))
      New.Saves.add(One->Moves, *Bytes);
    return;
  }
}

} // namespace ergon
