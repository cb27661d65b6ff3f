//===- MeasuredView.cpp - measured runs as text ---------------------------===//

#include "tools/view/MeasuredView.h"
#include "model/energy/MeasuredChecks.h"
#include "predict/text/Text.h"
#include "tools/base/Commands.h"

#include <fmt/format.h>

namespace ergon {

void printMeasured(const std::vector<ComparedRun> &Runs, const std::optional<Setting> &Next) {
  for (const auto &[Run, ModelS, ModelJ] : Runs) {
    fmt::print("  measured{}: {}{}; the model alone says {}", at(Run.Clocks),
               quantity(Run.TimeS, "s"), Run.EnergyJ ? ", " + quantity(*Run.EnergyJ, "J") : "",
               quantity(ModelS, "s"));
    if (Run.EnergyJ && ModelJ > 0)
      fmt::print(", {}", quantity(ModelJ, "J"));
    fmt::print("\n");
  }
  if (Next)
    fmt::print("  a further run would tell most{}\n", at(*Next));
}

void noticeDoubts(const std::vector<ComparedRun> &Runs) {
  for (const std::string &Doubt : doubtsOf(Runs))
    printNotice(Doubt);
}

} // namespace ergon
