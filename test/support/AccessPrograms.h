//===- AccessPrograms.h - access programs in few words ----------*- C++ -*-===//
//
// For tests of what reads access programs: formulas are given as text.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "model/access/AccessWriter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ergon::accesses {

inline Expr formula(const std::string &Text) {
  auto Parsed = parseExpr(Text);
  EXPECT_TRUE(Parsed) << Text;
  return Parsed.value_or(Expr());
}

inline MemoryObject object(std::string Name, Space Where = Space::Memory) {
  return {.Name = std::move(Name), .Where = Where};
}

inline AccessItem access(Access::Kind What, unsigned Object, const std::string &Offset,
                         unsigned Bytes = 8, const std::string &Runs = "1") {
  return {formula(Runs),
          MemoryAccess{.What = What, .Object = Object, .Bytes = Bytes, .Offset = formula(Offset)}};
}
inline AccessItem load(unsigned Object, const std::string &Offset, unsigned Bytes = 8) {
  return access(Access::Kind::Load, Object, Offset, Bytes);
}
inline AccessItem store(unsigned Object, const std::string &Offset, unsigned Bytes = 8) {
  return access(Access::Kind::Store, Object, Offset, Bytes);
}

/// A loop of so many iterations.
inline AccessItem loop(const std::string &Variable, const std::string &Trips,
                       std::vector<AccessItem> Items, const std::string &Runs = "1") {
  return {formula(Runs), AccessNest{.Variable = Variable,
                                    .Last = formula(Trips) - Expr(1),
                                    .Location = {},
                                    .Items = std::move(Items),
                                    .Idle = {}}};
}

inline AccessProgram program(std::vector<MemoryObject> Objects, std::vector<AccessItem> Items) {
  AccessProgram Made;
  Made.Objects = std::move(Objects);
  Made.Body = {
      .Variable = "", .Last = Expr(0), .Location = {}, .Items = std::move(Items), .Idle = {}};
  return Made;
}

} // namespace ergon::accesses
