//===- ObjectCache.cpp - records of compilations by ccache ----------------===//

#include "tools/record/ObjectCache.h"
#include "formats/json/FileName.h"
#include "formats/record/DraftFile.h"
#include "formats/record/RecordFormat.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

/// Records that no build has asked for so long are dropped.
static constexpr std::chrono::hours KeptFor{24 * 30};

static std::string environment(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

std::expected<ObjectCache, Error> ObjectCache::open(const std::string &Plugin,
                                                    const std::string &Settings) {
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return std::unexpected(Folder.error());
  const fs::path P = Folder->path();
  // Without them, objects of other settings would be taken for this build's.
  if (const int Failed = writeWholeFile(P / "settings", Settings))
    return std::unexpected(Error{std::string("cannot be written: ") + std::strerror(Failed), "",
                                 "set TMPDIR to a folder with room", P / "settings"});
  std::string Extra = environment("CCACHE_EXTRAFILES");
  Extra += (Extra.empty() ? "" : ":") + Plugin + ":" + (P / "settings").native();
  setenv("CCACHE_EXTRAFILES", Extra.c_str(), 1);
  const std::string OwnLog = environment("CCACHE_LOGFILE");
  setenv("CCACHE_LOGFILE", (P / "log").c_str(), 1);
  setenv("CCACHE_CPP2", "1", 1); // the plugin shall see the source file, not its preprocessed text
  unsetenv("CCACHE_NOCPP2");
  setenv("SCCACHE_RECACHE", "1", 1); // sccache does not report its hits: it recompiles all
  return ObjectCache(std::move(*Folder), OwnLog);
}

namespace {
/// A source file and what is made of it: names of what there is on the disk.
using Made = std::pair<fs::path, fs::path>;

/// The records that belong to one cache's results, a folder for each, by its key.
class Store {
public:
  explicit Store(const std::string &CacheDirectory) : Folder(fs::path(CacheDirectory) / "ergon") {}
  bool keep(const std::string &Key, const std::vector<fs::path> &Records) const;
  /// False where it has none or they are damaged.
  bool restore(const CachedCompilation &Compilation, const fs::path &Directory) const;
  void dropOld() const;

private:
  fs::path Folder;
};
} // namespace

static fs::path onDisk(const fs::path &Directory, const fs::path &Name) {
  std::error_code Failed;
  const fs::path Absolute = Directory / Name;
  fs::path Result = fs::weakly_canonical(Absolute, Failed);
  return Failed ? Absolute.lexically_normal() : Result;
}

static Made madeBy(const CachedCompilation &Compilation) {
  return {onDisk(Compilation.Directory, Compilation.Source),
          onDisk(Compilation.Directory, Compilation.Object)};
}

bool Store::keep(const std::string &Key, const std::vector<fs::path> &Records) const {
  std::error_code Failed;
  std::string Temporary = Folder / "new-XXXXXX";
  fs::create_directories(Folder, Failed);
  if (Failed || !mkdtemp(Temporary.data()))
    return false;
  for (const fs::path &Record : Records)
    if (!Failed)
      fs::copy_file(Record, Temporary / Record.filename(), Failed);
  const fs::path Kept = Folder / Key;
  std::error_code Ignored;
  if (!Failed) {
    fs::remove_all(Kept, Ignored); // CCACHE_RECACHE: the same again
    fs::rename(Temporary, Kept, Failed);
  }
  fs::remove_all(Temporary, Ignored);
  return !Failed || fs::is_directory(Kept, Ignored); // or another build was first
}

bool Store::restore(const CachedCompilation &Compilation, const fs::path &Directory) const {
  std::error_code Failed;
  const fs::path Kept = Folder / Compilation.Key;
  for (const fs::directory_entry &DE : fs::directory_iterator(Kept, Failed)) {
    auto Text = readTextFile(DE.path());
    auto Record =
        Text ? RecordFile::open(std::move(*Text), DE.path()) : std::unexpected(Text.error());
    if (!Record)
      return false;
    // The same text in another folder, or for another object file, has the same key.
    Unit To = Record->unit();
    if (onDisk(nameOfText(To.Directory), "") != onDisk(Compilation.Directory, ""))
      To.Directory = textOfName(Compilation.Directory);
    if (onDisk(nameOfText(To.Directory), nameOfText(To.Object)) !=
        onDisk(Compilation.Directory, Compilation.Object))
      To.Object = textOfName(Compilation.Object);
    if (writeWholeFile(Directory / recordFileName(To), movedRecord(*Record, To)) != 0)
      return false;
  }
  if (!Failed)
    fs::last_write_time(Kept, fs::file_time_type::clock::now(), Failed);
  return !Failed;
}

void Store::dropOld() const {
  std::error_code Failed;
  for (fs::directory_iterator Position(Folder, Failed), End; !Failed && Position != End;
       Position.increment(Failed)) {
    std::error_code Ignored;
    if (fs::last_write_time(Position->path(), Ignored) + KeptFor < fs::file_time_type::clock::now())
      fs::remove_all(Position->path(), Ignored);
  }
}

/// The records of \p Directory by source and output.
static std::map<Made, std::vector<fs::path>> recordsIn(const fs::path &Directory) {
  std::map<Made, std::vector<fs::path>> Result;
  std::error_code Failed;
  for (const fs::directory_entry &DE : fs::directory_iterator(Directory, Failed)) {
    if (!DE.path().native().ends_with(RecordSuffix))
      continue;
    auto Text = readTextFile(DE.path());
    auto Record =
        Text ? RecordFile::open(std::move(*Text), DE.path()) : std::unexpected(Text.error());
    if (Record) {
      const Unit &U = Record->unit();
      const std::string Ran = nameOfText(U.Directory);
      Result[{onDisk(Ran, nameOfText(U.Source)), onDisk(Ran, nameOfText(U.Object))}].push_back(
          DE.path());
    }
  }
  return Result;
}

/// Assembler and precompiled headers: the plugin never sees them.
static bool hasNoRecord(const fs::path &Source) {
  static constexpr std::string_view Endings[] = {".s", ".S",  ".sx",  ".asm",
                                                 ".h", ".hh", ".hpp", ".hxx"};
  return std::ranges::find(Endings, Source.extension().native()) != std::end(Endings);
}

CacheOutcome ObjectCache::finish(const fs::path &Directory) const {
  CacheOutcome Result;
  auto Log = readTextFile(Folder.path() / "log");
  if (!Log)
    return Result; // no ccache was there
  if (!OwnLog.empty())
    std::ofstream(OwnLog, std::ios::app) << *Log;
  // Of several compilations to one file the last is what is in it, and in the record.
  std::map<Made, CachedCompilation> Last;
  for (CachedCompilation &Compilation : parseCcacheLog(*Log))
    Last.insert_or_assign(madeBy(Compilation), Compilation);
  if (Last.empty())
    return Result;
  const auto Records = recordsIn(Directory);
  std::map<std::string, Store> Stores;
  for (const auto &[What, CC] : Last) {
    const auto Found = Records.find(What);
    const bool IsKnown = !CC.Key.empty() && !CC.CacheDirectory.empty();
    std::error_code Ignored;
    if (hasNoRecord(What.first) || !fs::exists(What.first, Ignored) ||
        !fs::exists(CC.Directory, Ignored))
      continue;
    const Store &Kept = Stores.try_emplace(CC.CacheDirectory, CC.CacheDirectory).first->second;
    if (CC.IsHit && !(IsKnown && Kept.restore(CC, Directory)))
      Result.Lost.push_back(CC);
    if (!CC.IsHit && Found != Records.end() && !(IsKnown && Kept.keep(CC.Key, Found->second)))
      Result.NotKept.push_back(CC);
  }
  for (const auto &[Name, Function] : Stores)
    Function.dropOld();
  return Result;
}

} // namespace ergon
