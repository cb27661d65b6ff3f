//===- PredictionTarget.cpp - the machine of a prediction -----------------===//

#include "predict/answer/PredictionTarget.h"
#include "model/machine/CostClass.h"
#include "model/machine/PipelineClock.h"

#include <algorithm>
#include <utility>

namespace ergon {

static std::expected<Setting, Error> chooseSetting(const Machine &M, const TargetOptions &Options) {
  if (!Options.CoreMhz && !Options.MemMhz)
    return M.defaultSetting();
  if (const Setting *Found = M.findSetting(Options.CoreMhz, Options.MemMhz))
    return *Found;
  return std::unexpected(Error{"the profile has no one setting with these clocks", "",
                               "see `ergon machine show " + M.Name + "`", M.Name});
}

/// Shipped profiles, to name in errors; test/command/other-processor.test has them in the list.
static constexpr const char *SomeGpus = "h100, a100 or rtx4090",
                            *SomeCpus = "epyc-9654, xeon-8480 or i9-13900k";

std::optional<Error> refuseOtherProcessor(const Machine &M, const std::string &Function,
                                          bool IsDevice, const CountValues &Counts,
                                          RunScope Scope) {
  const auto Processor = M.processor();
  if (!Processor)
    return std::nullopt;
  const bool IsHost = !IsDevice && Scope == RunScope::Host, Launches = Counts.Parts.size() > 1;
  if (*Processor == MachineKind::Cpu) {
    if (IsHost || !(IsDevice || Launches))
      return std::nullopt;
    return Error{std::string("it is code of a GPU, and ") + M.Name + " is a CPU", "",
                 std::string("predict for a GPU, such as ") + SomeGpus +
                     (IsDevice ? "" : ", or for the host's part alone: --scope host"),
                 Function};
  }
  const auto Copies = [&](const auto &Count) { return isCopy(Count.first) && Count.second != 0; };
  // Calls of CUDA's runtime, and those whose callee is not known, may launch what has no record.
  const auto IsCuda = [](const auto &Call) { return Call.first.starts_with("cuda"); };
  const bool MayLaunch = Launches || std::ranges::any_of(Counts.Values, Copies) ||
                         std::ranges::any_of(Counts.LibraryCalls, IsCuda) ||
                         std::ranges::any_of(Counts.LeftOut, IsCuda) ||
                         std::ranges::any_of(Counts.LeftOut, [](const auto &Call) {
                           return Call.first.starts_with("call@");
                         });
  if (!IsHost && (IsDevice || MayLaunch))
    return std::nullopt;
  return Error{std::string("it is code of a CPU, and ") + M.Name + " is a GPU", "",
               std::string("predict for a CPU, such as ") + SomeCpus, Function};
}

std::optional<Error> refuseData(const Machine &M) {
  if (M.DataFor.empty())
    return std::nullopt;
  return Error{
      "the profile holds data for `ergon " + M.DataFor + "` and has no costs of programs", "",
      std::string("use one of a GPU, such as ") + SomeGpus + ", or of a CPU, such as " + SomeCpus,
      M.Name};
}

std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options) {
  PredictionTarget Result{std::move(M), {}, {}};
  if (Result.M) {
    if (auto Bad = refuseData(*Result.M))
      return std::unexpected(*Bad);
    auto Chosen = chooseSetting(*Result.M, Options);
    if (!Chosen)
      return std::unexpected(Chosen.error());
    Result.Clocks = std::move(*Chosen);
    if (Result.M->Timing.InCore)
      Result.M->Timing.InCore = pipelineAt(*Result.M, Result.Clocks);
  }
  auto Asked = requestTraffic(Options.Traffic, Result.M ? &*Result.M : nullptr);
  if (!Asked)
    return std::unexpected(Asked.error());
  Result.Asked = std::move(*Asked);
  return Result;
}

Error noTimeToCorrect(const Machine &M) {
  return {"the profile gives this work no time that a measured run could correct", "",
          "leave the measured runs out, or use a profile that has its throughputs", M.Name};
}

} // namespace ergon
