//===- CalleeWrites.cpp - what calls may write ----------------------------===//

#include "passes/symbolic/CalleeWrites.h"
#include "passes/ir/CudaCalls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <cstdlib>

namespace ergon {

/// True for memory that a function allocates: no pointer of its caller leads there.
static bool isAllocated(const llvm::Value &Object) {
  auto *Site = dyn_cast<CallBase>(&Object);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  return llvm::isNoAliasCall(&Object) ||
         (Callee && Callee->getName() == "__cxa_allocate_exception");
}

/// The object that \p Pointer leads to, as in `Write`; nothing: the function's own variable.
static std::optional<const llvm::Value *> objectOf(const llvm::Value &Pointer) {
  const llvm::Value *Object = llvm::getUnderlyingObject(&Pointer, /*MaxLookup=*/10);
  if (isa<llvm::AllocaInst>(Object) || isAllocated(*Object))
    return std::nullopt;
  bool IsNamed = isa<llvm::GlobalVariable, llvm::Argument>(Object);
  return IsNamed ? Object : nullptr;
}

/// Functions of the C and C++ libraries and of parallel runtimes, except those that wait for other
/// threads' writes.
static bool isLibraryName(StringRef Name) {
  for (StringRef Waits :
       {"thread", "future", "condition", "mutex", "MPI_Wait", "MPI_Test", "MPI_Win", "MPI_Start"})
    if (Name.contains(Waits) && !Name.starts_with("__kmpc_"))
      return false;
  for (StringRef Prefix : {"_ZNS", "_ZNKS", "_ZS", "_Zn", "_Zd", "__cxa_", "MPI_", "PMPI_",
                           "omp_get", "omp_set", "__kmpc_global", "__kmpc_for_static",
                           "__kmpc_push", "_Fortran", "cblas_", "LAPACKE_", "fftw", "__isoc"})
    if (Name.starts_with(Prefix))
      return true;
  return llvm::is_contained({"rand", "srand", "random", "srandom", "drand48", "srand48", "time",
                             "clock", "clock_gettime", "getenv", "usleep", "fflush"},
                            Name) ||
         keepsNoPointer(Name);
}

bool isLibraryFunction(const llvm::Function &F, const llvm::TargetLibraryInfo &TLI) {
  llvm::LibFunc Which;
  return TLI.getLibFunc(F, Which) || isLibraryName(F.getName());
}

static bool isUnderConstruction(const llvm::Value &Object) {
  auto *Argument = dyn_cast<llvm::Argument>(&Object);
  if (!Argument || Argument->hasStructRetAttr())
    return Argument;
  StringRef Name = Argument->getParent()->getName();
  if (Argument->getArgNo() != 0 || !Name.starts_with("_ZN") ||
      !(Name.contains("C1") || Name.contains("C2")))
    return false;
  llvm::ItaniumPartialDemangler Parsed;
  if (Parsed.partialDemangle(Name.str().c_str()) || !Parsed.isCtorOrDtor())
    return false;
  std::size_t Size = 0;
  char *Base = Parsed.getFunctionBaseName(nullptr, &Size);
  const bool Destroys = Base && Base[0] == '~';
  std::free(Base);
  return !Destroys;
}

/// True where \p Pointer is a parameter or a global, or is loaded from what these lead to, on all
/// paths, and none of them is \p Other.
static bool isReachedBeside(const llvm::Value &Pointer, const llvm::Value &Other) {
  llvm::SmallSetVector<const llvm::Value *, 8> Open; // each once: loops load from their own loads
  auto AddObjects = [&](const llvm::Value &Next) {
    SmallVector<const llvm::Value *, 4> Objects;
    llvm::getUnderlyingObjects(&Next, Objects);
    Open.insert_range(Objects);
  };
  AddObjects(Pointer);
  for (unsigned I = 0; I != Open.size(); ++I) {
    if (auto *Through = dyn_cast<llvm::LoadInst>(Open[I]))
      AddObjects(*Through->getPointerOperand());
    else if (Open[I] == &Other || !isa<llvm::Argument, llvm::GlobalVariable>(Open[I]))
      return false;
  }
  return true;
}

bool isNewBeside(const llvm::Value &Written, const llvm::Value &Read) {
  const llvm::Value *New = llvm::getUnderlyingObject(&Written);
  return isUnderConstruction(*New) && isReachedBeside(Read, *New);
}

/// True for `double *` or `float *` that is loaded as such.
static bool isPointerToNumbers(const llvm::Value &Pointer) {
  auto *Load = dyn_cast<llvm::LoadInst>(&Pointer);
  const llvm::MDNode *Tag = Load ? Load->getMetadata(llvm::LLVMContext::MD_tbaa) : nullptr;
  auto *Type =
      Tag && Tag->getNumOperands() > 1 ? dyn_cast<llvm::MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name =
      Type && Type->getNumOperands() > 0 ? dyn_cast<llvm::MDString>(Type->getOperand(0)) : nullptr;
  return Name && (Name->getString() == "p1 double" || Name->getString() == "p1 float");
}

bool storesNumbers(const Instruction &I) {
  const llvm::Value *Where = nullptr;
  if (auto *Fill = dyn_cast<llvm::AnyMemIntrinsic>(&I)) // the optimizer's form of such stores
    Where = Fill->getRawDest();
  else if (auto *Store = dyn_cast<llvm::StoreInst>(&I);
           Store && Store->getValueOperand()->getType()->isFPOrFPVectorTy())
    Where = Store->getPointerOperand();
  if (!Where)
    return false;
  SmallVector<const llvm::Value *, 4> To;
  llvm::getUnderlyingObjects(Where, To);
  return llvm::all_of(To, [](const llvm::Value *Pointer) { return isPointerToNumbers(*Pointer); });
}

/// A C stream, whose contents programs do not access.
static bool isStream(const llvm::Value &Argument) {
  auto *Load = dyn_cast<llvm::LoadInst>(&Argument);
  auto *From = Load ? dyn_cast<llvm::GlobalVariable>(Load->getPointerOperand()) : nullptr;
  return From &&
         (From->getName() == "stdout" || From->getName() == "stderr" || From->getName() == "stdin");
}

/// True for a library function, which accesses only the objects passed to it and calls none of the
/// program's functions.
bool CalleeWrites::writesArgumentsOnly(const CallBase &Site) const {
  const llvm::Function *Callee = Site.getCalledFunction();
  return Callee && Callee->isDeclaration() && isLibraryFunction(*Callee, TLI) &&
         llvm::none_of(Site.args(), [](const llvm::Use &Argument) {
           return isa<llvm::Function>(Argument->stripPointerCasts());
         });
}

static bool isOnlyRead(const CallBase &Site, const llvm::Use &Argument) {
  auto *Global = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(Argument.get()));
  return !Argument->getType()->isPointerTy() ||
         Site.onlyReadsMemory(Site.getArgOperandNo(&Argument)) ||
         isa<llvm::ConstantPointerNull>(Argument.get()) || (Global && Global->isConstant()) ||
         isStream(*Argument);
}

