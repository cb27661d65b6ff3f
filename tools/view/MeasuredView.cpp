//===- MeasuredView.cpp - measured runs as text ---------------------------===//

#include "tools/view/MeasuredView.h"
#include "model/energy/MeasuredChecks.h"
#include "predict/text/Text.h"
#include "tools/base/Commands.h"

#include <fmt/format.h>

namespace ergon {

std::vector<std::string> measuredLines(const std::vector<ComparedRun> &Runs,
                                       const std::optional<Setting> &Next) {
  std::vector<std::string> Lines;
  for (const auto &[Run, ModelS, ModelJ] : Runs) {
    Lines.push_back(fmt::format(
        "  measured{}: {}{}; the model alone says {}", at(Run.Clocks), quantity(Run.TimeS, "s"),
        Run.EnergyJ ? ", " + quantity(*Run.EnergyJ, "J") : "", quantity(ModelS, "s")));
    if (Run.EnergyJ && ModelJ > 0)
      Lines.back() += ", " + quantity(ModelJ, "J");
  }
  if (Next)
    Lines.push_back(fmt::format("  a further run would tell most{}", at(*Next)));
  return Lines;
}

void printMeasured(const std::vector<ComparedRun> &Runs, const std::optional<Setting> &Next) {
  for (const std::string &Line : measuredLines(Runs, Next))
    fmt::print("{}\n", Line);
}

void noticeDoubts(const std::vector<ComparedRun> &Runs) {
  for (const std::string &Doubt : doubtsOf(Runs))
    printNotice(Doubt);
}

} // namespace ergon
