//===- Lint.h - lint rules on code ------------------------------*- C++ -*-===//
//
// Rules on the record of a function. The savings of a finding are formulas by class; joules and
// seconds depend on machine and values (tools/lint/LintFindings).
//
//===----------------------------------------------------------------------===//
#pragma once

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

/// Adds the launches in \p F whose block size along x is known. \p Find returns the called
/// functions.
void addLaunches(const Function &F, const FunctionLookup &Find, BlockShapes &Result);

/// Findings in the code of \p F itself, without callees, in source order. One finding per position,
/// however many copies the compiler made, in the shortest wording. On a device, times are for all
/// threads of a launch. Rules that need a kernel to be read-only apply where \p Find has it. \p
/// Launched has the launches of kernels.
std::vector<Finding> lintFunction(const Function &F, const FunctionLookup &Find,
                                  const BlockShapes &Launched = {});

} // namespace ergon
