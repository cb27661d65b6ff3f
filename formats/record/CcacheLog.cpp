//===- CcacheLog.cpp - what ccache did in a build -------------------------===//

#include "formats/record/CcacheLog.h"

#include <algorithm>
#include <map>

namespace ergon {

namespace {
/// What the log says so far of one process of ccache.
struct Process {
  CachedCompilation Of;
  bool Ran = false;   ///< the compiler
  bool Ended = false; ///< told
};
} // namespace

/// Puts the rest of \p Message into \p Into where it starts with \p Label.
static bool says(std::string_view Message, std::string_view Label, std::string &Into) {
  if (!Message.starts_with(Label))
    return false;
  Into = Message.substr(Label.size());
  return true;
}

/// True where a compilation has given an object file.
static bool ends(std::string_view Result, Process &In) {
  In.Of.IsHit = Result.ends_with("cache_hit");
  return In.Of.IsHit || (In.Ran && (Result.ends_with("cache_miss") || Result == "recache"));
}

static void read(std::string_view Message, Process &Into,
                 std::vector<CachedCompilation> &Compilations) {
  if (Message.starts_with("=== CCACHE "))
    Into = {};
  CachedCompilation &Of = Into.Of;
  std::string Result;
  if (says(Message, "Working directory: ", Of.Directory) ||
      says(Message, "Source file: ", Of.Source) || says(Message, "Object file: ", Of.Object) ||
      says(Message, "Result key: ", Of.Key))
    return;
  if (Message == "Running real compiler")
    Into.Ran = true;
  else if (Message.starts_with("Config: ") && Message.contains(") cache_dir = "))
    Of.CacheDirectory = Message.substr(Message.find(" = ") + 3);
  else if (says(Message, "Result: ", Result) && !Into.Ended && ends(Result, Into)) {
    Into.Ended = true;
    Compilations.push_back(Of);
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
