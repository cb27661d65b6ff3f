//===- FunctionCopies.cpp - a module's functions, copied for analysis -----===//

#include "passes/ir/FunctionCopies.h"
#include "passes/ir/FortranNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace ergon {

namespace {
class Copier {
public:
  explicit Copier(const llvm::Module &From)
      : From(From),
        To(std::make_unique<llvm::Module>(From.getModuleIdentifier(), From.getContext())) {}

  /// With the bodies of the functions that \p IsWanted accepts.
  std::unique_ptr<llvm::Module> run(function_ref<bool(const llvm::Function &)> IsWanted);

private:
  const llvm::Module &From;
  std::unique_ptr<llvm::Module> To;
  /// Globals, functions, and constants made of them; blocks whose address is taken.
  llvm::ValueToValueMapTy Constants;
  /// Values of the function that is being copied.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Locals;
  llvm::DenseMap<llvm::DIAssignID *, llvm::DIAssignID *> AssignIds;
  bool HasAssignIds = false;

  void declareGlobals();
  void declareAliases();
  void copyBody(const llvm::Function &Old, llvm::Function &New);
  void mapOperands(Instruction &I);
  void mapRecords(Instruction &I);
  llvm::Value *mapped(llvm::Value *Old);
};
} // namespace

void Copier::declareGlobals() {
  for (const llvm::GlobalVariable &Old : From.globals()) {
    auto *New = new llvm::GlobalVariable(*To, Old.getValueType(), Old.isConstant(),
                                         Old.getLinkage(), nullptr, Old.getName(), nullptr,
                                         Old.getThreadLocalMode(), Old.getAddressSpace());
    New->copyAttributesFrom(&Old);
    New->copyMetadata(&Old, 0);
    Constants[&Old] = New;
  }
  for (const llvm::Function &Old : From) {
    llvm::Function *New = llvm::Function::Create(Old.getFunctionType(), Old.getLinkage(),
                                                 Old.getAddressSpace(), Old.getName(), To.get());
    New->copyAttributesFrom(&Old);
    New->copyMetadata(&Old, 0);
    Constants[&Old] = New;
  }
}

/// After the globals, which they lead to, and before their uses.
void Copier::declareAliases() {
  for (const llvm::GlobalAlias &Old : From.aliases())
    Constants[&Old] = llvm::GlobalAlias::create(Old.getValueType(), Old.getAddressSpace(),
                                                Old.getLinkage(), Old.getName(), To.get());
  for (const llvm::GlobalAlias &Old : From.aliases()) {
    auto *New = cast<llvm::GlobalAlias>(Constants.lookup(&Old));
    New->copyAttributesFrom(&Old);
    New->setAliasee(llvm::MapValue(Old.getAliasee(), Constants, llvm::RF_NoModuleLevelChanges));
  }
  for (const llvm::GlobalIFunc &Old : From.ifuncs())
    Constants[&Old] = llvm::GlobalIFunc::create(
        Old.getValueType(), Old.getAddressSpace(), Old.getLinkage(), Old.getName(),
        llvm::MapValue(Old.getResolver(), Constants, llvm::RF_NoModuleLevelChanges), To.get());
}

llvm::Value *Copier::mapped(llvm::Value *Old) {
  if (auto *Constant = dyn_cast<llvm::Constant>(Old))
    return isa<llvm::ConstantData>(Constant)
               ? Old
               : llvm::MapValue(Constant, Constants, llvm::RF_NoModuleLevelChanges);
  if (auto Found = Locals.find(Old); Found != Locals.end())
    return Found->second;
  auto *Wrapped = dyn_cast<llvm::MetadataAsValue>(Old);
  auto *Local = Wrapped ? dyn_cast<llvm::LocalAsMetadata>(Wrapped->getMetadata()) : nullptr;
  if (!Local)
    return Old; // inline assembly, other metadata
  return llvm::MetadataAsValue::get(Old->getContext(),
                                    llvm::ValueAsMetadata::get(mapped(Local->getValue())));
}

