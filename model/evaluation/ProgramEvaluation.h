//===- ProgramEvaluation.h - one function with numbers ----------*- C++ -*-===//
//
// Evaluates a function for a node of ProgramNumbers. Formulas are made for sums over loops alone:
// those of the function, and those of callers whose variables its arguments depend on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/evaluation/ProgramNumbers.h"
#include "model/symbolic/Slopes.h"

#include <string_view>

namespace ergon {

/// What is true of all calls of a node in one visit.
struct ProgramNumbers::Context {
  /// Loops of callers whose variables the node depends on, or the threads of a launch; the
  /// outermost first.
  struct Level {
    std::string Variable; ///< empty: the threads
    Expr Last;
    Substitution Launch{}; ///< its dimensions

    /// The sum of \p Formula over it.
    Expr over(const Expr &Formula) const;
  };
  /// A formula in the variables of the levels.
  struct Formula {
    Expr Value;
    Known How = Known::Exact;
  };
  std::vector<Level> Around{};
  Known How = Known::Exact; ///< of how often the levels run
  Expr Weight = 1;          ///< calls in each iteration of the innermost
  bool OnDevice = false;
  std::map<std::string, Formula, std::less<>> Varying{}; ///< arguments
  Substitution Spaces{};                                 ///< of pointer arguments (passSpaces)

  bool isPlain() const { return Around.empty(); }
  /// Whether \p Symbol is the variable of a level.
  bool isAround(const std::string &Symbol) const;
  bool hasThreads() const { return isAround("threadIdx.x"); }
  /// All that distinguishes nodes of one function with the same numbers.
  std::string key() const;
};

class ProgramNumbers::Evaluation {
public:
  Evaluation(ProgramNumbers &Program, Node &Result, const Context &In)
      : Program(Program), Result(Result), In(In), Own(Program.Sites.of(*Result.Which)),
        FirstInside(Program.Nodes.size()), Levels(In.isPlain() ? "" : In.key()) {
    nameLoops(Result.Which->Body, nullptr);
  }

  void run();

private:
  using Level = Context::Level;
  /// A loop's iteration of those that are looked at.
  using Iteration = std::map<std::string, Rational, std::less<>>;
  /// What a call passes.
  struct Arguments {
    Frame Values{};
    std::map<std::string, Context::Formula, std::less<>> Varying{};
    std::vector<PassedSlope> Slopes{};

    bool contains(const std::string &Formal) const {
      return Varying.contains(Formal) ||
             std::ranges::find(Values, Formal, &std::pair<std::string, Number>::first) !=
                 Values.end();
    }
  };

  ProgramNumbers &Program;
  Node &Result;
  const Context &In;
  const ProgramSites::Reached &Own;
  std::size_t FirstInside; ///< of the nodes that it makes
  std::string Levels;      ///< what sums over the levels around depend on
  std::map<std::string_view, const Loop *> Variables;
  std::map<const Loop *, const Loop *> Around;
  std::vector<Expr> Times;       ///< of the items, in variables of loops
  std::optional<Rational> Calls; ///< in one visit, once it is known
  Iteration At;                  ///< loops of which one iteration is looked at

  /// Terms added up for one formula; of longer sums, some stand for all.
  static constexpr std::uint64_t MaxTerms = 500'000;

  const Function &owner() const { return *Result.Which; }
  void nameLoops(const Loop &L, const Loop *Outer);
  const Number &numberOf(const std::string &Symbol);
  std::optional<Rational> certainNumber(const std::string &Symbol) const;
  void addLimits();
  bool isVarying(const std::string &Symbol) const;
  bool isVarying(const Expr &Formula) const {
    return Formula.hasSymbol([this](const std::string &Symbol) { return isVarying(Symbol); });
  }
  Number evaluate(const Expr &Formula, Slopes *Found = nullptr);
  Expr inVariables(const Expr &Formula, Known &How);
  Expr put(const Expr &Formula, Known &How, std::size_t Begin);
  void multiply(std::size_t Begin, const Expr &By, Known How);
  void addFormulas(const Block &B, const Loop &Region, const Counts &PerRun);
  void addItems(const Loop &Region);
  void overIterations(const Loop &Region, std::size_t Begin);
  void finishItems();
  std::optional<Rational> total(const Expr &InOneCall, Known &How);
  void fail(const std::string &What);

  void addCalls(std::size_t Index);
  bool dependsOnLoops(const Call &Site, const ProgramSites::Site &To) const;
  Arguments argumentsOf(const Call &Site, const ProgramSites::Site &To);
  static void placeFirst(const Function &Callee, Arguments &Passed);
  Context contextOf(std::size_t From, Arguments &Passed);
  std::optional<std::size_t> nodeOf(const Call &Site, const Function &Callee, Frame Values,
                                    Context Next);
  void addCall(const Call &Site, std::size_t From, const Number &Times);
  bool addInFormulas(const Call &Site, std::size_t From);
  void addSampled(const Call &Site, std::size_t From, std::vector<const Loop *> Loops,
                  const Number &Weight);
  void addEdge(const Call &Site, std::size_t From, std::vector<PassedSlope> Slopes, std::size_t To,
               const Number &Visits, const Number &Calls);
  Number callsOfItself(const std::string &Name) const;
  void closeRecursion();
  static void addTo(std::map<std::string, Number> &Calls, const std::string &Name,
                    const Number &Times);
};

} // namespace ergon
