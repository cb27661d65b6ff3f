//===- Neighbours.cpp - operations on a topology --------------------------===//
//
// A message to each process that the topology leads to, by itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/mpi/Mpi.h"

#include <vector>

using namespace ergon::runtime;

namespace {

/// In the order of the send buffer; MPI_PROC_NULL behind the edge of a grid.
std::vector<int> targetsOf(MPI_Comm Comm) {
  const Library &Mpi = Library::of(nullptr);
  std::vector<int> Result;
  int Kind = MPI_UNDEFINED, Number = 0;
  Mpi.Topology(Comm, &Kind);
  if (Kind == MPI_CART) {
    Mpi.Dimensions(Comm, &Number);
    for (int I = 0; I != Number; ++I) {
      int Before = MPI_PROC_NULL, Behind = MPI_PROC_NULL;
      Mpi.Shift(Comm, I, 1, &Before, &Behind);
      Result.insert(Result.end(), {Before, Behind});
    }
  } else if (Kind == MPI_GRAPH) {
    const int Rank = Group(Comm).Rank;
    Mpi.NumNeighbours(Comm, Rank, &Number);
    Result.resize(Number);
    Mpi.Neighbours(Comm, Rank, Number, Result.data());
  } else if (Kind == MPI_DIST_GRAPH) {
    int Sources = 0, HasWeights = 0;
    Mpi.NumTargets(Comm, &Sources, &Number, &HasWeights);
    // A count may be 0, but not every MPI takes null then.
    std::vector<int> From(Sources + 1), Weights(Sources + 1), Out(Number + 1);
    Result.resize(Number + 1);
    Mpi.Targets(Comm, Sources, From.data(), Weights.data(), Number, Result.data(), Out.data());
    Result.resize(Number);
  }
  return Result;
}

/// \p CountOf and \p TypeOf: of the target in that place.
template <typename Counts, typename Types>
Sent toNeighbours(MPI_Comm Comm, Counts CountOf, Types TypeOf) {
  Sent Result;
  const std::vector<int> Targets = targetsOf(Comm);
  for (std::size_t I = 0; I != Targets.size(); ++I)
    Result += messageTo(Targets[I], CountOf(I), TypeOf(I));
  return Result;
}

Sent same(MPI_Comm Comm, int Count, MPI_Datatype Type) {
  return toNeighbours(Comm, [=](auto) { return Count; }, [=](auto) { return Type; });
}

Sent parts(MPI_Comm Comm, const int *Counts, MPI_Datatype Type) {
  return toNeighbours(Comm, [=](auto I) { return Counts[I]; }, [=](auto) { return Type; });
}

Sent partsOfTypes(MPI_Comm Comm, const int *Counts, const MPI_Datatype *Types) {
  return toNeighbours(Comm, [=](auto I) { return Counts[I]; }, [=](auto I) { return Types[I]; });
}

} // namespace

ERGON_COUNTED_EVENLY(Neighbor_allgather, Ineighbor_allgather, same(Comm, Count, Type))
ERGON_COUNTED_EVENLY(Neighbor_alltoall, Ineighbor_alltoall, same(Comm, Count, Type))

ERGON_COUNTED_TWICE(Neighbor_allgatherv, Ineighbor_allgatherv,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target,
                     const int *TargetCounts, const int *Displacements, MPI_Datatype TargetType,
                     MPI_Comm Comm),
                    (Data, Count, Type, Target, TargetCounts, Displacements, TargetType, Comm),
                    same(Comm, Count, Type))

ERGON_COUNTED_TWICE(Neighbor_alltoallv, Ineighbor_alltoallv,
                    (const void *Data, const int *Counts, const int *Displacements,
                     MPI_Datatype Type, void *Target, const int *TargetCounts, const int *TargetAt,
                     MPI_Datatype TargetType, MPI_Comm Comm),
                    (Data, Counts, Displacements, Type, Target, TargetCounts, TargetAt, TargetType,
                     Comm),
                    parts(Comm, Counts, Type))

ERGON_COUNTED_TWICE(Neighbor_alltoallw, Ineighbor_alltoallw,
                    (const void *Data, const int *Counts, const MPI_Aint *Displacements,
                     const MPI_Datatype *Types, void *Target, const int *TargetCounts,
                     const MPI_Aint *TargetAt, const MPI_Datatype *TargetTypes, MPI_Comm Comm),
                    (Data, Counts, Displacements, Types, Target, TargetCounts, TargetAt,
                     TargetTypes, Comm),
                    partsOfTypes(Comm, Counts, Types))
