//===- RunPlaces.cpp - a function as a run had it -------------------------===//
//
// A run counts how often each block and loop of a function ran whose formula is more than a ratio
// of counts. With these numbers in the place of formulas a function costs what its mean call did:
// that times its calls is what all of them did, whatever their arguments were.
//
//===----------------------------------------------------------------------===//

#include "model/program/Run.h"

#include <algorithm>

namespace ergon {

namespace {
class PlaceBinder {
public:
  explicit PlaceBinder(const std::vector<const FunctionRun *> &FunctionRuns)
      : FunctionRuns(FunctionRuns) {}

  /// \p Entered: how often the region is entered per call; nothing where that is not known.
  void bind(Loop &Region, const std::optional<Rational> &Entered);
  bool DoRunsDiffer = false;
  bool HasCounts = false;
  bool HasFormulas = false; ///< that no count stands for

private:
  const std::vector<const FunctionRun *> &FunctionRuns;

  std::optional<Rational> counted(const std::string &Symbol);
};
} // namespace

/// What a call counts under \p Symbol.
std::optional<Rational> PlaceBinder::counted(const std::string &Symbol) {
  std::optional<Rational> Result;
  if (Symbol.empty())
    return Result;
  for (const FunctionRun *Run : FunctionRuns) {
    auto Mean = Run->Unknowns.find(Symbol);
    if (Mean == Run->Unknowns.end() || Mean->second.Times == 0)
      continue;
    const Rational Value(Mean->second.Sum, Mean->second.Times);
    DoRunsDiffer |= Result && *Result != Value;
    Result = Value;
    HasCounts = true;
  }
  return Result;
}

static std::optional<Rational> times(const std::optional<Rational> &Number, const Expr &Formula) {
  auto Factor = Formula.constant();
  return Number && Factor ? std::optional(*Number * *Factor) : std::nullopt;
}

/// \p Part per \p Whole; \p Formula where one is not known.
static Expr ratio(const std::optional<Rational> &Part, const std::optional<Rational> &Whole,
                  const Expr &Formula) {
  if (!Part || !Whole)
    return Formula;
  return Expr(*Whole == Rational(0) ? Rational(0) : *Part / *Whole);
}

void PlaceBinder::bind(Loop &Region, const std::optional<Rational> &Entered) {
  std::optional<Rational> Iterations = Entered;
  if (!Region.Variable.empty()) {
    Iterations = counted(Region.Counted);
    if (!Iterations)
      Iterations = times(Entered, Region.Last + Expr(1));
    if (Iterations && Entered)
      Region.Last = *Entered == Rational(0) ? Expr(0) : Expr(*Iterations / *Entered - Rational(1));
  }
  for (Block &B : Region.Blocks)
    if (auto Runs = counted(B.Counted)) {
      B.Runs = ratio(Runs, Iterations, B.Runs);
      B.How = std::max(B.How, Known::Measured);
    }
  HasFormulas |= !Region.Last.constant() || std::ranges::any_of(Region.Blocks, [](const Block &B) {
    return !B.Runs.constant() || std::ranges::any_of(B.PerRun, [](const Counts::Entry &E) {
      return !E.second.constant();
    });
  });
  for (Loop &Inner : Region.Loops) {
    std::optional<Rational> Times = counted(Inner.Entered);
    if (!Times)
      Times = times(Iterations, Inner.Entries);
    Inner.Entries = ratio(Times, Iterations, Inner.Entries);
    bind(Inner, Times);
  }
}

/// Whether all of \p FunctionRuns counted \p Symbol, and control never got to what it is a ratio
/// of.
static bool isNeverReached(const std::string &Symbol,
                           const std::vector<const FunctionRun *> &FunctionRuns) {
  return !FunctionRuns.empty() && std::ranges::all_of(FunctionRuns, [&](const FunctionRun *Run) {
    auto Found = Run->Unknowns.find(Symbol);
    return Found != Run->Unknowns.end() && Found->second.Sum == 0 && Found->second.Times == 0;
  });
}

std::shared_ptr<Function> asRun(const Function &F,
                                const std::vector<const FunctionRun *> &FunctionRuns) {
  auto Result = std::make_shared<Function>(F);
  Result->IsAsRun = true;
  PlaceBinder Places(FunctionRuns);
  Places.bind(Result->Body, Rational(1));
  if (Places.DoRunsDiffer)
    return nullptr;
  // Nothing depends on them, but formulas that multiply them by 0 would ask for them.
  for (Unknown &Open : Result->Unknowns)
    if (isNeverReached(Open.Symbol, FunctionRuns))
      Open.Measured = Rational(0);
  if (Places.HasCounts)
    Result->Body.TripsKnown = Known::Measured;
  if (!FunctionRuns.empty() || !Places.HasFormulas)
    Result->WrapChecks.clear(); // of formulas
  return Result;
}

} // namespace ergon
