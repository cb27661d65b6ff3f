//===- Launches.cpp - kernel launches in host code ------------------------===//

#include "passes/Launches.h"
#include "passes/ScevToExpr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static llvm::StringRef calleeName(const llvm::Value &I) {
  auto *Site = dyn_cast<llvm::CallBase>(&I);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  return Callee ? Callee->getName() : "";
}

bool isLaunchFunction(llvm::StringRef Name) {
  Name.consume_back("_ptsz"); // --default-stream per-thread
  return Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel" ||
         Name == "hipLaunchKernel" || Name == "hipLaunchCooperativeKernel";
}

static bool isPush(const llvm::Value &I) {
  llvm::StringRef Name = calleeName(I);
  return Name == "__cudaPushCallConfiguration" || Name == "__hipPushCallConfiguration";
}

static bool isPop(const llvm::Value &I) {
  llvm::StringRef Name = calleeName(I);
  return Name == "__cudaPopCallConfiguration" || Name == "__hipPopCallConfiguration";
}

bool returnsStatus(llvm::StringRef Name) {
  // A query's answer is no failure: it says whether work is done.
  if (Name.contains("Query") || Name.starts_with("cublasI"))
    return Name == "cublasInit";
  if (Name.starts_with("__cudaPushCall") || Name.starts_with("__hipPushCall"))
    return true;
  for (llvm::StringRef Library : {"cublas", "cufft", "curand", "cusparse", "cusolver", "nccl"})
    if (Name.starts_with(Library))
      return true;
  return (Name.consume_front("cuda") || Name.consume_front("cu") || Name.consume_front("hip")) &&
         !Name.empty() && llvm::isUpper(Name[0]);
}

bool isLaunchHelper(const llvm::Function &F) {
  if (F.isDeclaration())
    return false;
  llvm::StringRef Name = F.getName();
  if (Name.starts_with("_ZN4dim3C") || Name.starts_with("_ZN4dim3cv") ||
      Name.starts_with("_ZNK4dim3cv"))
    return true;
  return Name.contains("cuda") && llvm::any_of(llvm::instructions(F), [&](const auto &I) {
           llvm::StringRef Called = calleeName(I);
           return Called.starts_with("cuda") &&
                  Name.contains((llvm::Twine(Called.size()) + Called).str());
         });
}

static constexpr llvm::StringRef StubMark = "__device_stub__";

/// The kernel that a stub launches: `_Z5saxpyi` of `_Z20__device_stub__saxpyi`. The
/// mark is part of an identifier, and its length counts where the name is mangled.
static std::string kernelOfStub(llvm::StringRef Stub) {
  auto [Before, After] = Stub.split(StubMark);
  llvm::StringRef Prefix = Before.rtrim("0123456789");
  unsigned Length = 0;
  if (After.empty() || Before.substr(Prefix.size()).getAsInteger(10, Length) ||
      Length <= StubMark.size())
    return (Before + After).str();
  return (Prefix + llvm::Twine(Length - StubMark.size()) + After).str();
}

//===----------------------------------------------------------------------===//
// Values in local memory
//===----------------------------------------------------------------------===//

/// True where \p Between may run after \p First and before \p Last, which \p First
/// dominates, without \p First running again in between.
static bool mayRunBetween(const llvm::Instruction &First, const llvm::Instruction &Between,
                          const llvm::Instruction &Last, const llvm::DominatorTree &DT) {
  if (DT.dominates(&Between, &First))
    return false;
  if (First.getParent() == Last.getParent())
    return Between.getParent() == First.getParent() && First.comesBefore(&Between) &&
           Between.comesBefore(&Last);
  return llvm::isPotentiallyReachable(&First, &Between, nullptr, &DT) &&
         llvm::isPotentiallyReachable(&Between, &Last, nullptr, &DT);
}

namespace {
/// What may write to a local variable: a store of `Size` bytes at `Offset`, or a call.
struct Writer {
  const llvm::Instruction *I;
  std::int64_t Offset, Size;
};
} // namespace

