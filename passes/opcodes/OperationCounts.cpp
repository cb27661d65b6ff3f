//===- OperationCounts.cpp - counts of instructions -----------------------===//

#include "passes/opcodes/OperationCounts.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/GuardChains.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/ir/PromotedAccesses.h"
#include "passes/opcodes/ExpansionSteps.h"
#include "passes/opcodes/HostAssembly.h"
#include "passes/opcodes/MaskedAccesses.h"
#include "passes/opcodes/NvptxCounts.h"
#include "passes/opcodes/PtxCounts.h"
#include "passes/opcodes/X86Counts.h"
#include "passes/symbolic/Launches.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace ergon {

using llvm::Intrinsic::ID;
namespace Intrinsic = llvm::Intrinsic;

/// The wider of a conversion's two types where both are floating-point, else
/// the one that is.
static const llvm::Type *conversionType(const Instruction &I) {
  const llvm::Type *From = I.getOperand(0)->getType(), *To = I.getType();
  if (!From->isFPOrFPVectorTy())
    return To;
  if (!To->isFPOrFPVectorTy())
    return From;
  return I.getOpcode() == Instruction::FPExt ? To : From;
}

//===----------------------------------------------------------------------===//
// Intrinsics and library functions
//===----------------------------------------------------------------------===//

// clang-format off: tables, several cases to a line.
Operation OperationCounts::intrinsicOperation(ID Id) {
  switch (Id) {
  case Intrinsic::experimental_constrained_fadd: case Intrinsic::experimental_constrained_fsub:
  case Intrinsic::experimental_constrained_fmul: case Intrinsic::experimental_constrained_frem:
    return Operation::Flop;
  case Intrinsic::experimental_constrained_fdiv:
    return Operation::Division;
  case Intrinsic::experimental_constrained_fcmp: case Intrinsic::experimental_constrained_fcmps:
  case Intrinsic::experimental_constrained_fptosi: case Intrinsic::experimental_constrained_fptoui:
  case Intrinsic::experimental_constrained_sitofp: case Intrinsic::experimental_constrained_uitofp:
  case Intrinsic::experimental_constrained_fptrunc: case Intrinsic::experimental_constrained_fpext:
    return Operation::FloatOther;
  case Intrinsic::experimental_constrained_fma:
    return Operation::Fused;
  case Intrinsic::experimental_constrained_sqrt:
  case Intrinsic::sqrt:
    return Operation::Root;
  case Intrinsic::fma:
    return Operation::Fused;
  case Intrinsic::sin: case Intrinsic::cos: case Intrinsic::sincos: case Intrinsic::tan:
  case Intrinsic::asin: case Intrinsic::acos: case Intrinsic::atan: case Intrinsic::atan2:
  case Intrinsic::sinh: case Intrinsic::cosh: case Intrinsic::tanh: case Intrinsic::pow:
  case Intrinsic::powi: case Intrinsic::exp: case Intrinsic::exp2: case Intrinsic::exp10:
  case Intrinsic::log: case Intrinsic::log2: case Intrinsic::log10:
    return Operation::Special;
  case Intrinsic::fabs: case Intrinsic::copysign: case Intrinsic::minnum: case Intrinsic::maxnum:
  case Intrinsic::minimum: case Intrinsic::maximum: case Intrinsic::minimumnum:
  case Intrinsic::maximumnum: case Intrinsic::floor: case Intrinsic::ceil: case Intrinsic::trunc:
  case Intrinsic::rint: case Intrinsic::nearbyint: case Intrinsic::round:
  case Intrinsic::roundeven: case Intrinsic::lround: case Intrinsic::llround:
  case Intrinsic::lrint: case Intrinsic::llrint: case Intrinsic::canonicalize:
  case Intrinsic::is_fpclass: case Intrinsic::fptosi_sat: case Intrinsic::fptoui_sat:
  case Intrinsic::ldexp: case Intrinsic::frexp: case Intrinsic::modf:
    return Operation::FloatOther;
  case Intrinsic::abs: case Intrinsic::smax: case Intrinsic::smin: case Intrinsic::umax:
  case Intrinsic::umin: case Intrinsic::ctpop: case Intrinsic::ctlz: case Intrinsic::cttz:
  case Intrinsic::bswap: case Intrinsic::bitreverse: case Intrinsic::fshl: case Intrinsic::fshr:
  case Intrinsic::sadd_with_overflow: case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow: case Intrinsic::usub_with_overflow:
  case Intrinsic::sadd_sat: case Intrinsic::uadd_sat: case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat: case Intrinsic::sshl_sat: case Intrinsic::ushl_sat:
  case Intrinsic::ucmp: case Intrinsic::scmp: case Intrinsic::get_active_lane_mask:
    return Operation::Integer;
  case Intrinsic::smul_with_overflow: case Intrinsic::umul_with_overflow:
    return Operation::Multiply;
  default:
    return Operation::Free;
  }
}

