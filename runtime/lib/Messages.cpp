//===- Messages.cpp - what this process sent to others --------------------===//

#include "runtime/lib/Messages.h"
#include "formats/run/RunKeys.h"
#include "runtime/MpiTable.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Switch.h"

#include <atomic>

namespace ergon::runtime {
namespace {

std::atomic<ErgonMpi *> Table;

} // namespace

void writeMessages(Output &Result) {
  using namespace run_keys;
  ErgonMpi *Calls = Table;
  if (!Calls || std::atomic_ref(Calls->Size) == 0)
    return;
  Result.open('{', Mpi);
  Result.number(std::atomic_ref(Calls->Rank), Rank);
  Result.number(std::atomic_ref(Calls->Size), Size);
  Result.open('[', Sites);
  for (ErgonMpiSite *Site = std::atomic_ref(Calls->Sites); Site; Site = Site->Next) {
    const std::int64_t Called = std::atomic_ref(Site->Times);
    if (Called == 0)
      continue;
    Result.open('{');
    Result.text(Site->Call, Call);
    Result.text(Site->Location, Position);
    Result.number(Called, Times);
    Result.number(std::atomic_ref(Site->Messages), Messages);
    Result.number(std::atomic_ref(Site->MessageBytes), MessageBytes);
    Result.close('}');
  }
  Result.close(']');
  Result.close('}');
}

void clearMessages() {
  ErgonMpi *Mpi = Table;
  if (!Mpi)
    return;
  std::atomic_ref(Mpi->Size) = 0;
  for (ErgonMpiSite *Site = std::atomic_ref(Mpi->Sites); Site; Site = Site->Next)
    Site->Times = Site->Messages = Site->MessageBytes = 0;
}

} // namespace ergon::runtime

int ergon_register_mpi(uint32_t Version, ErgonMpi *Table) {
  if (Version != ErgonMpiVersion || !ergon::runtime::isOn())
    return 0;
  ergon::runtime::Table = Table;
  return 1;
}
