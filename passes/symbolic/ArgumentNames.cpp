//===- ArgumentNames.cpp - the names of parameters ------------------------===//

#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace ergon {

/// Whether \p Formal may be the parameter \p Own: the one at its place, where the function has as
/// many as in the source.
static bool isNameOf(const llvm::DILocalVariable &Own, const llvm::Argument &Formal) {
  const llvm::Function &F = *Formal.getParent();
  const llvm::DISubroutineType *Type = F.getSubprogram() ? F.getSubprogram()->getType() : nullptr;
  const auto Types = Type ? Type->getTypeArray() : nullptr; // the result first
  return !Types || Types.size() != F.arg_size() + 1 || Own.getArg() == Formal.getArgNo() + 1;
}

static bool isParameter(const llvm::DILocalVariable &Variable, const llvm::Function &Of) {
  return Variable.getArg() != 0 && Variable.getScope()->getSubprogram() == Of.getSubprogram();
}

/// The parameter variable of this function (not of an inlined one) that \p Record places in its
/// location, whole or in part.
static const llvm::DILocalVariable *ownParameter(const llvm::DbgVariableRecord &Record,
                                                 const llvm::Function &F) {
  const llvm::DILocalVariable *Variable = Record.getVariable();
  const llvm::DIExpression &Where = *Record.getExpression();
  if (!isParameter(*Variable, F) || Record.getDebugLoc().getInlinedAt() ||
      Record.getNumVariableLocationOps() != 1 ||
      Where.getNumElements() != (Where.isFragment() ? 3 : 0))
    return nullptr;
  return Variable;
}

/// The argument that \p V is or is extracted from, and the offset in bytes. Unoptimized code keeps
/// a `bool` as a byte.
static std::pair<const llvm::Argument *, long> argumentBehind(const llvm::Value *V,
                                                              bool IsFragment) {
  using namespace llvm::PatternMatch;
  const llvm::Value *Inner;
  const llvm::APInt *Shift;
  long Bytes = 0;
  if (match(V, m_ZExt(m_Value(Inner))) || (IsFragment && match(V, m_Trunc(m_Value(Inner)))))
    V = Inner;
  if (IsFragment && match(V, m_LShr(m_Value(Inner), m_APInt(Shift)))) {
    V = Inner;
    Bytes = long(Shift->getZExtValue() / 8);
  }
  return {dyn_cast<llvm::Argument>(V), Bytes};
}

/// The origin of \p Which where it holds the bytes of \p Variable from \p Offset on.
SourceNames::Origin SourceNames::originOf(const llvm::Argument &Which,
                                          const llvm::DILocalVariable &Variable, long Offset) {
  Origin Result{Variable.getName().str(), Variable.getType(), Offset};
  std::uint64_t Bytes = Which.getParent()->getDataLayout().getTypeStoreSize(Which.getType());
  if (auto Scalar = partAt(Variable.getType(), std::uint64_t(Result.Offset), Bytes))
    return {Result.Name + Scalar->Path, Scalar->Type};
  return Result;
}

/// A parameter whose address is taken is in memory: the value stored there is the argument.
void SourceNames::nameStored(const llvm::Value &Home, const llvm::DILocalVariable &Variable) {
  if (!isParameter(Variable, F))
    return;
  for (const llvm::User *User : Home.users())
    if (auto *Store = dyn_cast<llvm::StoreInst>(User); Store && Store->getPointerOperand() == &Home)
      if (auto *Argument = dyn_cast<llvm::Argument>(Store->getValueOperand()))
        Origins[Argument->getArgNo()] = originOf(*Argument, Variable, 0);
}

/// Names what the code does not use by the order of the variables in \p Declared: flang passes
/// those first, and lengths of texts behind them, but for functions that return a text.
void SourceNames::nameInOrder(ArrayRef<const llvm::DILocalVariable *> Declared) {
  for (std::size_t I = 0; I != Declared.size(); ++I)
    if (Declared[I] && !Origins[I].Name.empty() && Origins[I].Name != Declared[I]->getName())
      return;
  for (std::size_t I = 0; I != Declared.size(); ++I)
    if (Declared[I] && Origins[I].Name.empty())
      Origins[I] = {Declared[I]->getName().str(), Declared[I]->getType()};
}

void SourceNames::nameArguments() {
  Origins.resize(F.arg_size());
  if (const llvm::DISubprogram *Program = F.getSubprogram()) {
    // clang's list of parameters, where IR and source have the same number.
    std::vector<const llvm::DILocalVariable *> Retained;
    for (const llvm::DINode *Node : Program->getRetainedNodes())
      if (auto *Variable = dyn_cast<llvm::DILocalVariable>(Node);
          Variable && Variable->getArg() != 0) {
        Retained.resize(std::max<std::size_t>(Retained.size(), Variable->getArg()));
        Retained[Variable->getArg() - 1] = Variable;
      }
    if (Retained.size() == F.arg_size())
      for (std::size_t I = 0; I != Retained.size(); ++I)
        if (Retained[I])
          Origins[I] = {Retained[I]->getName().str(), Retained[I]->getType()};
  }
  llvm::SmallPtrSet<const llvm::Argument *, 8> Named;
  std::vector<const llvm::DILocalVariable *> Declared(F.arg_size());
  const bool IsOnDevice = isDevice(*F.getParent());
  for (const Instruction &I : llvm::instructions(F)) {
    if (IsOnDevice && isa<llvm::AllocaInst>(I))
      DeviceLocals.try_emplace(&I, DeviceLocals.size() + 1);
    for (const llvm::DbgVariableRecord &Record : llvm::filterDbgVars(I.getDbgRecordRange())) {
      const llvm::DILocalVariable *Variable = Record.getVariable();
      if (isParameter(*Variable, F) && Variable->getArg() <= F.arg_size() &&
          !Record.getDebugLoc().getInlinedAt())
        Declared[Variable->getArg() - 1] = Variable;
      if ((Record.isDbgDeclare() || Record.isDbgAssign()) &&
          isa_and_nonnull<llvm::AllocaInst>(Record.getAddress())) {
        Objects.try_emplace(Record.getAddress(), Variable);
        nameStored(*Record.getAddress(), *Variable);
      }
      const llvm::DILocalVariable *Own = ownParameter(Record, F);
      if (!Own || !Record.getVariableLocationOp(0))
        continue;
      auto Fragment = Record.getExpression()->getFragmentInfo();
      if (auto [Argument, Inside] =
              argumentBehind(Record.getVariableLocationOp(0), Fragment.has_value());
          Argument && isNameOf(*Own, *Argument) &&
          Named.insert(Argument).second) // code may give a parameter the value of another one
        Origins[Argument->getArgNo()] =
            originOf(*Argument, *Own, Fragment ? long(Fragment->OffsetInBits / 8) - Inside : 0);
    }
  }
  if (isFortran(*F.getParent()))
    nameInOrder(Declared);
  for (const llvm::Argument &Formal : F.args()) {
    std::string Name = Origins[Formal.getArgNo()].Name;
    if (Name.empty() && Formal.hasName() && !F.getSubprogram())
      Name = Formal.getName().str(); // hand-written IR
    Arguments.push_back(unique(Name.empty() ? "arg" + std::to_string(Formal.getArgNo()) : Name));
    if (Formal.getType()->isIntegerTy())
      Types[Arguments.back()] = {Formal.getType()->getIntegerBitWidth(), isSigned(Formal) == false};
  }
}

} // namespace ergon
