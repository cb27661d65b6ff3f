//===- Ptxas.cpp - the assembler of CUDA's toolkit ------------------------===//

#include "passes/device/Ptxas.h"
#include "passes/ir/ObjectFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace ergon {

static constexpr unsigned LongestS = 60;

/// The toolkit's library of functions is linked into device code: TOOLKIT/nvvm/libdevice/….
static std::string findAssembler() {
  for (const std::string &Word : commandLineWords()) {
    const std::size_t At = Word.find("/nvvm/libdevice/");
    if (At == std::string::npos)
      continue;
    llvm::SmallString<128> Path(StringRef(Word).take_front(At));
    llvm::sys::path::append(Path, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(Path))
      return Path.str().str();
  }
  auto OnPath = llvm::sys::findProgramByName("ptxas");
  return OnPath ? *OnPath : "";
}

static std::string contentOf(StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return File ? (*File)->getBuffer().str() : "";
}

/// The number before \p Unit in \p Line; nothing where it is not there.
static std::optional<unsigned> numberBefore(StringRef Line, StringRef Unit) {
  const std::size_t At = Line.find(Unit);
  unsigned Result = 0;
  if (At == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(At).rtrim();
  Before = Before.take_back(Before.size() - (Before.find_last_not_of("0123456789") + 1));
  return Before.getAsInteger(10, Result) ? std::nullopt : std::optional(Result);
}

/// What `ptxas -v` says of each function.
static std::map<std::string, DeviceResources> resourcesOf(StringRef Messages) {
  std::map<std::string, DeviceResources> Result;
  std::string Of;
  SmallVector<StringRef, 32> Lines;
  Messages.split(Lines, '\n');
  for (StringRef Line : Lines) {
    StringRef Rest = Line.split("Compiling entry function '").second;
    if (Rest.empty())
      Rest = Line.split("Function properties for ").second;
    if (!Rest.empty()) {
      Of = Rest.take_until([](char C) { return C == '\''; }).trim().str();
      continue;
    }
    if (Of.empty())
      continue;
    DeviceResources &Found = Result[Of];
    auto Take = [&](StringRef Unit, unsigned &To) { To = numberBefore(Line, Unit).value_or(To); };
    Take(" registers", Found.Registers);
    Take(" bytes smem", Found.SharedBytes);
    Take(" bytes stack frame", Found.StackBytes);
    Take(" bytes spill stores", Found.SpillStoreBytes);
    Take(" bytes spill loads", Found.SpillLoadBytes);
    Take(" barriers", Found.Barriers);
  }
  return Result;
}

Assembled assemble(StringRef Text, StringRef Processor) {
  Assembled Result;
  const std::string Program = findAssembler();
  llvm::SmallString<128> Folder;
  if (Program.empty() || llvm::sys::fs::createUniqueDirectory("ergon", Folder))
    return Result;
  llvm::scope_exit Remove([&] { llvm::sys::fs::remove_directories(Folder); });
  auto PathOf = [&](StringRef Name) {
    llvm::SmallString<128> Path(Folder);
    llvm::sys::path::append(Path, Name);
    return Path.str().str();
  };
  const std::string Input = PathOf("code.ptx"), Output = PathOf("code.cubin"),
                    Messages = PathOf("messages");
  std::error_code Bad;
  {
    llvm::raw_fd_ostream To(Input, Bad);
    if (Bad)
      return Result;
    To << Text;
  }
  const std::string Architecture = ("-arch=" + Processor).str();
  SmallVector<StringRef, 8> Words{Program, "-v", Architecture, "--generate-line-info",
                                  Input,   "-o", Output};
  auto Run = [&] {
    return llvm::sys::ExecuteAndWait(Program, Words, std::nullopt,
                                     {StringRef(""), StringRef(Messages), StringRef(Messages)},
                                     LongestS);
  };
  int Status = Run();
  if (Status > 0) {        // refused, not stopped
    Words.push_back("-c"); // functions of other files are linked later
    Status = Run();
  }
  if (Status != 0)
    return Result;
  Result.Cubin = contentOf(Output);
  Result.Resources = resourcesOf(contentOf(Messages));
  return Result;
}

} // namespace ergon
