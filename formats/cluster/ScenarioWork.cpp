//===- ScenarioWork.cpp - ergon-scenario/1: work on a processor -----------===//

#include "formats/cluster/ScenarioReader.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Where flops are not known, a core does so many units of work a second: far from the
/// smallest and the largest amounts that a simulation tells apart.
static constexpr double UnitsPerS = 1e9;

Setting ScenarioReader::readSetting(JsonCursor Json, const ScenarioProcessor &Processor) {
  auto Given = [&](std::string_view Key) {
    JsonCursor Mhz = Json[Key];
    return Mhz ? std::optional(Mhz.positive()) : std::nullopt;
  };
  const std::optional<double> CoreMhz = Given("core_mhz"), MemMhz = Given("mem_mhz");
  if (!CoreMhz && !MemMhz)
    return Processor.Clocks;
  const Setting *Found = Processor.Model ? Processor.Model->findSetting(CoreMhz, MemMhz) : nullptr;
  if (Found)
    return *Found;
  Json.fail(Processor.Model ? "the profile has no one setting with these clocks"
                            : "clocks are given for a processor without a machine",
            Processor.Model ? "see `ergon machine show " + Processor.Model->Name + "`"
                            : "leave them out");
  return Processor.Clocks;
}

std::optional<double> ScenarioReader::idlePower(const ScenarioProcessor &Processor,
                                                const Setting &Clocks) {
  if (Processor.IdleW)
    return Processor.IdleW;
  return Processor.Model ? Processor.Model->constantPower(Clocks) : std::nullopt;
}

void ScenarioReader::notePower(const ScenarioProcessor &Processor, double PowerW) {
  if (!Processor.Model || !Processor.Model->Power.Cap ||
      PowerW <= Processor.Model->Power.Cap->Value)
    return;
  auto Watts = [](double Value) { return std::to_string(std::lround(Value)) + " W"; };
  Result.Notes.push_back("work on " + inQuotes(Processor.Name) + " draws " + Watts(PowerW) +
                         ", and the profile says that " + Processor.Model->Name +
                         " does not go above " + Watts(Processor.Model->Power.Cap->Value));
}

