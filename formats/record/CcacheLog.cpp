//===- CcacheLog.cpp - what ccache did in a build -------------------------===//

#include "formats/record/CcacheLog.h"

#include <algorithm>
#include <map>

namespace ergon {

namespace {
/// What the log says so far of one process of ccache.
struct Process {
  CachedCompilation Compilation;
  bool Ran = false;   ///< the compiler
  bool Ended = false; ///< told
};
} // namespace

/// Puts the rest of \p Message into \p Result where it starts with \p Label.
static bool says(std::string_view Message, std::string_view Label, std::string &Result) {
  if (!Message.starts_with(Label))
    return false;
  Result = Message.substr(Label.size());
  return true;
}

/// True where a compilation has given an object file.
static bool ends(std::string_view Result, Process &P) {
  P.Compilation.IsHit = Result.ends_with("cache_hit");
  return P.Compilation.IsHit || (P.Ran && (Result.ends_with("cache_miss") || Result == "recache"));
}

static void read(std::string_view Message, Process &Target,
                 std::vector<CachedCompilation> &Compilations) {
  if (Message.starts_with("=== CCACHE "))
    Target = {};
  CachedCompilation &CC = Target.Compilation;
  std::string Result;
  if (says(Message, "Working directory: ", CC.Directory) ||
      says(Message, "Source file: ", CC.Source) || says(Message, "Object file: ", CC.Object) ||
      says(Message, "Result key: ", CC.Key))
    return;
  if (Message == "Running real compiler")
    Target.Ran = true;
  else if (Message.starts_with("Config: ") && Message.contains(") cache_dir = "))
    CC.CacheDirectory = Message.substr(Message.find(" = ") + 3);
  else if (says(Message, "Result: ", Result) && !Target.Ended && ends(Result, Target)) {
    Target.Ended = true;
    Compilations.push_back(CC);
  }
}

std::vector<CachedCompilation> parseCcacheLog(std::string_view Log) {
  std::vector<CachedCompilation> Result;
  std::map<std::string_view, Process> Processes;
  while (!Log.empty()) {
    std::string_view Line = Log.substr(0, Log.find('\n'));
    Log.remove_prefix(std::min(Line.size() + 1, Log.size()));
    // [2026-01-31T12:00:00.000000 4711] message
    const std::size_t Blank = Line.find(' '), End = Line.find("] ");
    if (Line.starts_with('[') && Blank < End && End != std::string_view::npos)
      read(Line.substr(End + 2), Processes[Line.substr(Blank, End - Blank)], Result);
  }
  return Result;
}

} // namespace ergon
