//===- SourceRoots.h - source roots -----------------------------*- C++ -*-===//
//
// A record names files. Text of a file is shown only where the file lies in a source root:
// a folder that --source-root names, a folder of the build, or one of the system's folders of
// headers. What a record says of its build is believed as far as it names no folder of the system
// and no folder that holds more than a build (docs/decisions/0021-source-texts.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// The folders whose files may be shown.
class SourceRoots {
public:
  /// \p Folders are the folders of --source-root.
  explicit SourceRoots(const std::vector<std::string> &Folders = {});

  /// \p U is a part of the build: what is below the folder that all of its parts are in is too.
  void add(const Unit &U);
  /// True where text of \p File may be shown for code that \p U compiled. \p File is absolute,
  /// without symbolic links, `.` and `..`.
  bool contains(const std::filesystem::path &File, const Unit &U);

private:
  std::vector<std::filesystem::path> Given;
  std::filesystem::path Home;  ///< empty: not known
  std::filesystem::path Whole; ///< that all that was added is in; empty: nothing was added
  /// By folder and source of a unit: the folders of its build.
  std::map<std::pair<std::string, std::string>, std::vector<std::filesystem::path>> Builds;

  bool isWide(const std::filesystem::path &Folder) const;
  bool isForbidden(const std::filesystem::path &Folder) const;
  std::vector<std::filesystem::path> rootsOf(const Unit &U) const;
};

} // namespace ergon
