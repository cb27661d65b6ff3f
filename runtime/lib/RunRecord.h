//===- RunRecord.h - the run record of this process -------------*- C++ -*-===//

#pragma once

#include <cstdint>

namespace ergon::runtime {

/// Where run records go. False where that is too long to be a path.
bool setFolder(const char *Given);
/// For a forked child: from now on it has a record of its own.
void startRun();
/// Writes it, in the place of an earlier one, atomically. Returns 0 or an errno value; then nothing
/// is left of it.
int writeRun();
/// The same, as the last of this process: later ones are not written, as they would be cut off.
/// \p Ended: `exit`, `exec`, … A signal handler may call it, and says so.
void writeLastRun(const char *Ended, bool InHandler = false);
/// Undoes writing the last record: the process goes on after all, as after a failed exec.
void resumeRun();

} // namespace ergon::runtime
