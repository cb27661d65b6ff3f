//===- Terminal.cpp - colours and progress on a terminal ------------------===//

#include "tools/Terminal.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ergon {

static std::string_view environment(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

static bool isTerminal(std::FILE *To) {
  return isatty(fileno(To)) && environment("TERM") != "dumb";
}

bool useColor(std::FILE *To, ColorChoice Choice) {
  if (Choice != ColorChoice::Auto)
    return Choice == ColorChoice::Always;
  return environment("NO_COLOR").empty() && isTerminal(To);
}

std::string styled(std::string_view Text, Style As, bool Colored) {
  if (!Colored)
    return std::string(Text);
  static constexpr const char *Codes[] = {"1", "1;31", "1;35", "1;36", "1;32"};
  return fmt::format("\033[{}m{}\033[0m", Codes[std::size_t(As)], Text);
}

/// The first \p Columns characters of UTF-8; those that are two columns wide are not looked for.
static std::string_view firstOf(std::string_view Text, std::size_t Columns) {
  std::size_t End = 0;
  for (; End != Text.size(); ++End)
    if ((Text[End] & 0xC0) != 0x80 && Columns-- == 0)
      break;
  return Text.substr(0, End);
}

void ProgressBar::show(std::size_t Done, std::size_t Of, std::string_view Name,
                       std::optional<double> LeftS) {
  const auto Now = std::chrono::steady_clock::now();
  if ((Shown && Now - Last < std::chrono::milliseconds(100)) || !isTerminal(stderr))
    return;
  constexpr std::size_t Width = 24;
  const std::size_t Full = Of ? Done * Width / Of : Width;
  const std::string Line =
      fmt::format("[{}{}] {}/{}  {}{}", std::string(Full, '#'), std::string(Width - Full, ' '),
                  Done, Of, LeftS ? fmt::format("{:.0f} s left  ", *LeftS) : "", Name);
  winsize Size{};
  const bool IsKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 1;
  fmt::print(stderr, "\r\033[K{}\r", firstOf(Line, (IsKnown ? Size.ws_col : 80) - 1));
  std::fflush(stderr);
  Shown = true;
  Last = Now;
}

void ProgressBar::clear() {
  if (Shown)
    fmt::print(stderr, "\r\033[K");
  Shown = false;
}

} // namespace ergon
