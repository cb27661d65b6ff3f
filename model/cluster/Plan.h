//===- Plan.h - work on many processors and a network -----------*- C++ -*-===//
//
// A program of ranks that compute and exchange messages, on processors with clock settings and
// power: the input of the simulation, and a cost estimate without it. Each rank does its steps in
// order. A non-blocking switch joins the ranks; a message takes t_s + B·t_w (Hockney).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ergon {

/// A processor at a clock setting and at one kind of work.
struct PowerState {
  double UnitsPerS = 1; ///< of one core, above 0; a unit of work is a flop where flops are known
  double IdleW = 0;
  double BusyW = 0; ///< with one active core; each further one adds BusyW - IdleW

  bool operator==(const PowerState &) const = default;
};

struct ProcessorKind {
  /// Tasks at once: a GPU whose blocks are simulated one by one has a slot for each block that is
  /// resident, every other processor one.
  unsigned Cores = 1;
  std::optional<double> OffW;     ///< switched off; no step uses it, but the platform states it
  std::vector<PowerState> States; ///< the first is the one at the start
};

struct Processor {
  std::string Name;
  std::size_t Kind = 0; ///< index in Plan::Kinds
};

/// A full-duplex link.
struct Link {
  double BytesPerS = 0, LatencyS = 0;

  /// t_s + B·t_w, seconds (Hockney).
  double time(std::uint64_t Bytes) const { return LatencyS + double(Bytes) / BytesPerS; }
};

/// Equal tasks, distributed round-robin over cores.
struct ProcessorWork {
  std::size_t Processor = 0, State = 0;
  std::int64_t Tasks = 0;
  unsigned Cores = 1; ///< active cores
  double Units = 0;   ///< of a task

  /// Tasks of core number \p Core.
  std::int64_t tasksOf(unsigned Core) const { return Tasks / Cores + (Core < Tasks % Cores); }
};

/// A rank computes on its own processors in parallel, and waits for the last.
struct ComputeStep {
  std::size_t Rank = 0;
  std::vector<ProcessorWork> Parts; ///< on different processors
};

struct Transfer {
  std::size_t From = 0, To = 0; ///< different ranks
  std::uint64_t Bytes = 0;
};

/// Each rank sends at most one message and receives at most one, concurrently; repeated Times in
/// sequence. A message starts when both ranks are ready.
struct ExchangeStep {
  std::vector<Transfer> Transfers;
  std::int64_t Times = 1;
};

/// A rank waits for a copy between its processor and an attached one.
struct CopyStep {
  std::size_t Rank = 0;
  std::size_t Attached = 0; ///< processor
  std::uint64_t Bytes = 0;
  bool ToAttached = true;
};

using Step = std::variant<ComputeStep, ExchangeStep, CopyStep>;

struct Attachment {
  std::size_t Processor = 0, To = 0; ///< a GPU, and the processor of the rank that it belongs to
  Link Uplink;
};

struct Plan {
  std::vector<ProcessorKind> Kinds;
  std::vector<Processor> Processors;
  std::vector<std::size_t> Ranks; ///< the processor of each
  std::optional<Link> Network;    ///< between any two ranks
  std::vector<Attachment> Attached;
  std::vector<Step> Steps;

  /// The clocks and powers of the processor of that number.
  const ProcessorKind &kindOf(std::size_t Processor) const {
    return Kinds[Processors[Processor].Kind];
  }
  /// Tasks and messages of all steps: the events of a simulation.
  double events() const;
};

struct ProcessorOutcome {
  double EnergyJ = 0;
  double BusyS = 0; ///< summed over the processor's slots (ProcessorKind::Cores)
};

struct Outcome {
  double MakespanS = 0;
  std::vector<ProcessorOutcome> Processors; ///< as in the plan

  /// Joules of all processors until the last one finishes.
  double energy() const;
};

/// Watts of a processor from a time on.
struct PowerStep {
  double FromS = 0, PowerW = 0;

  auto operator<=>(const PowerStep &) const = default;
};

struct Simulated {
  Outcome Result;
  /// Of each processor: the first step is at 0, the last holds to the makespan.
  std::vector<std::vector<PowerStep>> Power;
};

/// The cost of the plan by formulas: the latest rank's time, and idle power over that time plus E =
/// (P_busy - P_idle)·T for each task.
Outcome outcomeOf(const Plan &Planned);

} // namespace ergon
