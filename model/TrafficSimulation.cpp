//===- TrafficSimulation.cpp - traffic by running accesses ----------------===//

#include "model/TrafficSimulation.h"
#include "model/TrafficSampler.h"

#include <algorithm>

namespace ergon {

/// A set that is looked through for each access has no more ways than this.
static constexpr unsigned MaxWays = 4096;

static std::optional<TrafficError> checkCaches(const CacheHierarchy &Of) {
  if (auto Bad = checkHierarchy(Of)) {
    auto End = Bad->find("; ");
    return TrafficError{Bad->substr(0, End),
                        End == std::string::npos ? "correct it" : Bad->substr(End + 2)};
  }
  for (const CacheLevel &Each : Of)
    if (Each.Ways > MaxWays || Each.lines() > CacheSimulator::MaxLines)
      return TrafficError{Each.Name + " has " + std::to_string(Each.lines()) +
                              " lines in sets of " + std::to_string(Each.Ways) +
                              ", which takes too long to run through",
                          "use the analytic predictor"};
  return std::nullopt;
}

std::expected<Traffic, TrafficError> simulateTraffic(const AccessProgram &Of,
                                                     const CacheHierarchy &Through,
                                                     const Placement &At, double Budget) {
  if (auto Bad = checkCaches(Through))
    return std::unexpected(*Bad);
  const auto Accesses = unsigned(accessesIn(Of.Body).size());
  CacheSimulator Caches(Through, Accesses);
  auto Stream = AccessStream::compile(Of, At, Caches.addressLimit(), Through.front().LineBytes);
  if (!Stream)
    return std::unexpected(Stream.error());
  Traffic Result;
  TrafficSampler Sampler(*Stream, Caches, Budget);
  Sampler.run();
  Result.Assumptions = std::move(Stream->Assumptions);
  Result.IsComplete = Sampler.isComplete();
  if (!Result.IsComplete)
    Result.Assumptions.push_back(
        "iterations that were not run have as much traffic as those beside them that were");
  Result.Levels.resize(Through.size());
  for (unsigned I = 0; I != Accesses; ++I) {
    std::vector<LevelTraffic> &Each = Result.Accesses.emplace_back();
    for (std::size_t Level = 0; Level != Through.size(); ++Level)
      Result.Levels[Level] += Each.emplace_back(Caches.countsOf(I, Level));
  }
  // From cold caches there is no program without a miss.
  auto Misses = [](const LevelTraffic &Each) {
    return Each.LoadMisses + Each.StoreMisses + Each.Bypassed;
  };
  if (!Result.IsComplete && std::ranges::any_of(Result.Levels, [&](const LevelTraffic &Each) {
        return Misses(Each) <= 0;
      }))
    return std::unexpected(TrafficError{"the program is too long for the simulation: the part that "
                                        "was run misses nothing, so it does not stand for all",
                                        "use the analytic predictor"});
  return Result;
}

/// Some seconds of accesses.
static constexpr double UsualBudget = 1e8;

std::expected<Traffic, TrafficError>
simulateTraffic(const AccessProgram &Of, const CacheHierarchy &Through, const Placement &At) {
  return simulateTraffic(Of, Through, At, UsualBudget);
}

} // namespace ergon
