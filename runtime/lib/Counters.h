//===- Counters.h - the counters of loaded modules --------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_COUNTERS_H
#define ERGON_RUNTIME_LIB_COUNTERS_H

namespace ergon::runtime {

class Output;

/// Writes what all modules have counted, those that are no longer loaded too. \p InHandler: the
/// loader is not asked for names.
void writeCounters(Output &Into, bool InHandler);
/// There are threads from now on.
void countWithThreads();
/// All to zero, in a process that has just been made.
void clearCounters();

} // namespace ergon::runtime

#endif
