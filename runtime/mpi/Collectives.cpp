//===- Collectives.cpp - operations of all processes ----------------------===//
//
// By the algorithms of library-costs/mpi.json. Its rules are of one group; on an intercommunicator
// the processes that one sends to are those of the remote group.
//
//===----------------------------------------------------------------------===//

#include "runtime/mpi/Mpi.h"

using namespace ergon::runtime;

namespace {

/// Every process but one sends one message. The rules do not know the root, so it counts as the
/// others. On an intercommunicator each process of the group without the root sends one.
bool hasPart(MPI_Comm Comm, int Root) {
  const Group Ranks(Comm);
  return Ranks.IsInter ? Root != MPI_ROOT && Root != MPI_PROC_NULL : Ranks.Own > 1;
}

/// The bytes that a process sends or receives; with MPI_IN_PLACE those of the other buffer.
std::int64_t part(const void *Buffer, std::int64_t Count, MPI_Datatype Type, std::int64_t Other,
                  MPI_Datatype OtherType) {
  return Buffer == MPI_IN_PLACE ? bytesOf(Other, OtherType) : bytesOf(Count, Type);
}

Sent gather(const void *Data, int Count, MPI_Datatype Type, int Theirs, MPI_Datatype TheirType,
            int Root, MPI_Comm Comm) {
  return hasPart(Comm, Root) ? Sent{1, part(Data, Count, Type, Theirs, TheirType)} : Sent{};
}

/// \p Counts: of all, at the root alone.
Sent gatherParts(const void *Data, int Count, MPI_Datatype Type, const int *Counts,
                 MPI_Datatype TheirType, int Root, MPI_Comm Comm) {
  return gather(Data, Count, Type, Data == MPI_IN_PLACE ? Counts[Root] : 0, TheirType, Root, Comm);
}

Sent broadcast(int Count, MPI_Datatype Type, int Root, MPI_Comm Comm) {
  return gather(nullptr, Count, Type, 0, Type, Root, Comm);
}

/// A part for each of the others, the same size for all.
Sent exchange(const void *Data, int Count, MPI_Datatype Type, int Theirs, MPI_Datatype TheirType,
              MPI_Comm Comm) {
  const Group Ranks(Comm);
  return {Ranks.Others, Ranks.Others * part(Data, Count, Type, Theirs, TheirType)};
}

std::int64_t sum(const int *Counts, int Number) {
  std::int64_t Result = 0;
  for (int I = 0; I != Number; ++I)
    Result += Counts[I];
  return Result;
}

/// What \p Counts gives to others: in a group all but \p Mine.
std::int64_t sumOfOthers(const Group &Ranks, const int *Counts, int Mine) {
  return Ranks.IsInter ? sum(Counts, Ranks.Others) : sum(Counts, Ranks.Own) - Counts[Mine];
}

/// In a ring a process passes on all parts but that of its right neighbour.
Sent gatherPartsForAll(const void *Data, int Count, MPI_Datatype Type, const int *Counts,
                       MPI_Datatype TheirType, MPI_Comm Comm) {
  const Group Ranks(Comm);
  if (Ranks.IsInter)
    return {Ranks.Others, Ranks.Others * bytesOf(Count, Type)};
  return {Ranks.Others,
          bytesOf(sumOfOthers(Ranks, Counts, (Ranks.Rank + 1) % Ranks.Own), TheirType)};
}

Sent exchangeParts(const void *Data, const int *Counts, MPI_Datatype Type, const int *Theirs,
                   MPI_Datatype TheirType, MPI_Comm Comm) {
  const Group Ranks(Comm);
  const bool IsInPlace = Data == MPI_IN_PLACE;
  return {Ranks.Others, bytesOf(sumOfOthers(Ranks, IsInPlace ? Theirs : Counts, Ranks.Rank),
                                IsInPlace ? TheirType : Type)};
}

Sent exchangePartsOfTypes(const void *Data, const int *Counts, const MPI_Datatype *Types,
                          const int *Theirs, const MPI_Datatype *TheirTypes, MPI_Comm Comm) {
  const Group Ranks(Comm);
  const bool IsInPlace = Data == MPI_IN_PLACE;
  Sent Result{Ranks.Others, 0};
  for (int I = 0, N = Ranks.IsInter ? Ranks.Others : Ranks.Own; I != N; ++I)
    if (Ranks.IsInter || I != Ranks.Rank)
      Result.Bytes +=
          bytesOf((IsInPlace ? Theirs : Counts)[I], (IsInPlace ? TheirTypes : Types)[I]);
  return Result;
}

/// To each of the others its part of what is reduced. On an intercommunicator all parts are given
/// away, \p Counts being those of the own group.
Sent reduceScatter(const int *Counts, MPI_Datatype Type, MPI_Comm Comm) {
  const Group Ranks(Comm);
  return {Ranks.Others,
          bytesOf(sum(Counts, Ranks.Own) - (Ranks.IsInter ? 0 : Counts[Ranks.Rank]), Type)};
}

Sent reduceScatterEvenly(int Count, MPI_Datatype Type, MPI_Comm Comm) {
  const Group Ranks(Comm);
  return {Ranks.Others, (Ranks.IsInter ? Ranks.Own : Ranks.Others) * bytesOf(Count, Type)};
}

/// Recursive doubling, up to the size in library-costs/mpi.json; Rabenseifner's algorithm above it.
Sent allReduce(int Count, MPI_Datatype Type, MPI_Comm Comm) {
  const Group Ranks(Comm);
  const std::int64_t Bytes = bytesOf(Count, Type);
  if (Bytes <= 2048)
    return {Ranks.steps(), Ranks.steps() * Bytes};
  return {2 * Ranks.steps(), 2 * Bytes * (Ranks.all() - 1) / Ranks.all()};
}

Sent scan(int Count, MPI_Datatype Type, MPI_Comm Comm) {
  const std::int64_t Steps = Group(Comm).steps();
  return {Steps, Steps * bytesOf(Count, Type)};
}

Sent barrier(MPI_Comm Comm) { return {Group(Comm).steps(), 0}; }

} // namespace

