//===- TransferHints.cpp - redundant host-device transfers ----------------===//

#include "passes/lint/TransferHints.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/DirectCallee.h"
#include "passes/symbolic/AnalysisContext.h"
#include "passes/symbolic/CalleeWrites.h"
#include "passes/symbolic/Launches.h"
#include "passes/symbolic/ScevToExpr.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

namespace ergon {

static constexpr unsigned PointerBytes = 8;

//===----------------------------------------------------------------------===//
// Values and copies
//===----------------------------------------------------------------------===//

/// What \p Load sees, if memory still holds it at \p Point.
std::optional<Sight> TransferHints::sightAt(const llvm::LoadInst &Load, const Instruction &Point) {
  auto Seen = Context.Memory.sightOf(Load);
  if (!Seen)
    return std::nullopt;
  llvm::SmallPtrSet<BasicBlock *, 1> AtLoad{const_cast<BasicBlock *>(Load.getParent())};
  for (const Instruction *Writer : Seen->Writers) {
    if (!Writer)
      continue;
    const bool IsWithLoad = Writer->getParent() == Load.getParent();
    if (Point.getParent() == Load.getParent()
            ? IsWithLoad && Load.comesBefore(Writer) && Writer->comesBefore(&Point)
        : IsWithLoad
            ? Load.comesBefore(Writer)
            : llvm::isPotentiallyReachable(&Load, Writer, nullptr, &Context.DT, &Context.LI) &&
                  llvm::isPotentiallyReachable(Writer, &Point, &AtLoad, &Context.DT, &Context.LI))
      return std::nullopt;
  }
  return Seen;
}

TransferHints::SymbolicValue TransferHints::valueOf(const llvm::Value &V,
                                                    const Instruction &Point) {
  if (V.getType()->isPointerTy()) {
    auto [Base, Offset] = Context.Memory.fromBase(V);
    auto *Load = dyn_cast<llvm::LoadInst>(Base);
    auto Seen = Load ? sightAt(*Load, Point) : std::nullopt;
    return Seen ? SymbolicValue{nullptr, std::move(Seen), Offset}
                : SymbolicValue{Base, std::nullopt, Offset};
  }
  // A length: what was read, times the size of an element.
  const llvm::Value *Leaf = &V;
  for (auto *I = dyn_cast<Instruction>(Leaf); I; I = dyn_cast<Instruction>(Leaf))
    if (isa<llvm::CastInst>(I) ||
        (isa<llvm::BinaryOperator>(I) && isa<llvm::Constant>(I->getOperand(1))))
      Leaf = I->getOperand(0);
    else
      break;
  auto *Load = dyn_cast<llvm::LoadInst>(Leaf);
  auto Seen = Load ? sightAt(*Load, Point) : std::nullopt;
  const bool IsMemory = Seen && Leaf == &V;
  return {IsMemory ? nullptr : &V, std::move(Seen)};
}

/// The only runtime call that allocated the target of \p Seen, if any.
const Instruction *TransferHints::allocationOf(const std::optional<Sight> &Seen) {
  if (!Seen || Seen->Writers.size() != 1 || !Seen->Writers.front())
    return nullptr;
  auto *Site = dyn_cast<CallBase>(Seen->Writers.front());
  return Site && isAllocation(directCallee(*Site)) &&
                 Context.Memory.pathOf(*Site->getArgOperand(0)) == std::optional(Seen->Where)
             ? Site
             : nullptr;
}

const std::optional<TransferHints::Copy> &TransferHints::copyAt(const Instruction &I) {
  static const std::optional<Copy> None;
  auto *Site = dyn_cast<CallBase>(&I);
  if (!directCallee(I).contains("Memcpy"))
    return None;
  auto Found = Copies.find(Site);
  if (Found == Copies.end())
    Found = Copies.insert({Site, parse(*Site)}).first;
  return Found->second;
}

/// Parses plain copies, whose arguments give source and destination.
std::optional<TransferHints::Copy> TransferHints::parse(const CallBase &Site) {
  StringRef Name = directCallee(Site);
  for (StringRef Ending : {"_ptds", "_ptsz", "_v2"})
    Name.consume_back(Ending);
  const bool Waits = !Name.consume_back("Async");
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
    return CopyEnd{Site.getArgOperand(Operand), valueOf(*Site.getArgOperand(Operand), Site),
                   IsDevice};
  };
  Copy Result{.Site = &Site,
              .To = EndAt(0, How != DeviceToHost),
              .From = EndAt(1, How != HostToDevice),
              .Length = Site.getArgOperand(2),
              .Bytes = valueOf(*Site.getArgOperand(2), Site),
              .Moves = How == HostToDevice   ? CostClass::H2DBytes
                       : How == DeviceToHost ? CostClass::D2HBytes
                                             : CostClass::D2DBytes,
              .Stream = Waits ? nullptr : Site.getArgOperand(Site.arg_size() - 1)};
  for (const CopyEnd *Side : {&Result.To, &Result.From}) {
    // What host and device share is written by both.
    const Instruction *Made = allocationOf(Side->Address.Seen);
    if (Side->IsDevice && Made && directCallee(*Made).contains("Managed"))
      return std::nullopt;
  }
  return Result;
}

