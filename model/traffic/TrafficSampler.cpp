//===- TrafficSampler.cpp - sampled cache simulation ----------------------===//

#include "model/traffic/TrafficSampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ergon {

static constexpr double Unlimited = std::numeric_limits<double>::infinity();
/// The tolerated error of a loop's traffic between windows, as a share.
static constexpr double Tolerance = 0.003;

static void add(CacheSimulator::Counts &To, const CacheSimulator::Counts &C, double Times) {
  for (std::size_t I = 0; I != To.size(); ++I)
    To[I] += {.Loads = C[I].Loads * Times,
              .Stores = C[I].Stores * Times,
              .LoadMisses = C[I].LoadMisses * Times,
              .StoreMisses = C[I].StoreMisses * Times,
              .WriteBacks = C[I].WriteBacks * Times,
              .Bypassed = C[I].Bypassed * Times,
              .Marginal = C[I].Marginal * Times};
}

TrafficSampler::TrafficSampler(const AccessStream &Stream, CacheSimulator &Through, double Budget)
    : Stream(Stream), Caches(Through), Runner(Stream, Through), Past(Stream, Runner, Through),
      Budget(Budget), WindowAccesses(std::min(Budget / 4096, 16384.0)),
      Least(std::max(16 * WindowAccesses, double(Through.lines()))), Doubt(Through.levels()) {}

/// By level, lines fetched or written back.
std::vector<double> TrafficSampler::linesOf(const Counts &C) const {
  std::vector<double> Lines(Doubt.size());
  for (std::size_t I = 0; I != C.size(); ++I)
    Lines[I % Lines.size()] += C[I].LoadMisses + C[I].StoreMisses + C[I].WriteBacks;
  return Lines;
}

static void add(std::vector<double> &To, const std::vector<double> &Values, double Times) {
  for (std::size_t I = 0; I != To.size(); ++I)
    To[I] += Values[I] * Times;
}

/// Makes a node of the counts so far, of \p Iterations iterations around \p Value.
TrafficSampler::Node TrafficSampler::makeNode(double Value, double Iterations) const {
  Node Made{Value, Counts(Caches.counts().size()), {}, std::vector<double>(Doubt.size())};
  add(Made.Rates, Caches.counts(), 1 / Iterations);
  add(Made.Doubt, Doubt, 1 / Iterations);
  Made.Lines = linesOf(Made.Rates);
  return Made;
}

/// The error of the integral between two neighbouring nodes, in lines:
/// - A step between them: half its height times their distance. A step differs from a slope or a
///   bend by its neighbours: the slope changes there and back.
/// - A step that no sample shows, as if each node were a random iteration: a line that rises by r
///   has the variance r²/12.
/// - Counts are whole lines, and an event of one iteration in several may be missed.
std::vector<double> TrafficSampler::doubtsOf(const std::vector<Node> &Nodes, std::size_t Level,
                                             double Window) const {
  std::vector<double> Slopes, Found;
  for (std::size_t I = 1; I < Nodes.size(); ++I)
    Slopes.push_back((Nodes[I].Lines[Level] - Nodes[I - 1].Lines[Level]) /
                     (Nodes[I].Value - Nodes[I - 1].Value));
  for (std::size_t I = 0; I != Slopes.size(); ++I) {
    double Change = Slopes.size() > 1 ? std::numeric_limits<double>::infinity() : Slopes[I];
    if (I > 0)
      Change = std::min(Change, std::abs(Slopes[I] - Slopes[I - 1]));
    if (I + 1 < Slopes.size())
      Change = std::min(Change, std::abs(Slopes[I + 1] - Slopes[I]));
    const double Length = Nodes[I + 1].Value - Nodes[I].Value, Area = Length * Length;
    Found.push_back(std::sqrt(std::pow(Area / 2 * Change, 2) + std::pow(Area * Slopes[I], 2) / 12 +
                              std::pow(Length / (2 * Window), 2)));
  }
  return Found;
}

/// The error of the traffic from the first node to the last one. The steps' position errors cancel
/// in part; errors of the nodes have the same cause.
std::vector<double> TrafficSampler::doubtBetween(const std::vector<Node> &Nodes,
                                                 double Window) const {
  std::vector<double> Sum;
  for (std::size_t Level = 0; Level != Doubt.size(); ++Level) {
    const std::vector<double> Values = doubtsOf(Nodes, Level, Window);
    Sum.push_back(std::sqrt(std::inner_product(Values.begin(), Values.end(), Values.begin(), 0.0)));
  }
  for (std::size_t I = 1; I < Nodes.size(); ++I)
    for (const Node *N : {&Nodes[I - 1], &Nodes[I]})
      add(Sum, N->Doubt, (Nodes[I].Value - Nodes[I - 1].Value) / 2);
  return Sum;
}

