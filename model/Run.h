//===- Run.h - what a run told of unknowns ----------------------*- C++ -*-===//
//
// What processes counted while they ran, and how that becomes the value of an unknown.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_RUN_H
#define ERGON_MODEL_RUN_H

#include "model/Function.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ergon {

/// The sum of something over the times that it was met.
struct RunMean {
  std::int64_t Sum = 0, Times = 0;
};

/// What was counted for one function of one translation unit.
struct CountedFunction {
  std::string Unit; ///< the main file as the compiler was given it
  std::string Name; ///< mangled
  std::map<std::string, RunMean> Unknowns;
};

/// What one process counted.
struct ProcessRun {
  std::string Program; ///< the path of what ran
  std::string Ended;   ///< `exit`, `exec`, `signal 15`, `running`
  double DurationS = 0;
  std::vector<CountedFunction> Functions = {};
};

/// Runs of a program, each of one or more processes, whose counts add up.
class Runs {
public:
  /// Adds a run: \p Processes.
  void add(const std::vector<ProcessRun> &Processes);
  bool empty() const { return Each.empty(); }
  /// Gives the unknowns of \p Of, of the translation unit \p Unit, the values that the runs
  /// found. Where they found different ones the unknown keeps none and its explanation says so.
  void bind(Function &Of, const std::string &Unit) const;

private:
  /// By function; of a function that is local to its unit, by both.
  struct Counted {
    std::map<std::string, std::map<std::string, RunMean>> ByName;
    std::map<std::pair<std::string, std::string>, std::map<std::string, RunMean>> ByUnit;
  };
  std::vector<Counted> Each;
};

} // namespace ergon

#endif
