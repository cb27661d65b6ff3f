//===- AccessProgram.cpp - what code accesses, in order -------------------===//

#include "model/access/AccessProgram.h"

namespace ergon {

static void collectAccesses(const AccessNest &Of, std::vector<const MemoryAccess *> &Into) {
  for (const AccessItem &Each : Of.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      collectAccesses(*Inner, Into);
    else
      Into.push_back(&std::get<MemoryAccess>(Each.What));
}

std::vector<const MemoryAccess *> accessesIn(const AccessNest &Of) {
  std::vector<const MemoryAccess *> Result;
  collectAccesses(Of, Result);
  return Result;
}

} // namespace ergon
