//===- AccessDomain.h - where an access goes while loops run ----*- C++ -*-===//
//
// The iterations in which an access runs, as inequalities, prepared once and asked many
// times with other numbers for the loops around.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_ACCESSDOMAIN_H
#define ERGON_MODEL_TRAFFIC_ACCESSDOMAIN_H

#include "model/traffic/ProgramForm.h"

namespace ergon {

/// What is asked of an access: the loops from number `Around.size()` on run.
struct DomainQuery {
  const Iteration &Around;
  std::optional<Iterations> Some = {}; ///< of the first loop that runs, these alone
  std::optional<LineRange> Range = {}; ///< lines outside of it may be left out
};

/// The places of one access in a fixed number of loops around, for queries of one kind.
/// Loops that run are ordered by how many bytes one iteration moves, the farthest first;
/// those that move nothing are eliminated (Fourier and Motzkin), so that each loop's range
/// depends on the loops before it alone. Quotients, as of a[i / 2], are loops more, whose limits
/// are those of the remainder.
class AccessDomain {
public:
  /// \p Fixed of the loops around have numbers that a query gives; with \p HasWithin it gives a
  /// range for the next one. Works out the other loops' ranges.
  AccessDomain(const AccessForm &Form, std::size_t Fixed, bool HasWithin, unsigned LineBytes);

  /// The lines of all places, until the next query; \p Memory is overwritten. Where each iteration
  /// is asked for, that may take \p Effort operations, and so many fewer afterwards.
  const LineSet &linesOf(const DomainQuery &Query, std::vector<LineRange> &Memory,
                         std::size_t &Effort);
  /// Whether a query had more lines apart from each other than are gone through.
  bool isCut() const { return IsCut; }
  /// Whether formulas are affine in the loops' numbers and in quotients of these.
  bool isLinear() const { return IsLinear; }

private:
  /// Bytes Low <= address < High; empty where High <= Low.
  struct Span {
    std::int64_t Low = 0, High = 0;
    bool empty() const { return High <= Low; }
  };
  /// Ranges, one each for numbers of a loop, whose ends move evenly.
  struct Rows {
    Span First;
    std::int64_t Count, LowStep, HighStep;
    std::int64_t narrowest() const;
    std::int64_t gap() const;
    Span hull() const;
  };
  /// Σ Terms[i]·parameter i + Σ Steps[p]·place p >= 0. Parameters: 1, the fixed loops, then what
  /// the query gives. Until places are known, the terms go on by loop.
  struct Limit {
    std::vector<std::int64_t> Terms, Steps = {};
    std::int64_t Rest = 0; ///< the first sum, in this query
  };
  struct Dimension {
    std::size_t Loop;
    std::int64_t Move;         ///< bytes that one iteration moves; 0: not known
    std::vector<Limit> Limits; ///< of this place and those before
    bool IsAlone;              ///< no later place's limits depend on it
  };

  const AccessForm &Form;
  std::size_t Fixed;
  std::int64_t LineBytes;
  int LineShift;
  bool HasWithin;
  bool IsLinear; ///< in the loops' numbers and in quotients: else each iteration is asked for
  std::vector<QuotientForm> Quotients;
  Limit Offset;              ///< a sum as of a limit: where IsLinear
  std::vector<Limit> Guards; ///< of parameters alone
  std::vector<Dimension> Dimensions;
  Iteration Indices;
  std::vector<std::int64_t> Given;   ///< the parameters of this query
  std::vector<std::int64_t> Numbers; ///< by place
  std::int64_t Start = 0;            ///< where all places have the number 0, where IsLinear
  std::vector<LineRange> *Target = nullptr;
  LineSet Lines; ///< of the last query
  /// The lines are those of all queries with the numbers that limits and start have now.
  bool IsKnown = false;
  std::size_t Budget = 0;
  /// Of an iteration that is asked for; to begin with, what a range takes with its part of sorting.
  std::size_t OperationsEach = 64;
  bool IsCut = false;

  /// More iterations than any loop has.
  static constexpr std::int64_t Far = std::int64_t(1) << 41;
  static constexpr std::size_t MaxLimits = 64;
  static constexpr std::size_t MaxRanges = 1 << 21;

  std::size_t parameters() const { return Fixed + 5; }
  std::size_t loops() const { return Form.Path.size() + Quotients.size(); }
  Limit emptyLimit() const { return {std::vector<std::int64_t>(parameters() + loops())}; }
  void collectQuotients();
  AffineForm numbered(const QuasiAffineForm &From);
  std::vector<Limit> limitsOfLoops();
  /// What is left of each quotient's numerator.
  std::vector<Limit> remainders() const;
  void replaceLoops(std::vector<Limit> &All);
  static void add(const Limit &L, std::vector<Limit> &To);
  Limit limitOf(const AffineForm &Form) const;
  void addLimit(const Condition &From, std::vector<Limit> &To);
  void addLineLimits(std::vector<Limit> &To) const;
  void turn(std::vector<std::int64_t> &Steps, std::vector<Limit> &Limits) const;
  std::vector<Limit> eliminate(const std::vector<Limit> &From, std::size_t Loop) const;
  bool prepare(const DomainQuery &Query);
  /// Once a loop inside has spent the rest there is nothing more to spend.
  void spend() { Budget -= Budget != 0; }
  Iterations rangeAt(std::size_t P) const;
  std::optional<Span> spanAt(std::size_t P, std::int64_t Number);
  std::optional<Rows> rowsAt(std::size_t P, const Iterations &Range);
  std::optional<Span> joined(std::size_t P);
  void walk(std::size_t P);
  void walkRows(std::size_t P, const Iterations &Range);
  void emit(const Span &S);
};

/// The systems of a program's accesses, made when they are asked for.
class AccessDomains {
public:
  /// Of the accesses of \p Form, which must outlive it.
  AccessDomains(const ProgramForm &Form, unsigned LineBytes);
  /// The lines of all places of an access.
  const LineSet &linesOf(unsigned Access, const DomainQuery &Query);
  /// Another access whose lines are all those of this one, and are stored to if these are; its
  /// own number where there is none.
  unsigned coverOf(unsigned Access) const { return Covers[Access]; }
  /// As AccessDomain::isCut(), of any query.
  bool isCut() const;
  /// Accesses of which not all iterations could be asked for, as their formulas are not linear.
  std::vector<unsigned> unfollowed() const;

private:
  bool covers(unsigned Single, unsigned Other) const;
  const LineSet &linesAnywhere(unsigned Access, const DomainQuery &Query);

  const ProgramForm &Subject;
  unsigned LineBytes;
  std::vector<unsigned> Covers;
  /// By access, depth and whether lines were asked for.
  std::vector<std::vector<std::unique_ptr<AccessDomain>>> Known;
  /// Of an access that goes anywhere in its object.
  struct Anywhere {
    LineSet Lines; ///< the object's
    /// How often it starts while the code in so many loops around it runs once.
    std::vector<double> Starts;
  };
  std::vector<Anywhere> Whole; ///< by access, made when asked for
  std::vector<LineRange> Memory;
  std::size_t Effort = 1 << 28; ///< operations of formulas, half a second or so
};

} // namespace ergon

#endif
