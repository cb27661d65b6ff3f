//===- PipelineView.h - what one core does how fast, as text ----*- C++ -*-===//
#pragma once

#include "model/machine/Pipeline.h"

namespace ergon {

/// Operations, then streams and latencies, each with a heading.
void printPipeline(const Pipeline &P);

} // namespace ergon
