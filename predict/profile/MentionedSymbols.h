//===- MentionedSymbols.h - what a function's formulas depend on -*- C++ -*-===//
#pragma once

#include "model/program/CallFrames.h"

#include <map>
#include <set>
#include <string>

namespace ergon {

/// Whether a symbol is bound by whatever runs a function, not by its caller's arguments: the
/// indices of threads.
bool isDynamic(const std::string &Symbol);

/// The symbols of functions' formulas, found once for each.
class MentionedSymbols {
public:
  /// \p Find and \p Frames must outlive it. Memory cells that callees read become cells of their
  /// callers there.
  MentionedSymbols(const FunctionLookup &Find, CallFrames &Frames) : Find(Find), Frames(Frames) {}

  struct Symbols {
    std::set<std::string> Own;     ///< of its formulas, and those of its calls' arguments
    std::set<std::string> Dynamic; ///< those with isDynamic(), of its callees too
  };
  const Symbols &of(const Function &F);

private:
  const FunctionLookup &Find;
  CallFrames &Frames;
  std::map<const Function *, Symbols> Done;
};

} // namespace ergon
