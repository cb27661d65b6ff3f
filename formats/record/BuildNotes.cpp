//===- BuildNotes.cpp - what compilers tell `ergon record` ----------------===//

#include "formats/record/BuildNotes.h"
#include "formats/json/HeldSignal.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <iterator>
#include <sys/poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ergon {

std::string writeNote(const BuildNote &Note) {
  std::string Result(1, char(Note.What));
  const auto Add = [&](std::string_view Text) { (Result += Text) += '\0'; };
  Add(Note.Record.substr(0, NAME_MAX));
  const std::string_view Why = std::string_view(Note.Why).substr(0, PIPE_BUF / 4);
  // Two zeros are still to come.
  const bool HasRoom =
      Result.size() + Note.Directory.size() + Note.Source.size() + Why.size() + 3 <= PIPE_BUF;
  Add(HasRoom ? Note.Directory : "");
  Add(HasRoom ? Note.Source : "");
  Add(Why);
  return Result;
}

/// Removes a text from the front of \p From. False where none is complete.
static bool take(std::string_view &From, std::string &Text) {
  const std::size_t End = From.find('\0');
  if (End == std::string_view::npos)
    return false;
  Text = From.substr(0, End);
  From.remove_prefix(End + 1);
  return true;
}

std::vector<BuildNote> parseNotes(std::string_view Text) {
  using Event = BuildNote::Event;
  static constexpr Event Events[] = {Event::Started, Event::Begun, Event::Written, Event::Lost,
                                     Event::Ended};
  std::vector<BuildNote> Result;
  while (!Text.empty()) {
    BuildNote Next;
    Next.What = Event(Text.front());
    Text.remove_prefix(1);
    if (std::ranges::find(Events, Next.What) == std::end(Events) || !take(Text, Next.Record) ||
        !take(Text, Next.Directory) || !take(Text, Next.Source) || !take(Text, Next.Why))
      break;
    Result.push_back(std::move(Next));
  }
  return Result;
}

/// One write, which is whole or not done.
static bool writeAtOnce(int File, const std::string &Text) {
  // A full pipe has a slow reader. Where the reader has stopped, the build goes on after a while.
  for (int Tries = 0; Tries != 20;) {
    if (write(File, Text.data(), Text.size()) == ssize_t(Text.size()))
      return true;
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN)
      return false;
    pollfd Room{File, POLLOUT, 0};
    Tries += poll(&Room, 1, /*milliseconds=*/500) == 0 ? 1 : 0;
  }
  return false;
}

bool sendNote(const std::string &Pipe, const BuildNote &Note) {
  // Without O_NONBLOCK it would wait for a reader.
  const int File = open(Pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (File < 0)
    return false;
  const HeldSignal NoReader(SIGPIPE);
  struct stat Matches{};
  const bool IsPipe = fstat(File, &Matches) == 0 && S_ISFIFO(Matches.st_mode);
  const bool Sent = IsPipe && writeAtOnce(File, writeNote(Note));
  close(File);
  return Sent;
}

} // namespace ergon