/// Mean number of accesses in an iteration, from \p Points iterations of inner loops.
double TrafficSampler::costOfIteration(const StreamNest &Nest, unsigned Points) {
  double Sum = 0;
  for (const StreamItem &Item : Nest.Items) {
    const double Runs = Runner.meanTimes(Item, Nest.Variable);
    const auto *Inner = std::get_if<StreamNest>(&Item.What);
    if (Runs != 0)
      Sum += Runs * (Inner ? costOf(*Inner, Runner.meanTimes(Inner->Trips), Points) : 1);
  }
  return Sum;
}

double TrafficSampler::costOf(const StreamNest &Nest, double Trips, unsigned Points) {
  if (Trips <= 0)
    return 0;
  const double Count = Nest.IsUneven ? std::min(double(Points), Trips) : 1;
  double Sum = 0;
  for (double I = 0.5; I < Count; ++I) {
    Runner.Values[Nest.Variable] = std::int64_t(I / Count * Trips);
    Sum += costOfIteration(Nest, std::max(Points / 2, 2U));
  }
  return Sum / std::ceil(Count) * Trips;
}

/// The number of iterations after which each access has covered whole lines.
std::int64_t TrafficSampler::windowOf(const StreamNest &Nest, double CostOfIteration) const {
  std::int64_t Period = 1;
  auto Look = [&](const StreamNest &SN, auto &&Look) -> void {
    for (const StreamItem &Item : SN.Items)
      if (const auto *Inner = std::get_if<StreamNest>(&Item.What)) {
        Look(*Inner, Look);
      } else {
        const std::int64_t Line = Caches.lineBytes(),
                           Step = std::get<StreamAccess>(Item.What).Address.stepOf(Nest.Variable);
        Period = std::max(Period, Line / std::gcd(Step, Line));
      }
  };
  Look(Nest, Look);
  return Period *
         std::int64_t(std::ceil(WindowAccesses / std::max(CostOfIteration * double(Period), 1.0)));
}

/// Runs iterations with that many accesses each, or all accesses that they have.
void TrafficSampler::runIterations(const StreamNest &Nest, std::int64_t First, std::int64_t Count,
                                   double Budget) {
  if (Budget == Unlimited)
    return Runner.run(Nest, First, Count);
  for (std::int64_t I = First; I != First + Count; ++I) {
    Runner.Values[Nest.Variable] = I;
    std::vector<double> Costs;
    for (const StreamItem &Item : Nest.Items) {
      const auto *Inner = std::get_if<StreamNest>(&Item.What);
      Costs.push_back(Inner && Runner.meanTimes(Item, Nest.Variable) != 0
                          ? costOf(*Inner, Runner.meanTimes(Inner->Trips), 8)
                          : 0);
    }
    // Limits each one's budget so that their sum is the total.
    std::vector<double> Sorted = Costs;
    std::ranges::sort(Sorted);
    double Left = Budget, Most = 0;
    for (std::size_t J = 0; J != Sorted.size(); ++J) {
      Most = Left / double(Sorted.size() - J);
      Left -= std::min(Sorted[J], Most);
    }
    Runner.Values[Nest.Variable] = I;
    for (const StreamItem &SI : Nest.Items) {
      if (Runner.meanTimes(SI, Nest.Variable) == 0)
        continue;
      const auto *Inner = std::get_if<StreamNest>(&SI.What);
      if (!Inner) {
        Runner.run(SI);
        continue;
      }
      for (std::int64_t Times = Runner.times(SI.Runs); Times > 0; --Times)
        run(*Inner, Most);
    }
  }
}

void TrafficSampler::run(const StreamNest &Nest, double Budget) {
  const std::int64_t Trips = Runner.times(Nest.Trips);
  const double Cost = costOf(Nest, double(Trips), 8);
  if (Cost <= std::max(Budget, Least)) {
    Work += Cost;
    return Runner.run(Nest, 0, Trips);
  }
  IsComplete = false;
  const double Value = Cost / double(Trips);
  const std::int64_t Window = windowOf(Nest, Value);
  // A long window soon forgets what the caches held before.
  const bool IsShort = Value * double(Window) < 16 * double(Caches.lines());
  // The first window, the last one, and three between.
  const bool IsWhole = (IsShort ? 10 : 5) * Value * double(Window) <= Budget;
  if (Trips <= 8 * Window || (!IsWhole && Budget < 8 * double(Window) * Least))
    return runSome(Nest, Trips, Value, Budget);
  sample({.Nest = Nest,
          .Trips = Trips,
          .Window = Window,
          .Cost = Value,
          .Budget = IsWhole ? Unlimited : Budget / double(8 * Window),
          .WarmUp = IsWhole && IsShort ? Window : 0,
          .Entry = Caches.state()},
         Budget);
}