/// Whether \p V is evidently no memory that the runtime allocated in this function: another
/// object, or what was there when it was entered.
bool TransferHints::isOlderOrOther(const SymbolicValue &V) {
  if (!V.Base)
    return V.Seen->Writers.empty();
  SmallVector<const llvm::Value *, 4> Objects;
  llvm::getUnderlyingObjects(V.Base, Objects);
  return llvm::all_of(Objects, [](const llvm::Value *Object) {
    return isa<llvm::Argument, llvm::ConstantPointerNull>(Object) ||
           llvm::isIdentifiedObject(Object);
  });
}

/// Whether \p Other, an address, may be of the object that \p E is in.
bool TransferHints::maySame(const CopyEnd &E, const llvm::Value &Other, const Instruction &Point) {
  if (isa<llvm::Constant>(Other) && !isa<llvm::GlobalValue>(Other))
    return false;
  const SymbolicValue OtherValue = valueOf(Other, Point);
  if (OtherValue.Base == E.Address.Base && OtherValue.Seen == E.Address.Seen)
    return true;
  const Instruction *Mine = allocationOf(E.Address.Seen), *Its = allocationOf(OtherValue.Seen);
  if (Mine && Its)
    return Mine == Its;
  if ((Mine && isOlderOrOther(OtherValue)) || (Its && isOlderOrOther(E.Address)))
    return false;
  return !(E.Pointer->getType()->isPointerTy() && Other.getType()->isPointerTy() &&
           Context.Memory.areApart(*E.Pointer, Other));
}

/// Whether after \p Earlier both ends of \p C are equal, and later operations are ordered as after
/// \p C.
bool TransferHints::isLeft(const Copy &C, const Copy &Earlier) {
  return C.Bytes == Earlier.Bytes && C.Stream == Earlier.Stream &&
         ((C.To.Address == Earlier.To.Address && C.From.Address == Earlier.From.Address) ||
          (C.To.Address == Earlier.From.Address && C.From.Address == Earlier.To.Address));
}

//===----------------------------------------------------------------------===//
// What writes
//===----------------------------------------------------------------------===//

/// Whether \p F, or a callee, may use the device.
bool TransferHints::reachesDevice(const llvm::Function &F) {
  auto [Found, IsNew] = Reaching.try_emplace(&F, true);
  if (!IsNew)
    return Found->second;
  SmallVector<const llvm::Function *, 8> Open{&F};
  llvm::SmallPtrSet<const llvm::Function *, 8> Seen{&F};
  while (!Open.empty()) {
    const llvm::Function &Next = *Open.pop_back_val();
    StringRef Name = Next.getName();
    if (returnsStatus(Name) || isLaunchFunction(Name) || isKernelStub(Name))
      return true;
    if (Next.isIntrinsic() || Next.onlyReadsMemory())
      continue;
    if (Next.isDeclaration() || Next.isInterposable()) {
      if (!isLibraryFunction(Next, Context.TLI))
        return true;
      continue;
    }
    for (const Instruction &I : llvm::instructions(Next)) {
      auto *Site = dyn_cast<CallBase>(&I);
      if (CalleeStepsLeft == 0 || (Site && !Site->isInlineAsm() && !Site->getCalledFunction()))
        return true;
      --CalleeStepsLeft;
      if (Site && Site->getCalledFunction() && Seen.insert(Site->getCalledFunction()).second)
        Open.push_back(Site->getCalledFunction());
    }
  }
  return Reaching[&F] = false;
}

