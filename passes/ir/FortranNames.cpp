//===- FortranNames.cpp - names in Fortran source -------------------------===//

#include "passes/ir/FortranNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace ergon {

/// True where flang compiled \p M.
bool isFortran(const llvm::Module &M) {
  for (const llvm::DICompileUnit *CompileUnit : M.debug_compile_units())
    return llvm::dwarf::isFortran(
        llvm::dwarf::SourceLanguage(CompileUnit->getSourceLanguage().getUnversionedName()));
  const llvm::NamedMDNode *Made = M.getNamedMetadata("llvm.ident");
  if (!Made || Made->getNumOperands() == 0)
    return false;
  auto *Producer = dyn_cast<llvm::MDString>(Made->getOperand(0)->getOperand(0));
  return Producer && Producer->getString().contains("flang version");
}

/// The name of a procedure or variable, `grid::relax` for `_QMgridPrelax` and `relax` for `relax_`;
/// nothing for flang's own symbols.
static std::optional<std::string> fortranName(StringRef Symbol) {
  if (Symbol == "_QQmain")
    return "main program";
  if (!Symbol.consume_front("_Q")) {
    Symbol.consume_back("_");
    return Symbol.str();
  }
  // A capital letter gives the kind of the lower-case name after it: M and S for a module, F for
  // the procedure around, P, E, … for the entity itself.
  std::string Result;
  while (!Symbol.empty()) {
    StringRef Name = Symbol.drop_front().take_until(llvm::isUpper);
    if (!llvm::isUpper(Symbol.front()) || Symbol.front() == 'Q')
      return std::nullopt;
    Symbol = Symbol.drop_front(1 + Name.size());
    if (!Name.empty())
      Result += (Result.empty() ? "" : "::") + Name.str();
  }
  return Result;
}

llvm::Constant *fixedContent(const llvm::GlobalVariable &Global) {
  const bool IsFixed = Global.isConstant() && Global.hasInitializer() &&
                       (Global.hasDefinitiveInitializer() || Global.getName().starts_with("_QQcl"));
  return IsFixed ? const_cast<llvm::Constant *>(Global.getInitializer()) : nullptr;
}

std::string sourceName(StringRef Symbol, const llvm::Module &M) {
  return isFortran(M) ? fortranName(Symbol).value_or(Symbol.str()) : llvm::demangle(Symbol);
}

std::string sourceFile(const llvm::Module &M) {
  if (M.getSourceFileName() != "FIRModule")
    return M.getSourceFileName();
  for (const llvm::DICompileUnit *CompileUnit : M.debug_compile_units())
    return CompileUnit->getFilename().str();
  for (const llvm::Function &F : M)
    if (!F.isDeclaration() && !F.hasLocalLinkage())
      return "Fortran unit of " + sourceName(F.getName(), M);
  return M.getSourceFileName();
}

} // namespace ergon
