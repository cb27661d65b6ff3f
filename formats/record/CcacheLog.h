//===- CcacheLog.h - what ccache did in a build -----------------*- C++ -*-===//
//
// The log that ccache writes where CCACHE_LOGFILE says. docs/decisions/0020-object-caches.md
// says why it is read, and what happens where it is not understood.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A compilation that gave an object file.
struct CachedCompilation {
  std::string Directory;      ///< where ccache was run
  std::string Source, Object; ///< as the command line has them
  std::string Key;            ///< of the result; empty: the log does not say
  std::string CacheDirectory; ///< empty: the log does not say
  bool IsHit = false;         ///< the compiler did not run
};

/// In the order in which they ended. Lines of several processes may be mixed.
std::vector<CachedCompilation> parseCcacheLog(std::string_view Log);

} // namespace ergon