/// An intrinsic without an instruction.
static bool isFree(const llvm::IntrinsicInst &I) {
  if (I.isAssumeLikeIntrinsic())
    return true;
  switch (I.getIntrinsicID()) {
  case Intrinsic::donothing: case Intrinsic::expect: case Intrinsic::expect_with_probability:
  case Intrinsic::is_constant: case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group: case Intrinsic::stacksave: case Intrinsic::stackrestore:
  case Intrinsic::frameaddress: case Intrinsic::returnaddress:
  case Intrinsic::threadlocal_address: case Intrinsic::trap: case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap: case Intrinsic::eh_typeid_for: case Intrinsic::vastart:
  case Intrinsic::vaend: case Intrinsic::vacopy: case Intrinsic::prefetch: case Intrinsic::vscale:
  case Intrinsic::ssa_copy: case Intrinsic::fake_use: case Intrinsic::ptrmask:
  case Intrinsic::vector_insert: case Intrinsic::vector_extract:
  case Intrinsic::vector_reverse: case Intrinsic::vector_interleave2:
  case Intrinsic::vector_deinterleave2: case Intrinsic::stepvector:
  case Intrinsic::adjust_trampoline:
    return true;
  default:
    return false;
  }
}

/// Whether it writes code that calls a function with one more argument, as Fortran's internal
/// procedures are passed. What targets beside x86-64 write for it is not known here.
static bool isTrampoline(const CallBase &Site) {
  return Site.getIntrinsicID() == Intrinsic::init_trampoline &&
         Site.getModule()->getTargetTriple().getArch() == llvm::Triple::x86_64;
}

static bool isReduction(ID Id) {
  return (Id >= Intrinsic::vector_reduce_add && Id <= Intrinsic::vector_reduce_xor);
}

static Operation mathOperation(llvm::LibFunc Function) {
  switch (Function) {
#define ERGON_MATH(NAME) case llvm::LibFunc_##NAME: case llvm::LibFunc_##NAME##f: case llvm::LibFunc_##NAME##l
  ERGON_MATH(sqrt):
    return Operation::Root;
  ERGON_MATH(fmod): ERGON_MATH(remainder):
    return Operation::Flop; // the class of the language's `rem`
  ERGON_MATH(sin): ERGON_MATH(cos): ERGON_MATH(tan): ERGON_MATH(asin): ERGON_MATH(acos):
  ERGON_MATH(atan): ERGON_MATH(atan2): ERGON_MATH(sinh): ERGON_MATH(cosh): ERGON_MATH(tanh):
  ERGON_MATH(asinh): ERGON_MATH(acosh): ERGON_MATH(atanh): ERGON_MATH(exp): ERGON_MATH(exp2):
  ERGON_MATH(exp10): ERGON_MATH(expm1): ERGON_MATH(log): ERGON_MATH(log2): ERGON_MATH(log10):
  ERGON_MATH(log1p): ERGON_MATH(pow): ERGON_MATH(cbrt): ERGON_MATH(sincos): ERGON_MATH(erf):
  ERGON_MATH(tgamma):
    return Operation::Special;
  ERGON_MATH(fabs): ERGON_MATH(fmin): ERGON_MATH(fmax): ERGON_MATH(floor): ERGON_MATH(ceil):
  ERGON_MATH(trunc): ERGON_MATH(rint): ERGON_MATH(nearbyint): ERGON_MATH(round):
  ERGON_MATH(roundeven): ERGON_MATH(copysign): ERGON_MATH(ldexp):
    return Operation::FloatOther;
#undef ERGON_MATH
  default:
    return Operation::Free;
  }
}

