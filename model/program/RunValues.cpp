//===- RunValues.cpp - values that the counts of a run imply --------------===//

#include "model/program/RunValues.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace ergon {

static Rational rounded(const Rational &Value) { return floorOf(Value + Rational(1, 2)); }

namespace {
class RunSolver {
public:
  RunSolver(const Function &F, RunValues &Result) : Result(Result) {
    for (const Unknown &U : F.AsRun->Unknowns)
      if (U.Measured)
        Result.Symbols.emplace(U.Symbol, Expr(*U.Measured));
    collect(F.Body, F.AsRun->Body);
  }

  void solve() {
    for (bool IsAnyNew = true; std::exchange(IsAnyNew, false);)
      for (auto &[Formula, Number] : Equations) {
        Formula = Formula.substitute(Result.Symbols);
        if (auto Found = solved(Formula, Number))
          IsAnyNew |= Result.Symbols.insert(std::move(*Found)).second;
      }
  }

private:
  RunValues &Result;
  std::set<std::string> Variables;                  ///< of loops
  std::vector<std::pair<Expr, Rational>> Equations; ///< a formula, and its value in the run

  void collect(const Loop &Formulas, const Loop &Ran) {
    for (std::size_t I = 0; I != Formulas.Blocks.size() && I != Ran.Blocks.size(); ++I)
      for (const Access &A : Formulas.Blocks[I].Accesses)
        if (A.Length && !A.Length->constant())
          collectLength(*A.Length, Formulas, Ran, I);
    for (std::size_t I = 0; I != Formulas.Loops.size() && I != Ran.Loops.size(); ++I) {
      const Loop &Inner = Formulas.Loops[I];
      Variables.insert(Inner.Variable);
      const auto Last = Ran.Loops[I].Last.constant();
      if (Last && !Ran.Loops[I].Entries.isZero())
        add(Inner.Last, *Last);
      collect(Inner, Ran.Loops[I]);
    }
  }

  void add(const Expr &Formula, const Rational &Number) {
    if (!Formula.constant())
      Equations.emplace_back(Formula, Number);
  }

  /// \p Length is that of a copy in block \p Number. Another block has its bytes, which run as
  /// often as there are.
  void collectLength(const Expr &Length, const Loop &Formulas, const Loop &Ran,
                     std::size_t Number) {
    const auto Times = Ran.Blocks[Number].Runs.constant();
    const Expr Bytes = Length * Formulas.Blocks[Number].Runs;
    auto Copied = std::ranges::find(Formulas.Blocks, Bytes, &Block::Runs);
    const auto Position = std::size_t(Copied - Formulas.Blocks.begin());
    if (!Times || Times->sign() <= 0 || Position >= Ran.Blocks.size())
      return;
    if (const auto Sum = Ran.Blocks[Position].Runs.constant()) {
      add(Length, *Sum / *Times);
      Result.Lengths.emplace(toText(Length), rounded(*Sum / *Times));
    }
  }

  /// The only symbol of \p Formula and its value, where the formula is linear and has \p Number.
  std::optional<std::pair<std::string, Expr>> solved(const Expr &Formula,
                                                     const Rational &Number) const {
    std::set<std::string> Symbols;
    Formula.collectSymbols(Symbols);
    if (Symbols.size() != 1 || Variables.contains(*Symbols.begin()))
      return std::nullopt;
    const auto Parts = Formula.coefficientsOf(*Symbols.begin());
    if (!Parts || Parts->size() != 2 || !(*Parts)[0].constant() || !(*Parts)[1].constant())
      return std::nullopt;
    const Rational Value = (Number - *(*Parts)[0].constant()) / *(*Parts)[1].constant();
    return std::pair(*Symbols.begin(), Expr(rounded(Value)));
  }
};
} // namespace

RunValues::RunValues(const Function &F) {
  if (F.AsRun)
    RunSolver(F, *this).solve();
}

} // namespace ergon
