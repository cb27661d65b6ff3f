//===- RecordFolder.cpp - a folder of records and predictions from it -----===//
//
// What reads disks: all that is made of the records is in RecordStore, EntryCounts and
// EntryPrediction, and works where there is no disk.
//
//===----------------------------------------------------------------------===//

#include "predict/answer/EntryPrediction.h"
#include "predict/store/MachineStore.h"
#include "predict/store/RunStore.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace fs = std::filesystem;

namespace ergon {

static std::expected<std::vector<fs::path>, Error> recordPaths(const std::string &Directory) {
  std::error_code Failed;
  if (!fs::is_directory(Directory, Failed))
    return std::unexpected(Error{fs::exists(Directory, Failed) ? "not a folder" : "no such folder",
                                 "", "give the folder that `ergon record -d` wrote", Directory});
  std::vector<fs::path> Paths;
  for (fs::directory_iterator File(Directory, Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (std::string_view(File->path().native()).ends_with(RecordSuffix))
      Paths.push_back(File->path());
  if (Failed)
    return std::unexpected(Error{Failed.message(), "", "make the folder readable", Directory});
  if (Paths.empty())
    return std::unexpected(Error{"there is no cost record in it", "",
                                 "record a build first: ergon record -d DIR -- BUILD COMMAND",
                                 Directory});
  std::ranges::sort(Paths);
  return Paths;
}

/// A folder may be somebody else's: a pipe or a device under a record's name is not read.
static std::expected<RecordFile, Error> openRecord(const fs::path &Path) {
  std::error_code Failed;
  const fs::file_status Found = fs::status(Path, Failed);
  if (!Failed && !fs::is_regular_file(Found))
    return std::unexpected(
        Error{"not a regular file", "", "remove it, or compile that file again", Path});
  auto Text = readTextFile(Path);
  return Text ? RecordFile::open(std::move(*Text), Path) : std::unexpected(Text.error());
}

std::expected<RecordStore, Error> RecordStore::open(const EntryOptions &Options, Detail HowMuch,
                                                    std::vector<Error> *Skipped) {
  auto Paths = recordPaths(Options.Directory);
  if (!Paths)
    return std::unexpected(Paths.error());
  auto Counted = openRuns(Options.Runs);
  if (!Counted)
    return std::unexpected(Counted.error());
  RecordFiles Files;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> Units;
  for (const fs::path &Path : *Paths) {
    auto File = openRecord(Path);
    if (!File && !Skipped)
      return std::unexpected(File.error());
    if (!File) {
      Skipped->push_back(File.error());
      continue;
    }
    const Unit &Of = File->unit();
    const fs::path Source = (fs::path(Of.Directory) / Of.Source).lexically_normal(),
                   Object = (fs::path(Of.Directory) / Of.Object).lexically_normal();
    auto [At, New] = Units.try_emplace({Source, Of.Target, Object}, Files.size());
    if (New) {
      Files.push_back(std::make_shared<const RecordFile>(std::move(*File)));
      continue;
    }
    std::error_code Ignored;
    std::shared_ptr<const RecordFile> &Have = Files[At->second];
    bool Newer = fs::last_write_time(Path, Ignored) > fs::last_write_time(Have->path(), Ignored);
    fmt::print(stderr, "ergon: {} and {} are both records of {} for {}: the newer, {}, is taken\n",
               Have->path(), Path.native(), Of.Source, Of.Target,
               Newer ? Path.native() : Have->path());
    if (Newer)
      Have = std::make_shared<const RecordFile>(std::move(*File));
  }
  return RecordStore(Options.Directory, HowMuch, std::move(Files), std::move(*Counted));
}

std::expected<CountedRecords, Error>
CountedRecords::open(const EntryOptions &Options, Detail HowMuch, std::vector<Error> *Skipped) {
  auto Opened = RecordStore::open(Options, HowMuch, Skipped);
  if (!Opened)
    return std::unexpected(Opened.error());
  auto Libraries = LibraryStore::open(Options.Libraries);
  if (!Libraries)
    return std::unexpected(Libraries.error());
  return CountedRecords(keep(std::move(*Opened)), keep(std::move(*Libraries)), HowMuch);
}

std::expected<std::unique_ptr<CountedEntry>, Error> CountedEntry::open(const EntryOptions &Options,
                                                                       Detail HowMuch) {
  auto Records = CountedRecords::open(Options, HowMuch);
  if (!Records)
    return std::unexpected(Records.error());
  return Records->find(Options);
}

std::expected<PredictionDocument, Error> predictEntry(const PredictOptions &Options) {
  auto M = loadNamedMachine(Options.Machine);
  if (!M)
    return std::unexpected(M.error());
  auto On = targetOf(std::move(*M), Options);
  if (!On)
    return std::unexpected(On.error());
  auto Opened = CountedEntry::open(Options.Entry, On->detail());
  if (!Opened)
    return std::unexpected(Opened.error());
  CountedEntry &Entry = *keep(std::move(*Opened));
  auto Counted = Entry.counts(Options.Sets);
  if (!Counted)
    return std::unexpected(Counted.error());
  return predict(Entry, std::move(*Counted), *On, Options);
}

} // namespace ergon
