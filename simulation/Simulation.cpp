//===- Simulation.cpp - plans run on SimGrid ------------------------------===//

#include "simulation/Simulation.h"

#include <simgrid/plugins/energy.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <exception>
#include <set>

namespace sg = simgrid::s4u;

namespace ergon {

namespace {
/// The actors of a plan, and what they leave behind.
class Run {
public:
  Run(const Plan &Planned, sg::Engine &E);
  Simulated go();

private:
  const Plan &Planned;
  sg::Engine &Base;
  std::vector<sg::Host *> Hosts;                  ///< of each processor
  std::vector<std::vector<const Step *>> StepsOf; ///< of each rank
  std::set<std::size_t> Changed; ///< processors whose power may be another than before
  double LastS = 0;              ///< the end of the last time step
  Simulated Result;

  void live(std::size_t Rank);
  void step(std::size_t Rank, const ComputeStep &Step);
  void step(std::size_t Rank, const ExchangeStep &Step);
  void step(std::size_t Rank, const CopyStep &Step);
  void notePower();
};
} // namespace

Run::Run(const Plan &Planned, sg::Engine &E)
    : Planned(Planned), Base(E), StepsOf(Planned.Ranks.size()) {
  for (const Processor &Element : Planned.Processors)
    Hosts.push_back(E.host_by_name(Element.Name));
  Result.Result.Processors.resize(Hosts.size());
  Result.Power.resize(Hosts.size());
  for (std::size_t P = 0; P < Hosts.size(); ++P)
    Changed.insert(P);
  for (const Step &S : Planned.Steps)
    if (auto *Exchanges = std::get_if<ExchangeStep>(&S)) {
      std::vector<bool> Takes(Planned.Ranks.size());
      for (const Transfer &T : Exchanges->Transfers)
        Takes[T.From] = Takes[T.To] = true;
      for (std::size_t Rank = 0; Rank < Takes.size(); ++Rank)
        if (Takes[Rank])
          StepsOf[Rank].push_back(&S);
    } else if (auto *Computes = std::get_if<ComputeStep>(&S)) {
      StepsOf[Computes->Rank].push_back(&S);
    } else {
      StepsOf[std::get<CopyStep>(S).Rank].push_back(&S);
    }
}

void Run::live(std::size_t Rank) {
  for (const Step *S : StepsOf[Rank])
    std::visit([&](const auto &Single) { step(Rank, Single); }, *S);
}

void Run::step(std::size_t Rank, const ComputeStep &Step) {
  std::vector<sg::ActorPtr> Cores;
  for (const ProcessorWork &Part : Step.Parts) {
    sg::Host *Host = Hosts[Part.Processor];
    if (Host->get_pstate() != Part.State)
      Host->set_pstate(Part.State);
    Changed.insert(Part.Processor);
    for (unsigned Core = 0; Core < Part.Cores && Part.tasksOf(Core); ++Core)
      Cores.push_back(sg::Actor::create("core", Host, [this, &Part, Core] {
        for (std::int64_t Left = Part.tasksOf(Core); Left; --Left) {
          const double Start = sg::Engine::get_clock();
          sg::this_actor::execute(Part.Units);
          Result.Result.Processors[Part.Processor].BusyS += sg::Engine::get_clock() - Start;
        }
        Changed.insert(Part.Processor);
      }));
  }
  for (const sg::ActorPtr &Core : Cores)
    Core->join();
}

void Run::step(std::size_t Rank, const ExchangeStep &Step) {
  static char Nothing; // what is sent does not matter, only its size
  auto mailbox = [](const Transfer &T) {
    return sg::Mailbox::by_name(std::to_string(T.From) + ">" + std::to_string(T.To));
  };
  for (std::int64_t Time = 0; Time < Step.Times; ++Time) {
    std::vector<sg::CommPtr> Messages;
    void *Received = nullptr;
    for (const Transfer &Single : Step.Transfers) {
      if (Single.From == Rank)
        Messages.push_back(mailbox(Single)->put_async(&Nothing, Single.Bytes));
      if (Single.To == Rank)
        Messages.push_back(mailbox(Single)->get_async<void>(&Received));
    }
    for (const sg::CommPtr &Message : Messages)
      Message->wait();
  }
}

void Run::step(std::size_t Rank, const CopyStep &Step) {
  sg::Host *Own = Hosts[Planned.Ranks[Rank]], *Attached = Hosts[Step.Attached];
  sg::Comm::sendto(Step.ToAttached ? Own : Attached, Step.ToAttached ? Attached : Own, Step.Bytes);
}

/// At the end of a time step: the power during it. A host's load is that of the step until
/// its actors go on.
void Run::notePower() {
  const double NowS = sg::Engine::get_clock();
  if (NowS <= LastS)
    return;
  for (std::size_t P : Changed) {
    const double PowerW = sg_host_get_current_consumption(Hosts[P]);
    std::vector<PowerStep> &Steps = Result.Power[P];
    if (Steps.empty() || PowerW != Steps.back().PowerW)
      Steps.push_back({LastS, PowerW});
  }
  Changed.clear();
  LastS = NowS;
}

Simulated Run::go() {
  sg::Engine::on_time_advance_cb([this](double) { notePower(); });
  for (std::size_t Rank = 0; Rank < Planned.Ranks.size(); ++Rank)
    sg::Actor::create("rank " + std::to_string(Rank), Hosts[Planned.Ranks[Rank]],
                      [this, Rank] { live(Rank); });
  Base.run();
  Result.Result.MakespanS = sg::Engine::get_clock();
  for (std::size_t P = 0; P < Hosts.size(); ++P)
    Result.Result.Processors[P].EnergyJ = sg_host_get_consumed_energy(Hosts[P]);
  return std::move(Result);
}

std::expected<Simulated, Error> simulate(const Plan &Planned, const std::string &Platform) {
  // The engine takes its own options from a command line; it gets none of the user's.
  char Name[] = "ergon-simulate", Quiet[] = "--log=root.thres:error";
  char *Words[] = {Name, Quiet, nullptr};
  int Count = 2;
  try {
    sg::Engine Engine(&Count, Words);
    // The simulation's smallest time step: far below the shortest task, and not below what a
    // double can tell apart at the end.
    sg::Engine::set_config("surf/precision", std::max(1e-15, outcomeOf(Planned).MakespanS * 1e-15));
    for (const char *Option :
         {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1",
          "network/crosstraffic:0", "network/weight-S:0", "network/TCP-gamma:0"})
      sg::Engine::set_config(Option);
    sg_host_energy_plugin_init();
    Engine.load_platform(Platform);
    return Run(Planned, Engine).go();
  } catch (const std::exception &Bad) {
    return std::unexpected(Error{Bad.what(), "", "see docs/simulate.md"});
  }
}

} // namespace ergon
