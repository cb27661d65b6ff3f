//===- KnownCalls.cpp - calls through pointers in known programs ----------===//

#include "model/program/KnownCalls.h"

#include <algorithm>
#include <iterator>

namespace ergon {

/// The share of \p Times in the calls at \p Site.
static Expr shareOf(const std::string &Name, std::uint64_t Times, const Call &Site,
                    const code::PointerTargets &All, Function &F) {
  if (All.Times.size() == 1)
    return Expr(1);
  if (All.AreCounted) {
    std::int64_t Sum = 0;
    for (const auto &[Any, Each] : All.Times)
      Sum += std::int64_t(Each);
    return Expr(Rational(std::int64_t(Times), Sum));
  }
  const std::string Symbol = "taken" + Site.Symbol.substr(Site.Symbol.find('@')) + ":" + Name;
  if (std::ranges::find(F.Unknowns, Symbol, &Unknown::Symbol) == F.Unknowns.end())
    F.Unknowns.push_back(
        {.Symbol = Symbol,
         .Location = Site.Location,
         .Why = "share of the calls here that are of " + Name + ", as likely as the others",
         .Estimate = Rational(1, std::int64_t(All.Times.size()))});
  return Expr::symbol(Symbol);
}

static void bindIn(Loop &Region, const KnownTargets &Targets, Function &F) {
  std::vector<Block> Added;
  for (Block &B : Region.Blocks)
    std::erase_if(B.Calls, [&](const Call &Site) {
      const auto Found = Site.Callee.empty() ? Targets.find(Site.Symbol) : Targets.end();
      if (Found == Targets.end())
        return false;
      for (const auto &[Name, Times] : Found->second.Times) {
        Block &Next = Added.emplace_back();
        Next.Runs = B.Runs * shareOf(Name, Times, Site, Found->second, F);
        // With several, an argument may go with which of them is called.
        const bool IsOnly = Found->second.Times.size() == 1 && Found->second.AreAll;
        Next.How = std::max(B.How, IsOnly ? Known::Assumed : Known::Estimated);
        Next.Calls = {Site};
        Next.Calls.front().Callee = Name;
      }
      return true;
    });
  std::ranges::move(Added, std::back_inserter(Region.Blocks));
  for (Loop &Inner : Region.Loops)
    bindIn(Inner, Targets, F);
}

void bindTargets(Function &F, const KnownTargets &Targets) { bindIn(F.Body, Targets, F); }

} // namespace ergon
