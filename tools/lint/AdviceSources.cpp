//===- AdviceSources.cpp - what the source says of advice -----------------===//

#include "tools/lint/AdviceSources.h"
#include "tools/lint/LintSources.h"

namespace ergon {

void readSources(std::vector<Advice> &All, const std::vector<std::string> &Roots) {
  LintSources Sources(Roots);
  for (Advice &A : All) {
    Sources.know(*A.Compiled);
    const SourceLocation Recorded = A.What.Location;
    Sources.read(A.What, *A.Compiled);
    A.What.Location = Recorded;
  }
  // One that gives no reason ignores nothing.
  std::erase_if(All, [](const Advice &A) { return !A.What.Suppressed.value_or("").empty(); });
}

} // namespace ergon
