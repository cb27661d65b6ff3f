//===- MeasuredView.cpp - measured runs as text ---------------------------===//

#include "tools/view/MeasuredView.h"
#include "predict/text/Text.h"

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

} // namespace ergon
