//===- BlockTally.cpp - counts by source line -----------------------------===//

#include "passes/analysis/BlockTally.h"
#include "passes/ir/ObjectFile.h"
#include "passes/opcodes/OperationCounts.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

namespace ergon {

void BlockTally::add(const Instruction &I, const OperationCounts &Opcodes) {
  Tally T;
  Opcodes.add(I, T);
  if (T.empty())
    return;
  All += T;
  const llvm::DILocation *Position = nearestPosition(I);
  if (!Position)
    return;
  const Line Where(Position->getFile(), Position->getLine());
  auto [Found, IsNew] = LineAt.try_emplace(Where, Lines.size());
  if (IsNew)
    Lines.push_back({Where, {}});
  Lines[Found->second].second += T;
}

/// The counts of a line within \p Target, in the order of files and lines.
static Counts &lineOf(Block &Target, StringRef File, unsigned Line, const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  const StringRef Named = Program && Program->getFilename() == File ? "" : File;
  auto Key = [](const LineCost &Entry) {
    return std::pair<StringRef, unsigned>(Entry.File, Entry.Line);
  };
  auto Found = std::ranges::lower_bound(Target.Lines, std::pair(Named, Line), {}, Key);
  if (Found == Target.Lines.end() || Found->Line != Line || Found->File != Named)
    Found = Target.Lines.insert(Found, LineCost{Line, Named.str()});
  return Found->PerRun;
}

void BlockTally::addTo(Block &Target, const llvm::Function &F) const {
  auto Add = [](const Tally &From, Counts &To) {
    for (const auto &[Class, Amount] : From)
      To.add(Class, Expr(Amount));
  };
  Add(All, Target.PerRun);
  // In order, so that each is appended.
  std::vector<const std::pair<Line, Tally> *> Sorted;
  for (const auto &Entry : Lines)
    Sorted.push_back(&Entry);
  auto FileOf = [](const auto *Entry) {
    const llvm::DIFile *File = Entry->first.first;
    return File ? File->getFilename() : StringRef();
  };
  std::ranges::sort(
      Sorted, {}, [&](const auto *Entry) { return std::pair(FileOf(Entry), Entry->first.second); });
  for (const auto *Entry : Sorted)
    Add(Entry->second, lineOf(Target, FileOf(Entry), Entry->first.second, F));
}

void addAt(const Instruction &I, const llvm::Function &F, CostClass Class, const Expr &Amount,
           Block &Target) {
  Target.PerRun.add(Class, Amount);
  if (Amount.isZero())
    return;
  if (const llvm::DILocation *Where = nearestPosition(I))
    lineOf(Target, Where->getFilename(), Where->getLine(), F).add(Class, Amount);
}

static void collectFiles(const Function &Owner, const Loop &Region, std::set<std::string> &Files) {
  for (const Block &Code : Region.Blocks)
    for (const LineCost &Line : Code.Lines)
      Files.insert(placeOf(Line, Owner).File);
  for (const Loop &Inner : Region.Loops)
    collectFiles(Owner, Inner, Files);
}

/// The MD5 of \p Name, the file that this process compiles; empty where unknown. The name must be
/// on the command line: preprocessed code can name any file.
static std::string mainChecksum(StringRef Name) {
  static constexpr std::uint64_t Most = std::uint64_t(32) << 20; // larger files are not displayed
  llvm::sys::fs::file_status Found;
  if (!isOnCommandLine(Name) || llvm::sys::fs::status(Name, Found) ||
      !llvm::sys::fs::is_regular_file(Found) || Found.getSize() > Most)
    return "";
  auto Text = llvm::MemoryBuffer::getFile(Name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Text)
    return "";
  llvm::MD5 Sum;
  Sum.update((*Text)->getBuffer());
  llvm::MD5::MD5Result Digits;
  Sum.final(Digits);
  return Digits.digest().str().str();
}

static std::string wholePath(const llvm::DIFile &File) {
  llvm::SmallString<256> Result(File.getFilename());
  llvm::sys::path::make_absolute(File.getDirectory(), Result);
  return wholePath(Result);
}

std::vector<SourceFile> sourceFiles(const llvm::Module &M, const std::vector<Function> &Functions,
                                    StringRef Source) {
  std::set<std::string> Named;
  for (const Function &Definition : Functions) {
    if (Definition.Location.isValid())
      Named.insert(Definition.Location.File);
    collectFiles(Definition, Definition.Body, Named);
  }
  // A file named by `#line` has no checksum: a name with and without one has none.
  std::map<std::string, std::string> Known;
  llvm::SmallPtrSet<const llvm::DIFile *, 16> Seen;
  bool AnySum = false;
  auto Add = [&](const llvm::DIFile *File) {
    if (!File || !Seen.insert(File).second || !Named.contains(File->getFilename().str()))
      return;
    const auto Sum = File->getChecksum();
    const std::string Md5 =
        Sum && Sum->Kind == llvm::DIFile::CSK_MD5 ? Sum->Value.str() : std::string();
    auto [Found, New] = Known.emplace(File->getFilename().str(), Md5);
    if (!New && Found->second != Md5)
      Found->second.clear();
    AnySum |= !Md5.empty();
  };
  llvm::SmallPtrSet<const llvm::DILocation *, 16> SeenCalls;
  for (const llvm::Function &F : M) {
    if (const llvm::DISubprogram *Program = F.getSubprogram())
      Add(Program->getFile());
    const llvm::DIScope *Last = nullptr; // mostly the same as that of the next
    for (const Instruction &I : llvm::instructions(F)) {
      const llvm::DILocation *Position = I.getDebugLoc().get();
      if (Position && Position->getScope() != Last)
        Add((Last = Position->getScope())->getFile());
      if (Position)
        for (Position = Position->getInlinedAt(); Position && SeenCalls.insert(Position).second;
             Position = Position->getInlinedAt())
          Add(Position->getFile());
    }
  }
  for (const llvm::DICompileUnit *CompileUnit : M.debug_compile_units())
    Add(CompileUnit->getFile());
  // Without DWARF 5, as in device code, and from flang there are no checksums.
  if (!AnySum)
    for (const llvm::DIFile *File : Seen)
      if (auto Found = Known.find(File->getFilename().str());
          Found != Known.end() && wholePath(*File) == wholePath(Source))
        Found->second = mainChecksum(Source);
  std::vector<SourceFile> Result;
  for (auto &[Path, Sum] : Known)
    if (!Sum.empty())
      Result.push_back({Path, Sum});
  return Result;
}

} // namespace ergon
