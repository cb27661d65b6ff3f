//===- TrafficSimulation.cpp - traffic from simulated caches --------------===//

#include "model/traffic/TrafficSimulation.h"
#include "model/traffic/TrafficSampler.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// The associativity limit: a set is searched linearly for each access.
static constexpr unsigned MaxWays = 4096;

static std::optional<Error> checkCaches(const CacheHierarchy &Hierarchy) {
  if (auto Bad = checkHierarchy(Hierarchy)) {
    auto End = Bad->find("; ");
    return Error{Bad->substr(0, End), "",
                 End == std::string::npos ? "correct it" : Bad->substr(End + 2)};
  }
  for (const CacheLevel &Level : Hierarchy)
    if (Level.Ways > MaxWays || Level.lines() > CacheSimulator::MaxLines)
      return Error{Level.Name + " has " + std::to_string(Level.lines()) + " lines in sets of " +
                       std::to_string(Level.Ways) + ", which takes too long to run through",
                   "", "use the analytic predictor"};
  return std::nullopt;
}

/// `12.3 %`, rounded up.
static std::string percent(double Share) {
  const long long Tenths = std::llround(std::ceil(1000 * Share));
  return std::to_string(Tenths / 10) + "." + std::to_string(Tenths % 10) + " %";
}

/// States the estimated error of the traffic, and its causes.
static void sayDoubts(const AccessProgram &Program, const CacheHierarchy &Through,
                      const CacheSimulator &Caches, const TrafficSampler &Sampler,
                      Traffic &Result) {
  static constexpr double Worth = 0.01; // share of a level's lines that is worth reporting
  std::string Sampled;
  for (std::size_t I = 0; I != Through.size(); ++I) {
    const LevelTraffic &LT = Result.Levels[I];
    const double Lines = LT.LoadMisses + LT.StoreMisses + LT.WriteBacks, Off = Sampler.doubt()[I],
                 Harm = Caches.hiddenHarm(I);
    Result.Doubts.push_back({.Fewer = std::min(Off, Lines), .More = Off + Harm});
    if (Lines > 0)
      Sampled +=
          (I == 0 ? "" : ", ") + percent(Off / Lines) + " of " + Through[I].Name + "'s lines";
    std::string Hidden =
        std::to_string(Caches.linesOf(Program.Hidden.StackBytes)) + " of the stack";
    if (I != 0)
      Hidden += " and " + std::to_string(Caches.linesOf(Program.Hidden.CodeBytes)) + " of code";
    if (Harm > Worth * Lines)
      Result.Assumptions.push_back(Through[I].Name + ": up to " +
                                   std::to_string(std::llround(Lines + Harm)) +
                                   " lines rather than " + std::to_string(std::llround(Lines)) +
                                   " if lines that the record does not know, " + Hidden +
                                   ", lie in sets that the data fill");
    if (Through[I].Ways == 1)
      Result.Assumptions.push_back(
          Through[I].Name +
          " has one line in a set: what is on the stack is taken to be in none that data are in");
  }
  if (!Result.IsComplete)
    Result.Assumptions.push_back(
        "iterations that were not run have as much traffic as those beside "
        "them that were, to within " +
        Sampled);
}

std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P,
                                              double Budget) {
  if (auto Bad = checkCaches(Through))
    return std::unexpected(*Bad);
  const auto Accesses = unsigned(accessesIn(Program.Body).size());
  CacheSimulator Caches(Through, Accesses, Program.Hidden);
  auto Stream = AccessStream::compile(Program, P, Caches.addressLimit(), Through.front().LineBytes);
  if (!Stream)
    return std::unexpected(Stream.error());
  Traffic Result;
  TrafficSampler Sampler(*Stream, Caches, Budget);
  Sampler.run();
  Result.Assumptions = std::move(Stream->Assumptions);
  Result.IsComplete = Sampler.isComplete();
  Result.Levels.resize(Through.size());
  for (unsigned I = 0; I != Accesses; ++I) {
    std::vector<LevelTraffic> &Levels = Result.Accesses.emplace_back();
    for (std::size_t Level = 0; Level != Through.size(); ++Level)
      Result.Levels[Level] += Levels.emplace_back(Caches.countsOf(I, Level));
  }
  sayDoubts(Program, Through, Caches, Sampler, Result);
  // A program without a miss cannot start with cold caches.
  auto Misses = [](const LevelTraffic &LT) { return LT.LoadMisses + LT.StoreMisses + LT.Bypassed; };
  if (!Result.IsComplete &&
      std::ranges::any_of(Result.Levels, [&](const LevelTraffic &T) { return Misses(T) <= 0; }))
    return std::unexpected(Error{"the program is too long for the simulation: the part that "
                                 "was run misses nothing, so it does not stand for all",
                                 "", "use the analytic predictor"});
  return Result;
}

/// Takes some seconds.
static constexpr double UsualBudget = 1e8;

std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P) {
  return simulateTraffic(Program, Through, P, UsualBudget);
}

} // namespace ergon
