//===- Sent.h - what a call of MPI sends ------------------------*- C++ -*-===//
//
// The rules of library-costs/mpi.json, with the values that a call was given. What a collective
// operation sends is decided inside of MPI: it is what the algorithm sends that the rules
// assume.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/mpi/Library.h"

#include <cstdint>

namespace ergon::runtime {

/// What one process sends.
struct Sent {
  std::int64_t Messages = 0, Bytes = 0;
  /// Adds messages and bytes.
  Sent &operator+=(Sent S) {
    Messages += S.Messages;
    Bytes += S.Bytes;
    return *this;
  }
};

/// Without the gaps that a derived type has. Where \p Count is 0 the type may be none.
std::int64_t bytesOf(std::int64_t Count, MPI_Datatype Type);

/// One message of \p Count elements; none to MPI_PROC_NULL.
Sent messageTo(int Process, std::int64_t Count, MPI_Datatype Type);

/// The processes of a communicator, seen by one of them.
struct Group {
  /// Asks MPI for this process' rank in \p Comm, and for the sizes of its groups.
  explicit Group(MPI_Comm Comm);

  int Rank, Own; ///< of its own group, \p Own processes
  int Others;    ///< those it can send to: the rest of its group, or all of the remote one
  bool IsInter;

  /// How many processes an operation waits for.
  std::int64_t all() const { return IsInter ? Own + Others : Own; }
  /// ceil(log2 all()): the steps of recursive doubling and of dissemination.
  std::int64_t steps() const;
};

} // namespace ergon::runtime
