//===- ProgramForm.h - an access program, compiled --------------*- C++ -*-===//
//
// An access program whose formulas are compiled: loops, accesses in text order, and the
// conditions under which they run.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_PROGRAMFORM_H
#define ERGON_MODEL_TRAFFIC_PROGRAMFORM_H

#include "model/access/LineSet.h"
#include "model/access/ObjectExtents.h"
#include "model/symbolic/IntegerFormula.h"
#include "model/traffic/Traffic.h"

#include <expected>
#include <limits>
#include <memory>

namespace ergon {

/// Some of a loop's iterations.
struct Iterations {
  std::int64_t First = 0, Last = std::numeric_limits<std::int64_t>::max();
};

/// Leaves the numbers i for which \p Step · i + \p Rest >= 0; the step is not 0.
void cutRange(Iterations &Range, std::int64_t Step, std::int64_t Rest);

/// Iteration numbers of loops, outermost first.
using Iteration = std::vector<std::int64_t>;

/// A formula that is not negative where code runs, in the numbers of the loops around it.
using Condition = IntegerFormula;

/// A loop and what it holds.
struct LoopForm {
  /// A loop, or accesses that follow each other.
  struct Item {
    unsigned FirstAccess, EndAccess; ///< numbers of the accesses in it
    std::unique_ptr<LoopForm> Inner; ///< nothing: accesses only
    /// Of a loop: when it runs, and how often then.
    std::vector<Condition> Conditions;
    double Share = 1;
  };
  std::string Variable;
  std::size_t Depth = 0;  ///< how many loops are around it
  std::size_t Height = 0; ///< how many loops are in it, one in the other
  /// The share of its iterations that run in the mean, where nobody knows how many do.
  double Mean = 1;
  std::optional<IntegerFormula> Last;
  /// Not below the last iteration anywhere; nothing where no such number is known.
  std::optional<std::int64_t> Highest;
  /// Each says that an iteration number is not above the last one.
  std::vector<Condition> Bounds;
  bool IsAffine = true; ///< the bounds say all
  std::vector<Item> Items;
};

/// An access with what is around it.
struct AccessForm {
  const MemoryAccess *Access;
  std::int64_t Base;                    ///< where the object starts
  std::vector<const LoopForm *> Path;   ///< loops around it, outermost first
  std::optional<IntegerFormula> Offset; ///< nothing where it may be anywhere
  std::optional<Extent> Anywhere = {};  ///< then: in these bytes of the object, each time elsewhere
  std::vector<Condition> Conditions;    ///< when it runs, of the loops around it too
  double Share = 1;                     ///< how often then, in one iteration
  bool IsAffine = true;                 ///< offset, conditions and the loops around it
  /// Of conditions and loops only what is affine in iteration numbers and quotients of these limits
  /// the places: they are some too many.
  bool IsLoose = false;
  /// The first access that touches the same places in the same iterations; itself.
  unsigned Like;
};

class ProgramForm {
public:
  /// \p Program has to live as long.
  static std::expected<ProgramForm, Error> compile(const AccessProgram &Program,
                                                   const Placement &P);
  /// The program itself, a loop of one iteration that is on no path.
  const LoopForm &body() const { return *Body; }
  const std::vector<AccessForm> &accesses() const { return Accesses; }
  /// Takes the places of an access, and of those that go with it, for as much as can be told
  /// without a look at each iteration: too many of them, or any of the object.
  void loosen(unsigned Access);

private:
  std::unique_ptr<LoopForm> Body = std::make_unique<LoopForm>();
  std::vector<AccessForm> Accesses;

  friend class FormCompiler;
};

/// Of an access that runs in a share p of the iterations: of the lines that it may touch, those
/// that one of k chances touches, 1 - (1 - p)^k.
double lineShareOf(const AccessForm &Form, unsigned LineBytes);

/// How often an access runs in all.
double runsOf(const AccessForm &Form);
/// How often the code in the first \p Loops loops around it does, conditions in others apart.
double runsAround(const AccessForm &Form, std::size_t Loops);

/// The last iteration of \p Form in the iteration \p Around of the loops around it;
/// negative where there is none.
std::int64_t lastOf(const LoopForm &Form, const Iteration &Around);
/// Whether two say the same, as far as they are affine.
bool isSame(const Condition &C, const Condition &Other);
/// Whether all hold in the iteration \p Around.
bool hold(const std::vector<Condition> &All, const Iteration &Around);

} // namespace ergon

#endif