/// Everything that may write to \p Object; nothing where that is not to be seen.
static std::optional<llvm::SmallVector<Writer, 8>> writersOf(const llvm::AllocaInst &Object) {
  const llvm::DataLayout &Layout = Object.getDataLayout();
  llvm::SmallVector<Writer, 8> Result;
  llvm::SmallVector<std::pair<const llvm::Value *, std::int64_t>, 8> Pointers{{&Object, 0}};
  while (!Pointers.empty()) {
    auto [Pointer, Offset] = Pointers.pop_back_val();
    for (const llvm::User *User : Pointer->users()) {
      auto *I = llvm::cast<llvm::Instruction>(User);
      auto *Store = dyn_cast<llvm::StoreInst>(I);
      auto *Site = dyn_cast<llvm::CallBase>(I);
      llvm::APInt Step(64, 0);
      if (auto *Address = dyn_cast<llvm::GEPOperator>(I)) {
        if (!Address->accumulateConstantOffset(Layout, Step))
          return std::nullopt;
        Pointers.emplace_back(I, Offset + Step.getSExtValue());
      } else if (Store && Store->getPointerOperand() == Pointer) {
        llvm::TypeSize Size = Layout.getTypeStoreSize(Store->getValueOperand()->getType());
        Result.push_back({I, Offset, std::int64_t(Size.getKnownMinValue())});
      } else if (Site) {
        if (!Site->isLifetimeStartOrEnd() && !isPop(*Site) && !isLaunchFunction(calleeName(*Site)))
          Result.push_back({I, INT64_MIN / 2, INT64_MAX});
      } else if (!Store && !llvm::isa<llvm::LoadInst>(I)) {
        return std::nullopt;
      }
    }
  }
  return Result;
}

/// What \p Object holds at byte \p Offset when \p At runs, where it is one value that
/// was stored as such.
static llvm::Value *storedAt(const llvm::AllocaInst &Object, std::int64_t Offset,
                             const llvm::Instruction &At, const llvm::DominatorTree &DT) {
  auto Writers = writersOf(Object);
  if (!Writers)
    return nullptr;
  const Writer *Last = nullptr;
  for (const Writer &Each : *Writers)
    if (Each.Offset == Offset && DT.dominates(Each.I, &At) &&
        (!Last || DT.dominates(Last->I, Each.I)))
      Last = &Each;
  if (!Last || llvm::any_of(*Writers, [&](const Writer &Each) {
        return Each.I != Last->I && Each.Offset < Last->Offset + Last->Size &&
               Last->Offset < Each.Offset + Each.Size && mayRunBetween(*Last->I, *Each.I, At, DT);
      }))
    return nullptr;
  return const_cast<llvm::Value *>(llvm::cast<llvm::StoreInst>(Last->I)->getValueOperand());
}

