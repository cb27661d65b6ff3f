//===- SourceNames.cpp - names in the source ------------------------------===//

#include "passes/symbolic/SourceNames.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/CalleeWrites.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

/// True for standard library code, including C headers, and compiler-generated code.
static bool isInLibrary(const llvm::DILocation &Position) {
  const llvm::DISubprogram *Function = Position.getScope()->getSubprogram();
  if (Function->getLinkageName().empty() && Position.getFilename().starts_with("/usr/include/"))
    return true;
  // clang's stub for `<<<…>>>`, which has the kernel's position.
  if (Function->getLinkageName().contains("__device_stub__"))
    return true;
  for (const llvm::DIScope *Scope = Function; Scope; Scope = Scope->getScope())
    if (isa<llvm::DINamespace>(Scope) &&
        (Scope->getName() == "std" || Scope->getName() == "__gnu_cxx"))
      return true;
  return false;
}

/// The position shown for \p Position; null where it has no line.
static const llvm::DILocation *positionOf(const llvm::DebugLoc &Position) {
  const llvm::DILocation *Where = Position.get();
  // A container's inlined code counts where the program calls it.
  while (Where && Where->getInlinedAt() && isInLibrary(*Where))
    Where = Where->getInlinedAt();
  return Where && Where->getLine() != 0 ? Where : nullptr;
}

static SourceLocation textOf(const llvm::DILocation *Where) {
  return Where ? SourceLocation{Where->getFilename().str(), Where->getLine(), Where->getColumn()}
               : SourceLocation{};
}

SourceLocation locationOf(const llvm::DebugLoc &Position) { return textOf(positionOf(Position)); }

const llvm::DILocation *nearestPosition(const Instruction &Point) {
  if (const llvm::DILocation *Own = positionOf(Point.getDebugLoc()))
    return Own;
  if (!Point.getModule()->getNamedMetadata("llvm.dbg.cu")) // no instruction has a position
    return nullptr;
  for (const Instruction *I = Point.getPrevNode(); I; I = I->getPrevNode())
    if (const llvm::DILocation *Found = positionOf(I->getDebugLoc()))
      return Found;
  return nullptr;
}

SourceLocation nearestLocation(const Instruction &I) { return textOf(nearestPosition(I)); }

void setPosition(Access &Result, const SourceLocation &Position, const llvm::Function &F) {
  if (!Position.isValid())
    return;
  Result.Line = Position.Line;
  Result.Column = Position.Column;
  const llvm::DISubprogram *Program = F.getSubprogram();
  if (!Program || Program->getFilename() != Position.File)
    Result.File = Position.File;
}

/// clang keeps `annotate` attributes in one table per module.
std::vector<std::string> annotationsOf(const llvm::Function &F) {
  std::vector<std::string> Result;
  const llvm::GlobalVariable *Table = F.getParent()->getNamedGlobal("llvm.global.annotations");
  auto *Rows = Table && Table->hasInitializer()
                   ? dyn_cast<llvm::ConstantArray>(Table->getInitializer())
                   : nullptr;
  if (!Rows)
    return Result;
  for (const llvm::Use &Entry : Rows->operands()) {
    auto *Row = dyn_cast<llvm::ConstantStruct>(Entry);
    if (!Row || Row->getNumOperands() < 2 || Row->getOperand(0)->stripPointerCasts() != &F)
      continue;
    StringRef Text;
    if (llvm::getConstantStringInfo(Row->getOperand(1), Text) && Text.consume_front("ergon:"))
      Result.push_back(Text.str());
  }
  return Result;
}

std::vector<Alias> aliasesOf(const llvm::Function &F) {
  std::vector<Alias> Result;
  for (const llvm::GlobalAlias &Other : F.getParent()->aliases())
    if (Other.getAliasee()->stripPointerCastsAndAliases() == &F)
      Result.push_back({Other.getName().str(), Other.hasLocalLinkage(), Other.isWeakForLinker()});
  return Result;
}

SourceNames::SourceNames(const FunctionAnalyses &Analyses)
    : F(Analyses.F), DT(Analyses.DT), TLI(Analyses.TLI), Frequencies(Analyses) {
  nameArguments();
}

