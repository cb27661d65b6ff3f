//===- Launches.cpp - kernel launches in host code ------------------------===//

#include "passes/symbolic/Launches.h"
#include "model/program/CallBinding.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/DirectCallee.h"
#include "passes/symbolic/AnalysisContext.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace ergon {

using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The call that `<<<…>>>` makes for \p Site: the nearest one that dominates it and, where the code
/// tests its success, leads to \p Site on success.
const CallBase *Launches::pushFor(const CallBase &Site) const {
  auto LeadsHere = [&](const CallBase &Push) {
    const BasicBlock *From = Push.getParent();
    auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
    llvm::CmpPredicate How;
    if (From == Site.getParent() || !Branch || !Branch->isConditional() ||
        !match(Branch->getCondition(), m_ICmp(How, m_Specific(&Push), m_Zero())))
      return true;
    llvm::BasicBlockEdge Success(From, Branch->getSuccessor(How == llvm::CmpInst::ICMP_EQ ? 0 : 1));
    return Context.DT.dominates(Success, Site.getParent());
  };
  for (auto *Node = Context.DT.getNode(Site.getParent()); Node; Node = Node->getIDom()) {
    bool IsFirst = Node->getBlock() == Site.getParent();
    for (const Instruction *I = IsFirst ? &Site : Node->getBlock()->getTerminator(); I;
         I = I->getPrevNode())
      if (isLaunchPush(*I) && LeadsHere(cast<CallBase>(*I)))
        return cast<CallBase>(I);
  }
  return nullptr;
}

/// True for a dimension that the stub received from `<<<…>>>`.
bool Launches::isPopped(const llvm::Value &Dimension) const {
  auto *Load = dyn_cast<llvm::LoadInst>(&Dimension);
  return Load && llvm::any_of(llvm::getUnderlyingObject(Load->getPointerOperand())->users(),
                              [](const llvm::User *User) { return isLaunchPop(*User); });
}

std::optional<Expr> Launches::number(llvm::Value &V, const llvm::Loop *Scope) {
  llvm::Value *Narrow = &V, *Dividend, *Divisor;
  match(Narrow, m_ZExtOrSelf(m_Value(Narrow)));
  // Possibly one of two halves, see half().
  if (llvm::Value *Wide; match(Narrow, m_Trunc(m_LShr(m_Value(Wide), m_SpecificInt(32)))))
    return half(*Wide, true, Scope);
  // A dimension is at least 1, or the launch fails: so division rounds down.
  ScevToExpr::Trust Positive(Context.Translate);
  if (match(Narrow, m_SDiv(m_Value(Dividend), m_Value(Divisor)))) {
    auto Above = Context.Translate.translateOrName(Dividend, Scope, true),
         Below = Context.Translate.translateOrName(Divisor, Scope, true);
    if (Above && Below)
      return floorDiv(*Above, *Below);
  }
  return Context.Translate.translateOrName(Narrow, Scope, true);
}

/// True for a number of 64 bits that is no pair of dimensions, by \p Leaf, what it is computed
/// from.
bool Launches::isWideNumber(const llvm::Value &Leaf) const {
  if (auto *Argument = dyn_cast<llvm::Argument>(&Leaf))
    return Context.Names.contentOf(*Argument) == SourceNames::Content::Number;
  auto *Site = dyn_cast<CallBase>(&Leaf);
  const bool IsLibraryCall =
      Site && Site->getCalledFunction() && Site->getCalledFunction()->isDeclaration();
  return IsLibraryCall || isa<llvm::BinaryOperator, llvm::FPToSIInst, llvm::FPToUIInst>(Leaf);
}