/// The same for a pointer into a local variable.
static llvm::Value *storedAt(const llvm::Value &Pointer, std::int64_t Offset,
                             const llvm::Instruction &At, const llvm::DominatorTree &DT) {
  std::int64_t Start = 0;
  auto *Object = dyn_cast<llvm::AllocaInst>(
      llvm::GetPointerBaseWithConstantOffset(&Pointer, Start, At.getDataLayout()));
  return Object ? storedAt(*Object, Start + Offset, At, DT) : nullptr;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The call that `<<<…>>>` makes for \p Site: the nearest one above it that, where
/// the code asks whether it succeeded, leads to \p Site if so.
const llvm::CallBase *Launches::pushFor(const llvm::CallBase &Site) const {
  auto LeadsHere = [&](const llvm::CallBase &Push) {
    const llvm::BasicBlock *From = Push.getParent();
    auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
    llvm::CmpPredicate How;
    if (From == Site.getParent() || !Branch || !Branch->isConditional() ||
        !match(Branch->getCondition(), m_ICmp(How, m_Specific(&Push), m_Zero())))
      return true;
    llvm::BasicBlockEdge Success(From, Branch->getSuccessor(How == llvm::CmpInst::ICMP_EQ ? 0 : 1));
    return DT.dominates(Success, Site.getParent());
  };
  for (auto *Node = DT.getNode(Site.getParent()); Node; Node = Node->getIDom()) {
    bool IsFirst = Node->getBlock() == Site.getParent();
    for (const llvm::Instruction *I = IsFirst ? &Site : Node->getBlock()->getTerminator(); I;
         I = I->getPrevNode())
      if (isPush(*I) && LeadsHere(llvm::cast<llvm::CallBase>(*I)))
        return llvm::cast<llvm::CallBase>(I);
  }
  return nullptr;
}

/// True for a dimension that the stub took over from `<<<…>>>`.
bool Launches::isPopped(const llvm::Value &Dimension) const {
  auto *Load = dyn_cast<llvm::LoadInst>(&Dimension);
  return Load && llvm::any_of(llvm::getUnderlyingObject(Load->getPointerOperand())->users(),
                              [](const llvm::User *User) { return isPop(*User); });
}

std::optional<Expr> Launches::number(llvm::Value &Of, const llvm::Loop *Scope) {
  llvm::Value *Narrow = &Of, *Dividend, *Divisor;
  match(Narrow, m_ZExtOrSelf(m_Value(Narrow)));
  // From what may be two halves, see half().
  if (llvm::Value *Wide; match(Narrow, m_Trunc(m_LShr(m_Value(Wide), m_SpecificInt(32)))))
    return half(*Wide, true, Scope);
  // A dimension is at least 1, or the launch fails: rounding is downward then.
  if (match(Narrow, m_SDiv(m_Value(Dividend), m_Value(Divisor)))) {
    auto Above = Translate.translate(Dividend, Scope), Below = Translate.translate(Divisor, Scope);
    if (Above && Below)
      return floorDiv(*Above, *Below);
  }
  return Translate.translate(Narrow, Scope);
}

/// The halves of low + 2^32·high where the formula shows them: each coefficient is a
/// small number plus a multiple of 2^32.
static std::optional<Expr> splitHalf(const Expr &Packed, bool High) {
  const Rational Half = Rational(1UL << 32);
  Expr Result;
  for (const Term &Each : Packed.terms()) {
    if (Each.Coefficient.get_den() != 1)
      return std::nullopt;
    Rational Upper(floorOf(Each.Coefficient / Half + Rational(1, 2)));
    Rational Wanted = High ? Upper : Rational(Each.Coefficient - Upper * Half);
    if (Wanted != 0)
      Result += Expr::fromTerms({{Each.Factors, Wanted}});
  }
  return Result;
}

/// The same for what has no pattern: arithmetic on numbers of 32 bits, such as a
/// loop's variable, that the optimizer made 64 bits wide; or a dim3 that the function
/// was given, of which nothing is known.
std::optional<Expr> Launches::otherHalf(llvm::Value &Packed, bool High, const llvm::Loop *Scope) {
  auto Value = Translate.translate(&Packed, Scope);
  if (!Value)
    return std::nullopt;
  if (llvm::isa<llvm::Argument>(Packed)) {
    Expr Upper = floorDiv(*Value, Expr(1L << 32));
    return High ? Upper : *Value - Expr(1L << 32) * Upper;
  }
  bool MayHideHalves = llvm::SCEVExprContains(SE.getSCEV(&Packed), [](const llvm::SCEV *Part) {
    auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Part);
    return llvm::isa<llvm::SCEVTruncateExpr>(Part) ||
           (Leaf && Leaf->getType()->getIntegerBitWidth() > 32);
  });
  return MayHideHalves ? std::nullopt : splitHalf(*Value, High);
}

/// A dim3's x and y are one argument of 64 bits: its lower or upper half.
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
  // One summand has the lower half, the other the upper one.
  if (match(&Packed, m_Or(m_Value(Left), m_Value(Right))) ||
      match(&Packed, m_Add(m_Value(Left), m_Value(Right)))) {
    auto First = half(*Left, High, Scope), Second = half(*Right, High, Scope);
    if (First && Second && (First->isZero() || Second->isZero()))
      return *First + *Second;
    return otherHalf(Packed, High, Scope);
  }
  llvm::Value *Condition;
  if (match(&Packed, m_Select(m_Value(Condition), m_Value(Left), m_Value(Right)))) {
    auto Chosen = Translate.condition(Condition, Scope);
    auto First = half(*Left, High, Scope), Second = half(*Right, High, Scope);
    if (Chosen && First && Second)
      return *Second + *Chosen * (*First - *Second);
    return std::nullopt;
  }
  return otherHalf(Packed, High, Scope);
}

