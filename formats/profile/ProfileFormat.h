//===- ProfileFormat.h - machine profiles as JSON ---------------*- C++ -*-===//
//
// Reads and writes a machine profile. machine-profiles/README.md describes the document and
// machine-profiles/schema.json says the same to JSON Schema validators; both are
// tested with the same good and bad files.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"

#include <nlohmann/json_fwd.hpp>

#include <expected>
#include <string>
#include <string_view>

namespace ergon {

inline constexpr std::string_view ProfileSchema = "ergon-profile/1";

/// The machine that a profile describes. Errors: not JSON, another schema
/// version, unknown or absent keys, a quantity without a listed source, numbers
/// out of their range, equal settings, a default that is not among the settings,
/// a setting that lacks a clock or voltage some coefficient needs, and a power
/// cap that constant power alone exceeds.
std::expected<Machine, Error> parseProfile(std::string_view Text);

/// Clocks and voltages of a setting, those that are known.
void to_json(nlohmann::ordered_json &Output, const Setting &From);
/// \p M as a profile.
nlohmann::ordered_json profileDocument(const Machine &M);
/// The same as text, ending with a line break: parseProfile() gives the same machine
/// back, to the last digit.
std::string writeProfile(const Machine &M);

} // namespace ergon
