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

template <typename Type> std::atomic_ref<Type> shared(Type &Of) { return std::atomic_ref(Of); }

} // namespace

void writeMessages(Output &Into) {
  using namespace run_keys;
  ErgonMpi *Of = Table;
  if (!Of || shared(Of->Size) == 0)
    return;
  Into.open('{', Mpi);
  Into.number(shared(Of->Rank), Rank);
  Into.number(shared(Of->Size), Size);
  Into.open('[', Sites);
  for (ErgonMpiSite *Each = shared(Of->Sites); Each; Each = Each->Next) {
    const std::int64_t Called = shared(Each->Times);
    if (Called == 0)
      continue;
    Into.open('{');
    Into.text(Each->Call, Call);
    Into.text(Each->At, At);
    Into.number(Called, Times);
    Into.number(shared(Each->Messages), Messages);
    Into.number(shared(Each->MessageBytes), MessageBytes);
    Into.close('}');
  }
  Into.close(']');
  Into.close('}');
}

void clearMessages() {
  ErgonMpi *Of = Table;
  if (!Of)
    return;
  shared(Of->Size) = 0;
  for (ErgonMpiSite *Each = shared(Of->Sites); Each; Each = Each->Next)
    Each->Times = Each->Messages = Each->MessageBytes = 0;
}

} // namespace ergon::runtime

int ergon_register_mpi(uint32_t Version, ErgonMpi *Of) {
  if (Version != ErgonMpiVersion || !ergon::runtime::isOn())
    return 0;
  ergon::runtime::Table = Of;
  return 1;
}
