//===- CodeWriter.cpp - a function's code as text -------------------------===//

#include "passes/code/CodeWriter.h"
#include "passes/code/AssemblyInCode.h"
#include "passes/code/CodeSlice.h"
#include "passes/code/CodeTypes.h"
#include "passes/code/EdgeCounters.h"
#include "passes/code/InitialValues.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/DirectCallee.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

namespace ergon {

/// Functions above this, before and after slicing, have no code in the record.
static constexpr unsigned MaxInstructions = 20'000, MaxWritten = 6'000;

namespace {
class CodeWriter {
public:
  CodeWriter(const llvm::Function &F, const SourceNames &Names)
      : F(F), Layout(F.getDataLayout()), Names(Names), Slice(F, Names), Out(Text) {}
  std::string write();

private:
  const llvm::Function &F;
  const llvm::DataLayout &Layout;
  const SourceNames &Names;
  CodeSlice Slice;
  std::string Text;
  llvm::raw_string_ostream Out;
  llvm::DenseMap<const llvm::Value *, unsigned> Registers;
  CodeBlocks Blocks;
  llvm::SetVector<const llvm::GlobalVariable *> Globals;
  EdgeCounters Counters;
  unsigned Lines = 0;
  unsigned Unnumbered = 0; ///< registers of no instruction's result

