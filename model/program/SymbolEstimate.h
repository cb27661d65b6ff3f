//===- SymbolEstimate.h - stand-ins for unknown values ----------*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

#include <map>
#include <optional>
#include <string>

namespace ergon {

/// A number that stands in for a symbol that nothing binds, and the range of its possible values.
struct SymbolEstimate {
  Unknown What; ///< with its symbol
  Rational Value;
  Rational Low;
  std::optional<Rational> High; ///< absent: without a known end
  std::string Source;           ///< `branch probabilities`, `assumed`
  /// Its share of the spread of the answer, where it alone takes all values of its range: 0 to 1.
  double Spread = 0;
  /// The answer moves by less than 1 % over its range.
  bool IsMinor = false;
};

/// Begins the symbols of loops without an end: `endless@server.c:12:3`, the number of iterations.
inline constexpr std::string_view EndlessLoop = "endless@";

/// An estimate of \p U from the compiler's analysis, otherwise a prior by the kind of symbol: a
/// branch is taken in half of its runs, a loop runs 10 times, or once where it has no end, a size
/// is 1000, a launch has 1024 blocks of 256 threads.
SymbolEstimate estimateOf(const Unknown &U);

/// The most that symbols are (Unknown::Limit) in all frames so far.
class SymbolLimits {
public:
  /// Adds what \p Symbol is at most in one more frame; nothing where that is not known. True where
  /// it may be more now than in the frames before.
  bool add(const std::string &Symbol, const std::optional<Rational> &Most);
  /// A number; nothing where it is not known in one of the frames.
  std::optional<Expr> of(const std::string &Symbol) const;
  /// Forgets all frames.
  void clear() { Found.clear(); }

private:
  std::map<std::string, std::optional<Rational>> Found;
};

} // namespace ergon