/// A half without a known pattern: 32-bit arithmetic, such as a loop variable, that the optimizer
/// widened to 64 bits; or an unknown dim3 parameter.
std::optional<Expr> Launches::otherHalf(llvm::Value &Packed, bool High, const llvm::Loop *Scope) {
  if (auto *Argument = dyn_cast<llvm::Argument>(&Packed);
      Argument && Context.Names.contentOf(*Argument) != SourceNames::Content::Number)
    return Context.Names.cell({Argument, {High ? 4 : 0}}, 4);
  ScevToExpr::Trust Positive(Context.Translate);
  auto Value = isa<llvm::BinaryOperator, CallBase>(&Packed)
                   ? Context.Translate.translateOrName(&Packed, Scope, true)
                   : Context.Translate.translate(&Packed, Scope);
  if (!Value)
    return std::nullopt;
  const llvm::SCEV *Whole = Context.SE.getSCEV(&Packed);
  bool IsWide = false, IsNumber = true; // all leaves of 64 bits are numbers
  llvm::SCEVExprContains(Whole, [&](const llvm::SCEV *Part) {
    if (auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Part);
        Leaf && Leaf->getType()->getIntegerBitWidth() > 32) {
      IsWide = true;
      IsNumber &= isWideNumber(*Leaf->getValue());
    } else if (auto *Constant = dyn_cast<llvm::SCEVConstant>(Part)) {
      IsNumber &= Constant->getAPInt().getSignificantBits() <= 32;
    }
    IsWide |= isa<llvm::SCEVTruncateExpr>(Part);
    return false;
  });
  if (!IsWide)
    return fieldOf(*Value, High ? 32 : 0, 32, 64);
  if (!IsNumber)
    return std::nullopt;
  return High ? Expr(0) : *Value; // a dimension has 32 bits
}

/// What \p Object holds in \p Bytes bytes at \p Offset; null where unknown.
static llvm::Value *heldAt(const StoredValues::Contents &Object, long Offset, unsigned Bytes) {
  auto Found = std::ranges::find_if(Object.Stored, [&](const StoredValues::Contents::Item &Item) {
    return Item.Offset == Offset && Item.Bytes == Bytes;
  });
  return Found == Object.Stored.end() ? nullptr : Found->Value;
}

/// A dim3's x and y are one 64-bit argument: its lower or upper half.
std::optional<Expr> Launches::half(llvm::Value &Packed, bool High, const llvm::Loop *Scope) {
  unsigned Shift = High ? 32 : 0;
  const llvm::APInt *Number;
  llvm::Value *Left, *Right;
  if (match(&Packed, m_APInt(Number)))
    return Expr(long(Number->extractBitsAsZExtValue(32, Shift)));
  if (match(&Packed, m_ZExt(m_Value(Left))) && Left->getType()->getIntegerBitWidth() <= 32)
    return High ? Expr(0) : number(*Left, Scope);
  if (match(&Packed, m_Shl(m_Value(Left), m_SpecificInt(32))))
    return High ? half(*Left, false, Scope) : Expr(0);
  if (match(&Packed, m_LShr(m_Value(Left), m_SpecificInt(32))))
    return High ? Expr(0) : half(*Left, true, Scope);
  if (match(&Packed, m_And(m_Value(Left), m_APInt(Number)))) {
    std::uint64_t Mask = Number->extractBitsAsZExtValue(32, Shift);
    if (Mask == 0)
      return Expr(0);
    return Mask == 0xffffffff ? half(*Left, High, Scope) : std::nullopt;
  }
  // One summand is the lower half, the other the upper one.
  if (match(&Packed, m_Or(m_Value(Left), m_Value(Right))) ||
      match(&Packed, m_Add(m_Value(Left), m_Value(Right)))) {
    auto First = half(*Left, High, Scope), Second = half(*Right, High, Scope);
    if (First && Second && (First->isZero() || Second->isZero()))
      return *First + *Second;
    return otherHalf(Packed, High, Scope);
  }
  llvm::Value *Condition;
  if (match(&Packed, m_Select(m_Value(Condition), m_Value(Left), m_Value(Right)))) {
    auto Chosen = Context.Translate.condition(Condition, Scope);
    auto First = half(*Left, High, Scope), Second = half(*Right, High, Scope);
    if (Chosen && First && Second)
      return *Second + *Chosen * (*First - *Second);
    return std::nullopt;
  }
  // A dim3 in memory, such as a class member.
  if (auto *Load = dyn_cast<llvm::LoadInst>(&Packed)) {
    if (auto Where = Context.Memory.entryPath(*Load)) {
      Where->Path.back() += High ? 4 : 0;
      return Context.Names.cell(*Where, 4);
    }
    auto Object = Context.Memory.contentsOf(*Load->getPointerOperand(), *Load);
    if (llvm::Value *Stored = heldAt(Object, High ? 4 : 0, 4))
      return number(*Stored, Scope);
  }
  return otherHalf(Packed, High, Scope);
}