/// \p Wanted, or with a number appended that makes it unique. Names stay in use, so numbers are not
/// tried twice.
std::string SourceNames::unused(std::string Wanted, StringRef BeforeNumber) {
  if (Used.insert(Wanted).second)
    return Wanted;
  Wanted += BeforeNumber;
  unsigned &Number = NextNumber.try_emplace(Wanted, 2).first->second;
  for (;; ++Number)
    if (std::string Name = Wanted + std::to_string(Number); Used.insert(Name).second)
      return Name;
}

const std::string &SourceNames::argument(const llvm::Argument &Which) const {
  return Arguments[Which.getArgNo()];
}

const std::string &SourceNames::loop(const llvm::Loop &Which) {
  std::string &Name = Loops[&Which];
  if (!Name.empty())
    return Name;
  // Consecutive regions share one name, which callees know too.
  if (isThreadLoop(Which))
    return Name = "omp.thread";
  // The variable that debug info assigns to a header phi: preferably a counter, as pointers may be
  // swapped.
  std::string Wanted;
  bool IsCounter = false;
  for (const Instruction &I : *Which.getHeader()) {
    for (const llvm::DbgVariableRecord &Record : llvm::filterDbgVars(I.getDbgRecordRange())) {
      if (Record.getNumVariableLocationOps() != 1)
        continue;
      auto *Phi = dyn_cast_or_null<llvm::PHINode>(Record.getVariableLocationOp(0));
      if (!Phi || Phi->getParent() != Which.getHeader() || Phi->getType()->isFloatingPointTy() ||
          Record.getExpression()->getNumElements() != 0)
        continue;
      bool Counts = Phi->getType()->isIntegerTy();
      if (Wanted.empty() || (Counts && !IsCounter))
        Wanted = Record.getVariable()->getName().str();
      IsCounter |= Counts;
    }
  }
  if (Wanted.empty())
    Wanted = "i" + std::to_string(Which.getLoopDepth());
  return Name = unique(Wanted);
}

std::string SourceNames::object(const llvm::Value &Object) const {
  if (auto *Argument = dyn_cast<llvm::Argument>(&Object))
    return argument(*Argument);
  if (auto *Global = dyn_cast<llvm::GlobalVariable>(&Object))
    return sourceName(Global->getName(), *F.getParent());
  if (auto Found = Objects.find(&Object); Found != Objects.end())
    return Found->second->getName().str();
  // Debug info of optimized device code has no variables.
  if (auto Found = DeviceLocals.find(&Object); Found != DeviceLocals.end())
    return "local" + std::to_string(Found->second);
  return "";
}

std::string SourceNames::fresh(StringRef Kind, const SourceLocation &Position) {
  return unused(Kind.str() + "@" + (Position.isValid() ? Position.text() : F.getName().str()), "#");
}

namespace {
/// A number that a program reads from one of its arguments.
struct ReadNumber {
  unsigned Argument = 0; ///< 2 for `atoi(argv[2])`; 0: it is none
  bool IsReal = false;   ///< read as a floating-point number
};
} // namespace

