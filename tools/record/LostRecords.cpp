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
  for (const BuildNote &Each : Notes) {
    Last.insert_or_assign(Each.Record, Each);
    if (Each.What == Event::Written)
      Recorded.emplace(Each.Directory, Each.Source);
  }
  std::vector<BuildNote> Result;
  for (auto &[Name, Of] : Last) {
    std::error_code Ignored;
    if (Of.What == Event::Begun ||
        (Of.What == Event::Started && !Recorded.contains({Of.Directory, Of.Source})))
      Of.Why = "the compiler ended before it was written";
    else if (Of.What == Event::Written && !fs::is_regular_file(Folder / Name, Ignored))
      Of.Why = "it was written, and is no longer in the folder";
    if (Of.Why.empty())
      continue;
    Of.What = Event::Lost;
    Result.push_back(std::move(Of));
  }
  return Result;
}

} // namespace ergon
