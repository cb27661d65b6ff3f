//===- CallFrames.h - what calls pass to callees ----------------*- C++ -*-===//
//
// Values for a callee's symbols at a call: its parameters, the cells of memory that
// it reads, what handles stand for, globals, and on a launch the launch dimensions.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_CALLFRAMES_H
#define ERGON_MODEL_PROGRAM_CALLFRAMES_H

#include "model/program/Function.h"

#include <functional>
#include <map>

namespace ergon {

/// The definition of a mangled name as seen from a function, or null: another
/// function of its target, or a kernel of the device that it launches on.
using FunctionLookup =
    std::function<const Function *(const std::string &Callee, const Function &Caller)>;

/// Finds the callee of \p Site, or null where there is no record of it, or it is not what
/// the site asks for.
const Function *calleeOf(const Call &Site, const Function &Owner, const FunctionLookup &Find);

class CallFrames {
public:
  /// \p Bound are values that were put for symbols of the entry.
  CallFrames(FunctionLookup Find, const Substitution &Bound);

  struct Passed {
    /// By the callee's symbol, in symbols of the caller that no frame has been put into. The
    /// first of two for one symbol holds.
    std::vector<std::pair<std::string, Expr>> Values;
    /// Passed too, but no formulas, nor given values: few of them matter, pointers
    /// hardly ever.
    std::vector<std::string> NotKnown;
  };
  /// What \p Site passes to \p Callee: arguments, cells of memory, globals, on a launch its
  /// dimensions. \p Frame has the values of \p Owner's own symbols.
  Passed at(const Call &Site, const Function &Callee, const Function &Owner,
            const Substitution &Frame);

  /// The values given for symbols that mean the same in every function.
  const Substitution &global() const { return Global; }
  /// The unknown that stands for what \p Site passes as \p Formal.
  Expr unknownAt(const Call &Site, const Function &Owner, const std::string &Formal);
  /// The cells of \p F: those that it reads, and those that it has been found to pass on.
  std::vector<Cell> &cells(const Function &F);
  Expr cellValue(const Cell &C, const Function &Callee, const Call &Site, const Function &Owner);

private:
  FunctionLookup Find;
  Substitution Global;
  /// What calls are called in symbols: one name to a call.
  std::map<const Function *, std::map<const Call *, std::string>> SiteNames;
  std::map<const Function *, std::vector<Cell>> Cells;

  const std::string &siteName(const Call &Site, const Function &Owner);
  Expr member(const Parameter &Formal, const std::string &Name, std::size_t Number,
              const Call &Site, const Function &Owner, const Substitution &Frame);
};

} // namespace ergon

#endif