ERGON_COUNTED_TWICE(Barrier, Ibarrier, (MPI_Comm Comm), (Comm), barrier(Comm))

ERGON_COUNTED_TWICE(Bcast, Ibcast,
                    (void *Data, int Count, MPI_Datatype Type, int Root, MPI_Comm Comm),
                    (Data, Count, Type, Root, Comm), broadcast(Count, Type, Root, Comm))

ERGON_COUNTED_TWICE(Reduce, Ireduce,
                    (const void *Data, void *Target, int Count, MPI_Datatype Type, MPI_Op Op,
                     int Root, MPI_Comm Comm),
                    (Data, Target, Count, Type, Op, Root, Comm), broadcast(Count, Type, Root, Comm))

ERGON_COUNTED_TWICE(Gather, Igather,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target, int TargetCount,
                     MPI_Datatype TargetType, int Root, MPI_Comm Comm),
                    (Data, Count, Type, Target, TargetCount, TargetType, Root, Comm),
                    gather(Data, Count, Type, TargetCount, TargetType, Root, Comm))

ERGON_COUNTED_TWICE(Gatherv, Igatherv,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target,
                     const int *TargetCounts, const int *Displacements, MPI_Datatype TargetType,
                     int Root, MPI_Comm Comm),
                    (Data, Count, Type, Target, TargetCounts, Displacements, TargetType, Root,
                     Comm),
                    gatherParts(Data, Count, Type, TargetCounts, TargetType, Root, Comm))

ERGON_COUNTED_TWICE(Scatter, Iscatter,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target, int TargetCount,
                     MPI_Datatype TargetType, int Root, MPI_Comm Comm),
                    (Data, Count, Type, Target, TargetCount, TargetType, Root, Comm),
                    gather(Target, TargetCount, TargetType, Count, Type, Root, Comm))

ERGON_COUNTED_TWICE(Scatterv, Iscatterv,
                    (const void *Data, const int *Counts, const int *Displacements,
                     MPI_Datatype Type, void *Target, int TargetCount, MPI_Datatype TargetType,
                     int Root, MPI_Comm Comm),
                    (Data, Counts, Displacements, Type, Target, TargetCount, TargetType, Root,
                     Comm),
                    gatherParts(Target, TargetCount, TargetType, Counts, Type, Root, Comm))

ERGON_COUNTED_EVENLY(Allgather, Iallgather,
                     exchange(Data, Count, Type, TargetCount, TargetType, Comm))

ERGON_COUNTED_TWICE(Allgatherv, Iallgatherv,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target,
                     const int *TargetCounts, const int *Displacements, MPI_Datatype TargetType,
                     MPI_Comm Comm),
                    (Data, Count, Type, Target, TargetCounts, Displacements, TargetType, Comm),
                    gatherPartsForAll(Data, Count, Type, TargetCounts, TargetType, Comm))

ERGON_COUNTED_EVENLY(Alltoall, Ialltoall,
                     exchange(Data, Count, Type, TargetCount, TargetType, Comm))

ERGON_COUNTED_TWICE(Alltoallv, Ialltoallv,
                    (const void *Data, const int *Counts, const int *Displacements,
                     MPI_Datatype Type, void *Target, const int *TargetCounts, const int *TargetAt,
                     MPI_Datatype TargetType, MPI_Comm Comm),
                    (Data, Counts, Displacements, Type, Target, TargetCounts, TargetAt, TargetType,
                     Comm),
                    exchangeParts(Data, Counts, Type, TargetCounts, TargetType, Comm))

ERGON_COUNTED_TWICE(Alltoallw, Ialltoallw,
                    (const void *Data, const int *Counts, const int *Displacements,
                     const MPI_Datatype *Types, void *Target, const int *TargetCounts,
                     const int *TargetAt, const MPI_Datatype *TargetTypes, MPI_Comm Comm),
                    (Data, Counts, Displacements, Types, Target, TargetCounts, TargetAt,
                     TargetTypes, Comm),
                    exchangePartsOfTypes(Data, Counts, Types, TargetCounts, TargetTypes, Comm))

ERGON_COUNTED_TWICE(Reduce_scatter, Ireduce_scatter,
                    (const void *Data, void *Target, const int *Counts, MPI_Datatype Type,
                     MPI_Op Op, MPI_Comm Comm),
                    (Data, Target, Counts, Type, Op, Comm), reduceScatter(Counts, Type, Comm))

#define ERGON_REDUCTION(Name, RequestName, After)                                                  \
  ERGON_COUNTED_TWICE(                                                                             \
      Name, RequestName,                                                                           \
      (const void *Data, void *Target, int Count, MPI_Datatype Type, MPI_Op Op, MPI_Comm Comm),    \
      (Data, Target, Count, Type, Op, Comm), After)
ERGON_REDUCTION(Allreduce, Iallreduce, allReduce(Count, Type, Comm))
ERGON_REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, reduceScatterEvenly(Count, Type, Comm))
ERGON_REDUCTION(Scan, Iscan, scan(Count, Type, Comm))
ERGON_REDUCTION(Exscan, Iexscan, scan(Count, Type, Comm))
#undef ERGON_REDUCTION
