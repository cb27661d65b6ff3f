//===- LoopTime.h - times of loops ------------------------------*- C++ -*-===//
#pragma once

#include "model/incore/InCoreCosts.h"
#include "model/program/Program.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The time of one loop without its inner loops, or of the function itself.
struct LoopTime {
  SourceLocation Location;
  double CoreS = 0;     ///< busy, or waiting for the previous iteration
  double AccessS = 0;   ///< the part of loads and stores
  double WorkSlots = 0; ///< issued beside loads and stores
  /// By level that serves the data; `translation` for TLB misses.
  std::map<std::string, double> MemoryS{};
  BoundTime Time{}; ///< the longest of these
  /// The time of one level; 0 where it serves nothing.
  double memoryS(const std::string &Level) const {
    auto Found = MemoryS.find(Level);
    return Found == MemoryS.end() ? 0 : Found->second;
  }
  /// What one thread has of it: 1 outside of parallel regions. The times are of all threads'.
  double Share = 1;
  /// How often threads of a parallel region begin together, or wait for each other.
  double Gatherings = 0;
};

struct ProgramTime {
  double TimeS = 0;
  /// 95 % of measured times lie between these: what the model misses, and traffic's interval.
  double LowS = 0, HighS = 0;
  std::string Bound = "none"; ///< of the slowest loop
  std::vector<LoopTime> Loops;
  /// Instruction kinds that the profile has no cost for.
  std::vector<std::string> Unpriced;

  /// Makes all times \p Factor times as long, and the interval a factor of \p Width to both sides.
  void correct(double Factor, double Width);
};

} // namespace ergon
