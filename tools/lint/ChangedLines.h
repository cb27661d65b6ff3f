//===- ChangedLines.h - lines that git says were changed --------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// Lines of the current folder's working tree that differ from a revision of its repository. Files
/// that git does not know yet are new in all lines; files of other repositories have none.
class ChangedLines {
public:
  /// Error: no git, no repository here, no such revision.
  static std::expected<ChangedLines, Error> since(const std::string &Revision);
  /// Reads the output of `git diff --unified=0 --no-prefix`; its paths are below \p Top.
  static ChangedLines parse(std::string_view Diff, const std::string &Top);

  bool contains(const SourceLocation &Location) const;

private:
  using Range = std::pair<unsigned, unsigned>;                   ///< first and last line
  std::map<std::string, std::vector<Range>, std::less<>> Ranges; ///< by absolute path
};

/// Removes the findings in other lines and counts them. What a function costs as a whole, against
/// its budget or against an older version, stays: the change can be in another line.
void keepChanged(const ChangedLines &Lines, LintReport &Report);

} // namespace ergon
