//===- RecordKeys.h - keys that records are written and read by -*- C++ -*-===//

#ifndef ERGON_FORMATS_RECORD_RECORDKEYS_H
#define ERGON_FORMATS_RECORD_RECORDKEYS_H

#include "model/program/Function.h"

#include <utility>

namespace ergon {

/// What became of a loop: optional, since 0 is not known.
inline constexpr std::pair<const char *, unsigned LoopShape::*> ShapeKeys[] = {
    {"vector_width", &LoopShape::VectorWidth},
    {"interleave", &LoopShape::Interleave},
    {"rest_width", &LoopShape::RestWidth},
    {"unroll", &LoopShape::Unroll}};

} // namespace ergon

#endif