/// Samples iterations that have \p Cost accesses: the first and the last, which often differ from
/// all others, and some at equal distances, as many as the budget allows; with a small budget the
/// middle one.
void TrafficSampler::runSome(const StreamNest &Nest, std::int64_t Trips, double Cost,
                             double Budget) {
  const double Affordable = Budget / std::min(Least, Cost);
  const auto Count = std::int64_t(std::clamp(Affordable, 1.0, double(Trips)));
  if (Count == Trips)
    return runIterations(Nest, 0, Trips, Budget / double(Trips));
  Counts Sum = Caches.counts();
  std::vector<double> DoubtOfSum = Doubt;
  std::vector<Node> Nodes;
  const std::int64_t Before = Count > 1 ? 1 : 0, Behind = Count > 2 ? 1 : 0;
  const double Distance = double(Trips - Before - Behind) / double(Count - Before - Behind);
  std::int64_t Next = 0;
  for (std::int64_t I = 0; I != Count; ++I) {
    const bool IsFirst = I < Before, IsLast = I >= Count - Behind;
    const std::int64_t Position =
        IsFirst  ? 0
        : IsLast ? Trips - 1
                 : Before + std::int64_t((double(I - Before) + 0.5) * Distance);
    Work += Past.run(Nest, Next, Position - 1);
    clearCounts();
    runIterations(Nest, Position, 1, Budget / double(Count));
    add(Sum, Caches.counts(), IsFirst || IsLast ? 1 : Distance);
    add(DoubtOfSum, Doubt, IsFirst || IsLast ? 1 : Distance);
    // The ends differ from the others, and matter where there are few others.
    if ((!IsFirst && !IsLast) || Count < 5)
      Nodes.push_back(makeNode(double(Position), 1));
    Next = Position + 1;
  }
  Work += Past.run(Nest, Next, Trips - 1);
  Caches.counts() = std::move(Sum);
  add(DoubtOfSum, doubtBetween(Nodes, 1), 1);
  // A single sample: as if random on a line that rises from zero.
  if (Count == 1 && Nest.IsUneven)
    add(DoubtOfSum, Nodes.front().Lines, Distance / std::sqrt(3));
  Doubt = std::move(DoubtOfSum);
}

void TrafficSampler::clearCounts() {
  std::ranges::fill(Caches.counts(), LevelTraffic());
  std::ranges::fill(Doubt, 0);
}

void TrafficSampler::runWindow(const Sampled &Loop, std::int64_t First, std::int64_t Count) {
  runIterations(Loop.Nest, First, Count, Loop.Budget);
  if (Loop.Budget == Unlimited)
    Work += Loop.Cost * double(Count);
}

TrafficSampler::Counts TrafficSampler::measure(const Sampled &Loop, std::int64_t First,
                                               std::int64_t Count) {
  clearCounts();
  runWindow(Loop, First, Count);
  return Caches.counts();
}

/// The window that begins here, with the caches in the state before it.
TrafficSampler::Node TrafficSampler::nodeAt(const Sampled &Loop, std::int64_t First) {
  measure(Loop, First, Loop.Window);
  return makeNode(double(First) + double(Loop.Window) / 2, double(Loop.Window));
}

/// A window, after restoring what comes before it.
TrafficSampler::Node TrafficSampler::measureAt(const Sampled &Loop, std::int64_t First) {
  Caches.restore(Loop.Entry);
  Work += double(Caches.lines()) / 8;
  Work += Past.run(Loop.Nest, 0, First - Loop.WarmUp - 1);
  runWindow(Loop, First - Loop.WarmUp, Loop.WarmUp);
  return nodeAt(Loop, First);
}

/// The slope of a function at the middle of three points, and the integral of the monotone cubic
/// pieces with these slopes: F. N. Fritsch and J. Butland, "A method for constructing local
/// monotone piecewise cubic interpolants", 1984, eq. 5.
static double slope(double LengthBefore, double Before, double LengthBehind, double Behind) {
  if (Before * Behind <= 0)
    return 0;
  const double First = LengthBefore + 2 * LengthBehind, Second = 2 * LengthBefore + LengthBehind;
  return (First + Second) / (First / Before + Second / Behind);
}

