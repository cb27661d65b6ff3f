//===- NumberText.h - numbers as people write them --------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/symbolic/ExprBounds.h"

#include <expected>
#include <optional>
#include <string_view>

namespace ergon {

/// `4096`, `-3`, `0.25`, `1e9`, `3/4` exactly; nothing where \p Text is no number.
std::optional<Rational> parseNumber(std::string_view Text);

/// A number, whose bounds are equal, or an interval: `0.2..0.5`. Error, without a file: no number,
/// or an interval that ends before it begins.
std::expected<Bounds, Error> parseInterval(std::string_view Text);

} // namespace ergon
