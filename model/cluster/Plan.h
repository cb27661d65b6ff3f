//===- Plan.h - work on many processors and a network -----------*- C++ -*-===//
//
// A program of ranks that compute and exchange messages, on processors with
// clock settings and power, in numbers: what is simulated, and what the same costs
// without a simulation. Each rank does its steps in order. Ranks are joined
// by a switch that never blocks; a message takes t_s + B·t_w (Hockney).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_CLUSTER_PLAN_H
#define ERGON_MODEL_CLUSTER_PLAN_H

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
  double BusyW = 0; ///< with one core at work; each further one draws BusyW - IdleW more

  bool operator==(const PowerState &) const = default;
};

struct ProcessorKind {
  unsigned Cores = 1;
  std::optional<double> OffW;     ///< switched off; no step does that, but the platform says it
  std::vector<PowerState> States; ///< the first is the one at the start
};

struct Processor {
  std::string Name;
  std::size_t Kind = 0; ///< index in Plan::Kinds
};

/// A link that carries both ways at once.
struct Link {
  double BytesPerS = 0, LatencyS = 0;

  /// t_s + B·t_w, seconds (Hockney).
  double time(std::uint64_t Bytes) const { return LatencyS + double(Bytes) / BytesPerS; }
};

/// Equal tasks, dealt to cores in turn.
struct ProcessorWork {
  std::size_t Processor = 0, State = 0;
  std::int64_t Tasks = 0;
  unsigned Cores = 1; ///< that take part
  double Units = 0;   ///< of a task

  /// Tasks of core number \p Core.
  std::int64_t tasksOf(unsigned Core) const { return Tasks / Cores + (Core < Tasks % Cores); }
};

/// A rank works on processors of its own, all at once, and waits for the last.
struct ComputeStep {
  std::size_t Rank = 0;
  std::vector<ProcessorWork> Parts; ///< on different processors
};

struct Transfer {
  std::size_t From = 0, To = 0; ///< different ranks
  std::uint64_t Bytes = 0;
};

/// Each rank sends at most one message and receives at most one, both at once; so many Times
/// one after the other. A message starts when both of its ranks are there.
struct ExchangeStep {
  std::vector<Transfer> Transfers;
  std::int64_t Times = 1;
};

/// A rank waits for bytes between its processor and an attached one.
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
  /// Tasks and messages of all steps: what a simulation does one by one.
  double events() const;
};

struct ProcessorOutcome {
  double EnergyJ = 0;
  double BusyS = 0; ///< summed over cores
};

struct Outcome {
  double MakespanS = 0;
  std::vector<ProcessorOutcome> Processors; ///< as in the plan

  /// Joules of all processors until the last one is done.
  double energy() const;
};

/// Watts of a processor from a time on.
struct PowerStep {
  double FromS = 0, PowerW = 0;
};

struct Simulated {
  Outcome Result;
  /// Of each processor: the first step is at 0, the last holds to the makespan.
  std::vector<std::vector<PowerStep>> Power;
};

/// What the plan costs by its formulas: the latest rank's time, and idle power over that
/// time with E = (P_busy - P_idle)·T for each task on top.
Outcome outcomeOf(const Plan &Planned);

} // namespace ergon

#endif
