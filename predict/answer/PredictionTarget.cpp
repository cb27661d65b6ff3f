//===- PredictionTarget.cpp - the machine of a prediction -----------------===//

#include "predict/answer/PredictionTarget.h"
#include "model/machine/PipelineClock.h"

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

std::expected<PredictionTarget, Error> targetOf(std::optional<Machine> M,
                                                const TargetOptions &Options) {
  PredictionTarget Result{std::move(M), {}, {}};
  if (Result.M) {
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