  std::string operand(const llvm::Value &What, bool IsLaunched = false);
  std::string block(const BasicBlock *Block, const BasicBlock *From = nullptr) const;
  std::string blockBefore(const BasicBlock &From, const BasicBlock &Block) const;
  void writeCounters(const Edge &Along);
  void number();
  const BasicBlock *successor(const BasicBlock &Block) const;
  void writeNotes(const Instruction &I, bool IsResult);
  void writeBlock(const BasicBlock &Block);
  void writeEnd(const BasicBlock &Block);
  void writeInstruction(const Instruction &I);
  bool writeArithmetic(const Instruction &I);
  void writeAddress(const llvm::GEPOperator &Address);
  void writeCall(const CallBase &Site);
  std::string address(const std::string &Object, std::uint64_t Offset);
  void writeCopy(const std::string &To, const std::string &From, llvm::Type &T);
  void writePart(const std::string &To, const llvm::Value &Part);
  void writeInsert(const llvm::InsertValueInst &Insert);
  void writeExtract(const llvm::ExtractValueInst &Extract);
  bool writeIntrinsic(const llvm::IntrinsicInst &Site);
  std::string nextRegister() { return "%" + std::to_string(Registers.size() + Unnumbered++); }
  std::string begin(const llvm::Value &Result) {
    return "%" + std::to_string(Registers.lookup(&Result)) + " = ";
  }
  void writeUnknown(const llvm::Value &Result) { Out << begin(Result) << "select i1 ? ? ?\n"; }
  void writeAliases();
  void writeGlobals();
};
} // namespace

/// \p IsLaunched: a stub stands for its kernel. Else it may be called through a pointer.
std::string CodeWriter::operand(const llvm::Value &What, bool IsLaunched) {
  if (auto Found = Registers.find(&What); Found != Registers.end())
    return "%" + std::to_string(Found->second);
  if (std::string Number = numberInCode(What); !Number.empty())
    return Number;
  // A pointer to a member function is an integer.
  if (auto *Cast = dyn_cast<llvm::PtrToIntOperator>(&What); Cast && widthInCode(What) == 64)
    return operand(*Cast->getPointerOperand());
  auto *Constant = dyn_cast<llvm::Constant>(&What);
  if (!Constant || !What.getType()->isPointerTy())
    return "?";
  llvm::APInt Offset(Layout.getIndexTypeSizeInBits(What.getType()), 0);
  const llvm::Value *Base =
      Constant->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
  if (auto *Alias = dyn_cast<llvm::GlobalAlias>(Base); // one that another may replace
      Alias && isa<llvm::Function>(Alias->getAliaseeObject()))
    return "&" + nameInCode(*Alias);
  if (auto *Callee = dyn_cast<llvm::Function>(Base)) {
    if (const std::string Kernel = kernelOfStub(Callee->getName());
        IsLaunched && isKernelStub(Callee->getName()) && !Kernel.empty())
      return "&" + wordInCode(Kernel);
    if (Callee->hasExternalWeakLinkage())
      return "?"; // there may be none
    return "&" + nameInCode(*Callee);
  }
  if (auto *Global = dyn_cast<llvm::GlobalVariable>(Base)) {
    Globals.insert(Global);
    return "@" + nameInCode(*Global) +
           (Offset.isZero() ? "" : "+" + std::to_string(Offset.getSExtValue()));
  }
  return "?";
}

/// The block, or that of the edge to it.
std::string CodeWriter::block(const BasicBlock *Block, const BasicBlock *From) const {
  if (auto Own = From ? Counters.blockOf({From, Block}) : std::nullopt)
    return std::to_string(*Own);
  return Block ? std::to_string(Blocks.lookup(Block)) : "-";
}

/// Where control comes from along an edge.
std::string CodeWriter::blockBefore(const BasicBlock &From, const BasicBlock &Block) const {
  return Counters.blockOf({&From, &Block}) ? block(&Block, &From) : block(&From);
}

void CodeWriter::writeCounters(const Edge &Along) {
  for (const EdgeCounters::Counted &Each : Counters.at(Along))
    Out << "count " << wordInCode(Each.Symbol) << ' ' << Each.Numerator << ' ' << Each.Denominator
        << '\n';
}

/// Where control goes, if a branch in \p Block decides nothing.
const BasicBlock *CodeWriter::successor(const BasicBlock &Block) const {
  const auto Next = Slice.ways().next(Block);
  return Next.size() == 1 ? Next[0] : Slice.ways().after(Block);
}

void CodeWriter::number() {
  for (const llvm::Argument &Argument : F.args())
    Registers.try_emplace(&Argument, unsigned(Registers.size()));
  SmallVector<const BasicBlock *, 16> Open{&F.getEntryBlock()};
  Blocks.insert({&F.getEntryBlock(), 0});
  while (!Open.empty()) {
    const BasicBlock *Block = Open.pop_back_val();
    SmallVector<const BasicBlock *, 2> Next = Slice.ways().next(*Block);
    if (Next.size() > 1 && !Slice.has(*Block->getTerminator()))
      Next = {successor(*Block)};
    for (const BasicBlock *To : Next)
      if (To && Blocks.insert({To, unsigned(Blocks.size())}).second)
        Open.push_back(To);
    for (const Instruction &I : *Block)
      if (Slice.has(I) && !I.getType()->isVoidTy())
        Registers.try_emplace(&I, unsigned(Registers.size()));
  }
}

bool CodeWriter::writeArithmetic(const Instruction &I) {
  const StringRef Operation = operationInCode(I.getOpcode());
  if (Operation.empty())
    return false;
  Out << begin(I) << Operation << ' ';
  auto TypeName = [&](const llvm::Type &T) { return T.isPointerTy() ? "i64" : typeInCode(T); };
  Out << TypeName(*I.getOperand(0)->getType());
  if (isa<llvm::CastInst>(I))
    Out << ' ' << TypeName(*I.getType());
  for (const llvm::Use &Operand : I.operands())
    Out << ' ' << operand(*Operand);
  Out << '\n';
  return true;
}

void CodeWriter::writeAddress(const llvm::GEPOperator &Address) {
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> Scales;
  llvm::APInt Constant(64, 0);
  if (!Address.collectOffset(Layout, 64, Scales, Constant))
    return writeUnknown(Address);
  std::string Indexes;
  for (auto &[Index, Scale] : Scales) {
    const unsigned Bits = Index->getType()->getScalarSizeInBits();
    if (Bits != 64) // indexes are sign-extended
      return writeUnknown(Address);
    Indexes += " " + operand(*Index) + " " + std::to_string(Scale.getSExtValue());
  }
  Out << begin(Address) << "address " << operand(*Address.getPointerOperand()) << ' '
      << Constant.getSExtValue() << Indexes << '\n';
}

/// Writes what the interpreter has under another name, or not at all.
bool CodeWriter::writeIntrinsic(const llvm::IntrinsicInst &Site) {
  if (writesInCode(Site)) {
    Out << "call void &" << intrinsicInCode(Site);
    for (unsigned I : {0U, 1U, 2U})
      Out << ' ' << operand(*Site.getArgOperand(I));
    Out << '\n';
    return true;
  }
  if (Site.getType()->isVoidTy())
    return true;
  if (Site.getIntrinsicID() == llvm::Intrinsic::expect) {
    Out << begin(Site) << "or " << typeInCode(*Site.getType()) << ' '
        << operand(*Site.getArgOperand(0)) << " 0\n";
    return true;
  }
  if (Site.getType()->isStructTy() || typeInCode(*Site.getType()).empty()) {
    writeUnknown(Site);
    return true;
  }
  Out << begin(Site) << "call " << typeInCode(*Site.getType()) << " &" << intrinsicInCode(Site);
  for (const llvm::Use &Argument : Site.args())
    Out << ' ' << operand(*Argument);
  if (isa<llvm::CmpIntrinsic>(Site)) // whose result has another width
    Out << ' ' << widthInCode(*Site.getArgOperand(0));
  Out << '\n';
  return true;
}

void CodeWriter::writeCall(const CallBase &Site) {
  if (auto *Intrinsic = dyn_cast<llvm::IntrinsicInst>(&Site);
      Intrinsic && writeIntrinsic(*Intrinsic))
    return;
  const bool IsVoid = Site.getType()->isVoidTy();
  if (Site.isInlineAsm())
    if (const auto Lines = assemblyInCode(Site, "%" + std::to_string(Registers.lookup(&Site)),
                                          [&](const llvm::Value &What) { return operand(What); })) {
      Out << *Lines;
      return;
    }
  std::string Type = typeInCode(*Site.getType());
  if (Type.empty()) // a structure, or a vector
    Type = "i64";
  if (const std::string Symbol = Names.callSymbol(Site); !Symbol.empty())
    Out << "called " << wordInCode(Symbol) << ' ' << operand(*Site.getCalledOperand()) << '\n';
  if (!IsVoid)
    Out << begin(Site);
  // A stub is called as the function that it is here.
  auto *Callee = dyn_cast<llvm::Function>(Site.getCalledOperand()->stripPointerCasts());
  Out << "call " << Type << ' '
      << (Callee          ? "&" + nameInCode(*Callee)
          : isWiden(Site) ? "&_ZNKSt5ctypeIcE8do_widenEc"
                          : operand(*Site.getCalledOperand()));
  const bool IsLaunch = isLaunchFunction(directCallee(Site));
  for (const llvm::Use &Argument : Site.args())
    Out << ' ' << (Argument->getType()->isMetadataTy() ? "?" : operand(*Argument, IsLaunch));
  Out << '\n';
  if (!IsVoid && typeInCode(*Site.getType()).empty())
    writeUnknown(Site);
}

/// A register with the address of the byte at \p Offset of \p Object.
std::string CodeWriter::address(const std::string &Object, std::uint64_t Offset) {
  const std::string Result = nextRegister();
  Out << Result << " = address " << Object << ' ' << Offset << '\n';
  return Result;
}

void CodeWriter::writeCopy(const std::string &To, const std::string &From, llvm::Type &T) {
  Out << "call void &memmove " << To << ' ' << From << ' '
      << Layout.getTypeStoreSize(&T).getFixedValue() << '\n';
}

/// Stores \p Part, a structure or one of its parts, at \p To.
void CodeWriter::writePart(const std::string &To, const llvm::Value &Part) {
  llvm::Type &T = *Part.getType();
  auto *Constant = dyn_cast<llvm::Constant>(&Part);
  if (isa<llvm::UndefValue>(Part))
    return;
  if (!isHeld(T)) {
    Out << (typeInCode(T).empty() ? "forget "
                                  : "store " + typeInCode(T) + ' ' + operand(Part) + ' ')
        << To << '\n';
  } else if (!Constant) {
    writeCopy(To, operand(Part), T);
  } else {
    for (unsigned I = 0; const llvm::Constant *Element = Constant->getAggregateElement(I); ++I)
      writePart(address(To, offsetOf(T, I, Layout)), *Element);
  }
}

void CodeWriter::writeInsert(const llvm::InsertValueInst &Insert) {
  const std::string Result = "%" + std::to_string(Registers.lookup(&Insert));
  Out << Result << " = local\n";
  writePart(Result, *Insert.getAggregateOperand());
  writePart(address(Result, offsetOf(*Insert.getType(), Insert.getIndices(), Layout)),
            *Insert.getInsertedValueOperand());
}

void CodeWriter::writeExtract(const llvm::ExtractValueInst &Extract) {
  const llvm::Value &From = *Extract.getAggregateOperand();
  if (auto *Checked = dyn_cast<llvm::WithOverflowInst>(&From)) {
    Out << begin(Extract)
        << checkedInCode(*Checked, Extract.getIndices()[0] == 1,
                         [&](const llvm::Value &What) { return operand(What); });
    return;
  }
  const std::string T = typeInCode(*Extract.getType());
  if (isa<llvm::Constant>(From) || !isHeld(*From.getType()) || T.empty())
    return writeUnknown(Extract);
  const std::string Part =
      address(operand(From), offsetOf(*From.getType(), Extract.getIndices(), Layout));
  if (isHeld(*Extract.getType()))
    Out << begin(Extract) << "address " << Part << " 0\n";
  else
    Out << begin(Extract) << "load " << T << ' ' << Part << '\n';
}

void CodeWriter::writeInstruction(const Instruction &I) {
  ++Lines;
  const std::string T = typeInCode(*I.getType());
  if (auto *Site = dyn_cast<CallBase>(&I))
    return writeCall(*Site);
  if (auto *Store = dyn_cast<llvm::StoreInst>(&I)) {
    const std::string Held = typeInCode(*Store->getValueOperand()->getType());
    if (isHeld(*Store->getValueOperand()->getType()) && !Store->isVolatile())
      writePart(operand(*Store->getPointerOperand()), *Store->getValueOperand());
    else if (Held.empty())
      Out << "forget " << operand(*Store->getPointerOperand()) << '\n';
    else
      Out << "store " << Held << ' '
          << (Store->isVolatile() ? "?" : operand(*Store->getValueOperand())) << ' '
          << operand(*Store->getPointerOperand()) << '\n';
    return;
  }
  if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I)) {
    Out << begin(I) << atomicInCode(I, [&](const llvm::Value &What) { return operand(What); });
    return;
  }
  if (auto *Insert = dyn_cast<llvm::InsertValueInst>(&I))
    return writeInsert(*Insert);
  if (auto *Extract = dyn_cast<llvm::ExtractValueInst>(&I))
    return writeExtract(*Extract);
  if (isa<llvm::AllocaInst>(I)) {
    Out << begin(I) << "local\n";
    return;
  }
  if (I.getType()->isVoidTy())
    return;
  if (T.empty())
    return writeUnknown(I);
  if (auto *Load = dyn_cast<llvm::LoadInst>(&I)) {
    if (Load->isVolatile())
      return writeUnknown(I);
    if (isHeld(*I.getType())) {
      const std::string Result = "%" + std::to_string(Registers.lookup(&I));
      Out << Result << " = local\n";
      return writeCopy(Result, operand(*Load->getPointerOperand()), *I.getType());
    }
    Out << begin(I) << "load " << T << ' ' << operand(*Load->getPointerOperand()) << '\n';
  } else if (auto *Address = dyn_cast<llvm::GEPOperator>(&I)) {
    writeAddress(*Address);
  } else if (auto *Compare = dyn_cast<llvm::CmpInst>(&I)) {
    const llvm::Type &Of = *Compare->getOperand(0)->getType();
    if (typeInCode(Of).empty())
      return writeUnknown(I);
    Out << begin(I) << (isa<llvm::ICmpInst>(I) ? "icmp." : "fcmp.")
        << llvm::CmpInst::getPredicateName(Compare->getPredicate()) << ' ' << typeInCode(Of) << ' '
        << operand(*I.getOperand(0)) << ' ' << operand(*I.getOperand(1)) << '\n';
  } else if (isa<llvm::SelectInst>(I)) {
    Out << begin(I) << "select " << T << ' ' << operand(*I.getOperand(0)) << ' '
        << operand(*I.getOperand(1)) << ' ' << operand(*I.getOperand(2)) << '\n';
  } else if (isa<llvm::FreezeInst>(I)) {
    Out << begin(I) << "select " << T << " 1 " << operand(*I.getOperand(0)) << " 0\n";
  } else if (I.getOpcode() == Instruction::FNeg) {
    Out << begin(I) << "sub " << T << " f:8000000000000000 " << operand(*I.getOperand(0)) << '\n';
  } else if (typeInCode(*I.getOperand(0)->getType()).empty() || !writeArithmetic(I)) {
    writeUnknown(I);
  }
}

