//===- PipelineView.h - what one core does how fast, as text ----*- C++ -*-===//
#ifndef ERGON_TOOLS_VIEW_PIPELINEVIEW_H
#define ERGON_TOOLS_VIEW_PIPELINEVIEW_H

#include "model/machine/Pipeline.h"

namespace ergon {

/// Operations, then streams and latencies, each with a heading.
void printPipeline(const Pipeline &P);

} // namespace ergon

#endif
