//===- WarpFormula.h - formulas over a warp and a box -----------*- C++ -*-===//
//
// A formula of device code has a value in each lane of a warp, and changes from
// block to block and from iteration to iteration. Most of it is affine, so that a
// whole box of blocks and iterations is evaluated at once; where it is not, the box
// is cut, and at a single point everything is a number.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_GPU_WARPFORMULA_H
#define ERGON_MODEL_GPU_WARPFORMULA_H

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

/// First to Last, both in it.
struct IndexRange {
  std::int64_t First = 0, Last = 0;
  /// Whether it is a single index, and how many there are.
  bool isPoint() const { return First == Last; }
  std::int64_t size() const { return Last - First + 1; }
};

/// A warp over a box: `blockIdx.x`, `.y` and `.z`, then the iteration numbers of the
/// loops around, outermost first.
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

/// Lane[l] + Σ Steps[v]·v over a box; lanes that are not active have any value.
struct WarpValue {
  std::array<std::int64_t, LanesOfWarp> Lane{};
  std::array<std::int64_t, WarpBox::MaxVariables> Steps{};

  /// What the steps make of the box's points, least and greatest.
  IndexRange span(const WarpBox &Box) const;
  bool hasSteps(const WarpBox &Box) const;
};

/// Where a box is to be cut: the upper part starts at \p Position.
struct BoxCut {
  unsigned Variable;
  std::int64_t Position;
};

/// In which lanes \p Value is not negative all over \p Box; else where to cut.
std::expected<LaneMask, BoxCut> lanesNotNegative(const WarpValue &Value, const WarpBox &Box);

class WarpFormula {
public:
  /// \p E in thread and block indices and \p Iterations, outermost first. Nothing where it
  /// has another symbol, a number beyond 64 bits, a sum without a closed form, or where the
  /// loops are too many.
  static std::optional<WarpFormula> compile(const Expr &E,
                                            const std::vector<std::string> &Iterations);

  /// The value all over a box, rounded down; a division by zero gives 0. Error: the box is
  /// too large for one affine form.
  std::expected<WarpValue, BoxCut> over(const WarpBox &Box) const;
  /// How many operations an evaluation takes.
  std::int64_t size() const { return std::int64_t(Code.Steps.size()); }

private:
  FormulaSteps Code;
};

} // namespace ergon

#endif
