//===- Bindings.h - values for symbols from the command line ----*- C++ -*-===//

#ifndef ERGON_PREDICT_VALUES_BINDINGS_H
#define ERGON_PREDICT_VALUES_BINDINGS_H

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

/// What `--set` gave.
struct Bindings {
  std::map<std::string, Rational> Given;
  /// Those of `--set NAME=LOW..HIGH`.
  SymbolBounds Between;
  /// Launch dimensions that are 1 since another of the same dim3 was given.
  std::map<std::string, Rational> Defaults;
  /// Open calls (`call:printf`) that are said to cost nothing.
  std::set<std::string> FreeCalls;
  std::optional<Rational> DramBytes;

  /// Of a name with an interval the name itself: it is not to have another value.
  Substitution substitution() const;
};

/// Names beside those of the counts: what a program's accesses rest on.
struct AccessNames {
  std::set<std::string> Symbols, OpenCalls;
};

/// `4096`, `-3`, `0.25`, `1e9`, `3/4` exactly; nothing where \p Text is no number.
std::optional<Rational> parseNumber(std::string_view Text);

/// Reads NAME=VALUE and NAME=LOW..HIGH pairs for an entry. \p TotalsOf gives its totals in symbols,
/// and is asked for them only where a name is none of the entry's own and not \p AlsoKnown; then
/// \p AccessesOf is too, where it is given. Error: no such name, no number, a name twice, or a
/// value that the name cannot have, as a variable of its type cannot. Those of \p Sets whose name
/// is nothing of the entry are put into \p NotHere where it is given, instead of an error.
std::expected<Bindings, Error> parseBindings(const std::vector<std::string> &Sets,
                                             const Function &Entry,
                                             const std::function<const Totals &()> &TotalsOf,
                                             std::set<std::string> *NotHere = nullptr,
                                             const std::function<AccessNames()> &AccessesOf = {},
                                             const AccessNames &AlsoKnown = {});

} // namespace ergon

#endif
