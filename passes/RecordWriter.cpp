//===- RecordWriter.cpp - the record file of a translation unit -----------===//

#include "passes/RecordWriter.h"
#include "formats/RecordFormat.h"
#include "passes/BlockTally.h"
#include "passes/FortranNames.h"
#include "passes/ObjectFile.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace ergon {

/// flang gives all its modules one name. Debug information has the file's; without
/// it the first symbol that the unit defines tells it apart from the program's others.
static std::string fortranSource(const llvm::Module &M) {
  for (const llvm::DICompileUnit *Each : M.debug_compile_units())
    return Each->getFilename().str();
  for (const llvm::Function &F : M)
    if (!F.isDeclaration() && !F.hasLocalLinkage())
      return "Fortran unit of " + sourceName(F.getName(), M);
  return M.getSourceFileName();
}

Unit unitOf(const llvm::Module &M) {
  Unit Result;
  Result.Source = M.getSourceFileName();
  if (Result.Source == "FIRModule")
    Result.Source = fortranSource(M);
  llvm::SmallString<128> Current;
  if (!llvm::sys::fs::current_path(Current))
    Result.Directory = Current.str().str();
  Result.Object = objectFile(Result.Source);
  Result.Target = M.getTargetTriple().str();
  Result.Compiler = "LLVM " LLVM_VERSION_STRING;
  return Result;
}

std::string writeRecordFile(const llvm::Module &M, const std::vector<Function> &Functions,
                            const std::string &Directory) {
  Unit Of = unitOf(M);
  Of.Files = sourceFiles(M, Functions);
  if (std::error_code Bad = llvm::sys::fs::create_directories(
          Directory, /*IgnoreExisting=*/true, llvm::sys::fs::perms::all_all)) // less the umask
    return Directory + ": " + Bad.message();
  llvm::SmallString<128> Path(Directory), Model;
  llvm::sys::path::append(Path, recordFileName(Of));
  int Descriptor = -1;
  llvm::SmallString<128> Temporary;
  if (std::error_code Bad =
          llvm::sys::fs::createUniqueFile(Path + ".%%%%%%%%.tmp", Descriptor, Temporary))
    return Path.str().str() + ": " + Bad.message();
  llvm::raw_fd_ostream Out(Descriptor, /*shouldClose=*/true);
  Out << writeRecord(Of, Functions);
  Out.close();
  std::error_code Bad = Out.error();
  Out.clear_error();
  if (!Bad)
    Bad = llvm::sys::fs::rename(Temporary, Path);
  if (!Bad)
    return "";
  llvm::sys::fs::remove(Temporary);
  return Path.str().str() + ": " + Bad.message();
}

} // namespace ergon
