//===- AccessDomain.h - domain and addresses of an access -------*- C++ -*-===//
//
// The iterations in which an access runs, as linear inequalities. Prepared once, queried many times
// with other values of the outer induction variables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/ProgramForm.h"

namespace ergon {

/// A query for an access: the loops from depth `Around.size()` on run.
struct DomainQuery {
  const Iteration &Around;
  std::optional<Iterations> Some = {}; ///< only these iterations of the first loop that runs
  std::optional<LineRange> Range = {}; ///< lines outside of it may be left out
};

/// What the queries of an analysis may still take.
struct DomainEffort {
  std::size_t Runs;                 ///< of words, which sets of lines are made of
  std::size_t Operations = 1 << 28; ///< of formulas, to enumerate iterations: half a second
};

/// The addresses of one access for queries that fix the same number of outer loops. Loops that run
/// are ordered by stride in bytes, the longest first; those with stride 0 are eliminated (Fourier
/// and Motzkin), so that each loop's range depends only on the loops before it. Quotients, as in
/// a[i / 2], become further variables, limited by their remainders.
class AccessDomain {
public:
  /// A query gives values for the outer \p Fixed loops, and a range for the next one if \p
  /// HasWithin. Computes the ranges of the other loops.
  AccessDomain(const AccessForm &Form, std::size_t Fixed, bool HasWithin, unsigned LineBytes);

  /// The lines of all addresses, valid until the next query; overwrites \p Memory, and reduces
  /// \p Left by what it took.
  const LineSet &linesOf(const DomainQuery &Query, std::vector<LineRange> &Memory,
                         DomainEffort &Left);
  /// Whether a query had more separate line ranges, or runs of words, than the limit.
  bool isCut() const { return IsCut; }
  /// How many runs all queries had.
  std::size_t runs() const { return Runs; }
  /// Whether formulas are affine in the induction variables and in quotients of these.
  bool isLinear() const { return IsLinear; }

private:
  /// Bytes Low <= address < High; empty where High <= Low.
  struct Span {
    std::int64_t Low = 0, High = 0;
    bool empty() const { return High <= Low; }
  };
  /// One range for each value of a variable, whose ends are linear in it.
  struct Rows {
    Span First;
    std::int64_t Count, LowStep, HighStep;
    std::int64_t narrowest() const;
    std::int64_t gap() const;
    Span hull() const;
  };
  /// Σ Terms[i]·parameter i + Σ Steps[p]·variable p >= 0. Parameters: 1, the fixed loops, then
  /// those of the query. Before variables are chosen, the terms of all loops follow.
  struct Limit {
    std::vector<std::int64_t> Terms, Steps = {};
    std::int64_t Rest = 0; ///< the first sum, in this query
  };
  struct Dimension {
    std::size_t Loop;
    std::int64_t Move;         ///< bytes that one iteration moves; 0: not known
    std::vector<Limit> Limits; ///< of this variable and those before
    bool IsAlone;              ///< no later variable's limits depend on it
  };

  const AccessForm &Form;
  std::size_t Fixed;
  std::int64_t LineBytes;
  int LineShift;
  bool HasWithin;
  bool IsLinear; ///< affine in induction variables and quotients; otherwise iterations are
                 ///< enumerated
  std::vector<QuotientForm> Quotients;
  Limit Offset;              ///< a sum as in a limit, where IsLinear
  std::vector<Limit> Guards; ///< in parameters only
  std::vector<Dimension> Dimensions;
  Iteration Indices;
  std::vector<std::int64_t> Given;   ///< the parameters of this query
  std::vector<std::int64_t> Numbers; ///< by variable
  std::int64_t Start = 0;            ///< the address where all variables are 0, where IsLinear
  std::vector<LineRange> *Target = nullptr;
  LineSet Lines; ///< of the last query
  /// Whether the lines belong to the current limits and start.
  bool IsKnown = false;
  std::size_t Budget = 0, Runs = 0;
  /// Operations for each enumerated iteration; at first, those of one range and its part of
  /// sorting.
  std::size_t OperationsEach = 64;
  bool IsCut = false;

  /// More iterations than any loop has.
  static constexpr std::int64_t Far = std::int64_t(1) << 41;
  static constexpr std::size_t MaxLimits = 64;
  static constexpr std::size_t MaxRanges = 1 << 21, MaxRuns = 1 << 18;

  std::size_t parameters() const { return Fixed + 5; }
  std::size_t loops() const { return Form.Path.size() + Quotients.size(); }
  Limit emptyLimit() const { return {std::vector<std::int64_t>(parameters() + loops())}; }
  void collectQuotients();
  AffineForm numbered(const QuasiAffineForm &From);
  std::vector<Limit> limitsOfLoops();
  /// The remainder of each quotient's numerator.
  std::vector<Limit> remainders() const;
  void replaceLoops(std::vector<Limit> &All);
  static void add(const Limit &L, std::vector<Limit> &To);
  Limit limitOf(const AffineForm &Form) const;
  void addLimit(const Condition &From, std::vector<Limit> &To);
  void addLineLimits(std::vector<Limit> &To) const;
  void turn(std::vector<std::int64_t> &Steps, std::vector<Limit> &Limits) const;
  std::vector<Limit> eliminate(const std::vector<Limit> &From, std::size_t Loop) const;
  bool prepare(const DomainQuery &Query);
  /// An inner loop may already have spent the rest.
  void spend() { Budget -= Budget != 0; }
  Iterations rangeAt(std::size_t P) const;
  std::optional<Span> spanAt(std::size_t P, std::int64_t Number);
  std::optional<Rows> rowsAt(std::size_t P, const Iterations &Range);
  std::optional<Span> joined(std::size_t P);
  void walk(std::size_t P);
  void walkRows(std::size_t P, const Iterations &Range);
  void emit(const Span &S);
};

/// The domains of a program's accesses, built on demand.
class AccessDomains {
public:
  /// For the accesses of \p Form, which must outlive it. Queries return up to about \p Runs runs
  /// of words in all.
  AccessDomains(const ProgramForm &Form, unsigned LineBytes, std::size_t Runs);
  /// The lines of all addresses of an access.
  const LineSet &linesOf(unsigned Access, const DomainQuery &Query);
  /// Another access that covers all lines of this one, and stores to them if this one does; its own
  /// number where there is none.
  unsigned coverOf(unsigned Access) const { return Covers[Access]; }
  /// Accesses whose iterations could not all be enumerated, as their formulas are not linear.
  std::vector<unsigned> unfollowed() const;
  /// Whether queries had all the runs that they may have: the lines of others are left out.
  bool isSpent() const { return Left.Runs == 0; }
  /// Lets them have \p Runs more.
  void allow(std::size_t Runs) { Left.Runs += Runs; }
  /// Accesses to too many lines apart from each other, each alone; or those that are the cause of
  /// isSpent().
  std::vector<unsigned> scattered() const;

private:
  bool covers(unsigned Single, unsigned Other) const;
  const LineSet &linesAnywhere(unsigned Access, const DomainQuery &Query);

  const ProgramForm &Subject;
  unsigned LineBytes;
  std::vector<unsigned> Covers;
  /// By access, depth and whether lines were asked for.
  std::vector<std::vector<std::unique_ptr<AccessDomain>>> Known;
  /// An access that may go anywhere in its object.
  struct Anywhere {
    LineSet Lines; ///< the object's
    /// How often it starts while the code inside that many outer loops runs once.
    std::vector<double> Starts;
  };
  std::vector<Anywhere> Whole; ///< by access, built on demand
  std::vector<LineRange> Memory;
  DomainEffort Left;
};

} // namespace ergon
