//===- ClosedSums.h - sums that a program asks for again --------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ergon {

/// What several loops or several predictions of a program have in common is added up once: sums in
/// which all symbols have values, which are the same number everywhere, and closed forms.
class ClosedSums {
public:
  struct Found {
    std::optional<Rational> Number; ///< nothing where it has none
    bool IsTooLong = false;         ///< it has more than MaxSteps terms
  };
  /// The number of \p Sum. \p MaxSteps is the same in all calls.
  const Found &of(const AtomRef &Sum, std::uint64_t MaxSteps);
  /// The sum of \p Each over 0 <= \p Variable <= \p Last.
  Expr overIterations(const std::string &Variable, const Expr &Last, const Expr &Each);

private:
  struct Less {
    bool operator()(const AtomRef &Left, const AtomRef &Right) const {
      return compareAtoms(*Left, *Right) < 0;
    }
  };
  std::map<AtomRef, Found, Less> Numbers;
  struct Iterations {
    std::string Variable;
    Expr Last, Each;
    bool operator<(const Iterations &Other) const;
  };
  std::map<Iterations, Expr> Closed;
  static constexpr std::size_t MaxKept = 20'000;
  /// Of a formula: a larger one takes as long to compare.
  static constexpr std::size_t MaxSize = 50;
};

} // namespace ergon
