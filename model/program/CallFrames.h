//===- CallFrames.h - what calls pass to callees ----------------*- C++ -*-===//
//
// Values for a callee's symbols at a call: its parameters, the memory cells that it reads, handles,
// globals, and for a launch the launch dimensions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

#include <functional>
#include <map>
#include <unordered_map>

namespace ergon {

/// The definition of a mangled name as seen from a function, or null: another function of its
/// target, or a kernel of the device that it launches on.
using FunctionLookup =
    std::function<const Function *(const std::string &Callee, const Function &Caller)>;

/// Finds the callee of \p Site, or null where there is no record of it, or it does not match the
/// call.
const Function *calleeOf(const Call &Site, const Function &Owner, const FunctionLookup &Find);

/// Puts into \p F what the records of its callees tell: numbers that they return, for unknowns that
/// depend on these, and that they only read, where \p F assumes it.
void putCalleeFacts(Function &F, const FunctionLookup &Find);

/// The number, from 1 on, of the pointer parameter whose address \p Symbol is in formulas of \p F;
/// 0 for any other symbol.
unsigned addressNumber(const Function &F, const std::string &Symbol);

/// The symbol of what all calls of \p Callee, a kernel or a function with code, pass for its symbol
/// \p Formal.
std::string passedToAll(const Function &Callee, const std::string &Formal);
bool isPassedToAll(std::string_view Symbol);
/// The formal parameter in such a symbol of the function that its code calls \p Callee.
std::string formalOf(std::string_view Symbol, std::string_view Callee);

class CallFrames {
public:
  /// \p Bound are values of the entry's symbols.
  CallFrames(FunctionLookup Find, const Substitution &Bound);

  struct Passed {
    /// By the callee's symbol, in the caller's own symbols. The first value of a symbol applies.
    std::vector<std::pair<std::string, Expr>> Values;
    /// Also passed, but neither formulas nor given values: rarely important, pointers least of all.
    std::vector<std::string> NotKnown;
  };
  /// The values that \p Site passes to \p Callee: arguments, memory cells, globals, for a launch
  /// its dimensions. \p Frame has the values of \p Owner's own symbols.
  Passed at(const Call &Site, const Function &Callee, const Function &Owner,
            const Substitution &Frame);

  /// All that at() passes and the cells that \p Callee passes on, with unknowns for what is not
  /// known. \p Callee's own callees must have been asked for.
  std::vector<std::pair<std::string, Expr>> all(const Call &Site, const Function &Callee,
                                                const Function &Owner, const Substitution &Frame);

  /// The given values of symbols that mean the same in every function.
  const Substitution &global() const { return Global; }
  /// What \p Site passes to \p Callee as \p Formal where that is no formula: an unknown; for a
  /// pointer, bytes from a parameter of \p Owner or from the unknown of another argument, if known.
  Expr unknownAt(const Call &Site, const Function &Callee, const Function &Owner,
                 const std::string &Formal);
  /// For a symbol of unknownAt(), sets Unknown::PassedAs and Unknown::Address.
  void explain(Unknown &Result) const;
  /// The value given for \p Formal of \p Callee in all its calls.
  std::optional<Expr> givenFor(const Function &Callee, const std::string &Formal) const;
  /// The cells of \p F: those that it reads, and those found to be passed on.
  const std::vector<Cell> &cells(const Function &F) const;
  Expr cellValue(const Cell &C, const Function &Callee, const Call &Site, const Function &Owner);

private:
  FunctionLookup Find;
  Substitution Global;
  /// What is passed to all calls of a function. No formula has these symbols, and there are some
  /// for each function: values of symbols, which are copied for each call, are without them.
  Substitution Given;
  /// Unique names of calls in symbols.
  std::map<const Function *, std::map<const Call *, std::string>> SiteNames;
  /// The cells of functions that may have more than their own.
  std::map<const Function *, std::vector<Cell>> Cells;
  std::unordered_map<std::string, std::pair<const Function *, std::string>>
      PassedTo; ///< by unknownAt()

  const std::string &siteName(const Call &Site, const Function &Owner);
  Expr member(const Parameter &Formal, const std::string &Name, std::size_t Number,
              const Call &Site, const Function &Owner, const Substitution &Frame);
};

} // namespace ergon
