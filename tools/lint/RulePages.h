//===- RulePages.h - the pages of docs/rules --------------------*- C++ -*-===//
#pragma once

#include "formats/prediction/LintFormat.h"

#include <span>

namespace ergon {

/// All of them, by id. CMake generates the source from the pages.
std::span<const RulePage> rulePages();

} // namespace ergon
