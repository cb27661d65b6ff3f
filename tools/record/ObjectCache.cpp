//===- ObjectCache.cpp - records of what ccache has compiled --------------===//

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
  const fs::path In = Folder->path();
  // Without them, objects of other settings would be taken for this build's.
  if (const int Failed = writeWholeFile(In / "settings", Settings))
    return std::unexpected(Error{std::string("cannot be written: ") + std::strerror(Failed), "",
                                 "set TMPDIR to a folder with room", In / "settings"});
  std::string Extra = environment("CCACHE_EXTRAFILES");
  Extra += (Extra.empty() ? "" : ":") + Plugin + ":" + (In / "settings").native();
  setenv("CCACHE_EXTRAFILES", Extra.c_str(), 1);
  const std::string OwnLog = environment("CCACHE_LOGFILE");
  setenv("CCACHE_LOGFILE", (In / "log").c_str(), 1);
  setenv("CCACHE_CPP2", "1", 1); // the plugin shall see the source file, not its preprocessed text
  unsetenv("CCACHE_NOCPP2");
  setenv("SCCACHE_RECACHE", "1", 1); // it does not say what its hits were: it compiles all
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
  bool restore(const CachedCompilation &Of, const fs::path &Directory) const;
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

static Made madeBy(const CachedCompilation &Of) {
  return {onDisk(Of.Directory, Of.Source), onDisk(Of.Directory, Of.Object)};
}

bool Store::keep(const std::string &Key, const std::vector<fs::path> &Records) const {
  std::error_code Failed;
  std::string Temporary = Folder / "new-XXXXXX";
  fs::create_directories(Folder, Failed);
  if (Failed || !mkdtemp(Temporary.data()))
    return false;
  for (const fs::path &Each : Records)
    if (!Failed)
      fs::copy_file(Each, Temporary / Each.filename(), Failed);
  const fs::path Kept = Folder / Key;
  std::error_code Ignored;
  if (!Failed) {
    fs::remove_all(Kept, Ignored); // CCACHE_RECACHE: the same again
    fs::rename(Temporary, Kept, Failed);
  }
  fs::remove_all(Temporary, Ignored);
  return !Failed || fs::is_directory(Kept, Ignored); // or another build was first
}

bool Store::restore(const CachedCompilation &Of, const fs::path &Directory) const {
  std::error_code Failed;
  const fs::path Kept = Folder / Of.Key;
  for (const fs::directory_entry &Each : fs::directory_iterator(Kept, Failed)) {
    auto Text = readTextFile(Each.path());
    auto Record =
        Text ? RecordFile::open(std::move(*Text), Each.path()) : std::unexpected(Text.error());
    if (!Record)
      return false;
    // The same text in another folder, or for another object file, has the same key.
    Unit To = Record->unit();
    if (onDisk(nameOfText(To.Directory), "") != onDisk(Of.Directory, ""))
      To.Directory = textOfName(Of.Directory);
    if (onDisk(nameOfText(To.Directory), nameOfText(To.Object)) != onDisk(Of.Directory, Of.Object))
      To.Object = textOfName(Of.Object);
    if (writeWholeFile(Directory / recordFileName(To), movedRecord(*Record, To)) != 0)
      return false;
  }
  if (!Failed)
    fs::last_write_time(Kept, fs::file_time_type::clock::now(), Failed);
  return !Failed;
}

void Store::dropOld() const {
  std::error_code Failed;
  for (fs::directory_iterator Each(Folder, Failed), End; !Failed && Each != End;
       Each.increment(Failed)) {
    std::error_code Ignored;
    if (fs::last_write_time(Each->path(), Ignored) + KeptFor < fs::file_time_type::clock::now())
      fs::remove_all(Each->path(), Ignored);
  }
}

/// The records of \p Directory by what they are of.
static std::map<Made, std::vector<fs::path>> recordsIn(const fs::path &Directory) {
  std::map<Made, std::vector<fs::path>> Result;
  std::error_code Failed;
  for (const fs::directory_entry &Each : fs::directory_iterator(Directory, Failed)) {
    if (!Each.path().native().ends_with(RecordSuffix))
      continue;
    auto Text = readTextFile(Each.path());
    auto Record =
        Text ? RecordFile::open(std::move(*Text), Each.path()) : std::unexpected(Text.error());
    if (Record) {
      const Unit &Of = Record->unit();
      const std::string Ran = nameOfText(Of.Directory);
      Result[{onDisk(Ran, nameOfText(Of.Source)), onDisk(Ran, nameOfText(Of.Object))}].push_back(
          Each.path());
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
  for (CachedCompilation &Each : parseCcacheLog(*Log))
    Last.insert_or_assign(madeBy(Each), Each);
  if (Last.empty())
    return Result;
  const auto Records = recordsIn(Directory);
  std::map<std::string, Store> Stores;
  for (const auto &[What, Of] : Last) {
    const auto Found = Records.find(What);
    const bool IsKnown = !Of.Key.empty() && !Of.CacheDirectory.empty();
    std::error_code Ignored;
    if (hasNoRecord(What.first) || !fs::exists(What.first, Ignored) ||
        !fs::exists(Of.Directory, Ignored))
      continue;
    const Store &Kept = Stores.try_emplace(Of.CacheDirectory, Of.CacheDirectory).first->second;
    if (Of.IsHit && !(IsKnown && Kept.restore(Of, Directory)))
      Result.Lost.push_back(Of);
    if (!Of.IsHit && Found != Records.end() && !(IsKnown && Kept.keep(Of.Key, Found->second)))
      Result.NotKept.push_back(Of);
  }
  for (const auto &[Name, Each] : Stores)
    Each.dropOld();
  return Result;
}

} // namespace ergon
