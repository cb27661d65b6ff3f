//===- RecordWriter.cpp - the record file of a translation unit -----------===//

#include "passes/plugin/RecordWriter.h"
#include "formats/json/FileName.h"
#include "formats/record/DraftFile.h"
#include "formats/record/RecordFormat.h"
#include "passes/analysis/BlockTally.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/ObjectFile.h"
#include "passes/ir/SourceTypes.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cstring>

namespace ergon {

static std::string currentFolder() {
  llvm::SmallString<128> Current;
  return llvm::sys::fs::current_path(Current) ? "" : textOfName(Current.str());
}

static Unit unitOf(const llvm::Module &M) {
  Unit Result;
  Result.Source = sourceFile(M);
  Result.Directory = currentFolder();
  Result.Object = textOfName(objectFile(Result.Source));
  Result.Source = textOfName(Result.Source);
  Result.Target = M.getTargetTriple().str();
  Result.Compiler = "LLVM " LLVM_VERSION_STRING;
  return Result;
}

static std::string writeTo(const std::string &Directory, const std::string &Name,
                           const Unit &Record, const std::vector<Function> &Functions) {
  if (std::error_code Bad = llvm::sys::fs::create_directories(
          Directory, /*IgnoreExisting=*/true, llvm::sys::fs::perms::all_all)) // less the umask
    return Directory + ": " + Bad.message();
  llvm::SmallString<128> Path(Directory);
  llvm::sys::path::append(Path, Name);
  if (const int Error = writeWholeFile(Path.str().str(), writeRecord(Record, Functions)))
    return Path.str().str() + ": " + std::strerror(Error);
  return "";
}

static void send(const BuildNote &Note) {
  if (auto Pipe = llvm::sys::Process::GetEnv(NotesVariable))
    sendNote(*Pipe, Note);
}

namespace {
/// This process, until it begins a record or ends.
class AtWork {
public:
  AtWork() {
    if (!llvm::sys::Process::GetEnv(NotesVariable))
      return;
    Note = {BuildNote::Event::Started,
            "compiler " + std::to_string(llvm::sys::Process::getProcessId()) + "." +
                std::to_string(llvm::sys::Process::GetRandomNumber()),
            currentFolder(),
            textOfName(sourceOnCommandLine()),
            {}};
    send(Note);
  }
  ~AtWork() { end(); }
  void end() {
    if (Note.What == BuildNote::Event::Started && !Note.Record.empty()) {
      Note.What = BuildNote::Event::Ended;
      send(Note);
    }
  }

private:
  BuildNote Note{};
};
} // namespace

static AtWork &atWork() {
  static AtWork Only;
  return Only;
}

void tellOfStart() { atWork(); }

void RecordInWork::tell(BuildNote::Event What, const std::string &Why) const {
  if (ToBuild)
    send({What, Name, Record.Directory, Record.Source, Why});
}

RecordInWork::RecordInWork(const llvm::Module &M, bool ToBuild)
    : Record(unitOf(M)), Name(recordFileName(Record)), ToBuild(ToBuild) {
  Record.Types = describedTypes(M); // while all functions are there
  tell(BuildNote::Event::Begun);
  atWork().end();
}

std::string RecordInWork::write(const llvm::Module &M, const std::vector<Function> &Functions,
                                const std::string &Checksum, const std::string &Directory) {
  Record.Checksum = Checksum;
  Record.Files = sourceFiles(M, Functions, nameOfText(Record.Source));
  const std::string Problem = writeTo(Directory, Name, Record, Functions);
  tell(Problem.empty() ? BuildNote::Event::Written : BuildNote::Event::Lost, Problem);
  return Problem;
}

} // namespace ergon
