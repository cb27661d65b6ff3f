//===- Messages.h - what this process sent to others ------------*- C++ -*-===//

#pragma once

namespace ergon::runtime {

class Output;

/// Writes what libergon_mpi has counted; nothing where MPI is not used.
void writeMessages(Output &Result);
/// For a forked child: it has no rank and has sent nothing.
void clearMessages();

} // namespace ergon::runtime
