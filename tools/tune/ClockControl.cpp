//===- ClockControl.cpp - settings of a machine for measured runs ---------===//

#include "tools/tune/ClockControl.h"
#include "calibration/Measure.h"
#include "predict/tune/TuneEntries.h"
#include "tools/base/ChildProcess.h"
#include "tools/calibrate/ClockSweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace ergon {

namespace {
/// The processors that this process may use.
class ProcessorClocks : public ClockControl {
public:
  explicit ProcessorClocks(std::unique_ptr<ClockSweep> Sweep) : Sweep(std::move(Sweep)) {}

  std::expected<void, Error> set(const Setting &Clocks) override {
    const auto Why = Sweep->set(*Clocks.CoreMhz);
    if (!Why)
      return std::unexpected(Why.error());
    if (!Why->empty())
      return std::unexpected(
          Error{*Why, "", "set the clocks by hand and give the run with --measured", ""});
    return {};
  }

private:
  std::unique_ptr<ClockSweep> Sweep; ///< restores the clocks when it goes
};

/// A board, by nvidia-smi. Clocks that were locked before cannot be asked for: its own are put
/// back.
class BoardClocks : public ClockControl {
public:
  explicit BoardClocks(const Machine &M) : M(M) {}

  ~BoardClocks() override {
    for (const std::string &Command : Undo)
      if (auto Status = run(Command); !Status)
        fmt::print(stderr, "ergon: {}\n", Status.error().line());
  }

  std::expected<void, Error> set(const Setting &Clocks) override {
    for (const std::string &Command : clockCommands(M, Clocks)) {
      if (!Command.starts_with("nvidia-smi "))
        continue;
      if (auto Status = run(Command); !Status)
        return Status;
      Undo.insert(Command.contains(" -lgc ")   ? "nvidia-smi -rgc"
                  : Command.contains(" -lmc ") ? "nvidia-smi -rmc"
                                               : "nvidia-smi -rac");
    }
    return {};
  }

private:
  const Machine &M;
  std::set<std::string> Undo; ///< what puts back its own clocks

  static std::expected<void, Error> run(const std::string &Command) {
    std::istringstream Words(Command);
    std::vector<std::string> Arguments;
    for (std::string Word; Words >> Word;)
      Arguments.push_back(Word);
    const auto Status = statusOf(Arguments, Output::ToErrors);
    if (!Status)
      return std::unexpected(Error{"cannot be run, and sets the clocks of this board", "",
                                   "install it", "nvidia-smi"});
    if (*Status != 0)
      return std::unexpected(Error{fmt::format("{} ended with status {}", Command, *Status), "",
                                   "set clocks as a user who may", ""});
    return {};
  }
};
} // namespace

std::expected<std::unique_ptr<ClockControl>, Error> ClockControl::of(const Machine &M,
                                                                     const std::string &KeptAt) {
  if (M.Kind == MachineKind::Gpu)
    return std::make_unique<BoardClocks>(M);
  if (M.Kind != MachineKind::Cpu)
    return std::unexpected(Error{"the profile does not say what sets its clocks", "",
                                 "add `kind`, gpu or cpu, to it", M.Name});
  std::vector<double> Mhz;
  for (const Setting &Each : M.Settings)
    if (Each.CoreMhz)
      Mhz.push_back(*Each.CoreMhz);
  auto Sweep = ClockSweep::open({.List = fmt::format("{:g}", fmt::join(Mhz, ",")),
                                 .Profile = KeptAt,
                                 .Processors = allowedProcessors(),
                                 .ClockHz = coreClockHz});
  if (!Sweep)
    return std::unexpected(Sweep.error());
  return std::make_unique<ProcessorClocks>(std::move(*Sweep));
}

} // namespace ergon
