//===- Program.h - totals over loops, calls and threads ---------*- C++ -*-===//
//
// Adds up the counts of a function's code: over the iterations of its loops, over its callees, and,
// for a kernel, over the threads of a launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/interpreter/Interpreter.h"
#include "model/program/CallFrames.h"
#include "model/program/ClosedSums.h"
#include "model/program/OpenCalls.h"
#include "model/program/SymbolEstimate.h"

#include <map>
#include <memory>
#include <set>

namespace ergon {

/// The counts of all launches of one kernel, over all threads; or of the calls of a library
/// function that works on the device.
struct KernelTotals {
  Expr Launches;
  Counts Values;
};

/// The counts of one run of a function, including all calls and launches.
struct Totals {
  Counts Values;
  /// The part of the values that runs in kernels, by the kernel's demangled name; the rest is the
  /// function's own. An entry that is itself a kernel is no part.
  std::map<std::string, KernelTotals> Kernels;
  /// Unknowns that a class's count depends on, where there are any.
  std::map<CostClass, std::set<std::string>> Rests;
  /// What a class depends on beyond its formula, where that contains a symbol `formula:FUNCTION`
  /// for a large formula: with values for these it would be a number.
  std::map<CostClass, std::set<std::string>> InLarge;
  /// The weakest way in which each class is known.
  ByClass<Known> KnownAs;
  /// Calls of unknown cost, and how often each runs.
  std::map<std::string, Expr> OpenCalls;
  /// Calls with counts from a library's description, and how often each runs.
  std::map<std::string, Expr> LibraryCalls;
  /// Where arithmetic that counts depend on may wrap around: not zero where it does.
  std::map<std::string, Expr> Wraps;

  /// The unknowns of \p Class, of Rests.
  const std::set<std::string> &unknownsOf(CostClass Class) const;
  /// Adds every symbol that a value or an open call depends on to \p Result.
  void collectSymbols(std::set<std::string> &Result) const;
};

/// The first launch of a kernel in a run.
struct FirstLaunch {
  std::string Kernel, Function; ///< demangled, mangled
  SourceLocation Location;      ///< of the launch
  LaunchShape Shape;
  Counts Values; ///< over all threads of this launch
  /// The kernel's symbols, as far as they are known.
  Substitution With;
};

/// By the kernel's mangled name.
using KnownLaunches = std::map<std::string, code::LaunchValues>;

/// True for what a library does on the device: cuBLAS, cudaMemset.
bool usesDeviceMemory(const Counts &Values);

class TotalsBuilder {
public:
  /// \p Bound are values substituted before summing. With \p UseMeasured, an unknown without a
  /// value in \p Bound gets its measured value, if any.
  /// \p Sums are those of builders of the same program.
  explicit TotalsBuilder(FunctionLookup Find, Substitution Bound = {}, bool UseMeasured = false,
                         std::shared_ptr<ClosedSums> Sums = std::make_shared<ClosedSums>());

  /// Totals of \p Entry; for a kernel, summed over the threads of a launch.
  Totals of(const Function &Entry);
  /// Totals of one call of \p Which; of one thread, for device code.
  const Totals &ofOneThread(const Function &Which) { return totalsOf(Which, Bound); }
  /// The first launch of each kernel that \p Entry reaches, by the kernels' mangled names. A value
  /// that needs a symbol without one remains a formula. Counts are left out unless \p WithCounts.
  /// What is \p Known of a kernel's first launch, by its mangled name, stands before the formulas.
  std::vector<FirstLaunch> firstLaunches(const Function &Entry, bool WithCounts = true,
                                         const KnownLaunches &Known = {});
  /// The meaning of \p Symbol in the totals so far: an unknown of a reached function, an open call,
  /// a launch dimension, or a parameter. Its limit is a number, if it has one.
  Unknown explain(const std::string &Symbol) const;
  /// The first formula so far that divides by zero: its function and position.
  const std::optional<std::string> &divisionByZero() const { return Division; }

private:
  /// Something that happens `Times` times, each time with this cost.
  struct Item {
    enum class Kind {
      Own,         // the function's, on the processor that runs it
      Kernel,      // of the kernel of this name; its launch, if the cost is empty
      OpenCall,    // a call of this name rather than a cost
      LibraryCall, // a run of the library's function of this name
      Wrap         // a check of arithmetic at this place
    };
    Expr Times = {};
    Counts CostPerTime = {};
    const Counts *OfBlock = nullptr; // they are the cost, instead of CostPerTime
    std::set<std::string> Rests = {};
    std::set<std::string> InLarge = {}; // as of Totals
    Known How = Known::Exact;
    Kind What = Kind::Own;
    std::string Name = {};

