//===- LinearUses.h - symbols that a mean can stand for ---------*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

#include <string>

namespace ergon {

/// Whether the counts of \p F are right with the mean of its unknown \p Symbol over all visits of
/// the code that has it: what it is multiplied with must not go with the visit. \p IsCalledOnce:
/// else it must not go with the call either.
bool isMeanEnough(const Function &F, const std::string &Symbol, bool IsCalledOnce);

} // namespace ergon
