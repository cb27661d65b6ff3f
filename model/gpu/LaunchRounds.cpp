//===- LaunchRounds.cpp - rounds of a launch ------------------------------===//

#include "model/gpu/LaunchRounds.h"

namespace ergon {

/// The product of a dim3's parts.
static std::optional<std::int64_t> volume(const std::map<std::string, Rational> &Dimensions,
                                          const std::string &Prefix) {
  Rational Product(1);
  for (char Axis : {'x', 'y', 'z'}) {
    auto Found = Dimensions.find(Prefix + Axis);
    if (Found == Dimensions.end())
      return std::nullopt;
    Product = Product * Found->second;
  }
  static constexpr std::int64_t Limit = std::int64_t(1) << 62;
  if (!Product.isInteger() || Product < 1 || Product > Limit)
    return std::nullopt;
  return Product.asWord();
}

std::optional<LaunchRounds>
launchRounds(const Device &D, const std::map<std::string, Rational> &Dimensions, BlockNeeds Needs) {
  const auto Blocks = volume(Dimensions, "grid."), Threads = volume(Dimensions, "block.");
  if (!Blocks || !Threads)
    return std::nullopt;
  Needs.Threads = *Threads;
  LaunchRounds Result{*Threads,
                      std::int64_t(D.Multiprocessors.Value),
                      Needs,
                      residentBlocks(D.Limits, Needs),
                      {*Blocks, 0}};
  Result.Blocks.PerRound = Result.Resident.Blocks * Result.Multiprocessors;
  return Result;
}

} // namespace ergon
