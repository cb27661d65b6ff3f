//===- BlockShapes.h - block shapes of kernel launches ----------*- C++ -*-===//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ergon {

/// Threads of a launch's block along x, y and z; 0 where unknown.
using BlockShape = std::array<std::int64_t, 3>;
/// By the mangled names of kernels.
using BlockShapes = std::map<std::string, std::set<BlockShape>>;

} // namespace ergon
