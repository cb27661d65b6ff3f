//===- AccessProgram.cpp - what code accesses, in order -------------------===//

#include "model/access/AccessProgram.h"

namespace ergon {

void dropUnrun(AccessNest &Nest) {
  std::erase_if(Nest.Items, [](const AccessItem &Item) { return Item.Runs.isZero(); });
  for (AccessItem &Item : Nest.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      dropUnrun(*Inner);
}

static void collectAccesses(const AccessNest &Nest, std::vector<const MemoryAccess *> &Result) {
  for (const AccessItem &Item : Nest.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      collectAccesses(*Inner, Result);
    else
      Result.push_back(&std::get<MemoryAccess>(Item.What));
}

std::vector<const MemoryAccess *> accessesIn(const AccessNest &Nest) {
  std::vector<const MemoryAccess *> Result;
  collectAccesses(Nest, Result);
  return Result;
}

} // namespace ergon
