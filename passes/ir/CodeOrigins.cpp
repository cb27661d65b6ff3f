//===- CodeOrigins.cpp - where copied code comes from ---------------------===//

#include "passes/ir/CodeOrigins.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

static constexpr char Mark[] = "ergon.origin";

CodeOrigins::CodeOrigins(const llvm::Module &M, llvm::Module &Copy) {
  llvm::Type *Number = llvm::Type::getInt32Ty(M.getContext());
  const unsigned Kind = M.getContext().getMDKindID(Mark);
  for (llvm::Function &New : Copy) {
    const llvm::Function *Old = New.isDeclaration() ? nullptr : M.getFunction(New.getName());
    if (!Old)
      continue;
    for (auto [Was, Is] : llvm::zip_equal(llvm::instructions(*Old), llvm::instructions(New))) {
      auto *Value = llvm::ConstantInt::get(Number, Originals.size());
      Is.setMetadata(Kind, llvm::MDNode::get(M.getContext(), llvm::ConstantAsMetadata::get(Value)));
      Originals.push_back(&Was);
    }
  }
}

const Instruction *CodeOrigins::original(const Instruction &InCopy) const {
  const llvm::MDNode *Marked = InCopy.getMetadata(Mark);
  if (!Marked)
    return nullptr;
  return Originals[llvm::mdconst::extract<llvm::ConstantInt>(Marked->getOperand(0))
                       ->getZExtValue()];
}

/// The block that \p InCopy is, or is a part of. Nodes where values meet may have moved.
const BasicBlock *CodeOrigins::block(const BasicBlock &InCopy) const {
  for (const Instruction &I : InCopy)
    if (const Instruction *Was = isa<llvm::PHINode>(I) ? nullptr : original(I))
      return Was->getParent();
  return nullptr;
}

/// Adds the edges that control takes in the original as often as \p InCopy. False where there are
/// none.
bool CodeOrigins::addWay(const Edge &InCopy, Edges &Result, unsigned Depth) const {
  static constexpr unsigned MaxDepth = 4; // blocks in a row that only the copy has
  const auto [From, To] = InCopy;
  auto Add = [&](const Edge &Way) {
    if (!llvm::is_contained(Result, Way))
      Result.push_back(Way);
    return true;
  };
  if (From) {
    const Instruction &End = *From->getTerminator();
    if (const Instruction *Was = original(End)) {
      for (unsigned I = 0; I != End.getNumSuccessors(); ++I)
        if (End.getSuccessor(I) == To)
          return Add({Was->getParent(), Was->getSuccessor(I)});
      return false;
    }
    if (End.getNumSuccessors() != 1)
      return false;
  }
  const BasicBlock *Same = From ? From : To;
  if (const BasicBlock *Block = block(*Same))
    return Add({nullptr, Block});
  return Depth != MaxDepth && !llvm::pred_empty(Same) &&
         llvm::all_of(llvm::predecessors(Same), [&](const BasicBlock *Before) {
           return addWay({Before, Same}, Result, Depth + 1);
         });
}

std::optional<Edges> CodeOrigins::ways(const Edges &InCopy) const {
  Edges Result;
  for (const Edge &Way : InCopy)
    if (!addWay(Way, Result, 0))
      return std::nullopt;
  return Result;
}

std::optional<CodeOrigins::Place> CodeOrigins::placeOf(const Edges &InCopy) const {
  auto Ways = ways(InCopy);
  if (!Ways || Ways->empty())
    return std::nullopt;
  const llvm::Function *Where = Ways->front().second->getParent();
  if (llvm::any_of(*Ways, [&](const Edge &Way) { return Way.second->getParent() != Where; }))
    return std::nullopt;
  return Place{Where, std::move(*Ways)};
}

const CallBase *CodeOrigins::callOf(const CallBase &InCopy) const {
  return llvm::dyn_cast_or_null<CallBase>(original(InCopy));
}

std::optional<CodeOrigins::Counter> CodeOrigins::of(const Probe &InCopy) const {
  auto Numerator = ways(InCopy.Numerator), Denominator = ways(InCopy.Denominator);
  if (InCopy.empty() || !Numerator || !Denominator)
    return std::nullopt;
  Counter Result{.Where = nullptr, .What = InCopy};
  Result.What.Numerator = std::move(*Numerator);
  Result.What.Denominator = std::move(*Denominator);
  bool IsOne = true;
  auto Note = [&](const llvm::Function *F) {
    IsOne &= !Result.Where || Result.Where == F;
    Result.Where = F;
  };
  for (const Edges *Ways : {&Result.What.Numerator, &Result.What.Denominator})
    for (const Edge &Way : *Ways)
      Note(Way.second->getParent());
  if (InCopy.Value) {
    Result.What.Point = original(*InCopy.Point);
    auto *Source = dyn_cast<Instruction>(InCopy.Value);
    if (Source)
      Result.What.Value = original(*Source);
    if (auto *Start = llvm::cast_or_null<Instruction>(InCopy.Start)) {
      Result.What.Start = original(*Start);
      if (!Result.What.Start)
        return std::nullopt;
    }
    if (!Result.What.Point || !Result.What.Value)
      return std::nullopt;
    Note(Result.What.Point->getFunction());
    if (auto *Argument = dyn_cast<llvm::Argument>(InCopy.Value)) {
      if (Argument->getParent()->getName() != Result.Where->getName())
        return std::nullopt;
      Result.What.Value = Result.Where->getArg(Argument->getArgNo());
    } else if (Source) {
      Note(cast<Instruction>(Result.What.Value)->getFunction());
    } else if (!isa<llvm::ConstantInt>(InCopy.Value)) {
      return std::nullopt;
    }
  }
  return IsOne && Result.Where ? std::optional(Result) : std::nullopt;
}

} // namespace ergon
