//===- SourceFormat.h - sources and what names them -------------*- C++ -*-===//
//
// Documents that hold numbers say where each is from: the `sources` of a document,
// and quantities, `{"value": 25e-12, "source": "table2"}`, that name one of them.
// machine-profiles/README.md describes both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/machine/Machine.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <span>
#include <string>

namespace ergon {

/// The sources in the object \p Json by their keys. Refuses one of an unknown kind, or without what
/// its kind needs.
std::map<std::string, Source> readSources(JsonCursor Json);
/// Refuses one that is not among \p Sources.
std::string readSourceKey(JsonCursor Json, const std::map<std::string, Source> &Sources);
/// \p Number says which numbers are good, e.g. `&JsonCursor::positive`.
Quantity readQuantity(JsonCursor Json, const std::map<std::string, Source> &Sources,
                      double (JsonCursor::*Number)() const);

// What nlohmann::ordered_json makes of them: the same as is read.
void to_json(nlohmann::ordered_json &Output, const Quantity &From);
void to_json(nlohmann::ordered_json &Output, const Source &From);

/// The index of a text among \p Names; an error that lists them where it is none.
std::size_t readChoice(JsonCursor Json, std::span<const std::string_view> Names);

} // namespace ergon
