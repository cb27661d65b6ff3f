//===- ObjectCache.h - records of compilations by ccache --------*- C++ -*-===//
//
// ccache returns object files without running the compiler, so without the plugin. During its
// lifetime, ccache knows what records depend on; afterwards new records are stored in its cache,
// and those of cache hits are taken from it: docs/decisions/0020-object-caches.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/record/CcacheLog.h"
#include "tools/base/TemporaryFolder.h"

#include <expected>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// Compilations whose records are missing now, and those whose will be.
struct CacheOutcome {
  std::vector<CachedCompilation> Lost;    ///< the cache had an object file and no record of it
  std::vector<CachedCompilation> NotKept; ///< the record could not be written into the cache
};

class ObjectCache {
public:
  /// Sets ccache's and sccache's environment for one build with \p Plugin. \p Settings is what else
  /// its records depend on. Error: there is no folder for temporary files.
  static std::expected<ObjectCache, Error> open(const std::string &Plugin,
                                                const std::string &Settings);

  /// After the build: puts into \p Directory the records of what came out of caches, and into the
  /// caches those of what was compiled.
  CacheOutcome finish(const std::filesystem::path &Directory) const;

private:
  ObjectCache(TemporaryFolder Folder, std::string OwnLog)
      : Folder(std::move(Folder)), OwnLog(std::move(OwnLog)) {}
  TemporaryFolder Folder; ///< of the build's log
  std::string OwnLog;     ///< where the user wants it; may be empty
};

} // namespace ergon
