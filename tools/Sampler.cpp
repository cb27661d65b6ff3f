//===- Sampler.cpp - samples until there are enough -----------------------===//

#include "tools/Sampler.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <unistd.h>

namespace ergon {

/// The signal that asks to stop, or 0.
static volatile std::sig_atomic_t Asked = 0;
static constexpr int Signals[2] = {SIGINT, SIGTERM};

StopWhenAsked::StopWhenAsked() {
  for (int K = 0; K != 2; ++K)
    Were[K] = std::signal(Signals[K], [](int Number) { Asked = Number; });
  // A file that may not grow is told as an error of writing.
  std::signal(SIGXFSZ, SIG_IGN);
}

StopWhenAsked::~StopWhenAsked() {
  for (int K = 0; K != 2; ++K)
    std::signal(Signals[K], Were[K]);
}

bool StopWhenAsked::asked() { return Asked != 0; }

void StopWhenAsked::stop() {
  std::signal(Asked, SIG_DFL);
  std::raise(Asked);
}

static bool isTerminal() {
  static const bool Is = isatty(STDERR_FILENO);
  return Is;
}

void ProgressBar::show(std::size_t Done, std::size_t Of, double LeftS, const std::string &Name) {
  if (!isTerminal())
    return;
  constexpr std::size_t Width = 24;
  const std::size_t Full = Of ? Done * Width / Of : Width;
  fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.0f} s left  {}", std::string(Full, '#'),
             std::string(Width - Full, ' '), Done, Of, LeftS, Name);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (isTerminal())
    fmt::print(stderr, "\r\033[K");
}

std::expected<void, Error> Sampler::checkIdle() const {
  const std::size_t Dropped = Preempted + ClockMoved;
  constexpr std::size_t EnoughToTell = 400; // some seconds
  if (Attempts < EnoughToTell || 2 * Dropped <= Attempts)
    return {};
  return std::unexpected(Error{
      fmt::format("the machine is too busy to measure: {} of {} samples dropped, {} with something "
                  "else on the processor and {} with a clock that moved",
                  Dropped, Attempts, Preempted, ClockMoved),
      "", "stop what else runs; the same command goes on from here", ""});
}

std::expected<void, Error>
Sampler::sample(const Team &Of, std::uint64_t Iterations, std::vector<double> &Seconds,
                const std::function<std::expected<void, Error>(double)> &Keep) {
  for (std::size_t Tries = 0; Tries != Goal.Attempts; ++Tries) {
    if (StopWhenAsked::asked())
      return std::unexpected(Error{});
    const Timing Took = Of.take(Iterations, ClockHz);
    ++Attempts;
    if (Took.Was != Verdict::Good) {
      ++(Took.Was == Verdict::Preempted ? Preempted : ClockMoved);
      if (auto Idle = checkIdle(); !Idle)
        return Idle;
      // Who has slept is not the first to be preempted again.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    if (Keep)
      if (auto Kept = Keep(Took.Seconds); !Kept)
        return Kept;
    Seconds.push_back(Took.Seconds / double(Iterations));
    if (Goal.reached(Seconds) || Seconds.size() >= Goal.Most)
      break;
  }
  return {};
}

} // namespace ergon
