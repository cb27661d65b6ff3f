//===- ApplicationFormat.h - application vectors as JSON --------*- C++ -*-===//
//
// Reads an application vector. applications/README.md describes the document and
// applications/schema.json says the same to JSON Schema validators; both are tested
// with the same good and bad files.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/cluster/Application.h"

#include <expected>
#include <string_view>

namespace ergon {

inline constexpr std::string_view ApplicationSchema = "ergon-application/1";

/// Errors: not JSON, another schema version, unknown or absent keys, a number or formula without a
/// listed source, a formula that cannot be read, an unknown collective, no statement about the
/// network, α outside of 0 to 1.
std::expected<Application, Error> parseApplication(std::string_view Text);

} // namespace ergon
