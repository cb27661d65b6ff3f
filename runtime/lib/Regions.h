//===- Regions.h - the regions of all threads -------------------*- C++ -*-===//

#pragma once

namespace ergon::runtime {

class Output;

/// The calling thread is the process's first: it is outside of all regions from its start.
void startRegions();
/// Sets all times to zero: for a forked child. Open regions of the calling thread stay open.
void restartRegions();
/// Writes the regions of all threads so far, ended threads too.
void writeRegions(Output &Result);

} // namespace ergon::runtime