/// False where the writes of \p Site are unknown. What is freed is not read any more.
bool CalleeWrites::addCall(const CallBase &Site, std::vector<Write> &Result) {
  llvm::MemoryEffects Effects = Site.getMemoryEffects();
  if (Effects.onlyReadsMemory() || llvm::getFreedOperand(&Site, &TLI))
    return true;
  if (!llvm::isModSet(Effects.getModRef(llvm::IRMemLocation::Other)) || writesArgumentsOnly(Site)) {
    for (const llvm::Use &Argument : Site.args())
      if (auto Object = isOnlyRead(Site, Argument) ? std::nullopt : objectOf(*Argument))
        Result.push_back({*Object, nullptr});
    return true;
  }
  const llvm::Function *Callee = Site.getCalledFunction();
  if (Callee && Callee->getName() == "__cxa_throw") // the destructor runs where it is caught
    return true;
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable())
    return false;
  const Writes &Written = writesOf(*Callee);
  if (!Written)
    return false;
  for (Write Effect : *Written) {
    if (auto *Formal = dyn_cast_or_null<llvm::Argument>(Effect.Object)) {
      auto Object = objectOf(*Site.getArgOperand(Formal->getArgNo()));
      if (!Object)
        continue;
      Effect.Object = *Object;
    }
    Result.push_back(Effect);
  }
  return true;
}

