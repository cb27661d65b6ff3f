//===- CacheView.h - caches as text -----------------------------*- C++ -*-===//

#pragma once

#include "model/machine/Machine.h"

#include <cstdint>
#include <string>

namespace ergon {

/// `32 KiB`, `2.75 MiB`.
std::string capacity(std::uint64_t Bytes);

/// A line for each cache of \p M, with what is known of it.
std::string cacheLines(const Machine &M);

} // namespace ergon