/// True where \p Text is argument \p Result of `main`, from 1.
static bool isProgramArgument(const llvm::Value *Text, unsigned &Result) {
  auto *Load = dyn_cast<llvm::LoadInst>(Text);
  if (!Load)
    return false;
  const llvm::Function &F = *Load->getFunction();
  if (F.getName() != "main" || F.arg_size() < 2)
    return false;
  const llvm::DataLayout &Layout = Load->getDataLayout();
  llvm::APInt Offset(Layout.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const llvm::Value *Arguments = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  if (Arguments != F.getArg(1) || Offset.isNegative())
    return false;
  Result = unsigned(Offset.getZExtValue() / Layout.getPointerSize());
  return Result != 0;
}

/// The name of a function of the C library, without the prefixes that glibc gives it.
static StringRef calledName(const CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  if (!Name.consume_front("__isoc23_"))
    Name.consume_front("__isoc99_");
  return Name;
}

/// True for a call of the functions that read a text, their first argument, as a number of base 10.
static bool readsNumber(const CallBase &Call, bool IsReal) {
  static constexpr StringRef Whole[] = {"atoi",    "atol",     "atoll",     "strtol",   "strtoll",
                                        "strtoul", "strtoull", "strtoimax", "strtoumax"},
                             Real[] = {"atof", "strtod", "strtof", "strtold"};
  if (Call.arg_empty())
    return false;
  if (IsReal)
    return llvm::is_contained(Real, calledName(Call));
  if (!llvm::is_contained(Whole, calledName(Call)))
    return false;
  // Base 0 is 10 for a number that does not begin with 0.
  auto *Base = Call.arg_size() < 3 ? nullptr : dyn_cast<llvm::ConstantInt>(Call.getArgOperand(2));
  return Call.arg_size() < 3 || (Base && (Base->equalsInt(10) || Base->isZero()));
}

/// The text that \p Load has a number from: `sscanf(text, "%d", &n)` alone writes the variable
/// between its initialization, if any, and the load.
static const llvm::Value *scannedText(const llvm::LoadInst &Load, const llvm::DominatorTree &DT) {
  auto *Home = dyn_cast<llvm::AllocaInst>(Load.getPointerOperand());
  const CallBase *Scan = nullptr;
  llvm::SmallVector<const llvm::StoreInst *, 2> Stores;
  if (!Home || Load.getType() != Home->getAllocatedType())
    return nullptr;
  for (const llvm::User *User : Home->users()) {
    auto *Call = dyn_cast<CallBase>(User);
    if (isa<llvm::LoadInst>(User) || (Call && Call->isLifetimeStartOrEnd()))
      continue;
    if (auto *Store = dyn_cast<llvm::StoreInst>(User);
        Store && Store->getPointerOperand() == Home) {
      Stores.push_back(Store);
      continue;
    }
    StringRef Format;
    if (!Call || Scan || calledName(*Call) != "sscanf" || Call->arg_size() != 3 ||
        Call->getArgOperand(2) != Home ||
        !llvm::getConstantStringInfo(Call->getArgOperand(1), Format) ||
        !llvm::is_contained({"%d", "%u", "%ld", "%lu", "%lld", "%llu", "%zu"}, Format))
      return nullptr;
    Scan = Call;
  }
  // Where a store comes before each call, and a call before each load, no store is between them.
  if (!Scan || !DT.dominates(Scan, &Load) ||
      !llvm::all_of(Stores, [&](const llvm::StoreInst *S) { return DT.dominates(S, Scan); }))
    return nullptr;
  return Scan->getArgOperand(0);
}

/// The argument of `main` that \p Value is read from.
static ReadNumber readNumber(const llvm::Value *Value, const llvm::DominatorTree &DT) {
  ReadNumber Result;
  const llvm::Value *Text = nullptr;
  if (!Value)
    return Result;
  if (auto *Load = dyn_cast<llvm::LoadInst>(Value)) {
    Text = scannedText(*Load, DT);
  } else if (auto *Call = dyn_cast<CallBase>(Value)) {
    if (readsNumber(*Call, false))
      Text = Call->getArgOperand(0);
  } else if (isa<llvm::FPToSIInst, llvm::FPToUIInst>(Value)) {
    const llvm::Value *Number = cast<llvm::CastInst>(Value)->getOperand(0);
    while (isa<llvm::FPTruncInst, llvm::FPExtInst>(Number))
      Number = cast<llvm::CastInst>(Number)->getOperand(0);
    auto *Call = dyn_cast<CallBase>(Number);
    Result.IsReal = Call && readsNumber(*Call, true);
    if (Result.IsReal)
      Text = Call->getArgOperand(0);
  }
  if (!Text || !isProgramArgument(Text, Result.Argument))
    return {};
  return Result;
}

Expr SourceNames::callValue(const CallBase &Site) {
  std::string &Name = CallValues[&Site];
  if (Name.empty())
    Name = fresh("value", nearestLocation(Site));
  return Expr::symbol(Name);
}

const std::string &SourceNames::nameCall(const CallBase &Site) {
  return CallSymbols[&Site] = fresh("call", nearestLocation(Site));
}

bool SourceNames::isLibraryFunction(const llvm::Function &Callee) const {
  return ergon::isLibraryFunction(Callee, TLI);
}

Unknown &SourceNames::unknownNamed(const Expr &Symbol) {
  return *llvm::find_if(Unknowns,
                        [&](const Unknown &U) { return U.Symbol == Symbol.asAtom()->Name; });
}

void SourceNames::explain(const Expr &Symbol, Expr Formula) {
  unknownNamed(Symbol).Formula = std::move(Formula);
  Explained.insert(Symbol.asAtom()->Name);
}

void SourceNames::estimate(const Expr &Symbol, Rational Value, StringRef From) {
  Unknown &U = unknownNamed(Symbol);
  U.Estimate = std::move(Value);
  U.Why += (", " + From).str();
}

bool SourceNames::hasOpenUnknown(const Expr &Value) const {
  return Value.hasSymbol([&](const std::string &Symbol) {
    return isUnknownSymbol(Symbol) && !Explained.contains(Symbol);
  });
}

/// Whether code only asks whether \p Number, which it loads, is 0, as it does with codes of errors.
static bool isOnlyTested(const llvm::Value *Number) {
  return isa_and_nonnull<llvm::LoadInst>(Number) && !Number->use_empty() &&
         llvm::all_of(Number->users(), [&](const llvm::User *Use) {
           auto *Compare = dyn_cast<llvm::ICmpInst>(Use);
           auto *With = Compare ? dyn_cast<llvm::ConstantInt>(Compare->getOperand(1)) : nullptr;
           return With && With->isZero() && Compare->isEquality();
         });
}

Expr SourceNames::unknown(StringRef Kind, SourceLocation Where, std::string Why, Probe Counted,
                          std::optional<Rational> Measured, std::uint64_t Most) {
  auto *Site = Kind == "value" ? dyn_cast_or_null<CallBase>(Counted.Value) : nullptr;
  std::string Name = Site ? callValue(*Site).asAtom()->Name : "";
  if (!Site || Types.contains(Name)) // that of the call, or its mean elsewhere
    Name = fresh(Kind, Where);
  if (Counted.Value && Counted.Value->getType()->isIntegerTy())
    Types[Name] = {Counted.Value->getType()->getIntegerBitWidth(), false};
  std::optional<Rational> Estimate;
  if (!Measured)
    Estimate = Frequencies.ratio(Counted);
  // For LLVM a loop before exit() runs millions of times, any other 32 times.
  static const Rational UsualTrips = 32, MostTrips = 1000;
  if (Kind == "trips" && Estimate && *Estimate > MostTrips)
    Estimate = UsualTrips;
  if (Kind == "value" && !Measured && isOnlyTested(Counted.Value)) {
    Estimate = 0;
    Why += ": a code that is 0 where nothing fails";
  }
  const ReadNumber Number = readNumber(Counted.Value, DT);
  Unknowns.push_back({Name, std::move(Where), std::move(Why), std::move(Measured), Most,
                      std::move(Estimate), Number.Argument, Number.IsReal});
  Probes.push_back(std::move(Counted));
  return Expr::symbol(std::move(Name));
}

Bounds SourceNames::rangeOf(StringRef Symbol) const {
  auto UpTo = [](std::int64_t Low, unsigned Bits) {
    return Bounds{Low, twoTo(Bits) - Rational(1)};
  };
  if (auto Found = Types.find(Symbol); Found != Types.end()) {
    const auto [Bits, IsUnsigned] = Found->second;
    if (IsUnsigned)
      return UpTo(0, Bits);
    return {-twoTo(Bits - 1), twoTo(Bits - 1) - Rational(1)};
  }
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  if (Symbol.starts_with("threadIdx."))
    return {0, 1023};
  if (Symbol.starts_with("block."))
    return {1, 1024};
  if (isLaunchDimension(Symbol.str()) || isNeverNegative(Symbol.str())) {
    const bool IsGrid = Symbol.starts_with("grid.") || Symbol.starts_with("blockIdx.");
    return Symbol.starts_with("taken@") ? Bounds{0, 1} : UpTo(0, IsGrid ? 31 : 63);
  }
  return {-twoTo(63), twoTo(64)};
}

bool SourceNames::isUnsignedWord(StringRef Symbol) const {
  auto Found = Types.find(Symbol);
  return Found != Types.end() && Found->second.IsUnsigned && Found->second.Bits >= 32;
}

void SourceNames::assume(SourceLocation Position, std::string What, std::string OnlyReads) {
  Assumption Next{std::move(Position), std::move(What), std::move(OnlyReads)};
  if (!llvm::is_contained(Assumptions, Next))
    Assumptions.push_back(std::move(Next));
}

} // namespace ergon
