//===- PtxCounts.cpp - counts of GPU inline assembly ----------------------===//

#include "passes/opcodes/PtxCounts.h"
#include "passes/ir/DeviceValues.h"
#include "passes/opcodes/ExpansionSteps.h"
#include "passes/opcodes/NvptxCounts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

#include <algorithm>

namespace ergon {

Expr isInLanes(const LaneRange &Lanes) {
  Expr Lane = laneOfThread(Lanes.Width);
  Expr Result = isAtLeast(Expr(Lanes.Last), Expr(Lanes.First));
  if (Lanes.First > 0)
    Result *= isAtLeast(Lane, Expr(Lanes.First));
  if (Lanes.Last < Lanes.Width - 1)
    Result *= isAtLeast(Expr(Lanes.Last), Lane);
  return Result;
}

namespace {
/// One instruction of the text.
struct PtxInstruction {
  StringRef Opcode;
  StringRef Predicate;             ///< runs where this register says so, if any
  SmallVector<StringRef, 8> Words; ///< the opcode's parts between the dots
  SmallVector<StringRef, 8> Operands;

  bool has(StringRef Word) const { return llvm::is_contained(Words, Word); }
  bool hasAny(std::initializer_list<StringRef> Any) const {
    return llvm::any_of(Any, [&](StringRef Word) { return has(Word); });
  }
};

/// A word of an opcode that names a type.
struct PtxType {
  std::optional<FloatType> Float; ///< nothing for bits, integers and formats without arithmetic
  long Bits, Lanes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string withoutComments(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    auto [Code, Rest] = Text.split('/');
    Result += Code;
    if (Rest.consume_front("/")) {
      Result += '\n';
      Rest = Rest.drop_while([](char C) { return C != '\n'; });
    } else if (Rest.consume_front("*")) {
      Result += ' ';
      Rest = Rest.split("*/").second;
    } else if (Code.size() != Text.size()) {
      Result += '/';
    }
    Text = Rest;
  }
  return Result;
}

/// The text between commas, those inside of brackets and braces apart.
static void splitOperands(StringRef Text, SmallVectorImpl<StringRef> &Operands) {
  int Depth = 0;
  std::size_t Start = 0;
  for (std::size_t I = 0; I != Text.size(); ++I) {
    Depth += (Text[I] == '[' || Text[I] == '{') - (Text[I] == ']' || Text[I] == '}');
    if (Text[I] == ',' && Depth == 0) {
      Operands.push_back(Text.slice(Start, I).trim());
      Start = I + 1;
    }
  }
  if (StringRef Last = Text.drop_front(Start).trim(); !Last.empty())
    Operands.push_back(Last);
}

/// The instruction in \p Statement; nothing for declarations and empty ones.
static std::optional<PtxInstruction> parse(StringRef Statement) {
  StringRef Predicate;
  while (true) {
    Statement = Statement.ltrim();
    if (Statement.consume_front("{") || Statement.consume_front("}"))
      continue;
    StringRef First = Statement.take_until(llvm::isSpace);
    if (First.starts_with("@"))
      Predicate = First.drop_front();
    else if (First.size() < 2 || !First.ends_with(":")) // else a label
      break;
    Statement = Statement.drop_front(First.size());
  }
  if (Statement.empty() || Statement.starts_with("."))
    return std::nullopt;
  PtxInstruction Result;
  Result.Opcode = Statement.take_until(llvm::isSpace);
  Result.Predicate = Predicate;
  Result.Opcode.split(Result.Words, '.');
  splitOperands(Statement.drop_front(Result.Opcode.size()), Result.Operands);
  return Result;
}

static std::optional<PtxType> typeOf(StringRef Word) {
  if (Word == "tf32")
    return PtxType{FloatType::F32, 32, 1};
  if (Word.starts_with("e") || Word.starts_with("ue")) { // e4m3x2: small formats, for conversions
    long Lanes = 1;
    bool IsFormat = Word.contains('m') && llvm::isDigit(Word.back());
    if (IsFormat && Word.contains('x') && Word.rsplit('x').second.getAsInteger(10, Lanes))
      return std::nullopt;
    return IsFormat ? std::optional(PtxType{std::nullopt, 8 * Lanes, Lanes}) : std::nullopt;
  }
  bool IsBFloat = Word.consume_front("bf"), IsFloat = IsBFloat || Word.consume_front("f");
  if (!IsFloat && !Word.consume_front("s") && !Word.consume_front("u") && !Word.consume_front("b"))
    return std::nullopt;
  PtxType Result{std::nullopt, 0, 1};
  if (Word.consumeInteger(10, Result.Bits) ||
      (Word.consume_front("x") && Word.consumeInteger(10, Result.Lanes)) || !Word.empty() ||
      Result.Bits == 0)
    return std::nullopt;
  if (IsFloat)
    Result.Float = IsBFloat            ? FloatType::BF16
                   : Result.Bits == 16 ? FloatType::F16
                   : Result.Bits == 32 ? FloatType::F32
                   : Result.Bits == 64 ? FloatType::F64
                                       : FloatType::F128;
  Result.Bits *= Result.Lanes;
  return Result;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static std::optional<Space> spaceOf(StringRef Word) {
  Word = Word.take_until([](char C) { return C == ':'; }); // shared::cta
  return llvm::StringSwitch<std::optional<Space>>(Word)
      .Case("global", Space::Global)
      .Case("shared", Space::Shared)
      .Case("local", Space::Local)
      .Case("const", Space::Constant)
      .Case("param", Space::Param)
      .Default(std::nullopt);
}

/// The value of an operand that is a number, in the text or as an argument.
static std::optional<long> literal(StringRef Operand, const CallBase &Site) {
  long Value = 0;
  if (!Operand.consume_front("$"))
    return Operand.getAsInteger(0, Value) ? std::nullopt : std::optional(Value);
  Operand = Operand.trim("{}");
  unsigned Number = 0;
  if (Operand.getAsInteger(10, Number))
    return std::nullopt;
  unsigned Outputs = 0;
  for (const auto &Constraint : cast<llvm::InlineAsm>(Site.getCalledOperand())->ParseConstraints())
    Outputs += Constraint.Type == llvm::InlineAsm::isOutput;
  if (Number < Outputs || Number - Outputs >= Site.arg_size())
    return std::nullopt;
  auto *Constant = dyn_cast<llvm::ConstantInt>(Site.getArgOperand(Number - Outputs));
  return Constant ? std::optional(long(Constant->getSExtValue())) : std::nullopt;
}

/// cp.async: from global to shared memory, or the other way as a bulk.
static bool addCopy(const PtxInstruction &I, const CallBase &Site, Tally &Sum) {
  if (!I.has("async"))
    return false;
  if (I.hasAny({"commit_group", "wait_group", "wait_all", "prefetch"}))
    return true;
  if (I.has("mbarrier") && I.Words[2] == "mbarrier") {
    addOperation(Operation::Barrier, FloatType::F32, Sum, 1);
    return true;
  }
  SmallVector<Space, 2> Spaces; // to, from
  for (StringRef Word : I.Words)
    if (auto Where = spaceOf(Word))
      Spaces.push_back(*Where);
  bool IsBulk = I.has("bulk");
  auto Bytes = I.Operands.size() > 2 ? literal(I.Operands[2], Site) : std::nullopt;
  // Four operands without a bulk: it may read less than it writes.
  auto Read = !IsBulk && I.Operands.size() > 3 ? literal(I.Operands[3], Site) : Bytes;
  if (I.hasAny({"tensor", "reduce"}) || Spaces.size() != 2 || !Bytes || !Read)
    return false;
  addAccess(Spaces[1], *Read, 0, Sum);
  addAccess(Spaces[0], 0, *Bytes, Sum);
  return true;
}

static bool addMatrix(const PtxInstruction &I, Tally &Sum) {
  StringRef Base = I.Words[0];
  if (Base == "ldmatrix" || Base == "stmatrix") {
    auto Count = llvm::find_if(
        I.Words, [](StringRef Word) { return Word == "x1" || Word == "x2" || Word == "x4"; });
    if (Count == I.Words.end() || !I.has("m8n8") || !I.has("b16"))
      return false;
    long Bytes = 4 * (Count->back() - '0'); // a thread's share of 8·8·2 bytes, each
    addAccess(Space::Shared, Base == "ldmatrix" ? Bytes : 0, Base == "ldmatrix" ? 0 : Bytes, Sum);
    return true;
  }
  if (I.hasAny({"fence", "commit_group", "wait_group"}))
    return true;
  if (I.hasAny({"load", "store"})) {
    Space Where = Space::Generic;
    for (StringRef Word : I.Words)
      Where = spaceOf(Word).value_or(Where);
    long Bytes = matrixBytes(I.Words);
    addAccess(Where, I.has("load") ? Bytes : 0, I.has("load") ? 0 : Bytes, Sum);
    return Bytes != 0;
  }
  return addMatrixOperation(I.Words, Sum);
}

/// Instructions that load or store; nothing for others.
static std::optional<bool> addMemory(const PtxInstruction &I, const CallBase &Site, Tally &Sum) {
  StringRef Base = I.Words[0];
  if (Base == "cp")
    return addCopy(I, Site, Sum);
  bool Reads = Base == "ld" || Base == "ldu" || Base == "tex" || Base == "tld4" || Base == "suld";
  bool Writes = Base == "st" || Base == "sust", IsAtomic = Base == "atom" || Base == "red";
  if (!Reads && !Writes && !IsAtomic)
    return std::nullopt;
  Space Where = Space::Generic;
  long Values = 1, Bytes = 0;
  for (StringRef Word : I.Words) {
    if (auto Found = spaceOf(Word))
      Where = *Found;
    else if (Word == "v2" || Word == "v4" || Word == "v8")
      Values = Word.back() - '0';
    else if (auto T = typeOf(Word); T && Bytes == 0)
      Bytes = T->Bits / 8;
  }
  if (Bytes == 0 || I.hasAny({"async", "bulk"}))
    return false;
  if (Base == "tex" || Base == "tld4")
    Values = usedResults(Site);
  if (Base == "tex" || Base == "tld4" || Base == "suld" || Base == "sust")
    Where = Space::Global;
  Sum.add(CostClass::Atomics, IsAtomic);
  addAccess(Where, Reads || IsAtomic ? Values * Bytes : 0, Writes || IsAtomic ? Values * Bytes : 0,
            Sum);
  return true;
}

/// SIMD instructions on the bytes or halves of a word (`vadd4`, `vabsdiff2`): how many
/// values, else 0.
static long simdLanes(StringRef Base) {
  return Base.size() > 4 && Base.starts_with("v") && (Base.ends_with("2") || Base.ends_with("4")) &&
                 llvm::is_contained({"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"},
                                    Base.drop_back())
             ? Base.back() - '0'
             : 0;
}

/// False where no rule applies to \p I.
static bool add(const PtxInstruction &I, const CallBase &Site, Tally &Sum) {
  StringRef Base = I.Words[0];
  if (Base == "mma" || Base == "wmma" || Base == "wgmma" || Base.ends_with("matrix"))
    return addMatrix(I, Sum);
  if (auto Done = addMemory(I, Site, Sum))
    return *Done;
  if (Base == "dp4a" || Base == "dp2a") {
    addOperation(Operation::MultiplyAdd, FloatType::F32, Sum, Base == "dp4a" ? 4 : 2);
    return true;
  }
  if (long Lanes = simdLanes(Base)) {
    addOperation(Operation::Integer, FloatType::F32, Sum, Lanes * (I.has("add") ? 2 : 1));
    return true;
  }
  std::optional<FloatType> Float;
  long Lanes = 1;
  for (StringRef Word : llvm::drop_begin(I.Words))
    if (auto T = typeOf(Word)) {
      Lanes = std::max(Lanes, T->Lanes);
      if (T->Float)
        Float = std::max(*T->Float, Float.value_or(*T->Float));
    }
  auto What = deviceOperation(I.Words, Float.has_value());
  if (!What)
    return false;
  addOperation(*What, Float.value_or(FloatType::F32), Sum, Lanes);
  if (Float)
    addSteps(I.Words, *Float, Sum, Lanes);
  return true;
}

/// The lanes in which the predicate of the shuffle \p I holds, if known.
/// PTX ISA, shfl.sync: the operand c holds the last lane (the first, for .up) and, from
/// bit 8 on, a mask that cuts the warp into groups.
static std::optional<std::pair<std::string, LaneRange>> shufflePredicate(const PtxInstruction &I,
                                                                         const CallBase &Site) {
  bool Up = I.has("up");
  if (I.Words[0] != "shfl" || (!Up && !I.has("down")) || I.Operands.size() < 4)
    return std::nullopt;
  StringRef Predicate = I.Operands[0].split('|').second.trim();
  auto Distance = literal(I.Operands[2], Site), Limits = literal(I.Operands[3], Site);
  if (Predicate.empty() || !Distance || !Limits || *Limits < 0)
    return std::nullopt;
  long Width = 32 - (*Limits >> 8 & 31), Limit = *Limits & 31;
  if ((Width & (Width - 1)) != 0)
    return std::nullopt;
  Limit %= Width;
  return std::pair(Predicate.str(), Up ? LaneRange{Width, Limit + *Distance, Width - 1}
                                       : LaneRange{Width, 0, Limit - *Distance});
}

PtxCounts ptxCounts(const CallBase &Site) {
  std::string Text =
      withoutComments(cast<llvm::InlineAsm>(Site.getCalledOperand())->getAsmString());
  SmallVector<StringRef, 16> Statements;
  StringRef(Text).split(Statements, ';');
  SmallVector<PtxInstruction, 16> Instructions;
  for (StringRef Statement : Statements)
    if (auto Found = parse(Statement))
      Instructions.push_back(std::move(*Found));
  PtxCounts Result;
  for (const PtxInstruction &Instruction : Instructions)
    if (llvm::is_contained({"bra", "brx", "call", "ret", "exit"}, Instruction.Words[0])) {
      Result.Open = Instruction.Words[0].str();
      return Result;
    }
  for (const PtxInstruction &Instruction : Instructions) {
    Tally Counted{};
    if (auto Found = shufflePredicate(Instruction, Site))
      Result.Lanes.insert_or_assign(Found->first, Found->second);
    if (!add(Instruction, Site, Counted)) {
      if (Result.Open.empty())
        Result.Open = Instruction.Opcode.str();
    } else if (!Counted.empty()) {
      (Instruction.Predicate.empty() ? Result.Always
                                     : Result.Predicated[Instruction.Predicate.str()]) += Counted;
    }
  }
  return Result;
}

} // namespace ergon
