//===- SourceFiles.h - the source code that records speak of ----*- C++ -*-===//
#ifndef ERGON_TOOLS_SOURCEFILES_H
#define ERGON_TOOLS_SOURCEFILES_H

#include "model/Function.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// What became of a source file since it was compiled.
enum class SourceState {
  Same,
  Changed,
  Unchecked, ///< the record has no checksum of it
  Missing
};
std::string_view name(SourceState Of); ///< `same`, `changed`, `unchecked`, `missing`

struct OpenedSource {
  std::string Shown; ///< from here where it is below the current folder, else absolute
  SourceState State = SourceState::Missing;
  bool IsUtf8 = true;
  /// Without line ends. Of lines that are not UTF-8 each byte above 127 is a question mark.
  std::vector<std::string> Lines = {};

  /// Null where there is no such line, or where lines may have other numbers now.
  const std::string *line(unsigned Number) const {
    return State != SourceState::Changed && Number >= 1 && Number <= Lines.size()
               ? &Lines[Number - 1]
               : nullptr;
  }
};

/// Opens each once.
class SourceFiles {
public:
  /// \p Path as positions of \p Of have it. The result stays where it is.
  const OpenedSource &open(const Unit &Of, const std::string &Path);

private:
  std::map<std::pair<std::string, std::string>, OpenedSource> Opened; ///< by path and checksum
};

} // namespace ergon

#endif
