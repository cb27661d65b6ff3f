//===- PipelineFormat.h - what a profile says of a core ---------*- C++ -*-===//
//
// The section `pipeline` of a profile; machine-profiles/README.md describes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/SourceFormat.h"
#include "model/machine/Pipeline.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace ergon {

/// Refuses numbers outside of their interval, and what is there twice.
Pipeline readPipeline(JsonCursor Json, const std::map<std::string, Source> &Sources);
/// The same as is read.
nlohmann::ordered_json writePipeline(const Pipeline &P);

} // namespace ergon
