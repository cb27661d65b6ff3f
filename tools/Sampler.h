//===- Sampler.h - samples until there are enough ---------------*- C++ -*-===//
//
// What commands that measure have in common: dropping what something else had a part in, telling
// when the machine is too busy, stopping when asked, showing how far it is.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_SAMPLER_H
#define ERGON_TOOLS_SAMPLER_H

#include "calibration/Measure.h"
#include "calibration/Sampling.h"
#include "formats/Error.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

namespace ergon {

/// While this lives, SIGINT and SIGTERM are noted, and do what they did before afterwards.
class StopWhenAsked {
public:
  StopWhenAsked();
  ~StopWhenAsked();
  StopWhenAsked(const StopWhenAsked &) = delete;
  StopWhenAsked &operator=(const StopWhenAsked &) = delete;

  static bool asked();
  /// Ends the process by the signal that asked.
  static void stop();

private:
  void (*Were[2])(int);
};

/// A line on a terminal that is written over.
class ProgressBar {
public:
  ~ProgressBar() { clear(); }
  void show(std::size_t Done, std::size_t Of, double LeftS, const std::string &Name);
  void clear();
};

/// That the machine is too busy: isTooBusy().
Error tooBusy(std::size_t Attempts, std::size_t Useless);

/// Takes samples of one thing after the other, and counts those that it drops.
class Sampler {
public:
  explicit Sampler(const SamplingGoal &Goal) : Goal(Goal) {}

  /// Adds seconds of an iteration to \p Seconds until they are enough, or too many were tried, or
  /// a round's time is over. \p Keep is given the seconds of each sample. Errors: Keep's; the
  /// machine is too busy; StopWhenAsked::asked(), without a text.
  std::expected<void, Error>
  sample(const Team &Of, std::uint64_t Iterations, std::vector<double> &Seconds,
         const std::function<std::expected<void, Error>(double)> &Keep = {});

  std::size_t preempted() const { return Preempted; }
  std::size_t clockMoved() const { return ClockMoved; }

private:
  SamplingGoal Goal;
  std::size_t Attempts = 0, Preempted = 0, ClockMoved = 0, Useless = 0;
};

} // namespace ergon

#endif
