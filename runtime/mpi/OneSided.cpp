//===- OneSided.cpp - access to the memory of another process -------------===//
//
// One message, of what is accessed there, whichever way it goes.
//
//===----------------------------------------------------------------------===//

#include "runtime/mpi/Mpi.h"

using namespace ergon::runtime;

// What is here goes there, or comes from there.
#define ERGON_ACCESS(Name, RequestName, Pointee)                                                   \
  ERGON_COUNTED_TWICE(Name, RequestName,                                                           \
                      (Pointee * Data, int Count, MPI_Datatype Type, int To,                       \
                       MPI_Aint Displacement, int TargetCount, MPI_Datatype TargetType,            \
                       MPI_Win Window),                                                            \
                      (Data, Count, Type, To, Displacement, TargetCount, TargetType, Window),      \
                      messageTo(To, Count, Type))
ERGON_ACCESS(Put, Rput, const void)
ERGON_ACCESS(Get, Rget, void)
#undef ERGON_ACCESS

ERGON_COUNTED_TWICE(Accumulate, Raccumulate,
                    (const void *Data, int Count, MPI_Datatype Type, int To, MPI_Aint Displacement,
                     int TargetCount, MPI_Datatype TargetType, MPI_Op Op, MPI_Win Window),
                    (Data, Count, Type, To, Displacement, TargetCount, TargetType, Op, Window),
                    messageTo(To, Count, Type))

// With MPI_NO_OP nothing is given, so it is what is there that counts.
ERGON_COUNTED_TWICE(Get_accumulate, Rget_accumulate,
                    (const void *Data, int Count, MPI_Datatype Type, void *Target, int IntoCount,
                     MPI_Datatype IntoType, int To, MPI_Aint Displacement, int TargetCount,
                     MPI_Datatype TargetType, MPI_Op Op, MPI_Win Window),
                    (Data, Count, Type, Target, IntoCount, IntoType, To, Displacement, TargetCount,
                     TargetType, Op, Window),
                    messageTo(To, TargetCount, TargetType))

ERGON_COUNTED(Fetch_and_op,
              (const void *Data, void *Target, MPI_Datatype Type, int To, MPI_Aint Displacement,
               MPI_Op Op, MPI_Win Window),
              (Data, Target, Type, To, Displacement, Op, Window), messageTo(To, 1, Type))

ERGON_COUNTED(Compare_and_swap,
              (const void *Data, const void *Expected, void *Target, MPI_Datatype Type, int To,
               MPI_Aint Displacement, MPI_Win Window),
              (Data, Expected, Target, Type, To, Displacement, Window), messageTo(To, 1, Type))
