//===- Plan.cpp - work on many processors and a network -------------------===//

#include "model/cluster/Plan.h"

#include <algorithm>

namespace ergon {

double Plan::events() const {
  double Sum = 0;
  for (const Step &Each : Steps)
    if (auto *Computes = std::get_if<ComputeStep>(&Each))
      for (const ProcessorWork &Part : Computes->Parts)
        Sum += double(Part.Tasks);
    else if (auto *Exchanges = std::get_if<ExchangeStep>(&Each))
      Sum += double(Exchanges->Times) * double(Exchanges->Transfers.size());
    else
      Sum += 1;
  return Sum;
}

double Outcome::energy() const {
  double Sum = 0;
  for (const ProcessorOutcome &Each : Processors)
    Sum += Each.EnergyJ;
  return Sum;
}

namespace {
/// Follows the ranks through the steps.
struct Evaluation {
  const Plan &Of;
  Outcome Result{0, std::vector<ProcessorOutcome>(Of.Processors.size())};
  std::vector<double> Ready = std::vector<double>(Of.Ranks.size());
  /// Of each processor: its state, and up to when its idle energy is in the result.
  std::vector<std::size_t> States = std::vector<std::size_t>(Of.Processors.size());
  std::vector<double> Counted = std::vector<double>(Of.Processors.size());

  const PowerState &stateOf(std::size_t Processor) const {
    return Of.kindOf(Processor).States[States[Processor]];
  }
  void countIdle(std::size_t Processor, double Until) {
    Result.Processors[Processor].EnergyJ += stateOf(Processor).IdleW * (Until - Counted[Processor]);
    Counted[Processor] = Until;
  }

  void operator()(const ComputeStep &Each) {
    double End = Ready[Each.Rank];
    for (const ProcessorWork &Part : Each.Parts) {
      countIdle(Part.Processor, Ready[Each.Rank]);
      States[Part.Processor] = Part.State;
      const PowerState &State = stateOf(Part.Processor);
      const double TaskS = Part.Units / State.UnitsPerS;
      ProcessorOutcome &On = Result.Processors[Part.Processor];
      On.BusyS += TaskS * double(Part.Tasks);
      On.EnergyJ += (State.BusyW - State.IdleW) * TaskS * double(Part.Tasks);
      End = std::max(End, Ready[Each.Rank] + TaskS * double(Part.tasksOf(0)));
    }
    Ready[Each.Rank] = End;
  }

  void operator()(const ExchangeStep &Each) {
    for (std::int64_t Time = 0; Time < Each.Times; ++Time) {
      std::vector<double> Begun;
      Begun.reserve(Each.Transfers.size());
      for (const Transfer &One : Each.Transfers)
        Begun.push_back(std::max(Ready[One.From], Ready[One.To]));
      for (std::size_t N = 0; N < Begun.size(); ++N) {
        const Transfer &One = Each.Transfers[N];
        const double End = Begun[N] + Of.Network->time(One.Bytes);
        Ready[One.From] = std::max(Ready[One.From], End);
        Ready[One.To] = std::max(Ready[One.To], End);
      }
    }
  }

  void operator()(const CopyStep &Each) {
    auto By = std::ranges::find(Of.Attached, Each.Attached, &Attachment::Processor);
    Ready[Each.Rank] += By->By.time(Each.Bytes);
  }
};
} // namespace

Outcome outcomeOf(const Plan &Of) {
  Evaluation Run{Of};
  for (const Step &Each : Of.Steps)
    std::visit(Run, Each);
  for (double Each : Run.Ready)
    Run.Result.MakespanS = std::max(Run.Result.MakespanS, Each);
  for (std::size_t P = 0; P < Of.Processors.size(); ++P)
    Run.countIdle(P, Run.Result.MakespanS);
  return std::move(Run.Result);
}

} // namespace ergon