void CodeWriter::writeEnd(const BasicBlock &Block) {
  const Instruction &End = *Block.getTerminator();
  const auto Next = Slice.ways().next(Block);
  if (isa<llvm::ReturnInst>(End)) {
    Out << "return";
    if (Slice.has(End) && End.getNumOperands() == 1)
      Out << ' ' << operand(*End.getOperand(0));
    Out << '\n';
  } else if (Next.empty()) {
    Out << "stop\n";
  } else if (Next.size() == 1 || !Slice.has(End)) {
    const BasicBlock *To = successor(Block);
    Out << (To ? "jump " + block(To, &Block) : "return") << '\n';
  } else if (auto *Branch = dyn_cast<llvm::BranchInst>(&End)) {
    Out << "branch " << operand(*Branch->getCondition()) << ' '
        << block(Branch->getSuccessor(0), &Block) << ' ' << block(Branch->getSuccessor(1), &Block)
        << ' ' << block(Slice.ways().after(Block)) << '\n';
  } else if (auto *Switch = dyn_cast<llvm::SwitchInst>(&End)) {
    // A way that ends the program is not taken.
    auto Goal = [&](const BasicBlock *To) { return llvm::is_contained(Next, To) ? To : Next[0]; };
    Out << "switch " << typeInCode(*Switch->getCondition()->getType()) << ' '
        << operand(*Switch->getCondition()) << ' ' << block(Slice.ways().after(Block)) << ' '
        << block(Goal(Switch->getDefaultDest()), &Block);
    for (auto &Case : Switch->cases())
      Out << ' ' << operand(*Case.getCaseValue()) << ' '
          << block(Goal(Case.getCaseSuccessor()), &Block);
    Out << '\n';
  } else {
    Out << "stop\n";
  }
}

