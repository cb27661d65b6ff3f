//===- Regions.h - the regions of all threads -------------------*- C++ -*-===//

#pragma once

namespace ergon::runtime {

class Output;

/// To be called by the initial thread, whose time since process start counts as outside any region.
void initializeRegions();
/// Sets all times to zero: for a forked child. Open regions of the calling thread stay open.
void resetRegionsAfterFork();
/// Writes the regions of all threads so far, including terminated threads.
void writeRegions(Output &Out);

} // namespace ergon::runtime
