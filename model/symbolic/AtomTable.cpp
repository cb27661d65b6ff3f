//===- AtomTable.cpp - equal atoms are one object -------------------------===//

#include "model/symbolic/Expr.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace ergon {

static std::size_t combined(std::size_t Hash, std::size_t Next) {
  return (Hash ^ Next) * 0x9e3779b97f4a7c15 + (Hash >> 29); // Knuth's multiplicative hash
}

/// Of the terms, by the hashes of their atoms.
static std::size_t hashOf(const Expr &Value) {
  std::size_t Result = 1;
  for (const Term &T : Value.terms()) {
    for (const auto &[Factor, Power] : T.Factors)
      Result = combined(combined(Result, Factor->Hash), Power);
    Result = combined(Result, T.Coefficient.hash());
  }
  return Result;
}

Atom::Atom(Kind What, std::string Name, std::vector<Expr> Operands)
    : What(What), Name(std::move(Name)), Operands(std::move(Operands)), Size(1),
      Hash(combined(std::hash<std::string>()(this->Name), std::size_t(What))) {
  for (const Expr &Operand : this->Operands) {
    Size += Operand.size();
    Hash = combined(Hash, hashOf(Operand));
  }
}

/// Whether both have the same terms with the same objects for atoms: true for all equal ones, if
/// their atoms are of one table.
static bool isSame(const Expr &Left, const Expr &Right) {
  return std::ranges::equal(Left.terms(), Right.terms(), [](const Term &L, const Term &R) {
    return L.Coefficient == R.Coefficient && std::ranges::equal(L.Factors, R.Factors);
  });
}

namespace {
/// The atoms in use, by hash.
class AtomTable {
public:
  AtomRef find(AtomRef New) {
    auto [Next, End] = Atoms.equal_range(New->Hash);
    for (; Next != End; ++Next)
      if (AtomRef Known = Next->second.lock();
          Known && Known->What == New->What && Known->Name == New->Name &&
          std::ranges::equal(Known->Operands, New->Operands, isSame))
        return Known;
    if (Atoms.size() >= MostKept) {
      std::erase_if(Atoms, [](const auto &Each) { return Each.second.expired(); });
      MostKept = std::max(MostKept, 2 * Atoms.size());
    }
    Atoms.emplace(New->Hash, New);
    return New;
  }

private:
  struct AsItIs {
    std::size_t operator()(std::size_t Hash) const { return Hash; }
  };
  std::unordered_multimap<std::size_t, std::weak_ptr<const Atom>, AsItIs> Atoms;
  std::size_t MostKept = 1024; ///< before those that nothing holds any more are dropped
};
} // namespace

AtomRef atomOf(Atom::Kind What, std::string Name, std::vector<Expr> Operands) {
  // One for each thread: atoms of several compare equal all the same.
  static thread_local AtomTable Table;
  return Table.find(std::make_shared<const Atom>(What, std::move(Name), std::move(Operands)));
}

} // namespace ergon
