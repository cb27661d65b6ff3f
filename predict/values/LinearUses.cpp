//===- LinearUses.cpp - symbols that a mean can stand for -----------------===//
//
// A branch that is taken 7 times in 37 runs has the share 7/37. Where each run of it does the same
// behind, that is 7 times what one does. Where the last runs do more than the first, it is not.
//
//===----------------------------------------------------------------------===//

#include "predict/values/LinearUses.h"

#include <algorithm>
#include <ranges>
#include <set>

namespace ergon {

namespace {
class LinearUses {
public:
  LinearUses(const Function &F, const std::string &Symbol, bool IsCalledOnce)
      : F(F), Symbol(Symbol), IsCalledOnce(IsCalledOnce) {
    nameLoops(F.Body);
  }

  bool areAll() const;

private:
  /// Whether the symbol is a factor of all that is here: then no formula here may have these
  /// variables, those of the loops around the visits.
  struct Place {
    bool IsInside = false;
    std::set<std::string> Varying{};
  };

  const Function &F;
  const std::string &Symbol;
  bool IsCalledOnce;
  std::set<std::string> Variables; ///< of all loops

  void nameLoops(const Loop &L);
  bool isFactor(const Expr &Formula) const;
  bool isSteady(const Expr &Formula, const Place &Here) const;
  bool enter(const Expr &Formula, const std::set<std::string> &Around, Place &Here) const;
  bool are(const Loop &L, std::set<std::string> Around, Place Here) const;
  bool are(const Block &B, const std::set<std::string> &Around, Place Here) const;
  bool are(const Call &Site, const Place &Here) const;
};
} // namespace

void LinearUses::nameLoops(const Loop &L) {
  Variables.insert(L.Variable);
  for (const Loop &Inner : L.Loops)
    nameLoops(Inner);
}

/// Whether each term has it to the first power, if at all, and no condition or quotient has it.
bool LinearUses::isFactor(const Expr &Formula) const {
  return std::ranges::all_of(Formula.terms(), [&](const Term &T) {
    return std::ranges::all_of(T.Factors, [&](const auto &Factor) {
      const auto &[What, Power] = Factor;
      return What->What == Atom::Kind::Symbol ? What->Name != Symbol || Power == 1
                                              : !dependsOn(*What, Symbol);
    });
  });
}

bool LinearUses::isSteady(const Expr &Formula, const Place &Here) const {
  return !Here.IsInside || !Formula.hasSymbol([&](const std::string &Name) {
    return Here.Varying.contains(Name) ||
           (!IsCalledOnce && !isUnknownSymbol(Name) && !Variables.contains(Name));
  });
}

/// Goes on to what is multiplied with \p Formula, in the loops with the variables \p Around.
bool LinearUses::enter(const Expr &Formula, const std::set<std::string> &Around,
                       Place &Here) const {
  if (Formula.dependsOn(Symbol)) {
    if (Here.IsInside || !isFactor(Formula))
      return false;
    Here = {true, Around};
  }
  return isSteady(Formula, Here);
}

/// The callee has its own formulas of what it is called with.
bool LinearUses::are(const Call &Site, const Place &Here) const {
  auto IsFine = [&](const std::optional<Expr> &Passed) {
    return !Passed || (!Passed->dependsOn(Symbol) && isSteady(*Passed, Here));
  };
  return !Site.Shape && std::ranges::all_of(Site.Arguments, IsFine) &&
         std::ranges::all_of(Site.Globals | std::views::values, IsFine) &&
         std::ranges::all_of(Site.Objects, [&](const PassedObject &Object) {
           return std::ranges::all_of(Object.Stored, IsFine, &PassedObject::Item::Value);
         });
}

bool LinearUses::are(const Block &B, const std::set<std::string> &Around, Place Here) const {
  if (!enter(B.Runs, Around, Here))
    return false;
  return std::ranges::all_of(B.PerRun,
                             [&](const Counts::Entry &Class) {
                               Place Inside = Here;
                               return enter(Class.second, Around, Inside);
                             }) &&
         std::ranges::all_of(B.Calls, [&](const Call &Site) { return are(Site, Here); });
}

bool LinearUses::are(const Loop &L, std::set<std::string> Around, Place Here) const {
  if (!enter(L.Entries, Around, Here))
    return false;
  if (!L.Variable.empty())
    Around.insert(L.Variable);
  return enter(L.Last, Around, Here) &&
         std::ranges::all_of(L.Blocks, [&](const Block &B) { return are(B, Around, Here); }) &&
         std::ranges::all_of(L.Loops, [&](const Loop &Inner) { return are(Inner, Around, Here); });
}

bool LinearUses::areAll() const {
  const bool IsInOthers = (F.Value && F.Value->dependsOn(Symbol)) ||
                          std::ranges::any_of(F.Unknowns, [&](const Unknown &Other) {
                            return Other.Formula && Other.Formula->dependsOn(Symbol);
                          });
  return !IsInOthers && are(F.Body, {}, {});
}

bool isMeanEnough(const Function &F, const std::string &Symbol, bool IsCalledOnce) {
  return LinearUses(F, Symbol, IsCalledOnce).areAll();
}

} // namespace ergon
