//===- ScenarioWork.cpp - ergon-scenario/1: work on a processor -----------===//

#include "formats/cluster/ScenarioReader.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Where flops are not known, a core does so many units of work a second: far from the
/// smallest and the largest amounts that a simulation tells apart.
static constexpr double UnitsPerS = 1e9;

Setting ScenarioReader::readSetting(JsonCursor At, const ScenarioProcessor &On) {
  auto Given = [&](std::string_view Key) {
    JsonCursor Mhz = At[Key];
    return Mhz ? std::optional(Mhz.positive()) : std::nullopt;
  };
  const std::optional<double> CoreMhz = Given("core_mhz"), MemMhz = Given("mem_mhz");
  if (!CoreMhz && !MemMhz)
    return On.At;
  const Setting *Found = On.Model ? On.Model->findSetting(CoreMhz, MemMhz) : nullptr;
  if (Found)
    return *Found;
  At.fail(On.Model ? "the profile has no one setting with these clocks"
                   : "clocks are given for a processor without a machine",
          On.Model ? "see `ergon machine show " + On.Model->Name + "`" : "leave them out");
  return On.At;
}

std::optional<double> ScenarioReader::idlePower(const ScenarioProcessor &Of, const Setting &At) {
  if (Of.IdleW)
    return Of.IdleW;
  return Of.Model ? Of.Model->constantPower(At) : std::nullopt;
}

void ScenarioReader::notePower(const ScenarioProcessor &On, double PowerW) {
  if (!On.Model || !On.Model->Power.Cap || PowerW <= On.Model->Power.Cap->Value)
    return;
  auto Watts = [](double Value) { return std::to_string(std::lround(Value)) + " W"; };
  Result.Notes.push_back("work on " + inQuotes(On.Name) + " draws " + Watts(PowerW) +
                         ", and the profile says that " + On.Model->Name + " does not go above " +
                         Watts(On.Model->Power.Cap->Value));
}

std::size_t ScenarioReader::addState(JsonCursor At, std::size_t Kind, PowerState State) {
  // The power of a run without dynamic power may be below the idle power by rounding alone.
  if (State.BusyW < State.IdleW && State.BusyW > State.IdleW * (1 - 1e-9))
    State.BusyW = State.IdleW;
  if (State.BusyW < State.IdleW)
    At.fail("draws less power than the processor does idle", "correct it, or give an idle_w");
  if (!(State.UnitsPerS >= 1) || !std::isfinite(State.UnitsPerS))
    At.fail("is less than one flop a second, or no speed at all", "correct time or flops");
  std::vector<PowerState> &States = Result.Steps.Kinds[Kind].States;
  std::size_t Index = std::ranges::find(States, State) - States.begin();
  // A state with the idle power of the first one replaces it as long as the first has no work: fig.
  // 3 of the paper has one state.
  if (Index == States.size() && OnlyRests.contains(Kind) && States[0].IdleW == State.IdleW) {
    States[0] = State;
    Index = 0;
  } else if (Index == States.size()) {
    States.push_back(State);
  }
  if (Index == 0)
    OnlyRests.erase(Kind);
  return Index;
}

RecordQuery ScenarioReader::readRecord(JsonCursor At) {
  At.keys({"dir", "entry"}, {"set", "snapshot", "unit", "target", "libraries"});
  RecordQuery Query{At["dir"].text(),
                    At["entry"].text(),
                    At["snapshot"].text(""),
                    At["unit"].text(""),
                    At["target"].text(""),
                    {},
                    {}};
  if (JsonCursor Libraries = At["libraries"])
    for (JsonCursor Each : Libraries.elements())
      Query.Libraries.push_back(Each.text());
  if (JsonCursor Sets = At["set"])
    for (auto &[Name, Value] : Sets.members())
      // A text is for what JSON has no number for, such as 1/3.
      Query.Sets.push_back(std::string(Name) + "=" +
                           (Value.isText() ? Value.text() : Value.source()));
  return Query;
}

std::vector<BlockMeasurement> ScenarioReader::readMeasurements(JsonCursor At) {
  std::vector<BlockMeasurement> Measured;
  for (JsonCursor Each : At.elements()) {
    const bool Power = bool(Each["power_w"]);
    Each.keys({"blocks", "time_s", Power ? "power_w" : "energy_j"});
    BlockMeasurement M{double(readPositiveInteger(Each["blocks"])), Each["time_s"].positive(), 0};
    M.EnergyJ = Power ? Each["power_w"].positive() * M.TimeS : Each["energy_j"].positive();
    Measured.push_back(M);
  }
  return Measured;
}

std::int64_t ScenarioReader::readBlocksAtOnce(JsonCursor Calibration, const ScenarioProcessor &On,
                                              std::string &Why) {
  if (JsonCursor Given = Calibration["blocks_at_once"]) {
    Why = "given";
    const std::int64_t AtOnce = readPositiveInteger(Given);
    if (AtOnce > 1'000'000) // a thousand multiprocessors, each with more than any holds
      Given.fail("is more blocks than any device holds at once", "correct it");
    return AtOnce;
  }
  const std::optional<Device> Gpu = On.Model ? On.Model->Topology.Gpu : std::nullopt;
  if (!Gpu) {
    Calibration.fail("how many blocks run at once is not known: no machine of " +
                         inQuotes(On.Name) + " says what multiprocessors it has",
                     "give blocks_at_once");
    return 1;
  }
  const auto Multiprocessors = std::int64_t(Gpu->Multiprocessors.Value);
  JsonCursor Threads = Calibration["threads_per_block"];
  if (!Threads) {
    Why = "one on each multiprocessor";
    return Multiprocessors;
  }
  BlockNeeds Needs{readPositiveInteger(Threads), {}, {}};
  if (JsonCursor Registers = Calibration["registers_per_thread"])
    Needs.RegistersPerThread = int(std::min<std::int64_t>(readPositiveInteger(Registers), 1 << 20));
  if (JsonCursor Shared = Calibration["shared_bytes_per_block"])
    Needs.SharedBytes = std::int64_t(readBytes(Shared));
  const Residency Resident = residentBlocks(Gpu->Limits, Needs);
  if (Resident.Blocks == 0) {
    Calibration.fail("no block fits on a multiprocessor, by its " + Resident.LimitedBy,
                     "correct what a block needs");
    return 1;
  }
  Why = std::to_string(Resident.Blocks) + " on each multiprocessor, limited by " +
        Resident.LimitedBy + (Needs.complete() ? "" : ", an upper bound");
  return Resident.Blocks * Multiprocessors;
}

