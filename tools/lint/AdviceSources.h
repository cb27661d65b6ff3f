//===- AdviceSources.h - what the source says of advice ---------*- C++ -*-===//
#pragma once

#include "formats/prediction/ProfileFormat.h"

#include <string>
#include <vector>

namespace ergon {

/// Fills in lines and fix-its, and takes out what a comment in the source ignores. \p Roots as of
/// LintSources.
void readSources(std::vector<Advice> &All, const std::vector<std::string> &Roots);

} // namespace ergon
