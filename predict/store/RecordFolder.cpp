//===- RecordFolder.cpp - opens the records of a folder -------------------===//
//
// What reads disks: the rest of RecordStore works where there is no disk.
//
//===----------------------------------------------------------------------===//

#include "predict/store/RecordStore.h"
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
  std::ranges::sort(Paths, {}, &fs::path::native); // they differ in the last part alone
  return Paths;
}

/// A folder may be untrusted: rejects a pipe or a device under a record's name.
static std::expected<RecordFile, Error> openRecord(const fs::path &Path) {
  if (auto Text = FileText::open(Path))
    return RecordFile::open(std::move(*Text), Path);
  else if (std::error_code Failed; fs::exists(Path, Failed) && !fs::is_regular_file(Path, Failed))
    return std::unexpected(
        Error{"not a regular file", "", "remove it, or compile that file again", Path});
  else
    return std::unexpected(std::move(Text.error()));
}

/// What is wrong where a unit that ran was compiled from other code than that of all its records.
static std::optional<Error> otherBuild(const RecordFiles &Files, const Runs &Counted,
                                       const std::vector<std::string> &Paths) {
  std::map<std::string, std::set<std::string>> Recorded;
  for (const auto &File : Files)
    if (!File->unit().Checksum.empty())
      Recorded[File->unit().Source].insert(File->unit().Checksum);
  for (const auto &[Source, Checksums] : Recorded)
    for (const std::string &Checksum : Counted.checksumsOf(Source))
      if (!Checksums.contains(Checksum))
        return Error{fmt::format("{} was another build of {} that ran: their checksums differ",
                                 Paths.size() == 1 ? "it" : "one", inQuotes(Source)),
                     "", "run the program again that was built with these records",
                     Paths.size() == 1 ? Paths.front() : "--bindings"};
  return std::nullopt;
}

std::expected<RecordStore, Error> RecordStore::open(const RecordSource &From, Detail HowMuch,
                                                    const NoticeHandler &Notice,
                                                    std::vector<Error> *Skipped) {
  auto Paths = recordPaths(From.Directory);
  if (!Paths)
    return std::unexpected(Paths.error());
  auto Counted = openRuns(From.Runs);
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
    const Unit &U = File->unit();
    auto [Found, New] = Units.try_emplace(
        {normalPath(U.Directory, U.Source), U.Target, normalPath(U.Directory, U.Object)},
        Files.size());
    if (New) {
      Files.push_back(std::make_shared<const RecordFile>(std::move(*File)));
      continue;
    }
    std::error_code Ignored;
    std::shared_ptr<const RecordFile> &Have = Files[Found->second];
    bool Newer = fs::last_write_time(Path, Ignored) > fs::last_write_time(Have->path(), Ignored);
    if (Notice)
      Notice(fmt::format("{} and {} are both records of {} for {}: the newer, {}, is taken",
                         Have->path(), Path.native(), U.Source, U.Target,
                         Newer ? Path.native() : Have->path()));
    if (Newer)
      Have = std::make_shared<const RecordFile>(std::move(*File));
  }
  if (auto Bad = otherBuild(Files, *Counted, From.Runs))
    return std::unexpected(std::move(*Bad));
  if (From.Arguments)
    Counted->fitTo(*From.Arguments);
  return RecordStore(From.Directory, HowMuch, std::move(Files), std::move(*Counted), Notice);
}

} // namespace ergon
