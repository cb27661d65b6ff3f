//===- Metering.h - when the meters are read --------------------*- C++ -*-===//
//
// A meter is read when its last reading is older than its update period: by the thread that begins
// or ends a region then, and by a thread of the runtime where a meter must be read more often. A
// reading is published without a lock, so that all threads and a signal handler may take it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/meters/Meter.h"

#include <atomic>
#include <cstdint>

namespace ergon::runtime {

class Output;

/// Finds the meters and reads each for the first time.
void startMeters();
/// Starts the same meters from zero: for a forked child.
void restartMeters();

/// Those that could be read, in one order as long as the process lives.
std::uint32_t numMeters();
/// The meter's name, as the run record has it.
const char *meterName(std::uint32_t Index);
/// The readings of this process; `TimeNs` is 0 where there is none.
Reading firstReading(std::uint32_t Index);
Reading lastReading(std::uint32_t Index);

/// Goes up with each new reading of any meter.
extern std::atomic<std::uint32_t> ReadingsTaken;
/// When the next meter has a new value, in ns of now().
extern std::atomic<std::int64_t> NewsAt;
/// Reads the meters with a new value, unless another thread is doing so.
void readDueMeters(std::int64_t Now);

/// Reads all meters; while it lives none is read again, so that all that is written is of one time.
class FinalReadings {
public:
  /// \p InHandler: only those that a signal handler may read.
  explicit FinalReadings(bool InHandler);
  /// Lets meters be read again.
  ~FinalReadings();
  FinalReadings(const FinalReadings &) = delete;

private:
  bool IsMine;
};

/// \p StartedAt: of the process, of now().
void writeMeters(Output &Result, std::int64_t StartedAt);

} // namespace ergon::runtime
