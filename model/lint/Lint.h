//===- Lint.h - what could cost less ----------------------------*- C++ -*-===//
//
// Rules over what a record says of a function. What a finding saves of each class is a formula;
// joules and seconds are a matter of machine and values (tools/lint/LintFindings).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINT_LINT_H
#define ERGON_MODEL_LINT_LINT_H

#include "model/lint/BlockShapes.h"
#include "model/lint/Finding.h"
#include "model/program/CallFrames.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ergon {

/// All rules, by id.
std::span<const LintRule> lintRules();
/// Null where there is none.
const LintRule *findRule(std::string_view Id);

/// Adds the launches in \p F whose blocks' size along x is known. \p Find has the functions that
/// are called.
void addLaunches(const Function &F, const FunctionLookup &Find, BlockShapes &Result);

/// What the rules find in the code of \p F itself, calls apart, in the order of the source. One
/// finding for what stands at one place, however many copies the compiler has made of it, in the
/// words of the shortest. On a device times are of all threads of a launch. What holds only if a
/// kernel does not write is found where \p Find has the kernel. \p Launched says how kernels are
/// launched.
std::vector<Finding> lintFunction(const Function &F, const FunctionLookup &Find,
                                  const BlockShapes &Launched = {});

} // namespace ergon

#endif