/// Of symbols that \p I decides the time of: those of its own result after it, others before it.
void CodeWriter::writeNotes(const Instruction &I, bool IsResult) {
  for (const NotedValue &Note : Slice.noted()) {
    if (Note.Before != &I || (Note.Value == &I || Note.Start == &I) != IsResult)
      continue;
    std::string Value = operand(*Note.Value);
    if (Note.Start) {
      const std::string Bytes = nextRegister();
      Out << Bytes << " = sub i64 " << Value << ' ' << operand(*Note.Start) << '\n';
      Value = nextRegister();
      Out << Value << " = sdiv i64 " << Bytes << ' ' << Note.ElementBytes << '\n';
    }
    Out << "note " << wordInCode(Note.Symbol) << ' ' << Value << ' ' << Note.Low << ' '
        << std::min(Note.Bits, widthInCode(*Note.Value)) << '\n';
  }
}

void CodeWriter::writeBlock(const BasicBlock &Block) {
  Out << "block\n";
  for (const llvm::PHINode &Phi : Block.phis()) {
    if (!Slice.has(Phi))
      continue;
    ++Lines;
    const std::string T = typeInCode(*Phi.getType());
    Out << begin(Phi) << "phi " << (T.empty() ? "i64" : T);
    for (const auto &[Value, From] : llvm::zip(Phi.incoming_values(), Phi.blocks()))
      if (Blocks.contains(From))
        Out << ' ' << (T.empty() ? "?" : operand(*Value)) << ' ' << blockBefore(*From, Block);
    Out << '\n';
  }
  writeCounters({nullptr, &Block});
  for (const Instruction &I : Block) {
    writeNotes(I, /*IsResult=*/false);
    // An invoke is a call that ends its block.
    if (Slice.has(I) && !isa<llvm::PHINode>(I) && (!I.isTerminator() || isa<llvm::InvokeInst>(I)))
      writeInstruction(I);
    writeNotes(I, /*IsResult=*/true);
  }
  writeEnd(Block);
}

