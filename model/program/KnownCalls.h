//===- KnownCalls.h - calls through pointers in known programs --*- C++ -*-===//
#pragma once

#include "model/code/ProgramValues.h"
#include "model/program/Function.h"

#include <map>
#include <string>

namespace ergon {

/// By the symbols of a function's calls through pointers, what these call.
using KnownTargets = std::map<std::string, code::PointerTargets>;

/// Puts calls of \p Targets in the place of \p F's calls through pointers: of each function for its
/// share. A share that is not known is an unknown, `taken@…:NAME`.
void bindTargets(Function &F, const KnownTargets &Targets);

} // namespace ergon
