//===- DebugInfoMark.h - debug information that only Ergon asked for ------===//
//
// What the clang plugin of debug information and the pass plugin agree on.
//
//===----------------------------------------------------------------------===//

#pragma once

namespace ergon {

/// The flags of a compile unit whose debug information is there for the record alone. The recorder
/// strips it, so that the object file is the one without Ergon.
inline constexpr const char DebugInfoMark[] = "for Ergon's record";

} // namespace ergon