    const Counts &cost() const { return OfBlock ? *OfBlock : CostPerTime; }
  };
  using Key = std::pair<const Function *, std::string>;

  FunctionLookup Find;
  Substitution Bound;
  bool UseMeasured;
  std::shared_ptr<ClosedSums> Closed;
  CallFrames Frames;
  std::map<Key, Totals> Done, Launched;
  std::set<const Function *> Active;
  std::vector<Item> Items; ///< of all active functions, the innermost one's last
  std::map<std::string, const Unknown *, std::less<>> Explained;
  SymbolLimits Limits;
  std::optional<std::string> Division;

  /// Size limits: a symbol `formula:FUNCTION` replaces larger formulas. Formulas whose symbols have
  /// values are evaluated, and kept while they are no larger than the last one: an induction
  /// variable, which an argument may be, is no value.
  static constexpr std::size_t MaxItemSize = 1200, MaxCalleeSize = 1500, MaxValuedSize = 20'000;
  /// Limits of terms added up for one formula, and of formulas that exceed it.
  static constexpr std::uint64_t MaxStepsEach = 500'000;
  unsigned TooLong = 0;
  static constexpr unsigned MaxTooLong = 4;

  static bool isFixed(const Expr &Value);
  static Expr asFactor(const Expr &Value);
  Expr asNumber(const Expr &Value);
  Totals withNumbers(Totals T);
  void boundSize(Item &I, const Function &Owner);
  std::optional<Totals> boundSize(const Totals &T, const Function &Which) const;
  Substitution withMeasured(const Function &Which, const Substitution &Frame) const;
  Key keyOf(const Function &Which, const Substitution &Frame) const;
  const Totals &totalsOf(const Function &Which, const Substitution &Frame);
  const Totals &totalsOfLaunch(const Function &Kernel, const Substitution &Frame);
  static void closeRecursion(const Function &Which, Totals &T);
  void addItems(const Loop &Region, const Function &Owner, const Substitution &Frame);
  void addCall(const Call &Site, Item Runs, const Function &Owner, const Substitution &Frame);
  Expr put(const Substitution &Frame, const Expr &Target, const Function &Owner,
           const SourceLocation &Location);
  void addValues(const Counts &Values, const Totals &T, const Item &Runs,
                 const Substitution &Actual);
  void addCallee(const Function &Callee, const Call &Site, const Function &Owner, Item Runs,
                 const Substitution &Frame);

  struct LaunchWalk;
  bool launches(const Loop &Region, const Function &Owner, LaunchWalk &Walk);
  std::pair<Substitution, Substitution> valuesAt(const Call &Site, const Function &Callee,
                                                 const Function &Owner, const Substitution &Frame);
  void follow(const Call &Site, const Function &Owner, const Substitution &Frame, LaunchWalk &Walk);
  void follow(const Loop &Region, const Function &Owner, const Substitution &Frame,
              LaunchWalk &Walk);
};

/// \p C with something else for each of its formulas.
Counts mapped(const Counts &C, const std::function<Expr(const Expr &)> &Transform);

/// Sums \p PerThread over the threads of a launch: over `blockIdx.*` in the grid
/// and `threadIdx.*` in the block.
Expr sumOverThreads(const Expr &PerThread, const Substitution &Bound);

/// The totals of one loop of \p Owner for one run of the function, without calls.
Counts totalsOfLoop(const Function &Owner, const Loop &Region);

} // namespace ergon