void Copier::mapOperands(Instruction &I) {
  for (llvm::Use &Operand : I.operands())
    if (llvm::Value *New = mapped(Operand.get()); New != Operand.get())
      Operand.set(New);
  if (auto *Phi = dyn_cast<llvm::PHINode>(&I))
    for (unsigned Way = 0; Way != Phi->getNumIncomingValues(); ++Way)
      Phi->setIncomingBlock(Way, cast<BasicBlock>(Locals.find(Phi->getIncomingBlock(Way))->second));
}

void Copier::mapRecords(Instruction &I) {
  for (llvm::DbgVariableRecord &Record : llvm::filterDbgVars(I.getDbgRecordRange())) {
    for (llvm::Value *Old : llvm::to_vector(Record.location_ops()))
      if (auto Found = Locals.find(Old); Found != Locals.end())
        Record.replaceVariableLocationOp(Old, Found->second);
    if (Record.isDbgAssign())
      if (auto Found = Locals.find(Record.getAddress()); Found != Locals.end())
        Record.setAddress(Found->second);
  }
  if (HasAssignIds) // passes find other instructions with the same identifier
    llvm::at::remapAssignID(AssignIds, I);
}

void Copier::copyBody(const llvm::Function &Old, llvm::Function &New) {
  Locals.clear();
  for (const llvm::Argument &Argument : Old.args()) {
    llvm::Argument *Mine = New.getArg(Argument.getArgNo());
    Mine->setName(Argument.getName());
    Locals[&Argument] = Mine;
  }
  if (Old.hasPersonalityFn())
    New.setPersonalityFn(llvm::MapValue(Old.getPersonalityFn(), Constants));
  for (const BasicBlock &OldBlock : Old) {
    auto *Block = BasicBlock::Create(New.getContext(), OldBlock.getName(), &New);
    Locals[&OldBlock] = Block;
    if (OldBlock.hasAddressTaken())
      Constants[&OldBlock] = Block;
    for (const Instruction &I : OldBlock) {
      Instruction *Copy = I.clone();
      if (I.hasName())
        Copy->setName(I.getName());
      Copy->insertInto(Block, Block->end());
      Copy->cloneDebugInfoFrom(&I);
      // Passes that copy instructions renumber their groups from a counter shared with the module's
      // own passes.
      if (const llvm::DILocation *Position = Copy->getDebugLoc())
        Copy->setDebugLoc(Position->getWithoutAtom());
      Locals[&I] = Copy;
    }
  }
  for (Instruction &I : llvm::instructions(New)) {
    mapOperands(I);
    mapRecords(I);
  }
}

std::unique_ptr<llvm::Module> Copier::run(function_ref<bool(const llvm::Function &)> IsWanted) {
  To->setSourceFileName(sourceFile(From));
  To->setDataLayout(From.getDataLayout());
  To->setTargetTriple(From.getTargetTriple());
  HasAssignIds = llvm::isAssignmentTrackingEnabled(From);
  declareGlobals();
  declareAliases();
  for (const llvm::GlobalVariable &Old : From.globals())
    if (Old.hasInitializer()) {
      // Tables are large, and only those of annotations are needed.
      const bool IsLookedAt = Old.getName() == "llvm.global.annotations";
      auto *Value = const_cast<llvm::Constant *>(Old.getInitializer());
      cast<llvm::GlobalVariable>(Constants.lookup(&Old))
          ->setInitializer(IsLookedAt ? llvm::MapValue(Value, Constants) : Value);
    }
  for (const llvm::Function &Old : From) {
    if (Old.isDeclaration())
      continue;
    auto &New = *cast<llvm::Function>(Constants.lookup(&Old));
    if (IsWanted(Old))
      copyBody(Old, New);
    else // a declaration has no other
      New.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  for (const llvm::NamedMDNode &Old : From.named_metadata()) {
    llvm::NamedMDNode *New = To->getOrInsertNamedMetadata(Old.getName());
    for (const llvm::MDNode *Node : Old.operands())
      New->addOperand(const_cast<llvm::MDNode *>(Node));
  }
  return std::move(To);
}

std::unique_ptr<llvm::Module> copyFunctions(const llvm::Module &M,
                                            function_ref<bool(const llvm::Function &)> IsWanted) {
  return Copier(M).run(IsWanted);
}

} // namespace ergon
