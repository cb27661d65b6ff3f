//===- Sent.cpp - what a call of MPI sends --------------------------------===//

#include "runtime/mpi/Sent.h"

#include <bit>

namespace ergon::runtime {

// The caller has found MPI before.
static const Library &mpi() { return Library::of(nullptr); }

std::int64_t bytesOf(std::int64_t Count, MPI_Datatype Type) {
  MPI_Count Size = 0;
  if (Count != 0)
    mpi().TypeSize(Type, &Size);
  return Count * Size;
}

Sent messageTo(int Process, std::int64_t Count, MPI_Datatype Type) {
  return Process == MPI_PROC_NULL ? Sent{} : Sent{1, bytesOf(Count, Type)};
}

Group::Group(MPI_Comm Comm) {
  int Inter = 0;
  mpi().IsInter(Comm, &Inter);
  mpi().Rank(Comm, &Rank);
  mpi().Size(Comm, &Own);
  IsInter = Inter != 0;
  Others = Own - 1;
  if (IsInter)
    mpi().RemoteSize(Comm, &Others);
}

std::int64_t Group::steps() const { return std::bit_width(std::uint64_t(all()) - 1); }

} // namespace ergon::runtime