/// Of those that the code names, and of those that their initial values lead to.
void CodeWriter::writeGlobals() {
  for (std::size_t I = 0; I != Globals.size(); ++I) // which grows
    Out << "global " << nameInCode(*Globals[I]) << ' '
        << initialValue(
               *Globals[I], [&](const llvm::Value &What) { return operand(What); }, typeInCode)
        << '\n';
}

/// Constructors have two names. A kernel's address is called as its stub.
void CodeWriter::writeAliases() {
  for (const llvm::GlobalAlias &Other : F.getParent()->aliases())
    if (Other.getAliaseeObject() == &F)
      Out << "alias " << nameInCode(Other) << '\n';
  if (isKernelStub(F.getName()))
    Out << "alias " << wordInCode(kernelOfStub(F.getName())) << '\n';
}

std::string CodeWriter::write() {
  number();
  Counters.place(Slice, Blocks);
  Out << "function " << nameInCode(F) << ' ' << F.arg_size();
  for (const llvm::Argument &Parameter : F.args())
    if (Parameter.hasNoAliasAttr())
      Out << ' ' << Parameter.getArgNo();
  Out << '\n';
  writeAliases();
  for (const auto &[Block, Number] : Blocks) {
    writeBlock(*Block);
    if (Lines > MaxWritten)
      return "";
  }
  for (const auto &[Along, Number] : Counters.blocks()) {
    Out << "block\n";
    writeCounters(Along);
    Out << "jump " << block(Along.second) << '\n';
  }
  for (const llvm::Function *Callee : Slice.skipped())
    Out << "skips " << nameInCode(*Callee) << '\n';
  writeGlobals();
  return Text;
}

std::string codeOf(const llvm::Function &F, const SourceNames &Names) {
  if (F.getInstructionCount() > MaxInstructions)
    return "";
  return CodeWriter(F, Names).write();
}

} // namespace ergon
