//===- MentionedSymbols.cpp - what a function's formulas depend on --------===//

#include "predict/profile/MentionedSymbols.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace ergon {

bool isDynamic(const std::string &Symbol) {
  return Symbol == "omp.thread" || Symbol.starts_with("threadIdx.") ||
         Symbol.starts_with("blockIdx.");
}

namespace {
/// Collects the symbols of a function's formulas.
class SymbolCollector {
public:
  explicit SymbolCollector(const Function &F) { add(F.Body); }
  std::set<std::string> Symbols;
  std::vector<const Call *> Calls;

private:
  void add(const Expr &E) { E.collectSymbols(Symbols); }
  void add(const std::optional<Expr> &E) {
    if (E)
      add(*E);
  }
  void add(const Call &Site) {
    Calls.push_back(&Site);
    for (const auto &Argument : Site.Arguments)
      add(Argument);
    for (const auto &[Symbol, Value] : Site.Globals)
      add(Value);
    for (const PassedObject &Object : Site.Objects)
      for (const PassedObject::Item &Item : Object.Stored)
        add(Item.Value);
    for (const MadeBy &Origin : Site.Origins)
      for (const auto &Argument : Origin.Arguments)
        add(Argument);
    if (Site.Shape)
      for (const auto *Sizes : {&Site.Shape->Grid, &Site.Shape->Block})
        for (const Expr &Size : *Sizes)
          add(Size);
  }
  void add(const Loop &Region) {
    add(Region.Last);
    add(Region.Entries);
    for (const Block &B : Region.Blocks) {
      add(B.Runs);
      for (const auto &[Class, Amount] : B.PerRun)
        add(Amount);
      for (const Call &Site : B.Calls)
        add(Site);
    }
    for (const Loop &Inner : Region.Loops)
      add(Inner);
  }
};
} // namespace

const MentionedSymbols::Symbols &MentionedSymbols::of(const Function &F) {
  auto [Found, New] = Done.try_emplace(&F);
  if (!New)
    return Found->second; // of a function that is being looked at: what is known so far
  SymbolCollector Collected(F);
  Symbols Mine{std::move(Collected.Symbols), {}};
  std::ranges::copy_if(Mine.Own, std::inserter(Mine.Dynamic, Mine.Dynamic.end()), isDynamic);
  for (const Call *Site : Collected.Calls) {
    const Function *Callee = calleeOf(*Site, F, Find);
    if (!Callee)
      continue;
    const std::set<std::string> Theirs = of(*Callee).Dynamic;
    Mine.Dynamic.insert(Theirs.begin(), Theirs.end());
    for (const Cell &C : std::vector(Frames.cells(*Callee)))
      Frames.cellValue(C, *Callee, *Site, F).collectSymbols(Mine.Own);
  }
  for (const Cell &C : Frames.cells(F))
    Mine.Own.insert(C.Symbol);
  return Done.at(&F) = std::move(Mine);
}

} // namespace ergon
