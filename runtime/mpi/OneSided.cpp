//===- OneSided.cpp - access to the memory of another process -------------===//
//
// One message, of what is accessed there, whichever way it goes.
//
//===----------------------------------------------------------------------===//

#include "runtime/mpi/Mpi.h"

using namespace ergon::runtime;

// What is here goes there, or comes from there.
#define ERGON_ACCESS(Name, RequestName, Here)                                                      \
  ERGON_COUNTED_TWICE(Name, RequestName,                                                           \
                      (Here * Data, int Count, MPI_Datatype Type, int To, MPI_Aint At,             \
                       int CountThere, MPI_Datatype TypeThere, MPI_Win Window),                    \
                      (Data, Count, Type, To, At, CountThere, TypeThere, Window),                  \
                      messageTo(To, Count, Type))
ERGON_ACCESS(Put, Rput, const void)
ERGON_ACCESS(Get, Rget, void)
#undef ERGON_ACCESS

ERGON_COUNTED_TWICE(Accumulate, Raccumulate,
                    (const void *Data, int Count, MPI_Datatype Type, int To, MPI_Aint At,
                     int CountThere, MPI_Datatype TypeThere, MPI_Op Op, MPI_Win Window),
                    (Data, Count, Type, To, At, CountThere, TypeThere, Op, Window),
                    messageTo(To, Count, Type))

// With MPI_NO_OP nothing is given, so it is what is there that counts.
ERGON_COUNTED_TWICE(Get_accumulate, Rget_accumulate,
                    (const void *Data, int Count, MPI_Datatype Type, void *Into, int IntoCount,
                     MPI_Datatype IntoType, int To, MPI_Aint At, int CountThere,
                     MPI_Datatype TypeThere, MPI_Op Op, MPI_Win Window),
                    (Data, Count, Type, Into, IntoCount, IntoType, To, At, CountThere, TypeThere,
                     Op, Window),
                    messageTo(To, CountThere, TypeThere))

ERGON_COUNTED(Fetch_and_op,
              (const void *Data, void *Into, MPI_Datatype Type, int To, MPI_Aint At, MPI_Op Op,
               MPI_Win Window),
              (Data, Into, Type, To, At, Op, Window), messageTo(To, 1, Type))

ERGON_COUNTED(Compare_and_swap,
              (const void *Data, const void *Expected, void *Into, MPI_Datatype Type, int To,
               MPI_Aint At, MPI_Win Window),
              (Data, Expected, Into, Type, To, At, Window), messageTo(To, 1, Type))