// clang-format on

bool OperationCounts::hasFma(const llvm::Function &F) {
  const llvm::Triple &Target = F.getParent()->getTargetTriple();
  if (!Target.isX86())
    return true;
  StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  return Features.contains("+fma,") || Features.ends_with("+fma") || Features.contains("+fma4");
}

bool OperationCounts::isContracted(const Instruction &I) {
  if (!I.hasAllowContract() || !hasFma(*I.getFunction()))
    return false;
  return llvm::any_of(I.operands(), [&](const llvm::Use &Operand) {
    auto *Product = dyn_cast<Instruction>(Operand.get());
    if (Product && Product->getOpcode() == Instruction::FNeg && Product->hasOneUse())
      Product = dyn_cast<Instruction>(Product->getOperand(0));
    return Product && Product->getOpcode() == Instruction::FMul && Product->hasOneUse() &&
           Product->hasAllowContract() && Product->getParent() == I.getParent();
  });
}

Operation OperationCounts::libraryOperation(const CallBase &Site,
                                            const llvm::TargetLibraryInfo &TLI) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return Operation::Free;
  StringRef Name = Callee->getName();
  if (Name == "__kmpc_barrier")
    return Operation::Barrier;
  if ((Name == "fma" || Name == "fmaf" || Name == "fmal") && Site.arg_size() == 3)
    return Operation::Fused;
  llvm::LibFunc Function;
  return TLI.getLibFunc(Site, Function) ? mathOperation(Function) : Operation::Free;
}

CallKind OperationCounts::classify(const CallBase &Site) const {
  if (Site.isInlineAsm())
    return openAssembly(Site).empty() ? CallKind::None : CallKind::Opaque;
  if (isa<llvm::AnyMemIntrinsic>(Site))
    return CallKind::Memory;
  if (auto *I = dyn_cast<llvm::IntrinsicInst>(&Site)) {
    ID Id = I->getIntrinsicID();
    bool Known = intrinsicOperation(Id) != Operation::Free || Id == Intrinsic::fmuladd ||
                 Id == Intrinsic::experimental_constrained_fmuladd || isReduction(Id);
    Tally Unused{};
    return Known || isFree(*I) || isTrampoline(*I) || maskedAccess(*I) ||
                   addDeviceIntrinsic(*I, Analyses.LI, Unused) ||
                   addX86Intrinsic(*I, Analyses.LI, Unused)
               ? CallKind::None
               : CallKind::Opaque;
  }
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee)
    return CallKind::Opaque;
  StringRef Name = Callee->getName();
  if (isLaunchFunction(Name))
    return CallKind::Launch;
  if (isLaunchPush(Site) || isLaunchPop(Site) || promotedAccess(Site) ||
      (Callee->isDeclaration() && isRuntimeCall(Name)))
    return CallKind::None;
  return libraryOperation(Site, Analyses.TLI) != Operation::Free ? CallKind::None
                                                                 : CallKind::Opaque;
}

std::string OperationCounts::openAssembly(const CallBase &Site) {
  if (!isDevice(*Site.getModule()))
    return registerInstructions(Site) ? "" : "inline assembly";
  std::string Open = ptxCounts(Site).Open;
  return Open.empty() ? "" : "inline assembly: " + Open;
}

/// movabs $function, %r11; movabs $argument, %r10; jmp *%r11
static void addTrampoline(const CallBase &Site, const llvm::LoopInfo &LI, Tally &Sum) {
  for (long Bytes : {2, 8, 2, 8, 2, 1})
    addAccess(pointeeOf(*Site.getArgOperand(0), *Site.getFunction(), LI).Where, 0, Bytes, Sum);
}

static void addMasked(const MaskedAccess &Access, const llvm::Function &F, const llvm::LoopInfo &LI,
                      Tally &Sum) {
  Space Where = pointeeOf(*Access.Pointer, F, LI).Where;
  for (long Time = 0; Time != Access.Times; ++Time)
    addAccess(Where, Access.IsLoad ? Access.Bytes : 0, Access.IsLoad ? 0 : Access.Bytes, Sum);
}

