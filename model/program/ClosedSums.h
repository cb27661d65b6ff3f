//===- ClosedSums.h - numbers of sums without symbols -----------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <map>
#include <optional>

namespace ergon {

/// Numbers of sums in which all symbols have values. Such a sum is the same number everywhere, so
/// what several predictions of a program have in common is added up once.
class ClosedSums {
public:
  struct Found {
    std::optional<Rational> Number; ///< nothing where it has none
    bool IsTooLong = false;         ///< it has more than MaxSteps terms
  };
  /// The number of \p Sum. \p MaxSteps is the same in all calls.
  const Found &of(const AtomRef &Sum, std::uint64_t MaxSteps);

private:
  struct Less {
    bool operator()(const AtomRef &Left, const AtomRef &Right) const {
      return compareAtoms(*Left, *Right) < 0;
    }
  };
  std::map<AtomRef, Found, Less> Numbers;
  static constexpr std::size_t MaxKept = 20'000;
};

} // namespace ergon
