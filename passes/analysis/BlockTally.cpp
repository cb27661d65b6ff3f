//===- BlockTally.cpp - what code costs, line by line ---------------------===//

#include "passes/analysis/BlockTally.h"
#include "passes/ir/ObjectFile.h"
#include "passes/opcodes/OperationCosts.h"
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

void BlockTally::add(const llvm::Instruction &I, const OperationCosts &Costs) {
  Tally One;
  Costs.add(I, One);
  if (One.empty())
    return;
  All += One;
  const llvm::DILocation *At = nearestPosition(I);
  if (!At)
    return;
  const Line Where(At->getFile(), At->getLine());
  auto [Found, IsNew] = LineAt.try_emplace(Where, Lines.size());
  if (IsNew)
    Lines.push_back({Where, {}});
  Lines[Found->second].second += One;
}

/// The part of \p Into that a line has, in the order of files and lines.
static Counts &lineOf(Block &Into, llvm::StringRef File, unsigned Line, const llvm::Function &Of) {
  const llvm::DISubprogram *Program = Of.getSubprogram();
  const llvm::StringRef Named = Program && Program->getFilename() == File ? "" : File;
  auto Key = [](const LineCost &Each) {
    return std::pair<llvm::StringRef, unsigned>(Each.File, Each.Line);
  };
  auto At = std::ranges::lower_bound(Into.Lines, std::pair(Named, Line), {}, Key);
  if (At == Into.Lines.end() || At->Line != Line || At->File != Named)
    At = Into.Lines.insert(At, LineCost{Line, Named.str()});
  return At->PerRun;
}

void BlockTally::addTo(Block &Into, const llvm::Function &Of) const {
  auto Add = [](const Tally &From, Counts &To) {
    for (const auto &[Class, Amount] : From)
      To.add(Class, Expr(Amount));
  };
  Add(All, Into.PerRun);
  // In their order, since what comes first is put before nothing else.
  std::vector<const std::pair<Line, Tally> *> Sorted;
  for (const auto &Each : Lines)
    Sorted.push_back(&Each);
  auto FileOf = [](const auto *Each) {
    const llvm::DIFile *File = Each->first.first;
    return File ? File->getFilename() : llvm::StringRef();
  };
  std::ranges::sort(Sorted, {},
                    [&](const auto *Each) { return std::pair(FileOf(Each), Each->first.second); });
  for (const auto *Each : Sorted)
    Add(Each->second, lineOf(Into, FileOf(Each), Each->first.second, Of));
}

void addAt(const llvm::Instruction &At, const llvm::Function &Of, CostClass Class,
           const Expr &Amount, Block &Into) {
  Into.PerRun.add(Class, Amount);
  if (Amount.isZero())
    return;
  if (const llvm::DILocation *Where = nearestPosition(At))
    lineOf(Into, Where->getFilename(), Where->getLine(), Of).add(Class, Amount);
}

static void collectFiles(const Function &Of, const Loop &Region, std::set<std::string> &Into) {
  for (const Block &Each : Region.Blocks)
    for (const LineCost &One : Each.Lines)
      Into.insert(placeOf(One, Of).File);
  for (const Loop &Inner : Region.Loops)
    collectFiles(Of, Inner, Into);
}

/// The MD5 of \p Name, the file that this process compiles; empty where that is not known. The name
/// must stand on the command line: preprocessed code can give a module the name of any file.
static std::string mainChecksum(llvm::StringRef Name) {
  static constexpr std::uint64_t Most = std::uint64_t(32) << 20; // of more no text is shown
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

static std::string wholePath(const llvm::DIFile &Of) {
  llvm::SmallString<256> Result(Of.getFilename());
  llvm::sys::path::make_absolute(Of.getDirectory(), Result);
  return wholePath(Result);
}

std::vector<SourceFile> sourceFiles(const llvm::Module &M, const std::vector<Function> &Functions,
                                    llvm::StringRef Source) {
  std::set<std::string> Named;
  for (const Function &Each : Functions) {
    if (Each.At.isValid())
      Named.insert(Each.At.File);
    collectFiles(Each, Each.Body, Named);
  }
  // What a `#line` names has no checksum: a name that files with one and without share has none.
  std::map<std::string, std::string> Known;
  llvm::SmallPtrSet<const llvm::DIFile *, 16> Seen;
  bool AnySum = false;
  auto Add = [&](const llvm::DIFile *File) {
    if (!File || !Seen.insert(File).second || !Named.contains(File->getFilename().str()))
      return;
    const auto Sum = File->getChecksum();
    const std::string Md5 =
        Sum && Sum->Kind == llvm::DIFile::CSK_MD5 ? Sum->Value.str() : std::string();
    auto [At, New] = Known.emplace(File->getFilename().str(), Md5);
    if (!New && At->second != Md5)
      At->second.clear();
    AnySum |= !Md5.empty();
  };
  llvm::SmallPtrSet<const llvm::DILocation *, 16> SeenCalls;
  for (const llvm::Function &F : M) {
    if (const llvm::DISubprogram *Program = F.getSubprogram())
      Add(Program->getFile());
    const llvm::DIScope *Last = nullptr; // most often that of the next one too
    for (const llvm::Instruction &I : llvm::instructions(F)) {
      const llvm::DILocation *At = I.getDebugLoc().get();
      if (At && At->getScope() != Last)
        Add((Last = At->getScope())->getFile());
      if (At)
        for (At = At->getInlinedAt(); At && SeenCalls.insert(At).second; At = At->getInlinedAt())
          Add(At->getFile());
    }
  }
  for (const llvm::DICompileUnit *Each : M.debug_compile_units())
    Add(Each->getFile());
  // Before DWARF 5, which device code has not, and from flang there are no checksums at all.
  if (!AnySum)
    for (const llvm::DIFile *Each : Seen)
      if (auto At = Known.find(Each->getFilename().str());
          At != Known.end() && wholePath(*Each) == wholePath(Source))
        At->second = mainChecksum(Source);
  std::vector<SourceFile> Result;
  for (auto &[Path, Sum] : Known)
    if (!Sum.empty())
      Result.push_back({Path, Sum});
  return Result;
}

} // namespace ergon