std::size_t ScenarioReader::addState(JsonCursor Json, std::size_t Kind, PowerState State) {
  // The power of a run without dynamic power may be below the idle power by rounding alone.
  if (State.BusyW < State.IdleW && State.BusyW > State.IdleW * (1 - 1e-9))
    State.BusyW = State.IdleW;
  if (State.BusyW < State.IdleW)
    Json.fail("draws less power than the processor does idle", "correct it, or give an idle_w");
  if (!(State.UnitsPerS >= 1) || !std::isfinite(State.UnitsPerS))
    Json.fail("is less than one flop a second, or no speed at all", "correct time or flops");
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

RecordQuery ScenarioReader::readRecord(JsonCursor Json) {
  Json.keys({"dir", "entry"}, {"set", "snapshot", "unit", "target", "libraries"});
  RecordQuery Query{Json["dir"].text(),
                    Json["entry"].text(),
                    Json["snapshot"].text(""),
                    Json["unit"].text(""),
                    Json["target"].text(""),
                    {},
                    {}};
  if (JsonCursor Libraries = Json["libraries"])
    for (JsonCursor Entry : Libraries.elements())
      Query.Libraries.push_back(Entry.text());
  if (JsonCursor Sets = Json["set"])
    for (auto &[Name, Value] : Sets.members())
      // A text is for what JSON has no number for, such as 1/3.
      Query.Sets.push_back(std::string(Name) + "=" +
                           (Value.isText() ? Value.text() : Value.source()));
  return Query;
}

std::vector<BlockMeasurement> ScenarioReader::readMeasurements(JsonCursor Json) {
  std::vector<BlockMeasurement> Measured;
  for (JsonCursor Entry : Json.elements()) {
    const bool Power = bool(Entry["power_w"]);
    Entry.keys({"blocks", "time_s", Power ? "power_w" : "energy_j"});
    BlockMeasurement M{double(readPositiveInteger(Entry["blocks"])), Entry["time_s"].positive(), 0};
    M.EnergyJ = Power ? Entry["power_w"].positive() * M.TimeS : Entry["energy_j"].positive();
    Measured.push_back(M);
  }
  return Measured;
}

std::int64_t ScenarioReader::readBlocksAtOnce(JsonCursor Calibration,
                                              const ScenarioProcessor &Processor,
                                              std::string &Why) {
  if (JsonCursor Given = Calibration["blocks_at_once"]) {
    Why = "given";
    const std::int64_t AtOnce = readPositiveInteger(Given);
    if (AtOnce > 1'000'000) // a thousand multiprocessors, each with more than any holds
      Given.fail("is more blocks than any device holds at once", "correct it");
    return AtOnce;
  }
  const std::optional<Device> Gpu = Processor.Model ? Processor.Model->Topology.Gpu : std::nullopt;
  if (!Gpu) {
    Calibration.fail("how many blocks run at once is not known: no machine of " +
                         inQuotes(Processor.Name) + " says what multiprocessors it has",
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

ProcessorWork ScenarioReader::readCalibrated(JsonCursor Json, const ScenarioProcessor &Processor,
                                             double IdleW) {
  const std::string Name = Json["calibration"].text();
  auto Found = Calibrations.find(Name);
  if (Found == Calibrations.end()) {
    Json["calibration"].fail(inQuotes(Name) + " is not listed in /calibrations", "list it there");
    return {};
  }
  JsonCursor Calibration = Found->second;
  CalibratedKernel Kernel{Name, Processor.Name, true, {}, {}, {}, ""};
  const std::string Level = Json["level"].text("rounds");
  Kernel.ByRounds = Level == "rounds";
  if (!Kernel.ByRounds && Level != "blocks")
    Json["level"].fail(inQuotes(Level) + " is not one of the words known here",
                       "write one of: rounds, blocks");
  const auto Measured = readMeasurements(Calibration["measurements"]);
  const std::int64_t AtOnce = readBlocksAtOnce(Calibration, Processor, Kernel.AtOnceFrom);
  Kernel.Blocks = {readPositiveInteger(Json["blocks"]), AtOnce};
  JsonCursor Flops = Calibration["flops_per_block"];
  const double FlopsPerBlock = Flops ? Flops.positive() : 0;
  if (Json.failed())
    return {};
  const auto Calibrated = calibrate(Measured, IdleW);
  if (!Calibrated) {
    Calibration["measurements"].fail(Calibrated.error().What, Calibrated.error().Fix);
    return {};
  }
  Kernel.Calibration = *Calibrated;
  Kernel.Round = Calibrated->Cost.rounds(AtOnce);
  notePower(Processor, Kernel.Round.power());
  // Fig. 3 of the paper: the speed is the flops of a round by its time, on one core. Block by
  // block there is a core for each block that runs at once, and a block takes a round's time.
  const double Parts = Kernel.ByRounds ? 1 : double(AtOnce);
  const double Units =
      Flops ? FlopsPerBlock * double(AtOnce) / Parts : UnitsPerS * Kernel.Round.TimeS;
  const PowerState State{Units / Kernel.Round.TimeS, IdleW,
                         IdleW + (Kernel.Round.power() - IdleW) / Parts};
  const std::int64_t Tasks = Kernel.ByRounds ? Kernel.Blocks.rounds() : Kernel.Blocks.Blocks;
  ProcessorWork Result{0, addState(Json, Processor.Kind, State), Tasks, unsigned(Parts), Units};
  unsigned &Cores = this->Result.Steps.Kinds[Processor.Kind].Cores;
  Cores = std::max(Cores, Result.Cores);
  this->Result.Calibrated.push_back(std::move(Kernel));
  return Result;
}

ProcessorWork ScenarioReader::readWork(JsonCursor Json, const ScenarioProcessor &Processor) {
  if (Json["calibration"])
    Json.keys({"calibration", "blocks"}, {"on", "level", "core_mhz", "mem_mhz"});
  else if (Json["record"])
    Json.keys({"record"}, {"on", "core_mhz", "mem_mhz"});
  else
    Json.keys({"time_s", Json["power_w"] ? "power_w" : "energy_j"},
              {"on", "flops", "core_mhz", "mem_mhz"});
  const Setting Clocks = readSetting(Json, Processor);
  const std::optional<double> IdleW = idlePower(Processor, Clocks);
  if (!IdleW)
    Json.fail("the idle power of " + inQuotes(Processor.Name) + " is not known at this setting",
              "give it in idle_w");
  if (Json.failed())
    return {};
  if (Json["calibration"])
    return readCalibrated(Json, Processor, *IdleW);

  double TimeS = 0, EnergyJ = 0, Flops = 0;
  if (JsonCursor Record = Json["record"]) {
    const RecordQuery Query = readRecord(Record);
    if (!Processor.Model)
      Json.fail(inQuotes(Processor.Name) + " has no machine to predict for", "give it one");
    if (Json.failed())
      return {};
    const auto Run = From.Predict(Query, &*Processor.Model, Clocks);
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
    TimeS = Json["time_s"].positive();
    JsonCursor Power = Json["power_w"];
    EnergyJ = Power ? Power.positive() * TimeS : Json["energy_j"].positive();
    JsonCursor Given = Json["flops"];
    Flops = Given ? Given.positive() : 0;
  }
  if (Json.failed())
    return {};
  notePower(Processor, EnergyJ / TimeS);
  const double Units = Flops > 0 ? Flops : UnitsPerS * TimeS;
  return {0, addState(Json, Processor.Kind, {Units / TimeS, *IdleW, EnergyJ / TimeS}), 1, 1, Units};
}

} // namespace ergon