/// Whether kernels leave \p Side alone; \p If has those that only their records tell of.
bool TransferHints::keepsInLaunch(const CallBase &Site, const CopyEnd &Side,
                                  std::vector<KernelArgument> &If) {
  auto Kernel = Launcher.kernelAt(Site);
  if (!Kernel)
    return false;
  const llvm::DataLayout &Layout = Site.getDataLayout();
  for (unsigned I = 0; I != Kernel->Addresses.size(); ++I) {
    auto *Argument = dyn_cast_or_null<llvm::AllocaInst>(
        Kernel->Addresses[I] ? Kernel->Addresses[I]->stripPointerCasts() : nullptr);
    auto Size = Argument ? Argument->getAllocationSize(Layout) : std::nullopt;
    if (!Size || Size->isScalable())
      return false;
    // A structure may hold pointers in what is not seen of it.
    std::uint64_t Unseen = Size->getFixedValue();
    bool MayLead = false;
    for (const auto &Item : Context.Memory.contentsOf(*Argument, Site).Stored) {
      if (!Item.Value || Item.Value->getType()->isAggregateType())
        return false;
      Unseen -= std::min<std::uint64_t>(Unseen, Item.Bytes);
      MayLead |= Item.Bytes >= PointerBytes && (Item.Value->getType() != Side.Pointer->getType() ||
                                                maySame(Side, *Item.Value, Site));
    }
    if (Unseen >= PointerBytes || Unseen == Size->getFixedValue())
      return false;
    if (MayLead)
      If.push_back({Kernel->Site.Callee, I});
  }
  // Nor through a pointer that it finds itself.
  if (Side.IsDevice)
    If.push_back({Kernel->Site.Callee, unsigned(Kernel->Addresses.size())});
  return true;
}