bool CalleeWrites::addWrites(const Instruction &I, std::vector<Write> &Result) {
  if (!I.mayWriteToMemory())
    return true;
  if (auto *Site = dyn_cast<CallBase>(&I))
    return addCall(*Site, Result);
  auto Where = llvm::MemoryLocation::getOrNone(&I);
  if (!Where)
    return isa<llvm::FenceInst>(I);
  if (auto Object = objectOf(*Where->Ptr))
    Result.push_back({*Object, &I});
  return true;
}

/// Of several stores of one type to one object, one is enough.
static bool sameType(const Instruction *I, const Instruction *Other) {
  if (!I || !Other)
    return I == Other;
  auto *Left = dyn_cast<llvm::StoreInst>(I), *Right = dyn_cast<llvm::StoreInst>(Other);
  return Left && Right && Left->getAAMetadata() == Right->getAAMetadata() &&
         storesNumbers(*Left) == storesNumbers(*Right) &&
         Left->getValueOperand()->getType() == Right->getValueOperand()->getType();
}

const CalleeWrites::Writes &CalleeWrites::writesOf(const llvm::Function &F) {
  auto [Found, New] = Known.try_emplace(&F); // a recursive function counts as unknown
  if (!New)
    return Found->second;
  std::vector<Write> All;
  for (const Instruction &I : llvm::instructions(F)) {
    if (isa<llvm::UnreachableInst>(I.getParent()->getTerminator()))
      continue; // the call does not return
    std::vector<Write> More;
    if (StepsLeft == 0 || !addWrites(I, More) || All.size() > MaxWrites)
      return Known[&F] = std::nullopt;
    --StepsLeft;
    for (const Write &Effect : More)
      if (std::ranges::none_of(All, [&](const Write &W) {
            return W.Object == Effect.Object && sameType(W.Store, Effect.Store);
          }))
        All.push_back(Effect);
  }
  return Known[&F] = std::move(All);
}

bool CalleeWrites::isApartByType(const CallBase &Site, const llvm::MemoryLocation &Where) {
  std::vector<Write> Written;
  llvm::SimpleAAQueryInfo Query(AA);
  return addCall(Site, Written) && std::ranges::all_of(Written, [&](const Write &Effect) {
           return (Effect.Object && isNewBeside(*Effect.Object, *Where.Ptr)) ||
                  (Effect.Store && storesNumbers(*Effect.Store)) ||
                  (Effect.Store && Types.alias(llvm::MemoryLocation::get(Effect.Store), Where,
                                               Query, nullptr) == llvm::AliasResult::NoAlias);
         });
}

bool CalleeWrites::leavesAlone(const CallBase &Site, const llvm::MemoryLocation &Where,
                               llvm::BatchAAResults &Aliases, Filter Ignore) {
  auto IsApart = [&](const llvm::Value &Pointer) {
    return Aliases.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(&Pointer), Where) ||
           isNewBeside(Pointer, *Where.Ptr);
  };
  if (llvm::getFreedOperand(&Site, &TLI))
    return true;
  if (writesArgumentsOnly(Site))
    return llvm::all_of(Site.args(), [&](const llvm::Use &Argument) {
      return isOnlyRead(Site, Argument) || IsApart(*Argument);
    });
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable())
    return false;
  const Writes &Written = writesOf(*Callee);
  llvm::SimpleAAQueryInfo Query(AA);
  return Written && std::ranges::all_of(*Written, [&](const Write &Effect) {
           if (Effect.Store &&
               (Ignore(*Effect.Store) || Types.alias(llvm::MemoryLocation::get(Effect.Store), Where,
                                                     Query, nullptr) == llvm::AliasResult::NoAlias))
             return true;
           auto *Formal = dyn_cast_or_null<llvm::Argument>(Effect.Object);
           const llvm::Value *Object =
               Formal ? Site.getArgOperand(Formal->getArgNo()) : Effect.Object;
           return Object && IsApart(*Object);
         });
}

} // namespace ergon
