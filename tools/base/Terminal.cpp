//===- Terminal.cpp - colours and progress on a terminal ------------------===//

#include "tools/base/Terminal.h"
#include "formats/json/PlainText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace ergon {

static std::string_view environment(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

/// Streams replaced by guardOutput() have no descriptor.
static int descriptor(std::FILE *F) {
  return F == stdout ? STDOUT_FILENO : F == stderr ? STDERR_FILENO : fileno(F);
}

static bool isTerminal(std::FILE *To) {
  return isatty(descriptor(To)) && environment("TERM") != "dumb";
}

//===----------------------------------------------------------------------===//
// The way out
//===----------------------------------------------------------------------===//

/// The prefix of Ergon's own terminal sequences: an escape and a random number of this process, so
/// that no name in a record has it. Empty while nothing is guarded.
static std::string &ownMark() {
  static auto *const Mark = new std::string; // output may be flushed after the end of main()
  return *Mark;
}

/// \p Sequence is what follows the escape, `[0m`, or a carriage return.
static std::string own(std::string_view Sequence) {
  const bool IsReturn = Sequence == "\r";
  if (ownMark().empty())
    return (IsReturn ? "" : "\033") + std::string(Sequence);
  return ownMark() + std::string(Sequence);
}

namespace {
/// A stream's way to its descriptor.
class Guard {
public:
  explicit Guard(int To) : To(To) {}
  /// False where not all can be written.
  bool write(std::string_view Text);

private:
  int To;
  std::string Held; ///< the start of a character, or of a sequence, whose end is yet to come
};
} // namespace

static bool writeAll(int To, std::string_view Text) {
  while (!Text.empty()) {
    const ssize_t Written = ::write(To, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      return false;
    Text.remove_prefix(std::size_t(std::max<ssize_t>(Written, 0)));
  }
  return true;
}

/// Removes printable ASCII, with tabs and ends of lines, from the front of \p Text.
static std::string_view takePrintable(std::string_view &Text) {
  const auto End = std::ranges::find_if_not(
      Text, [](char C) { return (C >= ' ' && C <= '~') || C == '\n' || C == '\t'; });
  const std::string_view Result = Text.substr(0, std::size_t(End - Text.begin()));
  Text.remove_prefix(Result.size());
  return Result;
}

bool Guard::write(std::string_view Text) {
  const std::string Whole = std::exchange(Held, {}) + std::string(Text);
  const std::string_view Mark = ownMark();
  std::string Out;
  for (std::string_view Rest = Whole; !Rest.empty();) {
    if (const std::string_view Plain = takePrintable(Rest); !Plain.empty()) {
      Out += Plain;
      continue;
    }
    if (Rest[0] == '\033' && Mark.starts_with(Rest.substr(0, Mark.size()))) {
      if (Rest.size() <= Mark.size()) {
        Held = Rest;
        break;
      }
      Rest.remove_prefix(Mark.size());
      Out += Rest[0] == '\r' ? "\r" : "\033[";
      Rest.remove_prefix(1);
      continue;
    }
    const PlainCharacter Next = firstCharacter(Rest);
    if (Next.Bytes == 0) {
      Held = Rest;
      break;
    }
    Out += Next.Escape.empty() ? Rest.substr(0, Next.Bytes) : Next.Escape;
    Rest.remove_prefix(Next.Bytes);
  }
  return writeAll(To, Out);
}

void guardOutput() {
  std::uint64_t Number[2] = {};
  if (getentropy(Number, sizeof Number) != 0)
    return; // no kernel of these ten years
  ownMark() = fmt::format("\033{:016x}{:016x}", Number[0], Number[1]);
  cookie_io_functions_t Ways{};
  Ways.write = [](void *To, const char *Text, std::size_t Size) -> ssize_t {
    return static_cast<Guard *>(To)->write({Text, Size}) ? ssize_t(Size) : 0;
  };
  for (const auto &[Stream, To] : {std::pair(&stdout, STDOUT_FILENO), {&stderr, STDERR_FILENO}}) {
    std::FILE *const Guarded = fopencookie(new Guard(To), "w", Ways); // for the process's life
    if (!Guarded)
      continue;
    std::fflush(*Stream);
    const bool ByLine = To == STDERR_FILENO || isatty(To);
    std::setvbuf(Guarded, nullptr, ByLine ? _IOLBF : _IOFBF, BUFSIZ);
    *Stream = Guarded;
  }
}

bool useColor(std::FILE *To) { return environment("NO_COLOR").empty() && isTerminal(To); }

std::string styled(std::string_view Text, Style As, bool Colored) {
  if (!Colored)
    return std::string(Text);
  static constexpr const char *Codes[] = {"1", "1;31", "1;35", "1;36", "1;32"};
  return own(fmt::format("[{}m", Codes[std::size_t(As)])) + std::string(Text) + own("[0m");
}

/// The first \p Columns characters of UTF-8; those that are two columns wide are not looked for.
static std::string_view firstOf(std::string_view Text, std::size_t Columns) {
  std::size_t End = 0;
  for (; End != Text.size(); ++End)
    if ((Text[End] & 0xC0) != 0x80 && Columns-- == 0)
      break;
  return Text.substr(0, End);
}

void ProgressBar::log(std::size_t Done, std::size_t Index, std::string_view Name,
                      std::optional<double> LeftS) {
  const auto Now = std::chrono::steady_clock::now();
  const bool IsFirst = Last == std::chrono::steady_clock::time_point();
  if (Command.empty() || (IsFirst ? Now < First : Now - Last < Every))
    return;
  fmt::print(stderr, "{}: {} of {} {}{} ({})\n", Command, Done, Index, Things,
             LeftS ? fmt::format(", about {:.0f} s left", *LeftS) : "", plainText(Name));
  Last = Now;
}

void ProgressBar::show(std::size_t Done, std::size_t Index, std::string_view Name,
                       std::optional<double> LeftS) {
  if (!isTerminal(stderr))
    return log(Done, Index, Name, LeftS);
  const auto Now = std::chrono::steady_clock::now();
  if (Shown && Now - Last < std::chrono::milliseconds(100))
    return;
  constexpr std::size_t Width = 24;
  const std::size_t Full = Index ? Done * Width / Index : Width;
  const std::string Line = fmt::format(
      "[{}{}] {}/{}  {}{}", std::string(Full, '#'), std::string(Width - Full, ' '), Done, Index,
      LeftS ? fmt::format("{:.0f} s left  ", *LeftS) : "", plainText(Name));
  winsize Size{};
  const bool IsKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 1;
  fmt::print(stderr, "{}{}{}{}", own("\r"), own("[K"),
             firstOf(Line, (IsKnown ? Size.ws_col : 80) - 1), own("\r"));
  std::fflush(stderr);
  Shown = true;
  Last = Now;
}

void ProgressBar::clear() {
  if (Shown)
    fmt::print(stderr, "{}{}", own("\r"), own("[K"));
  Shown = false;
}

} // namespace ergon
