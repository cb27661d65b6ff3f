//===- Plan.cpp - work on many processors and a network -------------------===//

#include "model/cluster/Plan.h"

#include <algorithm>

namespace ergon {

double Plan::events() const {
  double Sum = 0;
  for (const Step &S : Steps)
    if (auto *Computes = std::get_if<ComputeStep>(&S))
      for (const ProcessorWork &Part : Computes->Parts)
        Sum += double(Part.Tasks);
    else if (auto *Exchanges = std::get_if<ExchangeStep>(&S))
      Sum += double(Exchanges->Times) * double(Exchanges->Transfers.size());
    else
      Sum += 1;
  return Sum;
}

double Outcome::energy() const {
  double Sum = 0;
  for (const ProcessorOutcome &Processor : Processors)
    Sum += Processor.EnergyJ;
  return Sum;
}

namespace {
/// Follows the ranks through the steps.
struct Evaluation {
  const Plan &Planned;
  Outcome Result{0, std::vector<ProcessorOutcome>(Planned.Processors.size())};
  std::vector<double> Ready = std::vector<double>(Planned.Ranks.size());
  /// Of each processor: its state, and up to when its idle energy is in the result.
  std::vector<std::size_t> States = std::vector<std::size_t>(Planned.Processors.size());
  std::vector<double> Counted = std::vector<double>(Planned.Processors.size());

  const PowerState &stateOf(std::size_t Processor) const {
    return Planned.kindOf(Processor).States[States[Processor]];
  }
  void countIdle(std::size_t Processor, double End) {
    Result.Processors[Processor].EnergyJ += stateOf(Processor).IdleW * (End - Counted[Processor]);
    Counted[Processor] = End;
  }

  void operator()(const ComputeStep &Step) {
    double End = Ready[Step.Rank];
    for (const ProcessorWork &Part : Step.Parts) {
      countIdle(Part.Processor, Ready[Step.Rank]);
      States[Part.Processor] = Part.State;
      const PowerState &State = stateOf(Part.Processor);
      const double TaskS = Part.Units / State.UnitsPerS;
      ProcessorOutcome &Outcome = Result.Processors[Part.Processor];
      Outcome.BusyS += TaskS * double(Part.Tasks);
      Outcome.EnergyJ += (State.BusyW - State.IdleW) * TaskS * double(Part.Tasks);
      End = std::max(End, Ready[Step.Rank] + TaskS * double(Part.tasksOf(0)));
    }
    Ready[Step.Rank] = End;
  }

  void operator()(const ExchangeStep &Step) {
    for (std::int64_t Time = 0; Time < Step.Times; ++Time) {
      std::vector<double> Begun;
      Begun.reserve(Step.Transfers.size());
      for (const Transfer &T : Step.Transfers)
        Begun.push_back(std::max(Ready[T.From], Ready[T.To]));
      for (std::size_t N = 0; N < Begun.size(); ++N) {
        const Transfer &Single = Step.Transfers[N];
        const double End = Begun[N] + Planned.Network->time(Single.Bytes);
        Ready[Single.From] = std::max(Ready[Single.From], End);
        Ready[Single.To] = std::max(Ready[Single.To], End);
      }
    }
  }

  void operator()(const CopyStep &Step) {
    auto Found = std::ranges::find(Planned.Attached, Step.Attached, &Attachment::Processor);
    Ready[Step.Rank] += Found->Uplink.time(Step.Bytes);
  }
};
} // namespace

Outcome outcomeOf(const Plan &Planned) {
  Evaluation Run{Planned};
  for (const Step &S : Planned.Steps)
    std::visit(Run, S);
  for (double Value : Run.Ready)
    Run.Result.MakespanS = std::max(Run.Result.MakespanS, Value);
  for (std::size_t P = 0; P < Planned.Processors.size(); ++P)
    Run.countIdle(P, Run.Result.MakespanS);
  return std::move(Run.Result);
}

} // namespace ergon
