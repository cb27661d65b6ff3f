//===- RunRecord.h - the run record of this process -------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_RUNRECORD_H
#define ERGON_RUNTIME_LIB_RUNRECORD_H

#include <cstdint>

namespace ergon::runtime {

/// Where run records go. False where that is too long to be a path.
bool setFolder(const char *Folder);
/// The process that runs now has a record of its own, from now on.
void startRun();
/// When that was, of now().
std::int64_t startOfRun();
/// Writes it, in the place of an earlier one, atomically. \p Ended: `exit`, `exec`, … A signal
/// handler may call it, and says so. Returns 0 or an errno value; then nothing is left.
int writeRun(const char *Ended, bool InHandler = false);

} // namespace ergon::runtime

#endif