ProcessorWork ScenarioReader::readCalibrated(JsonCursor At, const ScenarioProcessor &On,
                                             double IdleW) {
  const std::string Name = At["calibration"].text();
  auto Found = Calibrations.find(Name);
  if (Found == Calibrations.end()) {
    At["calibration"].fail(inQuotes(Name) + " is not listed in /calibrations", "list it there");
    return {};
  }
  JsonCursor Calibration = Found->second;
  CalibratedKernel Kernel{Name, On.Name, true, {}, {}, {}, ""};
  const std::string Level = At["level"].text("rounds");
  Kernel.ByRounds = Level == "rounds";
  if (!Kernel.ByRounds && Level != "blocks")
    At["level"].fail(inQuotes(Level) + " is not one of the words known here",
                     "write one of: rounds, blocks");
  const auto Measured = readMeasurements(Calibration["measurements"]);
  const std::int64_t AtOnce = readBlocksAtOnce(Calibration, On, Kernel.AtOnceFrom);
  Kernel.Blocks = {readPositiveInteger(At["blocks"]), AtOnce};
  JsonCursor Flops = Calibration["flops_per_block"];
  const double FlopsPerBlock = Flops ? Flops.positive() : 0;
  if (At.failed())
    return {};
  const auto Calibrated = calibrate(Measured, IdleW);
  if (!Calibrated) {
    Calibration["measurements"].fail(Calibrated.error().What, Calibrated.error().Fix);
    return {};
  }
  Kernel.Calibration = *Calibrated;
  Kernel.Round = Calibrated->Cost.rounds(AtOnce);
  notePower(On, Kernel.Round.power());
  // Fig. 3 of the paper: the speed is the flops of a round by its time, on one core. Block by
  // block there is a core for each block that runs at once, and a block takes a round's time.
  const double Parts = Kernel.ByRounds ? 1 : double(AtOnce);
  const double Units =
      Flops ? FlopsPerBlock * double(AtOnce) / Parts : UnitsPerS * Kernel.Round.TimeS;
  const PowerState State{Units / Kernel.Round.TimeS, IdleW,
                         IdleW + (Kernel.Round.power() - IdleW) / Parts};
  const std::int64_t Tasks = Kernel.ByRounds ? Kernel.Blocks.rounds() : Kernel.Blocks.Blocks;
  ProcessorWork Result{0, addState(At, On.Kind, State), Tasks, unsigned(Parts), Units};
  unsigned &Cores = this->Result.Steps.Kinds[On.Kind].Cores;
  Cores = std::max(Cores, Result.Cores);
  this->Result.Calibrated.push_back(std::move(Kernel));
  return Result;
}

ProcessorWork ScenarioReader::readWork(JsonCursor At, const ScenarioProcessor &On) {
  if (At["calibration"])
    At.keys({"calibration", "blocks"}, {"on", "level", "core_mhz", "mem_mhz"});
  else if (At["record"])
    At.keys({"record"}, {"on", "core_mhz", "mem_mhz"});
  else
    At.keys({"time_s", At["power_w"] ? "power_w" : "energy_j"},
            {"on", "flops", "core_mhz", "mem_mhz"});
  const Setting Clocks = readSetting(At, On);
  const std::optional<double> IdleW = idlePower(On, Clocks);
  if (!IdleW)
    At.fail("the idle power of " + inQuotes(On.Name) + " is not known at this setting",
            "give it in idle_w");
  if (At.failed())
    return {};
  if (At["calibration"])
    return readCalibrated(At, On, *IdleW);

  double TimeS = 0, EnergyJ = 0, Flops = 0;
  if (JsonCursor Record = At["record"]) {
    const RecordQuery Query = readRecord(Record);
    if (!On.Model)
      At.fail(inQuotes(On.Name) + " has no machine to predict for", "give it one");
    if (At.failed())
      return {};
    const auto Run = From.Predict(Query, &*On.Model, Clocks);
    if (!Run) {
      Record.fail(Run.error().line(), "correct the record's entry or values");
      return {};
    }
    TimeS = Run->TimeS;
    EnergyJ = Run->EnergyJ;
    for (const auto &[Class, Count] : Run->Counts)
      if (isFlops(Class))
        Flops += Count;
    if (TimeS == 0) // nothing is counted that takes time
      return {};
  } else {
    TimeS = At["time_s"].positive();
    JsonCursor Power = At["power_w"];
    EnergyJ = Power ? Power.positive() * TimeS : At["energy_j"].positive();
    JsonCursor Given = At["flops"];
    Flops = Given ? Given.positive() : 0;
  }
  if (At.failed())
    return {};
  notePower(On, EnergyJ / TimeS);
  const double Units = Flops > 0 ? Flops : UnitsPerS * TimeS;
  return {0, addState(At, On.Kind, {Units / TimeS, *IdleW, EnergyJ / TimeS}), 1, 1, Units};
}

} // namespace ergon
