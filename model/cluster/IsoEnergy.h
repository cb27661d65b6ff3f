//===- IsoEnergy.h - energy efficiency at scale -----------------*- C++ -*-===//
//
// The iso-energy-efficiency model of Song, Su, Ge, Vishnu and Cameron (IPDPS 2011; "2011" below):
// the energy of a program of size n on p processors at clock f relative to one processor, EEF =
// E_o/E_1 and EE = E_1/E_p, and how far p can grow.
// Time and workload are summed over all processors, as in the paper: T_p = p·T of wall time where
// the work is evenly divided. Network power is P_net-on - P_net-idle where the machine states it
// (eq. 11), else none (eq. 12).
// The paper's processors are whole systems. Where several share a node (\ref IsoMachine), E_1 has
// the power of a node with one busy processor, so that EE above 1 is usual within a node.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Cluster.h"

#include <array>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// V_app at one n and p (2011, Table 1), each summed over all processors.
struct Workload {
  double Computation = 0, Memory = 0; ///< W_c, W_m: instructions, accesses of the sequential run
  double ComputationOverhead = 0, MemoryOverhead = 0; ///< W_co, W_mo: on top; may be negative
  double Messages = 0, MessageBytes = 0;              ///< M, B
  double IoS = 0;                                     ///< T_IO, seconds
};

/// Equal processors on equal nodes, which are filled one after the other.
struct IsoMachine {
  ClusterTerms Terms;
  double PerNode = 1; ///< processors of a node, 1 or above

  double nodes(double P) const;          ///< that P processors need
  double onFullest(double P) const;      ///< processors on the node that has most of them
  double partnersInNode(double P) const; ///< share of the other processors that are on the same one
};

struct IsoPoint {
  double N, P, Mhz;
};

/// Why a point has no efficiency.
struct NoEfficiency {
  std::string Why;
  bool Everywhere = false; ///< something is missing at all points
};

/// The parts of time and energy. Sharing takes no time: one processor has a node's power alone, p
/// have that of their nodes together.
enum class IsoPart { Computation, Memory, Network, Io, Sharing };
inline constexpr std::array<std::string_view, 5> IsoPartNames = {"computation", "memory", "network",
                                                                 "io", "sharing"};
/// The key in `ergon-scale/1`.
inline std::string_view name(IsoPart P) { return IsoPartNames[std::size_t(P)]; }

/// One part's share of the overhead.
struct IsoOverhead {
  double TimeS = 0;   ///< of α·T_o
  double ActiveJ = 0; ///< Δ-power times time: of its own device
  double IdleJ = 0;   ///< α·T_o·P_total-idle: the whole system's while that lasts, and its nodes'
  /// Joules of the overhead (2011, eq. 16): both parts of it.
  double energy() const { return ActiveJ + IdleJ; }
};

struct IsoEnergy {
  double SequentialS = 0; ///< α·T_1
  double ParallelS = 0;   ///< α·T_p, summed over the processors
  double SequentialJ = 0; ///< E_1 (2011, eq. 13)
  std::array<IsoOverhead, IsoPartNames.size()> Overheads;
  double Processors = 1;

  /// The overhead of one part.
  const IsoOverhead &overhead(IsoPart P) const { return Overheads[std::size_t(P)]; }
  double overheadJ() const;                                       ///< E_o (2011, eq. 16)
  double parallelJ() const { return SequentialJ + overheadJ(); }  ///< E_p (2011, eq. 15)
  double eef() const { return overheadJ() / SequentialJ; }        ///< 2011, eq. 19
  double efficiency() const { return SequentialJ / parallelJ(); } ///< EE (2011, eq. 21)
  double performance() const { return SequentialS / ParallelS; }  ///< T_1/T_p: speedup over p
  double wallS() const { return ParallelS / Processors; }         ///< where work is evenly divided
  double powerW() const { return parallelJ() / wallS(); }         ///< of all processors
  /// The part with the largest overhead energy in absolute value; none where there is no overhead.
  std::optional<IsoPart> dominant() const;
};

/// \p Overlap is α, actual over theoretical time (2011, eq. 6). No value where a required term is
/// absent, and for an invalid workload: negative overheads that exceed the total.
std::expected<IsoEnergy, NoEfficiency> isoEnergy(const IsoMachine &Machine, double Overlap,
                                                 const Workload &W, const IsoPoint &Point);

/// A program on a cluster.
struct IsoModel {
  IsoMachine Machine;
  double Overlap = 1;
  std::function<std::expected<Workload, NoEfficiency>(double N, double P)> Work;
  /// The workload is a step function, whose derivative is useless.
  bool HasSteps = false;

  /// Time and energy at one size, number of processors and clock. Error: Work has none, or a term
  /// that the machine lacks.
  std::expected<IsoEnergy, NoEfficiency> at(const IsoPoint &Point) const;
};

/// d ln EE / d ln x: by how many percent EE grows with one percent of x. Nothing where EE is
/// undefined near the point.
struct Elasticities {
  std::optional<double> P, N, Mhz;
  /// The name of the largest, `p`, `n` or `f`; empty where EE is constant.
  std::string_view dominant() const;
};
/// Between x/1.001 and x·1.001, p at least 1; for a step function, between x/2 and 2x, in integers
/// p and n.
Elasticities elasticities(const IsoModel &Model, const IsoPoint &Point);

/// Integers from First to Last that keep EE.
struct KeptRange {
  double First, Last;
  enum class End { Below, NoValue, Searched } Why; ///< what is at Last + 1
};
/// Where in 1 … \p Last an efficiency is \p Bound or above; in order. It need not be monotone:
/// tries every integer up to 256, then at least 64 per doubling, and finds the ends by bisection.
/// \p Efficiency has nothing where it is not known.
std::vector<KeptRange>
rangesThatKeep(double Bound, double Last,
               const std::function<std::optional<double>(double)> &Efficiency);
/// The p in 1 … \p MaxP, at the point's n and f, with EE >= \p Bound.
std::vector<KeptRange> processorsThatKeep(double Bound, const IsoModel &Model,
                                          const IsoPoint &Point, double MaxP);
/// The n in 1 … \p MaxN, at the point's p and f: the iso-energy-efficiency function.
std::vector<KeptRange> sizesThatKeep(double Bound, const IsoModel &Model, const IsoPoint &Point,
                                     double MaxN);

} // namespace ergon
