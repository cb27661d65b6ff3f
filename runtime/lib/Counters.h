//===- Counters.h - the counters of loaded modules --------------*- C++ -*-===//

#pragma once

namespace ergon::runtime {

class Output;

/// Writes what all modules have counted, unloaded ones too. \p InHandler: does not ask the loader
/// for names, which a signal handler may not.
void writeCounters(Output &Result, bool InHandler);
/// There are threads from now on.
void countWithThreads();
/// Sets all counters to zero: for a forked child.
void clearCounters();

} // namespace ergon::runtime
