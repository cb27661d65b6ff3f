//===- WarpFormula.h - formulas over a warp and a box -----------*- C++ -*-===//
//
// A formula of device code has a value in each lane of a warp, and changes with blocks and
// iterations. Most are affine, so that a whole box of blocks and iterations is evaluated at once;
// otherwise the box is cut, down to a single point if necessary.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/FormulaSteps.h"

#include <array>
#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

inline constexpr unsigned LanesOfWarp = 32;
/// A bit for each lane.
using LaneMask = std::uint32_t;

/// Calls \p Visit with the number of each lane in \p Lanes, lowest first.
template <class Action> void forLanes(LaneMask Lanes, Action Visit) {
  for (; Lanes; Lanes &= Lanes - 1)
    Visit(unsigned(std::countr_zero(Lanes)));
}

/// First to Last, inclusive.
struct IndexRange {
  std::int64_t First = 0, Last = 0;
  /// Whether it is a single index, and how many there are.
  bool isPoint() const { return First == Last; }
  std::int64_t size() const { return Last - First + 1; }
};

/// A warp over a box: `blockIdx.x`, `.y` and `.z`, then the induction variables of the loops
/// around, outermost first.
struct WarpBox {
  static constexpr unsigned MaxVariables = 12;

  /// `threadIdx.x`, `.y` and `.z` of each lane.
  std::array<std::array<std::int64_t, LanesOfWarp>, 3> Threads{};
  LaneMask Active = 0; ///< never 0 where a formula is evaluated
  std::array<IndexRange, MaxVariables> Ranges{};
  unsigned Variables = 3;

  /// Points of the box.
  double points() const;
};

/// Lane[l] + Σ Steps[v]·v over a box; undefined in inactive lanes.
struct WarpValue {
  std::array<std::int64_t, LanesOfWarp> Lane{};
  std::array<std::int64_t, WarpBox::MaxVariables> Steps{};

  /// The range of the steps' sum over the box.
  IndexRange span(const WarpBox &Box) const;
  bool hasSteps(const WarpBox &Box) const;
};

/// Where to cut a box: the upper part starts at \p Position.
struct BoxCut {
  unsigned Variable;
  std::int64_t Position;
};

/// In which lanes \p Value is not negative on all of \p Box; otherwise where to cut.
std::expected<LaneMask, BoxCut> lanesNotNegative(const WarpValue &Value, const WarpBox &Box);

class WarpFormula {
public:
  /// \p E in thread and block indices and \p Iterations, outermost first. Nothing where it has
  /// another symbol, a number beyond 64 bits, a sum without a closed form, or too many loops.
  static std::optional<WarpFormula> compile(const Expr &E,
                                            const std::vector<std::string> &Iterations);

  /// The value on the whole box, rounded down; 0 for a division by zero. Error: the box is too
  /// large for one affine form.
  std::expected<WarpValue, BoxCut> over(const WarpBox &Box) const;
  /// Number of operations of an evaluation.
  std::int64_t size() const { return std::int64_t(Code.Steps.size()); }

private:
  FormulaSteps Code;
};

} // namespace ergon
