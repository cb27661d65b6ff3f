//===- TrafficSampler.h - sampled cache simulation --------------*- C++ -*-===//
//
// Runs a stream through caches with bounded effort. A loop that is too long is represented by
// windows of its iterations: the first, the last, and some between, more where one more changes the
// sum. A single iteration that is too long is sampled in the same way. Before a window, the caches
// get the lines of the skipped iterations, found by walking back over what these touch; then some
// iterations run as warm-up without being counted.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/PastWalk.h"

namespace ergon {

class TrafficSampler {
public:
  /// Runs about \p Budget accesses, or all where there are no more.
  TrafficSampler(const AccessStream &Stream, CacheSimulator &Through, double Budget);

  /// The caches' counts then hold the traffic.
  void run() { run(Stream.Body, Budget); }
  bool isComplete() const { return IsComplete; }
  /// The estimated error of the traffic beyond each level in lines, from the differences between
  /// sampled iterations. No bound: a skipped iteration may differ from all of them.
  const std::vector<double> &doubt() const { return Doubt; }

private:
  using Counts = CacheSimulator::Counts;
  /// A window of iterations, at its middle.
  struct Node {
    double Value;
    Counts Rates; ///< traffic of an iteration
    /// By level, lines of an iteration, and their error.
    std::vector<double> Lines, Doubt;
  };
  /// A loop that is sampled.
  struct Sampled {
    const StreamNest &Nest;
    std::int64_t Trips, Window;
    double Cost;         ///< mean of an iteration
    double Budget;       ///< of an iteration in a window
    std::int64_t WarmUp; ///< iterations
    CacheSimulator::State Entry;
  };

  const AccessStream &Stream;
  CacheSimulator &Caches;
  StreamRunner Runner;
  PastWalk Past;
  double Budget, WindowAccesses;
  double Least;    ///< accesses that are all run, as sampling would take as long
  double Work = 0; ///< work so far, in accesses that take as long
  bool IsComplete = true;
  std::vector<double> Doubt; ///< by level, in lines, of the caches' counts

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
