//===- LostRecords.cpp - records that a build should have left ------------===//

#include "tools/record/LostRecords.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

std::expected<std::unique_ptr<BuildNotes>, Error> BuildNotes::open() {
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return std::unexpected(Folder.error());
  std::string Path = Folder->path() / "notes";
  // Open for writing too: without a compiler that writes, reading would be at an end.
  const int Pipe = mkfifo(Path.c_str(), 0600) == 0 ? ::open(Path.c_str(), O_RDWR | O_CLOEXEC) : -1;
  if (Pipe < 0)
    return std::unexpected(Error{std::string("no pipe can be made: ") + std::strerror(errno), "",
                                 "set TMPDIR to a folder on a local disk", Path});
  setenv(NotesVariable, Path.c_str(), 1);
  return std::unique_ptr<BuildNotes>(new BuildNotes(std::move(*Folder), std::move(Path), Pipe));
}

BuildNotes::BuildNotes(TemporaryFolder Folder, std::string Path, int Pipe)
    : Folder(std::move(Folder)), Path(std::move(Path)), Pipe(Pipe), Reader([this] { read(); }) {}

BuildNotes::~BuildNotes() {
  if (Reader.joinable())
    end();
  close(Pipe);
}

void BuildNotes::read() {
  char Buffer[16384];
  pollfd Waiting{Pipe, POLLIN, 0};
  while (!IsOver || poll(&Waiting, 1, /*milliseconds=*/0) > 0) {
    const ssize_t Read = ::read(Pipe, Buffer, sizeof Buffer);
    if (Read > 0)
      Told.append(Buffer, std::size_t(Read));
    else if (errno != EINTR)
      break;
  }
}

std::vector<BuildNote> BuildNotes::end() {
  IsOver = true;
  // Wakes the reader; no note begins so.
  while (write(Pipe, "", 1) < 0 && errno == EINTR)
    ;
  Reader.join();
  return parseNotes(Told);
}

std::vector<BuildNote> lostRecords(const std::vector<BuildNote> &Notes, const fs::path &Folder) {
  using Event = BuildNote::Event;
  std::map<std::string, BuildNote> Last; // of several compilations to one object file
  std::set<std::pair<std::string, std::string>> Recorded;
  for (const BuildNote &Note : Notes) {
    Last.insert_or_assign(Note.Record, Note);
    if (Note.What == Event::Written)
      Recorded.emplace(Note.Directory, Note.Source);
  }
  std::vector<BuildNote> Result;
  for (auto &[Name, BN] : Last) {
    std::error_code Ignored;
    if (BN.What == Event::Begun ||
        (BN.What == Event::Started && !Recorded.contains({BN.Directory, BN.Source})))
      BN.Why = "the compiler ended before it was written";
    else if (BN.What == Event::Written && !fs::is_regular_file(Folder / Name, Ignored))
      BN.Why = "it was written, and is no longer in the folder";
    if (BN.Why.empty())
      continue;
    BN.What = Event::Lost;
    Result.push_back(std::move(BN));
  }
  return Result;
}

} // namespace ergon
