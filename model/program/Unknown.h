//===- Unknown.h - what formulas leave open ---------------------*- C++ -*-===//
//
// Symbols without a value, assumptions, and checks of machine arithmetic, with their positions in
// the source; and the kinds of scalars that symbols stand for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

struct SourceLocation {
  std::string File;
  unsigned Line = 0, Column = 0;

  /// Whether it has a line; a default one has none.
  bool isValid() const { return Line != 0; }
  /// `foo.c:12:3`, `foo.c:12` where the column is not known, or nothing.
  std::string text() const;
  bool operator==(const SourceLocation &) const = default;
};

/// What a scalar is in the source, where that changes how its values are written.
enum class ScalarKind { Integer, Real, Character, Logical };
/// The word in documents, and the value of a word.
std::string_view name(ScalarKind What);
std::optional<ScalarKind> scalarKind(std::string_view Name);

/// A name that the source has for a value of an enumeration.
struct Enumerator {
  std::string Name;
  std::int64_t Value = 0;
  bool operator==(const Enumerator &) const = default;
};

/// The type of a symbol in the source.
struct ScalarType {
  ScalarKind Kind = ScalarKind::Integer;
  /// Of an enumeration; empty for others.
  std::vector<Enumerator> Names{};
  bool operator==(const ScalarType &) const = default;
};

/// A function, by its mangled name, that was given pointers to an object in these arguments.
struct PointerTaker {
  std::string Callee;
  /// Without any, it may have other pointers there.
  std::vector<unsigned> Arguments{};
  bool operator==(const PointerTaker &) const = default;
};

/// An unresolved value: a symbol that the user must bind.
struct Unknown {
  std::string Symbol;
  SourceLocation Location;
  /// What the symbol represents, and why it is unknown.
  std::string Why;
  /// Its value in a profile of an earlier run, if clang had one.
  std::optional<Rational> Measured = std::nullopt;
  /// An upper bound by the compiler's analysis; 0: unknown.
  std::uint64_t Most = 0;
  /// By LLVM's branch probabilities, which are heuristics where clang had no profile.
  std::optional<Rational> Estimate = std::nullopt;
  /// It is the number in this argument of the program: 2 for `atoi(argv[2])`. 0: it is none.
  unsigned Argument = 0;
  /// That argument is read as a floating-point number: `(int)atof(argv[2])`.
  bool IsReal = false;
  /// Its value as a formula in the function's symbols and in what its calls return (Call::Value).
  /// Nothing where there is none. It applies where all these are known.
  std::optional<Expr> Formula = std::nullopt;
  /// The formula applies where none of these writes through those pointers.
  std::vector<PointerTaker> After{};
  /// It is no more than this, in the function's symbols: a loop over `i < n` that data may end
  /// before.
  std::optional<Expr> Limit = std::nullopt;
  /// What it is where numbers are ordinary: a loop that only others end before goes on to its
  /// limit. In the function's symbols and the variables of loops around it.
  std::optional<Expr> Usually = std::nullopt;
  /// For what a call passes: the symbol of what all calls of the callee pass; else empty.
  std::string PassedAs = {};
  /// It is the address that a call passes as this argument, from 1 on. 0: it is none.
  unsigned Address = 0;
};

/// An assumption of a function's counts: they are all `assumed` then.
struct Assumption {
  SourceLocation Location;
  std::string What;
  /// If not empty, it is that this function, a mangled name, writes no memory of its caller.
  std::string OnlyReads = {};
  bool operator==(const Assumption &) const = default;
};

/// A number that the counts depend on, in arithmetic that may wrap around: the machine then has
/// another number than the formulas.
struct WrapCheck {
  SourceLocation Location;
  /// Not zero where the number's type cannot represent it.
  Expr Wraps;
};

} // namespace ergon
