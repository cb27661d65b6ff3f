//===- CacheFits.cpp - up to which size data fit a cache ------------------===//

#include "model/traffic/CacheFits.h"

namespace ergon {

CacheFit fitOf(const Expr &Bytes, std::uint64_t Capacity) {
  std::set<std::string> Symbols;
  Bytes.collectSymbols(Symbols);
  if (Symbols.empty()) {
    const auto Value =
        Bytes.evaluate([](const std::string &) { return std::optional<Rational>(); });
    return {Value && *Value <= Rational(Capacity) ? CacheFit::Kind::Always : CacheFit::Kind::Never};
  }
  if (Symbols.size() > 1)
    return {CacheFit::Kind::Where};
  const std::string &Name = *Symbols.begin();
  const auto Most = largestFittingValue(Bytes, Name, Capacity, {});
  if (!Most)
    return {CacheFit::Kind::Never};
  if (*Most == std::int64_t(1) << 40) // the end of the search range
    return {CacheFit::Kind::Always};
  return {CacheFit::Kind::UpTo, Name, *Most};
}

std::vector<LoopFits> loopFits(const AccessProgram &Program, const CacheHierarchy &Levels) {
  std::vector<LoopFits> Result;
  for (LoopFootprint &LF : footprintsOf(Program, Levels.front().LineBytes)) {
    LoopFits &Next = Result.emplace_back(LoopFits{std::move(LF), {}, {}});
    for (const CacheLevel &Level : Levels) {
      Next.PerIteration.push_back(fitOf(Next.Footprint.IterationBytes, Level.Bytes));
      Next.Whole.push_back(fitOf(Next.Footprint.LoopBytes, Level.Bytes));
    }
  }
  return Result;
}

} // namespace ergon
