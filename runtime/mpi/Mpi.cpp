//===- Mpi.cpp - counting calls of MPI by their places --------------------===//

#include "runtime/mpi/Mpi.h"
#include "runtime/MpiTable.h"
#include "runtime/mpi/CallSites.h"
#include "runtime/mpi/Library.h"

namespace ergon::runtime {

thread_local int Inside::Depth = 0;

namespace {

ErgonMpi Table{};
/// Before any call, and never again: whether there will be a run record.
const bool IsOn = ergon_register_mpi(ErgonMpiVersion, &Table) != 0;

void add(std::int64_t &To, std::int64_t Value) {
  std::atomic_ref(To).fetch_add(Value, std::memory_order_relaxed);
}

} // namespace

void *Entry::real(const void *Caller) {
  void *Known = Real.load(std::memory_order_relaxed);
  if (!Known) {
    Known = symbolBehind(Name, Caller);
    Real.store(Known, std::memory_order_relaxed);
  }
  return Known;
}

bool isCounted(const Entry &E, void *Caller) {
  return IsOn && (!E.isProfiling() || CallSite::at(Caller).isBinding()) &&
         Library::of(Caller).IsWhole;
}

void begin(const void *Caller) {
  const Library &Mpi = Library::of(Caller);
  int Rank = 0, Size = 0;
  if (!IsOn || !Mpi.IsWhole || Mpi.Rank(Mpi.World, &Rank) != MPI_SUCCESS ||
      Mpi.Size(Mpi.World, &Size) != MPI_SUCCESS)
    return;
  std::atomic_ref(Table.Rank).store(Rank);
  std::atomic_ref(Table.Size).store(Size);
}

void count(const Entry &E, void *Caller, Sent What) {
  if (std::atomic_ref(Table.Size).load(std::memory_order_relaxed) == 0)
    begin(Caller); // MPI_Init was some tool's to call
  CallSite *From = &CallSite::at(Caller);
  if (From->isBinding())
    From = &From->outside();
  ErgonMpiSite &Site = From->site(E.name(), Table);
  add(Site.Times, 1);
  add(Site.Messages, What.Messages);
  add(Site.MessageBytes, What.Bytes);
}

} // namespace ergon::runtime

using namespace ergon::runtime;

ERGON_COUNTED(Init, (int *NumWords, char ***Words), (NumWords, Words), begin(Caller))
ERGON_COUNTED(Init_thread, (int *NumWords, char ***Words, int Wanted, int *Given),
              (NumWords, Words, Wanted, Given), begin(Caller))
