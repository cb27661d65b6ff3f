//===- CodeTypes.cpp - types and names in a function's code ---------------===//

#include "passes/code/CodeTypes.h"
#include "passes/ir/DirectCallee.h"
#include "passes/ir/FortranNames.h"
#include "passes/opcodes/OperationCounts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>

namespace ergon {

bool isWiden(const CallBase &Site) {
  return Site.isIndirectCall() && !Site.arg_empty() &&
         llvm::any_of(Site.getArgOperand(0)->users(), [](const llvm::User *User) {
           return directCallee(*User) == "_ZNKSt5ctypeIcE13_M_widen_initEv";
         });
}

bool isHeld(const llvm::Type &T) { return T.isAggregateType() && !T.isScalableTy(); }

std::string typeInCode(const llvm::Type &T) {
  if (T.isIntegerTy() && T.getIntegerBitWidth() <= 64)
    return "i" + std::to_string(T.getIntegerBitWidth());
  if (T.isPointerTy() || isHeld(T))
    return "ptr";
  return T.isDoubleTy() ? "f64" : T.isFloatTy() ? "f32" : T.isVoidTy() ? "void" : "";
}

StringRef operationInCode(unsigned Opcode) {
  static const std::map<unsigned, const char *> Names = {
      {Instruction::Add, "add"},       {Instruction::FAdd, "add"},
      {Instruction::Sub, "sub"},       {Instruction::FSub, "sub"},
      {Instruction::Mul, "mul"},       {Instruction::FMul, "mul"},
      {Instruction::UDiv, "udiv"},     {Instruction::SDiv, "sdiv"},
      {Instruction::FDiv, "sdiv"},     {Instruction::URem, "urem"},
      {Instruction::SRem, "srem"},     {Instruction::FRem, "srem"},
      {Instruction::Shl, "shl"},       {Instruction::LShr, "lshr"},
      {Instruction::AShr, "ashr"},     {Instruction::And, "and"},
      {Instruction::Or, "or"},         {Instruction::Xor, "xor"},
      {Instruction::ZExt, "zext"},     {Instruction::SExt, "sext"},
      {Instruction::Trunc, "trunc"},   {Instruction::FPToSI, "fptosi"},
      {Instruction::FPToUI, "fptoui"}, {Instruction::SIToFP, "sitofp"},
      {Instruction::UIToFP, "uitofp"}, {Instruction::FPTrunc, "fptrunc"},
      {Instruction::FPExt, "fpext"},   {Instruction::PtrToInt, "zext"},
      {Instruction::IntToPtr, "zext"}, {Instruction::PtrToAddr, "zext"}};
  auto Found = Names.find(Opcode);
  return Found == Names.end() ? "" : Found->second;
}

unsigned widthInCode(const llvm::Value &What) {
  return What.getType()->isIntegerTy() ? std::min(What.getType()->getIntegerBitWidth(), 64U) : 64;
}

std::uint64_t offsetOf(llvm::Type &T, ArrayRef<unsigned> Path, const llvm::DataLayout &Layout) {
  std::uint64_t Result = 0;
  llvm::Type *Inner = &T;
  for (const unsigned Index : Path) {
    if (auto *Structure = dyn_cast<llvm::StructType>(Inner))
      Result += Layout.getStructLayout(Structure)->getElementOffset(Index).getFixedValue();
    else
      Result += Index * Layout.getTypeAllocSize(Inner->getContainedType(0)).getFixedValue();
    Inner = llvm::ExtractValueInst::getIndexedType(Inner, Index);
  }
  return Result;
}

std::string wordInCode(StringRef Name) {
  std::string Result;
  for (char C : Name)
    if (C == ' ' || C == '\n' || C == '%' || C == '+')
      Result += "%" + std::to_string(int(C)) + ";";
    else
      Result += C;
  return Result;
}

bool writesInCode(const llvm::IntrinsicInst &Site) {
  return isa<llvm::AnyMemIntrinsic>(Site) ||
         Site.getIntrinsicID() == llvm::Intrinsic::init_trampoline;
}

StringRef intrinsicInCode(const llvm::IntrinsicInst &Site) {
  if (isa<llvm::AnyMemIntrinsic>(Site))
    return isa<llvm::AnyMemSetInst>(Site) ? "memset" : "memmove";
  if (Site.getIntrinsicID() == llvm::Intrinsic::fmuladd) // else it is rounded twice
    return OperationCounts::hasFma(*Site.getFunction()) ? "fma" : "fmuladd";
  StringRef Name = llvm::Intrinsic::getBaseName(Site.getIntrinsicID());
  Name.consume_front("llvm.");
  return Name;
}

std::string checkedInCode(const llvm::WithOverflowInst &Site, bool Overflows,
                          llvm::function_ref<std::string(const llvm::Value &)> Operand) {
  const std::string Operands = ' ' + Operand(*Site.getLHS()) + ' ' + Operand(*Site.getRHS());
  if (Overflows)
    return "call i1 &" + intrinsicInCode(Site).str() + Operands + ' ' +
           std::to_string(widthInCode(*Site.getLHS())) + '\n';
  return operationInCode(Site.getBinaryOp()).str() + ' ' + typeInCode(*Site.getLHS()->getType()) +
         Operands + '\n';
}

std::string atomicInCode(const Instruction &I,
                         llvm::function_ref<std::string(const llvm::Value &)> Operand) {
  std::string Type = typeInCode(*I.getType()), Name = "cmpxchg";
  if (auto *Changed = dyn_cast<llvm::AtomicRMWInst>(&I))
    Name = ("atomicrmw." + llvm::AtomicRMWInst::getOperationName(Changed->getOperation())).str();
  std::string Result = "call " + (Type.empty() ? "i64" : Type) + " &" + Name;
  for (const llvm::Use &Each : I.operands())
    Result += " " + Operand(*Each);
  return Result + " " +
         std::to_string(
             I.getDataLayout().getTypeStoreSize(I.getOperand(1)->getType()).getFixedValue()) +
         "\n";
}

std::string nameInCode(const llvm::GlobalValue &What) {
  // What CUDA 13 stores under this name, versions before 12 store elsewhere, and CUDA 12 has a name
  // of its own. The version is not known in a file that is no CUDA.
  if (What.getName() == "cudaGetDeviceProperties" &&
      What.getParent()->getSDKVersion() < llvm::VersionTuple(12))
    return "cudaGetDeviceProperties_v1";
  return wordInCode(What.hasLocalLinkage()
                        ? sourceFile(*What.getParent()) + ":" + What.getName().str()
                        : What.getName().str());
}

std::string realInCode(double Number) {
  return "f:" + llvm::utohexstr(llvm::bit_cast<std::uint64_t>(Number), /*LowerCase=*/true);
}

std::string numberInCode(const llvm::Value &What) {
  if (auto *Number = dyn_cast<llvm::ConstantInt>(&What))
    return Number->getBitWidth() <= 64 ? std::to_string(Number->getSExtValue()) : "?";
  if (auto *Real = dyn_cast<llvm::ConstantFP>(&What))
    return What.getType()->isDoubleTy() || What.getType()->isFloatTy()
               ? realInCode(Real->getValueAPF().convertToDouble())
               : "?";
  return isa<llvm::ConstantPointerNull>(What) ? "0" : "";
}

} // namespace ergon
