//===- NvptxCounts.cpp - counts of GPU operations -------------------------===//

#include "passes/opcodes/NvptxCounts.h"
#include "passes/ir/AddressSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

namespace ergon {

using Words = ArrayRef<StringRef>;

// clang-format off: a table, several names to a line.
std::optional<Operation> deviceOperation(Words Name, bool IsFloat) {
  auto Either = [&](Operation Float, Operation Integer) { return IsFloat ? Float : Integer; };
  StringRef Base = Name[0];
  // An arrival is counted; waiting is free.
  if (Base == "barrier" || Base == "mbarrier" || Base == "bar")
    return llvm::is_contained(Name, "arrive") || llvm::is_contained(Name, "arrive_drop") ||
                   llvm::is_contained(Name, "sync") || llvm::is_contained(Name, "red")
               ? Operation::Barrier : Operation::Free;
  return llvm::StringSwitch<std::optional<Operation>>(Base)
      .Cases({"fma", "mad", "mad24", "madc"}, Either(Operation::Fused, Operation::MultiplyAdd))
      .Cases({"add", "sub"}, Either(Operation::Flop, Operation::Integer))
      .Case("mul", Either(Operation::Flop, Operation::Multiply))
      .Case("div", Either(Operation::Division, Operation::Divide))
      .Case("rcp", Operation::Division)
      .Cases({"sqrt", "rsqrt"}, Operation::Root)
      .Cases({"sin", "cos", "ex2", "lg2", "tanh"}, Operation::Special)
      .Cases({"min", "max", "abs", "neg", "set", "setp", "slct", "cvt", "redux"},
             Either(Operation::FloatOther, Operation::Integer))
      .Cases({"fmin", "fmax", "fabs", "ceil", "floor", "round", "trunc", "saturate", "copysign",
              "testp"}, Operation::FloatOther)
      .Cases({"mul24", "mulhi"}, Operation::Multiply)
      .Case("rem", Operation::Divide)
      .Cases({"and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "prmt", "bfe", "bfi",
              "bfind", "brev", "popc", "clz", "fns", "sad", "szext", "bmsk", "selp"},
             Operation::Integer)
      .Cases({"addc", "subc", "flo", "zext", "sext", "fshl", "fshr"}, Operation::Integer)
      // Exchanges between the threads of a warp.
      .Cases({"shfl", "vote", "match", "elect", "activemask"}, Operation::Integer)
      // Moves, special registers, queries, hints and waits.
      .Cases({"mov", "move", "bitcast", "read", "cvta", "isspacep", "istypep", "mapa",
              "getctarank", "txq", "suq", "texsurf", "lohi", "reflect", "internal", "is_explicit_cluster"},
             Operation::Free)
      .Cases({"nanosleep", "membar", "fence", "prefetch", "prefetchu", "discard", "applypriority",
              "createpolicy", "griddepcontrol", "setmaxnreg", "pmevent", "pm", "trap", "brkpt",
              "compiler"}, Operation::Free)
      .Default(std::nullopt);
}
// clang-format on

//===----------------------------------------------------------------------===//
// Tensor instructions
//===----------------------------------------------------------------------===//

namespace {
struct Shape {
  long M, N, K;
};
} // namespace

/// The word of the form `m16n8k16`.
static std::optional<Shape> shapeOf(Words Name) {
  for (StringRef Word : Name) {
    Shape S;
    if (Word.consume_front("m") && !Word.consumeInteger(10, S.M) && Word.consume_front("n") &&
        !Word.consumeInteger(10, S.N) && Word.consume_front("k") && !Word.consumeInteger(10, S.K) &&
        Word.empty())
      return S;
  }
  return std::nullopt;
}

/// The type of the multiplicands; of two formats of at most eight bits the wider. If the name has
/// only `f16` and `f32`, they are f16, and the sums one of both.
static MatrixType multiplicandOf(Words Name) {
  auto HasAny = [&](std::initializer_list<StringRef> Any) {
    return llvm::any_of(Any, [&](StringRef Word) { return llvm::is_contained(Name, Word); });
  };
  return HasAny({"bf16"})           ? MatrixType::BF16
         : HasAny({"tf32"})         ? MatrixType::TF32
         : HasAny({"f64"})          ? MatrixType::F64
         : HasAny({"e4m3", "e5m2"}) ? MatrixType::F8
         : HasAny({"e2m3", "e3m2"}) ? MatrixType::F6
         : HasAny({"e2m1"})         ? MatrixType::F4
         : HasAny({"s8", "u8"})     ? MatrixType::I8
         : HasAny({"s4", "u4"})     ? MatrixType::I4
         : HasAny({"b1"})           ? MatrixType::B1
                                    : MatrixType::F16;
}

bool addMatrixOperation(Words Name, Tally &Sum) {
  std::optional<Shape> S = shapeOf(Name);
  if (!S)
    return false;
  MatrixType Type = multiplicandOf(Name);
  long MultiplyAdds = S->M * S->N * S->K;
  // The k of a sparse instruction includes the skipped zeros.
  if (llvm::is_contained(Name, "sp"))
    MultiplyAdds /= 2;
  // PTX ISA, mma.m8n8k4 with .f16: each quarter of the warp multiplies its own matrices.
  if (Type == MatrixType::F16 && Name[0] == "mma" && S->M == 8 && S->N == 8 && S->K == 4)
    MultiplyAdds *= 4;
  long Threads = Name[0] == "wgmma" ? 128 : 32;
  Sum.add(flopsMatrix(Type), 2 * MultiplyAdds / Threads);
  return true;
}

long matrixBytes(Words Name) {
  std::optional<Shape> S = shapeOf(Name);
  if (!S)
    return 0;
  auto HasWord = [&](StringRef Word) { return llvm::is_contained(Name, Word); };
  long Elements = HasWord("a") ? S->M * S->K : HasWord("b") ? S->K * S->N : S->M * S->N;
  long Bits = llvm::StringSwitch<long>(Name.back())
                  .Cases({"f16", "bf16"}, 16)
                  .Cases({"f32", "tf32", "s32"}, 32)
                  .Case("f64", 64)
                  .Cases({"s8", "u8"}, 8)
                  .Cases({"s4", "u4"}, 4)
                  .Case("b1", 1)
                  .Default(0);
  return Elements * Bits / 8 / 32;
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

long usedResults(const CallBase &Site) {
  auto *Together = dyn_cast<llvm::StructType>(Site.getType());
  if (!Together)
    return Site.getType()->isVoidTy() ? 0 : lanesOf(Site.getType());
  llvm::SmallSet<unsigned, 8> Used;
  for (const llvm::User *User : Site.users()) {
    auto *Extract = dyn_cast<llvm::ExtractValueInst>(User);
    if (!Extract)
      return Together->getNumElements();
    Used.insert(Extract->getIndices()[0]);
  }
  return long(Used.size());
}

/// The floating-point values that an intrinsic takes or gives: the widest of the
/// types, and how many it gives, or takes where it gives none.
static std::optional<std::pair<FloatType, long>> floatsOf(const llvm::IntrinsicInst &I) {
  std::optional<FloatType> Widest;
  long Taken = 0;
  auto Look = [&](const llvm::Type *T) {
    if (!T->isFPOrFPVectorTy())
      return 0L;
    Widest = std::max(Widest.value_or(FloatType::F16), floatTypeOf(T));
    return lanesOf(T);
  };
  for (const llvm::Use &Argument : I.args())
    Taken += Look(Argument->getType());
  long Given = Look(I.getType());
  if (!Widest)
    return std::nullopt;
  return std::pair(*Widest, Given ? Given : Taken);
}

/// `f2i`, `d2f`, `ff2bf16x2`, `e4m3x2.to.f16x2` and their like. `d2i.lo` and `d2i.hi`
/// are halves of a number's bits.
static bool isConversion(Words Name) {
  if (Name.size() > 1 && (Name[1] == "lo" || Name[1] == "hi"))
    return false;
  return (Name.size() > 1 && Name[1] == "to") ||
         (Name[0].contains('2') && Name[0] != "ex2" && Name[0] != "lg2" && Name[0] != "idp2a");
}

/// The bytes that a surface instruction moves: its name has a word such as `v2i16`.
static long surfaceBytes(Words Name) {
  for (StringRef Word : Name) {
    long Values = 1, Bits = 0;
    if (Word.consume_front("v") && Word.consumeInteger(10, Values))
      continue;
    if (Word.consume_front("i") && !Word.getAsInteger(10, Bits))
      return Values * Bits / 8;
  }
  return 0;
}

/// Intrinsics that load or store; false for others, or unknown bytes.
static bool addDeviceMemory(const llvm::IntrinsicInst &I, Words Name, const llvm::LoopInfo &LI,
                            Tally &Sum) {
  const llvm::DataLayout &Layout = I.getDataLayout();
  auto BytesOf = [&](llvm::Type *T) { return long(Layout.getTypeStoreSize(T).getFixedValue()); };
  auto SpaceOf = [&](unsigned Argument) {
    return pointeeOf(*I.getArgOperand(Argument), *I.getFunction(), LI).Where;
  };
  auto Constant = [&](unsigned Argument) -> std::optional<long> {
    auto *Value = dyn_cast<llvm::ConstantInt>(I.getArgOperand(Argument));
    return Value ? std::optional(long(Value->getZExtValue())) : std::nullopt;
  };
  StringRef Base = Name[0];
  bool Has16 = Name.back() == "b16" || Name.back() == "b8";
  if (Base == "atomic") {
    Sum.add(CostClass::Atomics, 1);
    addAccess(SpaceOf(0), BytesOf(I.getType()), BytesOf(I.getType()), Sum);
  } else if (Base == "ldu" || (Base == "ldmatrix" && Has16)) {
    addAccess(SpaceOf(0), BytesOf(I.getType()), 0, Sum);
  } else if (Base == "stmatrix" && Has16) {
    addAccess(SpaceOf(0), 0, 4 * long(I.arg_size() - 1), Sum); // registers of 4 bytes
  } else if (Base == "wmma" && Name.size() > 3 && Name[2] == "load") {
    addAccess(SpaceOf(0), matrixBytes(Name), 0, Sum);
  } else if (Base == "wmma" && Name.size() > 3 && Name[2] == "store") {
    addAccess(SpaceOf(0), 0, matrixBytes(Name), Sum);
  } else if (Base == "tex" || Base == "tld4") {
    // The texel size behind a value of 4 bytes depends on the texture's format.
    addAccess(Space::Global, 4 * usedResults(I), 0, Sum);
  } else if (Base == "suld") {
    addAccess(Space::Global, surfaceBytes(Name), 0, Sum);
  } else if (Base == "sust") {
    addAccess(Space::Global, 0, surfaceBytes(Name), Sum);
  } else if (Base == "cp" && Name.size() > 5 && Name[1] == "async" && Name[2] != "bulk" &&
             Name[4] == "global") {
    long Bytes = 0;
    if (Name[5].getAsInteger(10, Bytes))
      return false;
    // It may read less than it writes: the rest is zeros.
    std::optional<long> Read = I.arg_size() > 2 ? Constant(2) : std::optional(Bytes);
    if (!Read)
      return false;
    addAccess(SpaceOf(1), *Read, 0, Sum);
    addAccess(SpaceOf(0), 0, Bytes, Sum);
  } else if (Base == "cp" && Name.size() > 4 && Name[2] == "bulk" && Name[3] != "tensor") {
    bool IsOutward =
        Name[3] == "shared" && Name.back() == "global"; // no barrier among the operands
    bool IsInward = Name[3] == "global" || Name.back() == "cluster";
    std::optional<long> Bytes = IsOutward ? Constant(2) : IsInward ? Constant(3) : std::nullopt;
    if (!Bytes)
      return false;
    addAccess(SpaceOf(IsOutward ? 1 : 2), *Bytes, 0, Sum);
    addAccess(SpaceOf(0), 0, *Bytes, Sum);
  } else {
    return false;
  }
  return true;
}

bool addDeviceIntrinsic(const llvm::IntrinsicInst &I, const llvm::LoopInfo &LI, Tally &Sum) {
  StringRef Whole = llvm::Intrinsic::getBaseName(I.getIntrinsicID()); // without types
  if (!Whole.consume_front("llvm.nvvm."))
    return false;
  SmallVector<StringRef, 12> Name;
  Whole.split(Name, '.');
  auto HasWord = [&](StringRef Word) { return llvm::is_contained(Name, Word); };
  StringRef Base = Name[0];
  if (Base == "mma" || (Base == "wmma" && HasWord("mma")))
    return addMatrixOperation(Name, Sum);
  if (Base == "wgmma") // multiplying ones have no intrinsics
    return true;
  if (Base == "cp" && (HasWord("commit") || HasWord("wait") || HasWord("prefetch")))
    return true;
  if (Base == "cp" && HasWord("mbarrier") && HasWord("arrive")) {
    addOperation(Operation::Barrier, FloatType::F32, Sum, 1);
    return true;
  }
  auto Floats = floatsOf(I);
  auto [Type, Lanes] = Floats.value_or(std::pair(FloatType::F32, 1L));
  if (Base == "idp4a" || Base == "idp2a") {
    addOperation(Operation::MultiplyAdd, Type, Sum, Base == "idp4a" ? 4 : 2);
    return true;
  }
  if (isConversion(Name)) {
    addOperation(Operation::FloatOther, Type, Sum, Lanes);
    return true;
  }
  if (Name.size() > 1 && Base.contains('2') && (Name[1] == "lo" || Name[1] == "hi"))
    return true;
  if (auto What = deviceOperation(Name, Floats.has_value())) {
    bool IsFloat = *What != Operation::Integer && *What != Operation::Barrier;
    addOperation(*What, Type, Sum, IsFloat ? Lanes : 1);
    return true;
  }
  return addDeviceMemory(I, Name, LI, Sum);
}

} // namespace ergon