/// Operand \p FirstOperand, x and y, and the next one, z, of \p Site.
std::array<Expr, 3> Launches::extent(const CallBase &Site, unsigned FirstOperand, const char *Name,
                                     const llvm::Loop *Scope) {
  std::array<std::optional<Expr>, 3> Found;
  llvm::Value *Packed = Site.getArgOperand(FirstOperand);
  llvm::Value *Z = Site.getArgOperand(FirstOperand + 1);
  if (Packed->getType()->isIntegerTy(64) && Z->getType()->isIntegerTy(32))
    Found = {half(*Packed, false, Scope), half(*Packed, true, Scope), number(*Z, Scope)};
  return named(Found,
               {Probe{.Value = Packed, .Point = &Site, .Bits = 32},
                Probe{.Value = Packed, .Point = &Site, .Low = 32, .Bits = 32},
                Probe{.Value = Z, .Point = &Site, .Bits = 32}},
               Site, Name);
}

/// Dimensions along x, y and z, with a symbol for each unknown one.
std::array<Expr, 3> Launches::named(const std::array<std::optional<Expr>, 3> &Found,
                                    const std::array<Probe, 3> &Counted, const CallBase &Site,
                                    const char *Name) {
  std::array<Expr, 3> Result;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    std::string Symbol = std::string(Name) + "." + "xyz"[Axis];
    Result[Axis] = Found[Axis]
                       ? *Found[Axis]
                       : Context.Names.unknown(Symbol, nearestLocation(Site),
                                               Symbol + " of the launch: it is no formula of the "
                                                        "function's parameters",
                                               Counted[Axis]);
  }
  return Result;
}

Expr Launches::sharedBytes(const std::optional<Expr> &Found, const CallBase &Site) {
  return Found ? *Found
               : Context.Names.unknown("shared_bytes", nearestLocation(Site),
                                       "bytes of dynamic shared memory of the launch", Probe{});
}

LaunchShape Launches::shape(const CallBase &Site, unsigned FirstOperand, unsigned SharedOperand,
                            const llvm::Loop *Scope) {
  return {extent(Site, FirstOperand, "grid", Scope), extent(Site, FirstOperand + 2, "block", Scope),
          sharedBytes(number(*Site.getArgOperand(SharedOperand), Scope), Site)};
}

