//===- Regions.h - the regions of all threads -------------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_REGIONS_H
#define ERGON_RUNTIME_LIB_REGIONS_H

namespace ergon::runtime {

class Output;

/// The calling thread is the process's first: it is outside of all regions from its start.
void startRegions();
/// All to zero, in a process that has just been made; what is open in the calling thread stays so.
void restartRegions();
/// Writes what all threads have had so far, those that have ended too.
void writeRegions(Output &Into);

} // namespace ergon::runtime

#endif
