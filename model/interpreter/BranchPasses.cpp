//===- BranchPasses.cpp - how often code passes its branches --------------===//

#include "model/interpreter/BranchPasses.h"

#include <algorithm>
#include <limits>

namespace ergon::code {

/// Of a branch, where it is not known how often it will be passed.
static constexpr unsigned MaxPassed = 1'000'000;
static constexpr unsigned MaxPassedInAll = 10 * MaxPassed;

static bool areOfOneKind(const Value &A, const Value &B) {
  return A.isKnown() && A.What == B.What && A.Object == B.Object && A.HasOffset && B.HasOffset &&
         !A.isReal();
}

/// How far apart two numbers are, or two places in an object.
static std::optional<std::int64_t> distance(const Value &From, const Value &To) {
  return areOfOneKind(From, To) ? std::optional(std::int64_t(To.Bits - From.Bits)) : std::nullopt;
}

/// How often a number that went from \p Seen at the first sample to \p Before and \p Now, one pass
/// later, changes until it is \p Bound; nothing where it does not change in equal steps.
static std::optional<std::uint64_t> changesUntil(const Value &Seen, const Value &Before,
                                                 const Value &Now, const Value &Bound,
                                                 std::int64_t Passes) {
  const auto Step = distance(Before, Now), Way = distance(Seen, Now), Left = distance(Now, Bound);
  if (!Step || !Way || !Left || *Step == 0 || *Way != *Step * Passes || (*Left > 0) != (*Step > 0))
    return std::nullopt;
  return std::uint64_t(*Left / *Step);
}

/// A loop that will be too long is left at once; one whose length is known may take its time.
void BranchPasses::sample(std::size_t Block, const Pair &Compared, const Steps &Run) {
  Branch &Own = Branches[Block];
  if (Own.Times != Second) {
    if (Own.Times == First)
      Own.StepsAtFirst = Run.Taken;
    Own.Seen[Own.Times != First] = Compared;
    return;
  }
  const auto &[AtFirst, Before] = Own.Seen;
  auto Left =
      changesUntil(AtFirst.first, Before.first, Compared.first, Compared.second, Second - First);
  if (!Left)
    Left = changesUntil(AtFirst.second, Before.second, Compared.second, Compared.first,
                        Second - First);
  if (!Left)
    return;
  const std::uint64_t StepsOfPass = (Run.Taken - Own.StepsAtFirst) / (Second - First) + 1;
  if (*Left > (Run.Most - std::min(Run.Taken, Run.Most)) / PartOfSteps / StepsOfPass) {
    Own.Times = std::numeric_limits<unsigned>::max() / 2;
    return;
  }
  Own.Known = Second + unsigned(*Left) + 1;
  Own.StepsAtEnd = Run.Taken + 2 * *Left * StepsOfPass;
  if (!Around || !Branches[*Around].isWithin(Run) || Branches[*Around].StepsAtEnd < Own.StepsAtEnd)
    Around = Block;
}

/// Once a quarter of the steps is used, each twentieth halves what is allowed: what is known of a
/// large program's end is less than of its beginning, not nothing.
unsigned BranchPasses::limit(const Steps &Run) const {
  const std::uint64_t Full = Run.Most / 4, Half = Run.Most / 20;
  const std::uint64_t Halvings = Run.Taken <= Full ? 0 : (Run.Taken - Full) / Half;
  const unsigned Most = Halvings < 32 ? MaxPassed >> Halvings : 0;
  return All > MaxPassedInAll || LeavesOuter ? std::min(MaxPassedAfter, Most) : Most;
}

} // namespace ergon::code
