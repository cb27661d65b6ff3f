//===- CacheOptions.h - caches from the command line ------------*- C++ -*-===//
//
// What `--cache`, `--caches`, `--cores` and `--place` say.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PREDICT_ANSWER_CACHEOPTIONS_H
#define ERGON_PREDICT_ANSWER_CACHEOPTIONS_H

#include "formats/json/Error.h"
#include "model/traffic/TrafficReport.h"
#include "tools/base/Commands.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Reads `l1=32K/8/64,l2=1M/16/64`: the capacity of each level (K, M and G are powers of 1024),
/// ways and bytes of a line, and then, where it is so, `/through` and `/no-allocate`.
std::expected<std::vector<Cache>, Error> parseCaches(const std::string &Text);

/// What the options say of traffic, with the caches of \p M where they name none.
struct TrafficRequest {
  TrafficMethod How = TrafficMethod::Analytic;
  std::vector<Cache> Caches; ///< empty: none are known
  bool OfDevice = false;     ///< they are a GPU's
  bool IsExplicit = false;   ///< the user asked for it, so that it is an error if it cannot be
};
/// Nothing where no traffic is to be predicted. Error: caches that make no sense, or asked for and
/// not known.
std::expected<std::optional<TrafficRequest>, Error> readTrafficOptions(const CacheOptions &Options,
                                                                       const Machine *M);

/// Puts the objects that `--place` names at their addresses, and makes them as large as it says.
std::expected<Placement, Error> placeObjects(AccessProgram &Of,
                                             const std::vector<std::string> &Places);

} // namespace ergon

#endif
