//===- LintText.h - findings for people -------------------------*- C++ -*-===//
#pragma once

#include "model/lint/Finding.h"

#include <string>

namespace ergon {

/// Neither known nor suppressed.
inline bool isShown(const Finding &F) { return F.IsNew && !F.Suppressed; }

/// As clang has its diagnostics: place, level, message and rule, the line with a caret, what a
/// fix-it inserts, and a note of how often it happens and what a change saves.
std::string lintText(const LintReport &Report, bool Colored);

/// A table for a comment to a pull request.
std::string lintMarkdown(const LintReport &Report);

} // namespace ergon
