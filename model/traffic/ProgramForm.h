//===- ProgramForm.h - an access program, compiled --------------*- C++ -*-===//
//
// An access program with compiled formulas: loops, accesses in text order, and the conditions under
// which they run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/LineSet.h"
#include "model/access/ObjectExtents.h"
#include "model/symbolic/IntegerFormula.h"
#include "model/traffic/Traffic.h"

#include <expected>
#include <limits>
#include <memory>

namespace ergon {

/// A range of a loop's iterations.
struct Iterations {
  std::int64_t First = 0, Last = std::numeric_limits<std::int64_t>::max();
};

/// Leaves the iterations i with \p Step · i + \p Rest >= 0; the step is not 0.
void cutRange(Iterations &Range, std::int64_t Step, std::int64_t Rest);

/// Values of induction variables, outermost first.
using Iteration = std::vector<std::int64_t>;

/// A formula in the outer induction variables that is not negative where code runs.
using Condition = IntegerFormula;

/// A loop and its items.
struct LoopForm {
  /// A loop, or consecutive accesses.
  struct Item {
    unsigned FirstAccess, EndAccess; ///< numbers of the accesses in it
    std::unique_ptr<LoopForm> Inner; ///< nothing: accesses only
    /// For a loop: when it runs, and how often then.
    std::vector<Condition> Conditions;
    double Share = 1;
  };
  std::string Variable;
  std::size_t Depth = 0;  ///< how many loops are around it
  std::size_t Height = 0; ///< depth of the nest inside
  /// The mean share of its iterations that run, where the exact number is unknown.
  double Mean = 1;
  std::optional<IntegerFormula> Last;
  /// Upper bound of the last iteration; nothing where none is known.
  std::optional<std::int64_t> Highest;
  /// Each states that the induction variable is at most its last value.
  std::vector<Condition> Bounds;
  bool IsAffine = true; ///< the bounds are exact
  std::vector<Item> Items;
};

/// An access and its context.
struct AccessForm {
  const MemoryAccess *Access;
  std::int64_t Base;                    ///< where the object starts
  std::vector<const LoopForm *> Path;   ///< loops around it, outermost first
  std::optional<IntegerFormula> Offset; ///< nothing where it may be anywhere
  std::optional<Extent> Anywhere = {};  ///< then: the bytes of the object that it goes to at random
  std::vector<Condition> Conditions;    ///< when it runs, with those of the loops around it
  double Share = 1;                     ///< how often then, in one iteration
  bool IsAffine = true;                 ///< offset, conditions and the loops around it
  /// Only the conditions and loop bounds that are affine in induction variables and quotients limit
  /// the addresses: a superset.
  bool IsLoose = false;
  /// The first access with the same addresses in the same iterations, possibly itself.
  unsigned Like;
};

class ProgramForm {
public:
  /// \p Program must outlive it.
  static std::expected<ProgramForm, Error> compile(const AccessProgram &Program,
                                                   const Placement &P);
  /// The program itself: a loop of one iteration that is on no path.
  const LoopForm &body() const { return *Body; }
  const std::vector<AccessForm> &accesses() const { return Accesses; }
  /// Replaces the addresses of an access, and of those equal to it, with a superset that needs no
  /// enumeration: affine bounds only, or anywhere in the object.
  void loosen(unsigned Access);
  /// The same: anywhere in the object.
  void forgetPlaces(unsigned Access);

private:
  std::unique_ptr<LoopForm> Body = std::make_unique<LoopForm>();
  std::vector<AccessForm> Accesses;

  friend class FormCompiler;
};

/// For an access that runs in a share p of the iterations: the expected share of lines that it
/// touches where k iterations can touch a line, 1 - (1 - p)^k.
double lineShareOf(const AccessForm &Form, unsigned LineBytes);

/// Total number of runs of an access.
double runsOf(const AccessForm &Form);
/// Number of runs of the code inside the first \p Loops loops around it, without the conditions of
/// inner ones.
double runsAround(const AccessForm &Form, std::size_t Loops);

/// The last iteration of \p Form within \p Around; negative where there is none.
std::int64_t lastOf(const LoopForm &Form, const Iteration &Around);
/// Whether the affine parts of two conditions are equal.
bool isSame(const Condition &C, const Condition &Other);
/// Whether all hold in the iteration \p Around.
bool hold(const std::vector<Condition> &All, const Iteration &Around);

} // namespace ergon
