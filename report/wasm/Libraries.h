//===- Libraries.h - headers that are read once -----------------*- C++ -*-===//
//
// The precompiled header: libraries that many sources of the page's model include. Each source
// still includes what it uses: the command is compiled without this.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
