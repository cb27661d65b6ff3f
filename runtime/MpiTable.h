/*===- MpiTable.h - what the MPI library tells the runtime ---------*- C -*-===*
 *
 * libergon_mpi counts what a process of an MPI program sends, libergon_rt writes it
 * into the run record. Both only add to what is here while the other may read it.
 *
 *===----------------------------------------------------------------------===*/
#ifndef ERGON_RUNTIME_MPITABLE_H
#define ERGON_RUNTIME_MPITABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** One function of MPI, called from one place. */
struct ErgonMpiSite {
  const char *Call;     /**< e.g. `MPI_Send` */
  const char *Location; /**< where it returns to, e.g. `ring(main+0x4f)` or `ring(+0x11cf)` */
  int64_t Times, Messages, MessageBytes;
  struct ErgonMpiSite *Next;
};

struct ErgonMpi {
  int32_t Rank, Size; /**< in MPI_COMM_WORLD; Size is 0 before MPI is initialized */
  struct ErgonMpiSite *Sites;
};

enum { ErgonMpiVersion = 1 };

/** \p Table, which is never freed, goes into run records from now on. Returns whether there is to
 * be one, so whether counting is of use; nothing of another \p Version is. */
int ergon_register_mpi(uint32_t Version, struct ErgonMpi *Table);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
