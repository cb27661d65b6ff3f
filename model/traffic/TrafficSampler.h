//===- TrafficSampler.h - a part of the accesses for all --------*- C++ -*-===//
//
// Runs a stream through caches with a bounded effort. A loop that is too long is
// represented by windows of its iterations: the first and the last ones, and some
// between, more where one more changes the sum. An iteration that is too long itself is represented
// so in its turn. Before a window the caches are made to hold what the iterations left that are not
// run, found by going back over the lines that they touch, and in front of it come iterations that
// are run and not counted.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_TRAFFICSAMPLER_H
#define ERGON_MODEL_TRAFFIC_TRAFFICSAMPLER_H

#include "model/traffic/PastWalk.h"

namespace ergon {

class TrafficSampler {
public:
  /// About \p Budget accesses are run, and all where there are no more.
  TrafficSampler(const AccessStream &Stream, CacheSimulator &Through, double Budget);

  /// The traffic is then in the caches' counts.
  void run() { run(Stream.Body, Budget); }
  bool isComplete() const { return IsComplete; }
  /// By how many lines the traffic beyond each level may be off, as the iterations that were run
  /// differ: no bound, as one that was not run may be like none of them.
  const std::vector<double> &doubt() const { return Doubt; }

private:
  using Counts = CacheSimulator::Counts;
  /// A window of iterations, by its middle.
  struct Node {
    double Value;
    Counts Rates; ///< traffic of an iteration
    /// By level, lines of an iteration, and by how many they may be off.
    std::vector<double> Lines, Doubt;
  };
  /// A loop that is sampled.
  struct Sampled {
    const StreamNest &Nest;
    std::int64_t Trips, Window;
    double Cost;         ///< of one iteration, in the mean
    double Budget;       ///< of one in a window
    std::int64_t WarmUp; ///< iterations
    CacheSimulator::State Entry;
  };

  const AccessStream &Stream;
  CacheSimulator &Caches;
  StreamRunner Runner;
  PastWalk Past;
  double Budget, WindowAccesses;
  double Least;    ///< accesses that are all run, as choosing some would take as long
  double Work = 0; ///< done so far, in accesses that take as long
  bool IsComplete = true;
  std::vector<double> Doubt; ///< by level, in lines, of what the caches have counted

  double costOf(const StreamNest &Nest, double Trips, unsigned Points);
  double costOfIteration(const StreamNest &Nest, unsigned Points);
  std::int64_t windowOf(const StreamNest &Nest, double CostOfIteration) const;
  void run(const StreamNest &Nest, double Budget);
  void runIterations(const StreamNest &Nest, std::int64_t First, std::int64_t Count, double Budget);
  void runSome(const StreamNest &Nest, std::int64_t Trips, double Cost, double Budget);
  void sample(const Sampled &Loop, double Budget);
  void runWindow(const Sampled &Loop, std::int64_t First, std::int64_t Count);
  void clearCounts();
  Counts measure(const Sampled &Loop, std::int64_t First, std::int64_t Count);
  Node nodeAt(const Sampled &Loop, std::int64_t First);
  Node measureAt(const Sampled &Loop, std::int64_t First);
  void refine(const Sampled &Loop, std::vector<Node> &Nodes, double End);
  std::vector<double> linesOf(const Counts &C) const;
  Node makeNode(double Value, double Iterations) const;
  std::vector<double> doubtsOf(const std::vector<Node> &Nodes, std::size_t Level,
                               double Window) const;
  std::vector<double> doubtBetween(const std::vector<Node> &Nodes, double Window) const;
  static Counts sumBetween(const std::vector<Node> &Nodes);
};

} // namespace ergon

#endif
