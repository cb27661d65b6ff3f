//===- LineCosts.h - what lines of source code cost -------------*- C++ -*-===//
//
// Takes a function apart into what each line of its source does, the rest, and gives each part its
// share of a prediction. A call's line has the cost of the callee too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/PredictionFormat.h"
#include "predict/values/Bindings.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// The part of a function that stands in one line.
struct LinePart {
  std::string File;               ///< as positions have it
  unsigned Line;                  ///< 0: code without a line
  Function Part;                  ///< the function reduced to this part
  Expr Times;                     ///< how often its innermost code runs in one run of the function
  std::size_t Depth = 0;          ///< of that, in loops
  Totals InSymbols;               ///< with what is called, but in a program that is too large
  std::vector<std::string> Calls; ///< what is called there
};

/// A function by lines, sorted; code without a line comes first.
class FunctionLines {
public:
  /// \p F and the functions that \p Lookup gives must outlive it.
  FunctionLines(const Function &F, FunctionLookup Lookup);

  /// The share of a prediction that a line has. Absent: not known, because a symbol has no value.
  struct Row {
    const LinePart *Part;
    CountValues Counts;
    /// Of the prediction's classes, bytes that move between levels of memory too.
    std::map<std::string, double> Values;
    std::optional<double> EnergyJ;
  };
  /// Energy of a prediction that belongs to no line.
  struct Remainder {
    std::string What;
    double EnergyJ;
  };
  struct Table {
    std::vector<Row> Rows;
    std::vector<Remainder> Rest; ///< with the rows' energies, all of the energy
  };
  /// Shares \p Whole, the prediction with \p Bound, out over the lines. Error: a formula without
  /// a value.
  std::expected<Table, Error> share(const PredictionDocument &Whole, const Bindings &Bound) const;

private:
  const Function &Source;
  std::vector<std::unique_ptr<LinePart>> Parts;
  FunctionLookup Find; ///< for the parts too
  bool IsLarge;        ///< formulas with what is called would be too large

  Totals totalsOf(const LinePart &Part, const PredictionDocument &Whole, const Bindings &Bound,
                  TotalsBuilder &Builder) const;
};

} // namespace ergon
