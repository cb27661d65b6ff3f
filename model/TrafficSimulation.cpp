//===- TrafficSimulation.cpp - traffic by running accesses ----------------===//

#include "model/AccessStream.h"

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
      return TrafficError{Each.Name + " has " + std::to_string(Each.lines()) + " lines in sets of " +
                              std::to_string(Each.Ways) + ", which takes too long to run through",
                          "use the analytic predictor"};
  return std::nullopt;
}

std::expected<Traffic, TrafficError>
simulateTraffic(const AccessProgram &Of, const CacheHierarchy &Through, const Placement &At) {
  if (auto Bad = checkCaches(Through))
    return std::unexpected(*Bad);
  const unsigned Accesses = countAccesses(Of.Body);
  CacheSimulator Caches(Through, Accesses);
  auto Stream = AccessStream::compile(Of, At, Caches.addressLimit(), Through.front().LineBytes);
  if (!Stream)
    return std::unexpected(Stream.error());
  Traffic Result;
  StreamRunner(*Stream, Caches).run(Stream->Body, 0, 1);
  Result.Assumptions = std::move(Stream->Assumptions);
  Result.Levels.resize(Through.size());
  for (unsigned I = 0; I != Accesses; ++I) {
    std::vector<LevelTraffic> &Each = Result.Accesses.emplace_back();
    for (std::size_t Level = 0; Level != Through.size(); ++Level)
      Result.Levels[Level] += Each.emplace_back(Caches.countsOf(I, Level));
  }
  return Result;
}

} // namespace ergon