static double integral(const std::vector<double> &V, const std::vector<double> &Values) {
  std::vector<double> Lengths, Rises;
  for (std::size_t I = 1; I != V.size(); ++I) {
    Lengths.push_back(V[I] - V[I - 1]);
    Rises.push_back((Values[I] - Values[I - 1]) / Lengths.back());
  }
  auto SlopeAt = [&](std::size_t I) {
    if (Rises.size() == 1)
      return Rises[0];
    if (I != 0 && I != Rises.size())
      return slope(Lengths[I - 1], Rises[I - 1], Lengths[I], Rises[I]);
    // At an end, the slope of the parabola through three points, as long as its sign agrees.
    const std::size_t End = I == 0 ? 0 : I - 1, Next = I == 0 ? 1 : I - 2;
    const double Found =
        ((2 * Lengths[End] + Lengths[Next]) * Rises[End] - Lengths[End] * Rises[Next]) /
        (Lengths[End] + Lengths[Next]);
    if (Found * Rises[End] <= 0)
      return 0.0;
    return std::abs(Found) > 3 * std::abs(Rises[End]) ? 3 * Rises[End] : Found;
  };
  double Sum = 0;
  for (std::size_t I = 0; I != Rises.size(); ++I)
    Sum += Lengths[I] * (Values[I] + Values[I + 1]) / 2 +
           Lengths[I] * Lengths[I] / 12 * (SlopeAt(I) - SlopeAt(I + 1));
  return Sum;
}

/// The traffic between the first node and the last one.
CacheSimulator::Counts TrafficSampler::sumBetween(const std::vector<Node> &Nodes) {
  Counts Sum(Nodes.front().Rates.size());
  std::vector<double> V, Values;
  for (const Node &N : Nodes)
    V.push_back(N.Value);
  for (std::size_t I = 0; I != Sum.size(); ++I)
    for (double LevelTraffic::*Field :
         {&LevelTraffic::Loads, &LevelTraffic::Stores, &LevelTraffic::LoadMisses,
          &LevelTraffic::StoreMisses, &LevelTraffic::WriteBacks, &LevelTraffic::Bypassed,
          &LevelTraffic::Marginal}) {
      Values.clear();
      for (const Node &Element : Nodes)
        Values.push_back(Element.Rates[I].*Field);
      Sum[I].*Field = integral(V, Values);
    }
  return Sum;
}

/// Halves the interval with the largest error, until the error is small enough or the work is
/// spent.
void TrafficSampler::refine(const Sampled &Loop, std::vector<Node> &Nodes, double End) {
  while (Nodes.size() < 5 || Work < End) {
    const std::vector<double> Total = linesOf(sumBetween(Nodes));
    double Off = 0;
    std::vector<double> Shares(Nodes.size() - 1);
    for (std::size_t Level = 0; Level != Total.size(); ++Level) {
      const std::vector<double> Values = doubtsOf(Nodes, Level, double(Loop.Window));
      double Sum = 0;
      for (std::size_t I = 0; I != Values.size(); ++I) {
        Sum += Values[I] * Values[I];
        // Windows do not overlap.
        if (Nodes[I + 1].Value - Nodes[I].Value >= 2 * double(Loop.Window) && Total[Level] > 0)
          Shares[I] = std::max(Shares[I], Values[I] / Total[Level]);
      }
      if (Total[Level] > 0)
        Off = std::max(Off, std::sqrt(Sum) / Total[Level]);
    }
    const auto Worst = std::ranges::max_element(Shares);
    if ((Off < Tolerance && Nodes.size() >= 5) || *Worst == 0)
      return;
    const auto Next = Nodes.begin() + (Worst - Shares.begin()) + 1;
    Node Middle =
        measureAt(Loop, std::int64_t((std::prev(Next)->Value + Next->Value) / 2) - Loop.Window / 2);
    Nodes.insert(Next, std::move(Middle));
  }
}

void TrafficSampler::sample(const Sampled &Loop, double Budget) {
  const double End = Work + Budget;
  const Counts Before = Caches.counts();
  std::vector<double> DoubtOfSum = Doubt;
  const std::int64_t Window = Loop.Window, Last = Loop.Trips - Window;
  Counts Ends(Before.size());
  add(Ends, measure(Loop, 0, Window), 1);
  add(DoubtOfSum, Doubt, 1);
  // The second window follows the first, and the last window follows the one before it.
  std::vector<Node> Nodes = {nodeAt(Loop, Window), measureAt(Loop, Last - Window)};
  add(Ends, measure(Loop, Last, Window), 1);
  add(DoubtOfSum, Doubt, 1);
  const CacheSimulator::State After = Caches.state();
  refine(Loop, Nodes, End);
  Caches.restore(After);
  Caches.counts() = Before;
  add(Caches.counts(), Ends, 1);
  add(Caches.counts(), sumBetween(Nodes), 1);
  // Half of the first and of the last window lies outside the interval between their middles.
  for (const Node *N : {&Nodes.front(), &Nodes.back()}) {
    add(Caches.counts(), N->Rates, double(Window) / 2);
    add(DoubtOfSum, N->Doubt, double(Window) / 2);
  }
  add(DoubtOfSum, doubtBetween(Nodes, double(Window)), 1);
  Doubt = std::move(DoubtOfSum);
}

} // namespace ergon
