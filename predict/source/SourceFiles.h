//===- SourceFiles.h - source files of records ------------------*- C++ -*-===//
//
// Reads source code for display. Records are not trusted: a file is shown only if the record has
// its checksum, the checksum matches, and it is in a source root (predict/source/SourceRoots.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "predict/source/SourceRoots.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// What became of a source file since it was compiled. Text is there where it is Unchanged.
enum class SourceState {
  Unchanged,
  Changed,
  Unchecked, ///< the record has no checksum of it, so it is not opened
  Missing,   ///< not there, or this user cannot read it
  Outside,   ///< in no source root, so it is not opened
  NoFile,    ///< a folder, a device, a pipe
  TooLarge   ///< more than MaxSourceBytes
};
std::string_view name(SourceState State); ///< `same`, `changed`, `unchecked`, `missing`, …
std::optional<SourceState> sourceState(std::string_view Name);

/// Why no text is shown, and how to fix that, if it can be; empty for Unchanged.
struct SourceRemedy {
  std::string_view Why, Fix;
};
/// By the state alone; the texts live as long as the program.
SourceRemedy remedy(SourceState State);

/// Larger files are not displayed. Generated code of this size exists (SQLite's amalgamation has 9
/// MB), but nobody reads more.
inline constexpr std::size_t MaxSourceBytes = std::size_t(32) << 20;

struct OpenedSource {
  std::string Shown; ///< from here where it is below the current folder, else absolute
  SourceState State = SourceState::Missing;
  bool IsUtf8 = true;
  /// Without line ends. In lines that are not UTF-8, question marks replace bytes above 127.
  std::vector<std::string> Lines = {};

  /// Null where there is no such line, or where nothing of the file is shown.
  const std::string *line(unsigned Number) const {
    return State == SourceState::Unchanged && Number >= 1 && Number <= Lines.size()
               ? &Lines[Number - 1]
               : nullptr;
  }
};

/// Opens each once.
class SourceFiles {
public:
  /// \p Given are the folders of --source-root.
  explicit SourceFiles(const std::vector<std::string> &Given = {}) : Roots(Given) {}

  /// \p U is a part of the build whose files are shown. Keeps its checksums for other units of the
  /// same compilation: the debug information of device code has none.
  void know(const Unit &U);
  /// Opens \p Path as in positions of \p U. The result's address is stable.
  const OpenedSource &open(const Unit &U, const std::string &Path);

private:
  using Compilation = std::pair<std::string, std::string>; ///< folder and source of a unit

  SourceRoots Roots;
  std::map<std::pair<Compilation, std::string>, std::string> Sums; ///< by path
  /// By unit, path and checksum.
  std::map<std::pair<Compilation, std::pair<std::string, std::string>>, OpenedSource> Opened;

  std::string checksum(const Unit &U, const std::string &Path) const;
  void read(OpenedSource &Result, const Unit &U, const std::string &Path, const std::string &Md5);
};

} // namespace ergon