std::optional<LaunchShape> Launches::stubShape(const CallBase &Site, const llvm::Loop *Scope) {
  // One that a pointer leads to may be a stub: nothing else returns nothing between the two.
  if (!isKernelStub(directCallee(Site)) && !(Site.isIndirectCall() && Site.getType()->isVoidTy()))
    return std::nullopt;
  if (const CallBase *Push = pushFor(Site); Push && Push->arg_size() == 6)
    return shape(*Push, 0, 4, Scope);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The addresses of the kernel's arguments: \p Pointers is an array of them.
static std::vector<llvm::Value *> addressesIn(const StoredValues::Contents &Pointers) {
  std::vector<llvm::Value *> Result;
  for (const StoredValues::Contents::Item &Item : Pointers.Stored)
    if (Item.Offset == long(8 * Result.size()) && Item.Bytes == 8)
      Result.push_back(Item.Value);
  return Result;
}

/// The 32 bits at \p Offset of a structure, possibly stored as half of 64 bits.
std::optional<Expr> Launches::field(const StoredValues::Contents &Object, long Offset,
                                    const llvm::Loop *Scope) {
  if (llvm::Value *Whole = heldAt(Object, Offset, 4))
    return number(*Whole, Scope);
  for (bool High : {false, true})
    if (llvm::Value *Packed = heldAt(Object, High ? Offset - 4 : Offset, 8);
        Packed && Packed->getType()->isIntegerTy(64))
      return half(*Packed, High, Scope);
  return std::nullopt;
}

/// The shape in a structure that has the grid, the block and the bytes of shared memory
/// at these offsets.
LaunchShape Launches::shapeIn(const StoredValues::Contents &Object, long Grid, long Block,
                              long Shared, const CallBase &Site, const llvm::Loop *Scope) {
  auto Extent = [&](long Offset) {
    return std::array{field(Object, Offset, Scope), field(Object, Offset + 4, Scope),
                      field(Object, Offset + 8, Scope)};
  };
  return {named(Extent(Grid), {}, Site, "grid"), named(Extent(Block), {}, Site, "block"),
          sharedBytes(field(Object, Shared, Scope), Site)};
}

static std::string kernelIn(const llvm::Value *Pointer) {
  auto *Stub = Pointer ? dyn_cast<llvm::Function>(Pointer->stripPointerCasts()) : nullptr;
  return Stub ? kernelOfStub(Stub->getName()) : "";
}

Launch Launches::kernelLaunch(const CallBase &Site, const llvm::Loop *Scope) {
  Launch Result;
  Result.Site.Callee = kernelIn(Site.getArgOperand(0));
  if (!isPopped(*Site.getArgOperand(1)))
    Result.Site.Shape = shape(Site, 1, 6, Scope);
  else if (const CallBase *Push = pushFor(Site); Push && Push->arg_size() == 6)
    Result.Site.Shape = shape(*Push, 0, 4, Scope);
  else // in the stub itself, for its caller
    Result.Site.Shape = {
        {Expr::symbol("grid.x"), Expr::symbol("grid.y"), Expr::symbol("grid.z")},
        {Expr::symbol("block.x"), Expr::symbol("block.y"), Expr::symbol("block.z")},
        Expr::symbol("shared_bytes")};
  Result.Addresses = addressesIn(Context.Memory.contentsOf(*Site.getArgOperand(5), Site));
  return Result;
}

std::optional<Launch> Launches::kernelAt(const CallBase &Site) const {
  const bool HasConfig = directCallee(Site).starts_with("cudaLaunchKernelExC");
  if (!HasConfig && Site.arg_size() != 8)
    return std::nullopt;
  const llvm::Value &Array = *Site.getArgOperand(HasConfig ? 2 : 5);
  Launch Result;
  Result.Site.Callee = kernelIn(Site.getArgOperand(HasConfig ? 1 : 0));
  Result.Addresses = addressesIn(Context.Memory.contentsOf(Array, Site));
  Result.ArgumentsAt = &Site;
  auto *Whole = dyn_cast<llvm::AllocaInst>(Array.stripPointerCasts());
  auto Bytes = Whole ? Whole->getAllocationSize(Site.getDataLayout()) : std::nullopt;
  if (Result.Site.Callee.empty() || !Bytes || Bytes->isScalable() ||
      Bytes->getFixedValue() != 8 * Result.Addresses.size())
    return std::nullopt;
  return Result;
}

/// The local variable from which \p Handle was loaded.
static const llvm::AllocaInst *variableOf(const llvm::Value &Handle) {
  auto *Load = dyn_cast<llvm::LoadInst>(&Handle);
  return Load ? dyn_cast<llvm::AllocaInst>(Load->getPointerOperand()->stripPointerCasts())
              : nullptr;
}

/// The calls that use the handle in \p Variable, or its address; nothing where it has other uses.
static std::optional<std::vector<const CallBase *>> usesOfHandle(const llvm::AllocaInst &Variable) {
  std::vector<const CallBase *> Result;
  SmallVector<const llvm::Value *, 8> Open{&Variable};
  while (!Open.empty())
    for (const llvm::User *User : Open.pop_back_val()->users()) {
      if (isa<llvm::LoadInst>(User))
        Open.push_back(User);
      else if (auto *Site = dyn_cast<CallBase>(User); !Site)
        return std::nullopt;
      else if (!Site->isLifetimeStartOrEnd())
        Result.push_back(Site);
    }
  return Result;
}

/// The kernels that a graph launch runs, where this function builds the graph of plain kernels
/// outside loops; nothing where that is not evident.
std::optional<std::vector<Launch>> Launches::graphLaunch(const CallBase &Site) {
  const llvm::AllocaInst *Executable = variableOf(*Site.getArgOperand(0)), *Graph = nullptr;
  auto Uses = Executable ? usesOfHandle(*Executable) : std::nullopt;
  if (!Uses)
    return std::nullopt;
  for (const CallBase *User : *Uses) {
    StringRef Name = directCallee(*User);
    if (Name == "cudaGraphLaunch" || Name == "cudaGraphUpload" || Name == "cudaGraphExecDestroy")
      continue;
    if (!Name.starts_with("cudaGraphInstantiate") || Graph || !Context.DT.dominates(User, &Site))
      return std::nullopt;
    Graph = variableOf(*User->getArgOperand(1));
    if (!Graph)
      return std::nullopt;
  }
  Uses = Graph ? usesOfHandle(*Graph) : std::nullopt;
  if (!Uses)
    return std::nullopt;
  std::vector<Launch> Result;
  for (const CallBase *User : *Uses) {
    StringRef Name = directCallee(*User);
    if (Name == "cudaGraphCreate" || Name == "cudaGraphDestroy" ||
        Name.starts_with("cudaGraphInstantiate") || Name.starts_with("cudaGraphAddDependencies") ||
        Name == "cudaGraphAddEmptyNode")
      continue;
    if (!Name.starts_with("cudaGraphAddKernelNode") || Context.LI.getLoopFor(User->getParent()) ||
        !Context.DT.dominates(User, &Site))
      return std::nullopt;
    // struct cudaKernelNodeParams: function, grid, block, shared memory, arguments.
    StoredValues::Contents Node = Context.Memory.contentsOf(*User->getArgOperand(4), *User);
    Launch Next;
    Next.Site.Callee = kernelIn(heldAt(Node, 0, 8));
    Next.Site.Shape = shapeIn(Node, 8, 20, 32, *User, nullptr);
    if (llvm::Value *Array = heldAt(Node, 40, 8))
      Next.Addresses = addressesIn(Context.Memory.contentsOf(*Array, *User));
    Next.ArgumentsAt = User;
    Result.push_back(std::move(Next));
  }
  return Result;
}

std::vector<Launch> Launches::launches(const CallBase &Site, const llvm::Loop *Scope) {
  std::vector<Launch> Result(1);
  StringRef Name = directCallee(Site);
  if (Name.starts_with("cudaGraphLaunch")) {
    Result[0].Site.Callee = Name.str(); // unknown
    if (auto Kernels = graphLaunch(Site))
      Result = std::move(*Kernels);
  } else if (Name.starts_with("cudaLaunchKernelExC")) {
    // struct cudaLaunchConfig_t: grid, block, shared memory, stream, attributes.
    StoredValues::Contents Config = Context.Memory.contentsOf(*Site.getArgOperand(0), Site);
    Result[0].Site.Callee = kernelIn(Site.getArgOperand(1));
    Result[0].Site.Shape = shapeIn(Config, 0, 12, 24, Site, Scope);
    Result[0].Addresses = addressesIn(Context.Memory.contentsOf(*Site.getArgOperand(2), Site));
  } else if (Site.arg_size() == 8) {
    Result[0] = kernelLaunch(Site, Scope);
  }
  for (Launch &Started : Result) {
    Started.Site.IsLaunch = true;
    Started.Site.Location = nearestLocation(Site);
    if (!Started.ArgumentsAt)
      Started.ArgumentsAt = &Site;
  }
  return Result;
}

} // namespace ergon
