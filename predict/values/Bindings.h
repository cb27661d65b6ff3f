//===- Bindings.h - values for the symbols of an entry ----------*- C++ -*-===//
//
// Values from the user, checked against an entry's names, types and ranges. Numbers are exact,
// without a unit: counts, sizes in elements as in the code, bytes of `bytes_dram`.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "formats/json/Error.h"
#include "model/program/Program.h"
#include "model/symbolic/ExprBounds.h"

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// A user's value for a symbol of an entry.
struct GivenValue {
  /// A number. Messages show it as `n=4096`.
  GivenValue(std::string Name, const Rational &Number);
  /// All numbers from the lower to the higher bound; one number where they are equal.
  GivenValue(std::string Name, const Bounds &Range);
  /// A parsed text, with its wording in messages.
  GivenValue(std::string Name, std::expected<Bounds, Error> Range, std::string Text,
             std::string Source);

  /// A parameter, a value in memory (a global's last part is enough), a launch dimension (`grid.x`,
  /// `block.y`), an unknown (`trips@gemm.c:12:3`), an open call (`call:printf`, which takes 0
  /// alone), `bytes_dram` (what was measured) or `omp.threads`.
  std::string Name;
  /// For a text that is neither number nor interval: the error for an entry that has the name.
  /// Other entries ignore the value.
  std::expected<Bounds, Error> Range;
  std::string Text;   ///< the value as messages show it: `4096`
  std::string Source; ///< where it was given, as messages show that: `--set n=4096`
  /// It is no error where nothing has this name.
  bool IsOptional = false;

  /// One number, not an interval.
  bool isNumber() const { return Range && Range->Low == Range->High; }
  /// The same name and the same text of the value.
  bool operator==(const GivenValue &Other) const {
    return Name == Other.Name && Text == Other.Text;
  }
};

/// Values of an entry's symbols, checked.
struct Bindings {
  std::map<std::string, Rational> Given;
  /// Symbols of which an interval was given.
  SymbolBounds Ranges;
  /// Launch dimensions that are 1 since another of the same dim3 was given.
  std::map<std::string, Rational> Defaults;
  /// What all calls of a function pass (isPassedToAll).
  std::map<std::string, Rational> Passed{};
  /// Open calls (`call:printf`) declared to cost nothing.
  std::set<std::string> FreeCalls;
  std::optional<Rational> DramBytes;

  /// A name with an interval maps to itself: it must not get another value.
  Substitution substitution() const;
};

/// Names beside those of the counts: those that a program's accesses depend on.
struct AccessNames {
  std::set<std::string> Symbols, OpenCalls;
};

/// The values that \p Name of \p Entry can have by its type, or as a number of 64 bits.
Bounds possibleValues(const Function &Entry, const std::string &Name);

/// Checks \p Values for an entry. \p TotalsOf gives its totals in symbols, and is called only for a
/// name that is neither the entry's own nor \p AlsoKnown; so is \p AccessesOf, if given. Error: an
/// unknown name, no number, a repeated name, or a value out of the range of the name's type.
/// Indexes of unknown names go to \p NotHere if given, instead of an error.
std::expected<Bindings, Error> bindValues(const std::vector<GivenValue> &Values,
                                          const Function &Entry,
                                          const std::function<const Totals &()> &TotalsOf,
                                          std::set<std::size_t> *NotHere = nullptr,
                                          const std::function<AccessNames()> &AccessesOf = {},
                                          const AccessNames &AlsoKnown = {});

} // namespace ergon
