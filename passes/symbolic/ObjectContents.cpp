//===- ObjectContents.cpp - what arguments lead to ------------------------===//
//
// What a pointer argument's object holds when its function is called, so that the callee's cells
// have values, and what a function loads again behind such calls.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/FortranNames.h"
#include "passes/symbolic/CalleeWrites.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

namespace ergon {

/// The number at \p Offset of a constant: Fortran passes `100` this way.
static llvm::Constant *numberIn(llvm::Constant *Value, long Offset,
                                const llvm::DataLayout &Layout) {
  while (Value && Offset >= 0) {
    if (isa<llvm::ConstantInt, llvm::ConstantFP>(Value))
      return Offset == 0 ? Value : nullptr;
    unsigned Element = 0;
    if (auto *Struct = dyn_cast<llvm::StructType>(Value->getType())) {
      const llvm::StructLayout &Fields = *Layout.getStructLayout(Struct);
      if (Struct->getNumElements() == 0 || Offset >= long(Fields.getSizeInBytes()))
        return nullptr;
      Element = Fields.getElementContainingOffset(std::uint64_t(Offset));
      Offset -= long(Fields.getElementOffset(Element).getFixedValue());
    } else if (auto *Array = dyn_cast<llvm::ArrayType>(Value->getType())) {
      long Size = long(Layout.getTypeAllocSize(Array->getElementType()).getFixedValue());
      if (Size == 0 || Offset / Size >= long(Array->getNumElements()))
        return nullptr;
      Element = unsigned(Offset / Size);
      Offset %= Size;
    } else {
      return nullptr;
    }
    Value = Value->getAggregateElement(Element);
  }
  return nullptr;
}

/// Adds what a constant holds from \p Offset on: a number, or the first letters of a text, as
/// numbers of up to eight bytes.
static void addConstant(const llvm::GlobalVariable &Global, long Offset,
                        StoredValues::Contents &Result) {
  static constexpr long MaxBytes = 32;
  const llvm::DataLayout &Layout = Global.getDataLayout();
  llvm::Constant *Content = fixedContent(Global);
  auto *Text = dyn_cast<llvm::ConstantDataArray>(Content);
  if (!Text || !Text->isString()) {
    if (auto *Value = numberIn(Content, Offset, Layout))
      Result.Stored.push_back({0, Value->getType()->getScalarSizeInBits() / 8, Value});
    return;
  }
  const long Bytes = std::min(MaxBytes, long(Text->getNumElements()) - Offset);
  for (long Done = 0, Size = 8; Offset >= 0 && Done < Bytes; Done += Size) {
    while (Size > Bytes - Done)
      Size /= 2;
    auto *Type = llvm::IntegerType::get(Global.getContext(), unsigned(8 * Size));
    llvm::Constant *Value = llvm::ConstantFoldLoadFromConst(
        Content, Type, llvm::APInt(64, std::uint64_t(Offset + Done)), Layout);
    if (!isa_and_nonnull<llvm::ConstantInt>(Value))
      return;
    Result.Stored.push_back({Done, unsigned(Size), Value});
  }
}

/// Adds the text of a constant that was copied to \p To: Fortran passes texts in variables.
void StoredValues::addCopied(const AccessPath &To, const Instruction &Point, Contents &Result) {
  if (!isa<llvm::AllocaInst>(To.Base) || !Result.Stored.empty())
    return;
  for (const llvm::User *User : To.Base->users()) {
    auto *Copy = dyn_cast<llvm::MemTransferInst>(User);
    if (!Copy || Copy->getRawDest() != To.Base)
      continue;
    auto From = pathOf(*Copy->getRawSource());
    auto *Global = From ? dyn_cast<llvm::GlobalVariable>(From->Base) : nullptr;
    auto *Length = dyn_cast<llvm::ConstantInt>(Copy->getLength());
    if (!Global || !fixedContent(*Global) || From->Path.size() != 1 || To.Path != std::vector{0L} ||
        !Length)
      continue;
    std::vector<PointerTaker> Takers;
    const auto Place = llvm::MemoryLocation::getForDest(Copy);
    const Writers Candidates = writersBefore(
        Point, Place, [&](const Instruction &I) { return isTakenBy(I, *To.Base, Place, Takers); });
    if (Candidates.Entry || Candidates.TooMany || Candidates.Who.size() != 1 ||
        Candidates.Who.front() != Copy)
      continue;
    addConstant(*Global, From->Path.front(), Result);
    std::erase_if(Result.Stored, [&](const Contents::Item &Item) {
      return Length->getValue().ult(std::uint64_t(Item.Offset) + Item.Bytes);
    });
    for (Contents::Item &Item : Result.Stored)
      Item.After = Takers;
    return;
  }
}

/// The PHI node of what is in memory where \p Candidates are two stores of exactly these bytes: one
/// before a loop around \p Point, and one at the end of its iterations.
llvm::Value *StoredValues::storedEachTime(const Writers &Candidates, const AccessPath &Where,
                                          unsigned Bytes, const Instruction &Point) {
  if (Candidates.Entry || Candidates.TooMany || Candidates.Who.size() != 2)
    return nullptr;
  const std::array Stores{exactStore(*Candidates.Who[0], Where, Bytes),
                          exactStore(*Candidates.Who[1], Where, Bytes)};
  if (!Stores[0] || !Stores[1])
    return nullptr;
  for (unsigned I : {0, 1}) {
    const llvm::StoreInst &First = *Stores[I], &Next = *Stores[1 - I];
    const BasicBlock *Latch = Next.getParent();
    const llvm::Loop *L = Analyses.LI.getLoopFor(Latch);
    const BasicBlock *Before = L ? L->getLoopPredecessor() : nullptr;
    if (!Before || L->getLoopLatch() != Latch || !L->contains(&Point) || L->contains(&First) ||
        !Analyses.DT.dominates(&First, Before->getTerminator()) ||
        (Point.getParent() == Latch && !Point.comesBefore(&Next)))
      continue;
    for (llvm::PHINode &Phi : L->getHeader()->phis())
      if (Phi.getIncomingValueForBlock(Before) == First.getValueOperand() &&
          Phi.getIncomingValueForBlock(Latch) == Next.getValueOperand())
        return &Phi;
  }
  return nullptr;
}

/// What \p Candidates leave there, as one store or two do.
llvm::Value *StoredValues::lastStored(const Writers &Candidates, const AccessPath &Where,
                                      unsigned Bytes, const Instruction &Point) {
  llvm::Value *Sole = soleStore(Candidates, Where, Bytes, Point);
  return Sole ? Sole : storedEachTime(Candidates, Where, Bytes, Point);
}

StoredValues::Contents StoredValues::contentsOf(const llvm::Value &Pointer,
                                                const Instruction &Point) {
  Contents Result;
  auto To = pathOf(Pointer);
  if (!To)
    return Result;
  const llvm::DataLayout &Layout = Analyses.Layout;
  bool Direct = To->Path.size() == 1;
  if (auto *Global = dyn_cast<llvm::GlobalVariable>(To->Base);
      Global && Direct && fixedContent(*Global)) {
    addConstant(*Global, To->Path.back(), Result);
    return Result;
  }
  std::vector<llvm::StoreInst *> Stores;
  if (Direct)
    Stores = storesInto(*To->Base);
  for (llvm::StoreInst *Store : Stores) {
    auto Where = pathOf(*Store->getPointerOperand());
    unsigned Bytes =
        unsigned(Layout.getTypeStoreSize(Store->getValueOperand()->getType()).getKnownMinValue());
    long Offset = Where->Path.back() - To->Path.back();
    bool Known = llvm::any_of(Result.Stored, [&](const Contents::Item &Item) {
      return Item.Offset == Offset && Item.Bytes == Bytes;
    });
    if (Offset < 0 || Known)
      continue;
    std::vector<PointerTaker> Takers;
    const auto Place = llvm::MemoryLocation::get(Store);
    Writers Candidates = writersBefore(
        Point, Place, [&](const Instruction &I) { return isTakenBy(I, *To->Base, Place, Takers); });
    if (Candidates.entryOnly() && Takers.empty())
      continue;
    Result.Stored.push_back(
        {Offset, Bytes, lastStored(Candidates, *Where, Bytes, Point), std::move(Takers)});
  }
  if (Direct)
    addCopied(*To, Point, Result);
  std::ranges::sort(Result.Stored, {},
                    [](const Contents::Item &Item) { return std::pair(Item.Offset, Item.Bytes); });
  if (isa<llvm::AllocaInst>(To->Base))
    return Result;
  // All other integers and pointers are as on entry if only those stores may have written there.
  const auto Whole = llvm::MemoryLocation::getBeforeOrAfter(&Pointer);
  const llvm::Type &Integer = *llvm::Type::getInt32Ty(Analyses.F.getContext());
  auto Ignore = [&](const Instruction &I) {
    if (isTakenBy(I, *To->Base, Whole, Result.After))
      return true;
    auto *Site = dyn_cast<CallBase>(&I);
    const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
    if (Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
        isa<llvm::Argument>(To->Base) && !isLibraryFunction(*Callee, Analyses.TLI) &&
        llvm::isModSet(Aliases->getModRefInfo(Site, Whole))) {
      if (PointerTaker Taker{Callee->getName().str()}; !llvm::is_contained(Result.After, Taker))
        Result.After.push_back(std::move(Taker));
      return true;
    }
    auto *Store = dyn_cast<llvm::StoreInst>(&I);
    return Store && (llvm::is_contained(Stores, Store) ||
                     (storesOtherKind(I, Integer) && storesOtherKind(I, *Pointer.getType())));
  };
  if (writersBefore(Point, Whole, Ignore).entryOnly())
    Result.Entry = To;
  return Result;
}

/// True for a call in Fortran that may write what \p Base leads to through its arguments alone.
/// Those that may lead there are added to \p Takers.
bool StoredValues::isTakenBy(const Instruction &I, const llvm::Value &Base,
                             const llvm::MemoryLocation &Where, std::vector<PointerTaker> &Takers) {
  auto *Site = dyn_cast<CallBase>(&I);
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  if (!Callee || Callee->isIntrinsic() || !isFortran(*Callee->getParent()) ||
      isLibraryFunction(*Callee, Analyses.TLI) ||
      !llvm::isModSet(Aliases->getModRefInfo(Site, Where)))
    return false;
  PointerTaker Taker{Callee->getName().str()};
  for (const llvm::Use &Passed : Site->args()) {
    if (!Passed->getType()->isPointerTy())
      continue;
    const llvm::Value *Object = llvm::getUnderlyingObject(Passed.get(), 0);
    if (Object == &Base || !isa<llvm::Argument, llvm::AllocaInst, llvm::GlobalVariable>(Object))
      Taker.Arguments.push_back(Site->getArgOperandNo(&Passed));
  }
  if (Taker.Arguments.empty()) // a common block is written without
    return !isa<llvm::GlobalVariable>(Base);
  if (!llvm::is_contained(Takers, Taker))
    Takers.push_back(std::move(Taker));
  return true;
}

std::optional<StoredValues::Reloaded> StoredValues::reloadedBy(const llvm::LoadInst &Load) {
  if (!isFortran(*Load.getModule()) || !Load.isSimple() || !start())
    return std::nullopt;
  auto Where = pathOf(*Load.getPointerOperand());
  if (!Where || Where->Path.size() != 1)
    return std::nullopt;
  Reloaded Result;
  const auto Place = llvm::MemoryLocation::get(&Load);
  bool HasCalls = false;
  const Writers Candidates = writersBefore(Load, Place, [&](const Instruction &I) {
    if (storesOtherKind(I, *Load.getType()))
      return true;
    const bool IsTaken = isTakenBy(I, *Where->Base, Place, Result.After);
    HasCalls |= IsTaken;
    return IsTaken;
  });
  if (!HasCalls)
    return std::nullopt;
  const auto Bytes = unsigned(Analyses.Layout.getTypeStoreSize(Load.getType()));
  if (Candidates.entryOnly() && !isa<llvm::AllocaInst>(Where->Base))
    Result.Entry = Where;
  else
    Result.Stored = lastStored(Candidates, *Where, Bytes, Load);
  if (!Result.Entry && (!Result.Stored || Result.Stored->getType() != Load.getType()))
    return std::nullopt;
  return Result;
}

} // namespace ergon
