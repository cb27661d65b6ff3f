//===- ProgramSites.h - the calls that an entry reaches ---------*- C++ -*-===//
#pragma once

#include "model/program/CallFrames.h"
#include "model/program/ParallelRegions.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ergon {

/// The functions that an entry reaches, and what their calls pass: in the caller's symbols, worked
/// out once for all values of these.
class ProgramSites {
public:
  explicit ProgramSites(FunctionLookup Find) : Find(std::move(Find)) {}

  struct Site {
    const Function *Callee = nullptr; ///< null: without record and description
    /// The callee as it was recorded; Callee may be how it ran, where what it is passed is unknown.
    const Function *Recorded = nullptr;
    /// What the callee's symbols stand for in the caller's; without those that no count needs.
    std::vector<std::pair<std::string, Expr>> Passed;
  };
  struct Reached {
    std::unordered_map<const Call *, Site> Sites;
    std::unordered_map<std::string, const Unknown *> Unknowns;
    /// Symbols that its counts depend on, with those that its calls pass on.
    std::unordered_set<std::string> Needs;
  };

  /// Finds the functions that \p Entry reaches.
  void find(const Function &Entry);
  /// How many unknowns \p F and what it reaches have, or a number that is too large for formulas.
  std::size_t unknowns(const Function &F);
  /// Whether these are more than formulas are made for.
  bool isLarge(const Function &F) { return unknowns(F) > MaxUnknowns; }
  /// Works out what is passed, after find(), where the symbols of \p Bound have these values.
  void prepare(const Substitution &Bound);

  const Reached &of(const Function &F) const { return *Functions.at(&F); }
  /// In the order in which they were found, callees first.
  const std::vector<const Function *> &functions() const { return Order; }
  /// What \p At passes to a description, whose formulas may depend on the meaning of an argument.
  std::vector<std::pair<std::string, Expr>> passedTo(const Function &Callee, const Call &At,
                                                     const Function &Owner,
                                                     const Substitution &Frame);
  /// For a symbol that prepare() made for what a call passes, as CallFrames does.
  void explain(Unknown &Result) const { Frames->explain(Result); }

private:
  FunctionLookup Find;
  std::optional<CallFrames> Frames;
  std::unordered_map<const Function *, std::unique_ptr<Reached>> Functions;
  std::vector<const Function *> Order;
  std::unordered_map<const Function *, std::size_t> Unknowns; ///< by unknowns()

  static constexpr std::size_t MaxUnknowns = 100;
  class UnknownsCounter;

  void visit(const Loop &Region, const Function &Owner, Reached &Result);
  bool addNeeds(const Function &Owner);
  void keepNeeded(Site &To) const;
  bool lacksArgument(const Function &Owner, const Site &To, const Substitution &Bound) const;
};

/// `threadIdx.x`, `blockIdx.x`, …: what runs a kernel binds them.
bool isThreadIndex(const std::string &Symbol);

/// A symbol that means the same in a callee as in its caller.
bool isSameInCallees(const std::string &Symbol);

} // namespace ergon
