//===- LintSources.h - what the source says of findings ---------*- C++ -*-===//
#pragma once

#include "model/lint/Finding.h"
#include "predict/source/SourceFiles.h"

#include <set>
#include <string>
#include <vector>

namespace ergon {

class LintSources {
public:
  /// \p Roots are the folders of --source-root.
  explicit LintSources(const std::vector<std::string> &Roots) : Files(Roots) {}

  /// Before read() of anything that the same compilation made.
  void know(const Unit &U) { Files.know(U); }
  /// \p Result is of code that \p U compiled. Names its file as somebody here would, and fills in
  /// what the text tells: the line, a fix-it, the reason of a suppression.
  void read(Finding &Result, const Unit &U);
  /// Files of these that have changed since they were compiled, as they are shown.
  const std::set<std::string> &changed() const { return Changed; }
  /// Of the other files of which nothing is shown, why: `comments of a.c: …`.
  const std::set<std::string> &notRead() const { return NotRead; }

private:
  SourceFiles Files;
  std::set<std::string> Changed, NotRead;
};

/// Gives each of \p All its fingerprint: of rule, function, the line's text without white space,
/// and its number among those that are equal in this. And its content: of the rule, and of the text
/// without comments.
void identify(std::vector<Finding> &All);

} // namespace ergon
