//===- Lint.h - what could cost less ----------------------------*- C++ -*-===//
//
// Rules over what a record says of a function. What a finding saves of each class is a formula;
// joules and seconds are a matter of machine and values (tools/LintFindings).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINT_H
#define ERGON_MODEL_LINT_H

#include "model/CallFrames.h"
#include "model/Finding.h"

#include <span>

namespace ergon {

/// All rules, by id.
std::span<const LintRule> lintRules();
/// Null where there is none.
const LintRule *findRule(std::string_view Id);

/// What the rules find in the code of \p Of itself, calls apart, in the order of the source. One
/// finding for what stands at one place, however many copies the compiler has made of it, in the
/// words of the shortest. On a device times are of all threads of a launch. What holds only if a
/// kernel does not write is found where \p Find has the kernel.
std::vector<Finding> lintFunction(const Function &Of, const FunctionLookup &Find);

} // namespace ergon

#endif