/// A power with an exponent that is a constant is a square for each of its binary digits but the
/// first and a product for each other one that is 1 (expandPowI in LLVM's SelectionDAGBuilder).
static bool addPower(const CallBase &Site, FloatType T, Tally &Sum) {
  auto *Exponent = dyn_cast<llvm::ConstantInt>(Site.getArgOperand(1));
  if (!Exponent)
    return false;
  const llvm::APInt Times = Exponent->getValue().abs();
  const long Lanes = lanesOf(Site.getType());
  if (!Times.isZero())
    addOperation(Operation::Flop, T, Sum, Lanes * long(Times.logBase2() + Times.popcount() - 1));
  if (Exponent->isNegative())
    addOperation(Operation::Division, T, Sum, Lanes);
  return true;
}

void OperationCounts::addCall(const CallBase &Site, Tally &Sum) const {
  if (Site.isInlineAsm()) {
    // What depends on a predicate is an expression: see CountAnalysis.
    if (isDevice(*Site.getModule()))
      Sum += ptxCounts(Site).Always;
    else if (auto Instructions = registerInstructions(Site))
      Sum.add(CostClass::IntOps, *Instructions);
    return;
  }
  switch (classify(Site)) {
  case CallKind::Memory:
    return; // its bytes are an expression: see CountAnalysis
  case CallKind::Launch:
    Sum.add(CostClass::Launches, 1);
    return;
  case CallKind::Opaque:
    if (!isa<llvm::IntrinsicInst>(Site))
      Sum.add(CostClass::Calls, 1);
    return;
  case CallKind::None:
    break;
  }
  if (auto Promoted = promotedAccess(Site))
    return addAccess(isDevice(*Site.getModule()) ? Space::Local : Space::Stack, Promoted->BytesRead,
                     Promoted->BytesWritten, Sum);
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee)
    return;
  const llvm::Type *T = Site.getType();
  if (!T->isFPOrFPVectorTy() && Site.arg_size() != 0 &&
      Site.getArgOperand(0)->getType()->isFPOrFPVectorTy())
    T = Site.getArgOperand(0)->getType();
  ID Id = Callee->getIntrinsicID();
  if (Id == Intrinsic::not_intrinsic)
    return addOperation(libraryOperation(Site, Analyses.TLI), floatTypeOf(T), Sum, 1);
  if (Id == Intrinsic::fmuladd || Id == Intrinsic::experimental_constrained_fmuladd) {
    Operation What = hasFma(*Site.getFunction()) ? Operation::Fused : Operation::Flop;
    return addOperation(What, floatTypeOf(T), Sum, lanesOf(T) * (What == Operation::Flop ? 2 : 1));
  }
  if (isReduction(Id)) {
    bool IsSum = Id == Intrinsic::vector_reduce_fadd || Id == Intrinsic::vector_reduce_fmul;
    const llvm::Type *Vector = Site.getArgOperand(IsSum ? 1 : 0)->getType();
    Operation What = IsSum                                ? Operation::Flop
                     : T->isFloatingPointTy()             ? Operation::FloatOther
                     : Id == Intrinsic::vector_reduce_mul ? Operation::Multiply
                                                          : Operation::Integer;
    return addOperation(What, floatTypeOf(T), Sum, lanesOf(Vector) - (IsSum ? 0 : 1));
  }
  if (Id == Intrinsic::powi && addPower(Site, floatTypeOf(T), Sum))
    return;
  Operation What = intrinsicOperation(Id);
  if (What == Operation::Free) {
    auto &Own = cast<llvm::IntrinsicInst>(Site);
    if (isTrampoline(Site))
      return addTrampoline(Site, Analyses.LI, Sum);
    if (auto Masked = maskedAccess(Site))
      return addMasked(*Masked, *Site.getFunction(), Analyses.LI, Sum);
    if (!addDeviceIntrinsic(Own, Analyses.LI, Sum))
      addX86Intrinsic(Own, Analyses.LI, Sum);
    return;
  }
  addOperation(What, floatTypeOf(T), Sum, lanesOf(T));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void OperationCounts::addMemory(const Instruction &I, Tally &Sum) const {
  const llvm::DataLayout &Layout = I.getDataLayout();
  auto Count = [&](const llvm::Value &Pointer, llvm::Type *T, bool Reads, bool Writes) {
    Space Where = pointeeOf(Pointer, *I.getFunction(), Analyses.LI).Where;
    long Bytes = long(Layout.getTypeStoreSize(T).getKnownMinValue());
    addAccess(Where, Reads ? Bytes : 0, Writes ? Bytes : 0, Sum);
  };
  if (auto *Load = dyn_cast<llvm::LoadInst>(&I))
    return Count(*Load->getPointerOperand(), Load->getType(), true, false);
  if (auto *Store = dyn_cast<llvm::StoreInst>(&I))
    return Count(*Store->getPointerOperand(), Store->getValueOperand()->getType(), false, true);
  Sum.add(CostClass::Atomics, 1);
  if (auto *Modify = dyn_cast<llvm::AtomicRMWInst>(&I))
    return Count(*Modify->getPointerOperand(), Modify->getType(), true, true);
  auto &Exchange = cast<llvm::AtomicCmpXchgInst>(I);
  Count(*Exchange.getPointerOperand(), Exchange.getCompareOperand()->getType(), true, true);
}