/// True for a runtime or library function that writes only to buffers passed as arguments.
static bool writesWhereTold(StringRef Name) {
  for (StringRef Holds : {"Batch", "3D", "Graph", "Launch", "Callback", "Capture", "Attach",
                          "cuMemcpy2D", "cusparse", "cufftXt", "cusolverSp"})
    if (Name.contains(Holds))
      return false; // of others as well, which it has from elsewhere
  for (StringRef Library : {"cublas", "cufft", "curand", "cusolverDn", "nccl"})
    if (Name.starts_with(Library))
      return true;
  if (!Name.consume_front("cuda") && !Name.consume_front("hip") && !Name.consume_front("cu"))
    return Name.starts_with("__cuda") || Name.starts_with("__hip");
  return llvm::any_of(ArrayRef<StringRef>{"Mem", "Malloc", "Free", "Host", "Event", "Device",
                                          "Stream", "Get", "Set", "Peek", "Func", "Ctx", "Module",
                                          "Pointer", "Occupancy", "Profiler", "Choose", "Init"},
                      [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

bool TransferHints::keepsInCall(const CallBase &Site, const CopyEnd &Side,
                                std::vector<KernelArgument> &If) {
  StringRef Name = directCallee(Site);
  if (auto &Other = copyAt(Site))
    return !maySame(Side, *Other->To.Pointer, Site);
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee)
    return false;
  if (isLaunchFunction(Name))
    return keepsInLaunch(Site, Side, If);
  const bool IsRuntime = Callee->isDeclaration() && keepsNoPointer(Name);
  if (IsRuntime && !writesWhereTold(Name))
    return false;
  // Handles are no buffers: what is written is a variable.
  if (IsRuntime &&
      (Name.contains("Event") || Name.contains("CallConfiguration") || Name.contains("Stream")))
    return llvm::none_of(Site.args(), [&](const llvm::Use &Argument) {
      return Argument->getType()->isPointerTy() &&
             isa<llvm::AllocaInst, llvm::GlobalVariable>(
                 llvm::getUnderlyingObject(Argument.get())) &&
             maySame(Side, *Argument, Site);
    });
  if (IsRuntime ||
      (Side.IsDevice && Callee->isDeclaration() && isLibraryFunction(*Callee, Context.TLI)))
    return llvm::none_of(Site.args(), [&](const llvm::Use &Argument) {
      return Argument->getType() == Side.Pointer->getType() && maySame(Side, *Argument, Site);
    });
  return Side.IsDevice ? !reachesDevice(*Callee) : !Context.Memory.mayWrite(Site, *Side.Pointer);
}

/// Whether \p Side has after \p I what it had before.
bool TransferHints::keeps(const Instruction &I, const CopyEnd &Side,
                          std::vector<KernelArgument> &If) {
  if (!I.mayWriteToMemory())
    return true;
  if (auto *Site = dyn_cast<CallBase>(&I); Site && !isa<llvm::IntrinsicInst>(I))
    return keepsInCall(*Site, Side, If);
  if (I.isLifetimeStartOrEnd())
    return Side.IsDevice || !maySame(Side, *I.getOperand(0), I);
  auto *Store = dyn_cast<llvm::StoreInst>(&I);
  if (Store && Side.Pointer->getType()->isPointerTy()) {
    const llvm::Value &To = *Store->getPointerOperand();
    const SymbolicValue Written = valueOf(*llvm::getUnderlyingObject(&To), I);
    // The host does not write to a device's memory, unless it evidently does.
    return Side.IsDevice ? Written.Base != Side.Address.Base || Written.Seen != Side.Address.Seen
                         : !Context.Memory.mayWrite(I, *Side.Pointer) || !maySame(Side, To, I);
  }
  return Side.IsDevice || !Context.Memory.mayWrite(I, *Side.Pointer);
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// The copies that on every way to \p C, in \p Scope (null: the function), left the same bytes;
/// nothing where on one way there is none. How the loop is entered does not matter.
std::optional<TransferHints::Repeated> TransferHints::repeatedIn(const Copy &C,
                                                                 const llvm::Loop *Scope) {
  Repeated Result;
  auto Changes = [&](const SymbolicValue &V, const Instruction &I) {
    return V.Seen ? llvm::is_contained(V.Seen->Writers, &I) : V.Base == &I;
  };
  llvm::SmallPtrSet<const BasicBlock *, 16> Visited;
  SmallVector<const Instruction *, 8> Open; // read on before these
  auto LeaveUpwards = [&](const BasicBlock &B) {
    if (pred_empty(&B))
      return false;
    for (const BasicBlock *Before : predecessors(&B))
      if ((!Scope || Scope->contains(Before)) && Visited.insert(Before).second)
        Open.push_back(Before->getTerminator());
    return true;
  };
  const Instruction *Next = C.Site->getPrevNode();
  if (Next)
    Open.push_back(Next);
  else if (!LeaveUpwards(*C.Site->getParent()))
    return std::nullopt;
  while (!Open.empty()) {
    const Instruction *I = Open.pop_back_val();
    for (;; I = I->getPrevNode()) {
      if (StepsLeft == 0)
        return std::nullopt;
      --StepsLeft;
      if (auto &Other = copyAt(*I); Other && isLeft(C, *Other)) {
        Result.Left.push_back(Other->Site);
        break;
      }
      if (Changes(C.To.Address, *I) || Changes(C.From.Address, *I) || Changes(C.Bytes, *I) ||
          !keeps(*I, C.To, Result.IfOnlyRead) || !keeps(*I, C.From, Result.IfOnlyRead))
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

/// Whether a copy that only brings what is there could be left out, of all iterations of a loop but
/// one: it runs in each, and does not wait for a kernel that is still at work.
bool TransferHints::mayBeUnneeded(const Copy &C, const llvm::Loop *Scope) const {
  if (!Scope)
    return true;
  SmallVector<BasicBlock *, 4> Latches;
  Scope->getLoopLatches(Latches);
  if (!llvm::all_of(Latches, [&](const BasicBlock *Block) {
        return Context.DT.dominates(C.Site->getParent(), Block);
      }))
    return false;
  return C.Moves != CostClass::D2HBytes ||
         llvm::any_of(Scope->blocks(), [](const BasicBlock *Block) {
           return llvm::any_of(
               *Block, [](const Instruction &I) { return isLaunchFunction(directCallee(I)); });
         });
}

void TransferHints::add(const Instruction &I, std::vector<Hint> &Hints) {
  const std::optional<Copy> C = copyAt(I); // more are found on the way
  if (!C)
    return;
  // In the function, then in the loops around, from the outside.
  SmallVector<const llvm::Loop *, 4> Scopes;
  for (const llvm::Loop *L = Context.LI.getLoopFor(I.getParent()); L; L = L->getParentLoop())
    Scopes.push_back(L);
  Scopes.push_back(nullptr);
  for (unsigned Loops = unsigned(Scopes.size()); Loops-- != 0;) {
    auto Found = mayBeUnneeded(*C, Scopes[Loops]) ? repeatedIn(*C, Scopes[Loops]) : std::nullopt;
    if (!Found)
      continue;
    auto Other = std::ranges::find_if(Found->Left, [&](auto *Site) { return Site != C->Site; });
    const bool IsOwn = Other == Found->Left.end();
    Hint &New = Hints.emplace_back(Hint{.What = IsOwn ? "invariant_transfer" : "redundant_copy",
                                        .Location = nearestLocation(I)});
    if (!IsOwn)
      if (auto Position = nearestLocation(**Other); Position.isValid())
        New.Detail = std::to_string(Position.Line);
    New.NeededIn = Scopes[Loops] ? Loops + 1 : 0;
    New.IfOnlyRead = std::move(Found->IfOnlyRead);
    std::ranges::sort(New.IfOnlyRead);
    New.IfOnlyRead.erase(std::ranges::unique(New.IfOnlyRead).begin(), New.IfOnlyRead.end());
    if (auto Bytes = Context.Translate.translate(C->Length, Context.LI.getLoopFor(I.getParent())))
      New.Saves.add(C->Moves, *Bytes);
    return;
  }
}

} // namespace ergon
