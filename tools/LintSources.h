//===- LintSources.h - what the source says of findings ---------*- C++ -*-===//
#ifndef ERGON_TOOLS_LINTSOURCES_H
#define ERGON_TOOLS_LINTSOURCES_H

#include "model/Finding.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Source files by the paths that records have for them.
class LintSources {
public:
  /// \p Directory is where the compiler ran, for paths that are relative. Fills in what the text
  /// tells: fix-it, reason of a suppression.
  void read(Finding &Into, const std::string &Directory);
  /// Gives each of \p All its fingerprint: of rule, function, the line's text without white space,
  /// and its number among those that are equal in this. Files are those of read().
  void identify(std::vector<Finding> &All) const;

private:
  using Lines = std::vector<std::string>;
  std::map<std::string, std::optional<Lines>> Files; ///< by the findings' paths

  const std::string *line(const Finding &Of, unsigned Number) const;
};

} // namespace ergon

#endif
