//===- SymbolsOutside.cpp - symbols as factors of sums --------------------===//

#include "model/symbolic/SymbolsOutside.h"

#include <algorithm>
#include <vector>

namespace ergon {

bool SymbolsOutside::isIn(const AtomRef &Factor) {
  auto [Slot, New] = Depends.try_emplace(Factor);
  if (New) {
    std::set<std::string> Used;
    Expr(Factor).collectSymbols(Used);
    Slot->second =
        std::ranges::any_of(Used, [&](const std::string &Name) { return Symbols.contains(Name); });
  }
  return Slot->second;
}

Expr SymbolsOutside::of(const Expr &Value) {
  std::vector<Term> Result;
  bool IsSame = true;
  for (const Term &T : Value.terms()) {
    Term Rest{{}, T.Coefficient};
    Expr Sums(1);
    for (const auto &[Factor, Power] : T.Factors)
      if (Factor->What == Atom::Kind::Sum && isIn(Factor))
        Sums *= power(ofSum(*Factor), Power);
      else
        Rest.Factors.emplace_back(Factor, Power);
    if (Rest.Factors.size() == T.Factors.size()) {
      Result.push_back(T);
      continue;
    }
    IsSame = false;
    const Expr Product = Expr::fromTerms({std::move(Rest)}) * Sums;
    const auto Parts = Product.terms();
    Result.insert(Result.end(), Parts.begin(), Parts.end());
    if (Result.size() > MaxSize)
      return Value;
  }
  if (IsSame)
    return Value;
  Expr Outside = Expr::fromTerms(std::move(Result));
  return Outside.size() > MaxSize ? Value : Outside;
}

Expr SymbolsOutside::ofSum(const Atom &Sum) {
  /// Terms of the summand with the same symbols to take out; those without any are numbers.
  struct Group {
    Expr Outside;
    bool IsOpen;
    std::vector<Term> Inside;
  };
  std::vector<Group> Groups;
  const Expr Summand = of(Sum.Operands[2]);
  for (const Term &T : Summand.terms()) {
    Term Out{{}, 1}, In{{}, T.Coefficient};
    bool IsOpen = false;
    for (const auto &Factor : T.Factors) {
      const Atom &A = *Factor.first;
      const bool IsTaken =
          A.What == Atom::Kind::Symbol && A.Name != Sum.Name && Symbols.contains(A.Name);
      (IsTaken ? Out : In).Factors.push_back(Factor);
      IsOpen |= !IsTaken && isIn(Factor.first);
    }
    const Expr Outside = Expr::fromTerms({std::move(Out)});
    auto Found = std::ranges::find_if(
        Groups, [&](const Group &G) { return G.IsOpen == IsOpen && G.Outside == Outside; });
    if (Found == Groups.end())
      Found = Groups.insert(Groups.end(), {Outside, IsOpen, {}});
    Found->Inside.push_back(std::move(In));
  }
  Expr Result;
  for (Group &G : Groups)
    Result +=
        G.Outside *
        Expr(atomOf(Atom::Kind::Sum, Sum.Name,
                    {Sum.Operands[0], Sum.Operands[1], Expr::fromTerms(std::move(G.Inside))}));
  return Result;
}

} // namespace ergon
