//===- Process.h - the life of the process ----------------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_PROCESS_H
#define ERGON_RUNTIME_LIB_PROCESS_H

#include <cstdint>

namespace ergon::runtime {

/// Whether a folder for run records is given. Asked first by whoever comes first; from then
/// on the ends of the process are watched.
bool isOn();

/// Billionths of a second of a clock that never goes back.
std::int64_t now();

} // namespace ergon::runtime

#endif
