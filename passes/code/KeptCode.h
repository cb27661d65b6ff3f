//===- KeptCode.h - the code that a unit's record keeps ---------*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

#include <vector>

namespace ergon {

/// Leaves the code of what \p Functions, those of a unit, reach from main; beside it that of the
/// smallest functions and of what they reach, up to a size.
void keepNeededCode(std::vector<Function> &Functions);

} // namespace ergon
