//===- X86Counts.cpp - counts of x86 operations ---------------------------===//

#include "passes/opcodes/X86Counts.h"
#include "passes/ir/AddressSpaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <bit>

namespace ergon {

// clang-format off: tables, several names to a line.
/// The operation that a name says, without its extension and its types.
static std::optional<Operation> operationNamed(StringRef Base) {
  for (auto [Prefix, What] : std::initializer_list<std::pair<StringRef, Operation>>{
           {"comi", Operation::FloatOther}, {"ucomi", Operation::FloatOther},
           {"vcomi", Operation::FloatOther}, {"cvt", Operation::FloatOther},
           {"vcvt", Operation::FloatOther}, {"vfmadd", Operation::Fused},
           {"vfmsub", Operation::Fused}, {"vfnm", Operation::Fused},
           {"blendv", Operation::Free}, {"vperm", Operation::Free}, {"perm", Operation::Free},
           {"pshuf", Operation::Free}, {"pblendv", Operation::Free}, {"movmsk", Operation::Free},
           {"clflush", Operation::Free}, {"rdtsc", Operation::Free},
           {"pmul", Operation::Multiply}, {"vtest", Operation::Integer},
           {"ptest", Operation::Integer}, {"pack", Operation::Integer},
           {"padd", Operation::Integer}, {"psub", Operation::Integer},
           {"pavg", Operation::Integer}, {"phadd", Operation::Integer},
           {"phsub", Operation::Integer}, {"psign", Operation::Integer},
           {"psll", Operation::Integer}, {"psrl", Operation::Integer},
           {"psra", Operation::Integer}, {"phminpos", Operation::Integer}})
    if (Base.starts_with(Prefix))
      return What;
  return llvm::StringSwitch<std::optional<Operation>>(Base)
      .Cases({"add", "sub", "mul", "addsub", "hadd", "hsub"}, Operation::Flop)
      .Cases({"div", "rcp", "rcp14", "rcp28"}, Operation::Division)
      .Cases({"sqrt", "rsqrt", "rsqrt14", "rsqrt28"}, Operation::Root)
      .Cases({"min", "max", "cmp", "round", "rndscale", "getexp", "getmant", "range", "reduce",
              "scalef"}, Operation::FloatOther)
      .Cases({"crc32", "pdep", "pext", "bzhi", "bextr", "addcarry", "subborrow"},
             Operation::Integer)
      .Cases({"insertps", "pmovmskb", "extrqi", "insertqi", "vzeroupper", "vzeroall", "emms",
              "pause", "mfence", "sfence", "lfence", "clwb", "rdpmc", "xgetbv"}, Operation::Free)
      .Default(std::nullopt);
}
// clang-format on

/// One value alone: `.ss`, `.sd`, and conversions from or to one, `cvtsd2si`.
static bool isScalar(StringRef Name) {
  for (StringRef Word : llvm::split(Name, '.'))
    if (Word == "ss" || Word == "sd" || Word == "sh" || Word.contains("ss2") ||
        Word.contains("sd2") || Word.contains("2ss") || Word.contains("2sd"))
      return true;
  return false;
}

/// The wider floating-point type of result and first operands.
static FloatType floatType(const llvm::IntrinsicInst &I) {
  const llvm::Type *Widest = nullptr;
  auto Consider = [&](const llvm::Type *T) {
    if (T->isFPOrFPVectorTy() &&
        (!Widest || T->getScalarSizeInBits() > Widest->getScalarSizeInBits()))
      Widest = T;
  };
  Consider(I.getType());
  for (const llvm::Use &Argument : I.args())
    Consider(Argument->getType());
  return Widest ? floatTypeOf(Widest) : FloatType::F32;
}

/// A dot product in each 16 bytes: the immediate's upper bits choose the products.
static void addDotProduct(const llvm::IntrinsicInst &I, Tally &Sum) {
  auto *Chosen = dyn_cast<llvm::ConstantInt>(I.getArgOperand(2));
  unsigned InGroup = 128 / I.getType()->getScalarSizeInBits();
  unsigned Mask = Chosen ? unsigned(Chosen->getZExtValue() >> 4) & ((1U << InGroup) - 1) : 0;
  long Products = std::popcount(Mask);
  addOperation(Operation::Flop, floatTypeOf(I.getType()), Sum,
               lanesOf(I.getType()) / InGroup * (Products + std::max(0L, Products - 1)));
}

bool addX86Intrinsic(const llvm::IntrinsicInst &I, const llvm::LoopInfo &LI, Tally &Sum) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.x86."))
    return false;
  auto [Extension, Rest] = Name.split('.');
  Rest.consume_front("mask.");
  StringRef Base = Rest.take_until([](char C) { return C == '.'; });
  const llvm::Type *T = I.getType();
  const llvm::Type *First = I.arg_size() ? I.getArgOperand(0)->getType() : T;
  auto Memory = [&](const llvm::Value &Pointer, long Read, long Written) {
    addAccess(pointeeOf(Pointer, *I.getFunction(), LI).Where, Read, Written, Sum);
    return true;
  };
  if (Base == "ldu")
    return Memory(*I.getArgOperand(0),
                  long(I.getDataLayout().getTypeStoreSize(I.getType()).getFixedValue()), 0);
  if (Base == "ldmxcsr" || Base == "stmxcsr")
    return Memory(*I.getArgOperand(0), Base == "ldmxcsr" ? 4 : 0, Base == "stmxcsr" ? 4 : 0);
  if (Base == "dp" || Base == "dpps" || Base == "dppd") {
    addDotProduct(I, Sum);
    return true;
  }
  if (Base == "pmadd" || Base.starts_with("pmadd")) { // pairs of products, added
    addOperation(Operation::Multiply, {}, Sum, lanesOf(First));
    addOperation(Operation::Integer, {}, Sum, lanesOf(T));
    return true;
  }
  if (Base == "psad" || Base == "mpsadbw") { // differences, their sizes added
    addOperation(Operation::Integer, {}, Sum, 2 * lanesOf(First));
    return true;
  }
  auto What = operationNamed(Base);
  if (!What)
    return false;
  // A conversion has as many values as its narrower side, a test one result of many.
  long Lanes = isScalar(Rest)                                ? 1
               : !T->isVectorTy()                            ? lanesOf(First)
               : Base.contains("cvt") && First->isVectorTy() ? std::min(lanesOf(T), lanesOf(First))
                                                             : lanesOf(T);
  addOperation(*What, floatType(I), Sum, Lanes);
  return true;
}

} // namespace ergon