/// Operands \p FirstOperand, x and y, and the one after it, z, of \p Site.
std::array<Expr, 3> Launches::extent(const llvm::CallBase &Site, unsigned FirstOperand,
                                     const char *Name, const llvm::Loop *Scope) {
  std::array<std::optional<Expr>, 3> Found;
  llvm::Value *Packed = Site.getArgOperand(FirstOperand);
  llvm::Value *Z = Site.getArgOperand(FirstOperand + 1);
  if (Packed->getType()->isIntegerTy(64) && Z->getType()->isIntegerTy(32))
    Found = {half(*Packed, false, Scope), half(*Packed, true, Scope), number(*Z, Scope)};
  std::array<Expr, 3> Result;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    std::string Symbol = std::string(Name) + "." + "xyz"[Axis];
    Result[Axis] = Found[Axis] ? *Found[Axis]
                               : Names.unknown(Symbol, nearestLocation(Site),
                                               Symbol + " of the launch: it is no formula of the "
                                                        "function's parameters");
  }
  return Result;
}

LaunchShape Launches::shape(const llvm::CallBase &Site, unsigned FirstOperand,
                            unsigned SharedOperand, const llvm::Loop *Scope) {
  LaunchShape Result{extent(Site, FirstOperand, "grid", Scope),
                     extent(Site, FirstOperand + 2, "block", Scope),
                     {}};
  auto Shared = number(*Site.getArgOperand(SharedOperand), Scope);
  Result.SharedBytes = Shared ? *Shared
                              : Names.unknown("shared_bytes", nearestLocation(Site),
                                              "bytes of dynamic shared memory of the launch");
  return Result;
}

std::optional<LaunchShape> Launches::stubShape(const llvm::CallBase &Site,
                                               const llvm::Loop *Scope) {
  if (!calleeName(Site).contains(StubMark))
    return std::nullopt;
  if (const llvm::CallBase *Push = pushFor(Site); Push && Push->arg_size() == 6)
    return shape(*Push, 0, 4, Scope);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The kernel's arguments: \p Pointers is an array with the address of each.
std::vector<std::optional<Expr>> Launches::arguments(const llvm::CallBase &Site,
                                                     const llvm::Value &Pointers,
                                                     const llvm::Loop *Scope) {
  std::vector<std::optional<Expr>> Result;
  const llvm::DataLayout &Layout = Site.getDataLayout();
  std::int64_t Start = 0;
  auto *Array =
      dyn_cast<llvm::AllocaInst>(llvm::GetPointerBaseWithConstantOffset(&Pointers, Start, Layout));
  auto Size = Array ? Array->getAllocationSize(Layout) : std::nullopt;
  if (!Size || Size->isScalable())
    return Result;
  auto Step = std::int64_t(Layout.getPointerSize());
  for (; Start + Step <= std::int64_t(Size->getFixedValue()); Start += Step) {
    llvm::Value *Address = storedAt(*Array, Start, Site, DT);
    llvm::Value *Argument = Address ? storedAt(*Address, 0, Site, DT) : nullptr;
    Result.push_back(Argument && Argument->getType()->isIntegerTy()
                         ? Translate.translate(Argument, Scope)
                         : std::nullopt);
  }
  return Result;
}

Call Launches::launch(const llvm::CallBase &Site, const llvm::Loop *Scope) {
  Call Result;
  Result.At = nearestLocation(Site);
  Result.IsLaunch = true;
  if (auto *Stub = dyn_cast<llvm::Function>(Site.getArgOperand(0)->stripPointerCasts()))
    Result.Callee = kernelOfStub(Stub->getName());
  if (Site.arg_size() != 8)
    return Result;
  if (!isPopped(*Site.getArgOperand(1)))
    Result.Shape = shape(Site, 1, 6, Scope);
  else if (const llvm::CallBase *Push = pushFor(Site); Push && Push->arg_size() == 6)
    Result.Shape = shape(*Push, 0, 4, Scope);
  else // in the stub itself, on behalf of whoever calls it
    Result.Shape = {{Expr::symbol("grid.x"), Expr::symbol("grid.y"), Expr::symbol("grid.z")},
                    {Expr::symbol("block.x"), Expr::symbol("block.y"), Expr::symbol("block.z")},
                    Expr::symbol("shared_bytes")};
  Result.Arguments = arguments(Site, *Site.getArgOperand(5), Scope);
  return Result;
}

} // namespace ergon