// clang-format off
void OperationCounts::add(const Instruction &I, Tally &Sum) const {
  if (isDevice(*I.getModule()))
    addSteps(I, Sum);
  const llvm::Type *T = I.getType();
  auto As = [&](Operation What, const llvm::Type *Type) { addOperation(What, floatTypeOf(Type), Sum, lanesOf(Type));  };
  switch (I.getOpcode()) {
  case Instruction::FAdd: case Instruction::FSub:
    if (isContracted(I)) // its flops are those of the two
      Sum.add(of(CostClass::Fma, floatTypeOf(T)), lanesOf(T));
    return As(Operation::Flop, T);
  case Instruction::FMul: case Instruction::FRem:
    return As(Operation::Flop, T);
  case Instruction::FDiv:
    return As(Operation::Division, T);
  case Instruction::FNeg:
    return As(Operation::FloatOther, T);
  case Instruction::FCmp:
    return As(Operation::FloatOther, I.getOperand(0)->getType());
  case Instruction::FPTrunc: case Instruction::FPExt: case Instruction::FPToSI:
  case Instruction::FPToUI: case Instruction::SIToFP: case Instruction::UIToFP:
    return As(Operation::FloatOther, conversionType(I));
  case Instruction::Add: case Instruction::Sub: case Instruction::And: case Instruction::Or:
  case Instruction::Xor: case Instruction::Shl: case Instruction::LShr: case Instruction::AShr:
  case Instruction::Trunc: case Instruction::ZExt: case Instruction::SExt:
  case Instruction::Select:
    return As(Operation::Integer, T);
  case Instruction::ICmp:
    return As(Operation::Integer, I.getOperand(0)->getType());
  case Instruction::Mul:
    return As(Operation::Multiply, T);
  case Instruction::UDiv: case Instruction::SDiv: case Instruction::URem: case Instruction::SRem:
    return As(Operation::Divide, T);
  case Instruction::GetElementPtr:
    if (Analyses.TTI.getInstructionCost(&I, llvm::TargetTransformInfo::TCK_SizeAndLatency) !=
        llvm::TargetTransformInfo::TCC_Free)
      Sum.add(CostClass::AddressOps, 1);
    return;
  case Instruction::Br:
    return Sum.add(CostClass::Branches, cast<llvm::BranchInst>(I).isConditional() && !decidesNothing(I));
  case Instruction::Switch: case Instruction::IndirectBr:
    return Sum.add(CostClass::Branches, 1);
  case Instruction::Load: case Instruction::Store: case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return addMemory(I, Sum);
  case Instruction::Call: case Instruction::Invoke: case Instruction::CallBr:
    return addCall(cast<CallBase>(I), Sum);
  default:
    return;
  }
}
// clang-format on

} // namespace ergon
