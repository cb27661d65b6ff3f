//===- Places.cpp - where functions of MPI are called ---------------------===//

#include "runtime/mpi/Places.h"

#include <array>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unwind.h>

namespace ergon::runtime {
namespace {

// Places and sites are added under the lock and never taken away. Under it nothing is asked of the
// loader, which has a lock of its own while constructors of modules call MPI.
std::mutex Adding;
constinit std::array<std::atomic<Place *>, 1024> Buckets{};

std::string_view nameOf(const Dl_info &Module) {
  std::string_view Path = Module.dli_fname ? Module.dli_fname : "";
  return Path.substr(Path.rfind('/') + 1);
}

std::string hex(std::uintptr_t Value) {
  char Digits[20];
  return std::string(Digits, std::to_chars(Digits, Digits + sizeof Digits, Value, 16).ptr);
}

/// As backtrace_symbols() has it: `ring(main+0x4f)`, or `ring(+0x11cf)` where the module does not
/// export the function. addr2line reads both.
std::string textOf(void *Address) {
  Dl_info Of{};
  auto From = [&](const void *Start) {
    return "+0x" + hex(std::uintptr_t(Address) - std::uintptr_t(Start)) + ")";
  };
  if (!dladdr(Address, &Of))
    return "(" + From(nullptr);
  std::string Module(nameOf(Of));
  return Of.dli_sname ? Module + "(" + Of.dli_sname + From(Of.dli_saddr)
                      : Module + "(" + From(Of.dli_fbase);
}

} // namespace

Place::Place(void *Address) : Address(Address) {
  Dl_info Of{};
  std::string_view Module = dladdr(Address, &Of) ? nameOf(Of) : "";
  // libmpi_mpifh.so.40, libmpi_usempif08.so.40, …
  Binding = Module.starts_with("libmpi_");
}

Place &Place::at(void *Address) {
  const std::uintptr_t Number = std::uintptr_t(Address);
  std::atomic<Place *> &Bucket = Buckets[(Number ^ Number >> 10) % Buckets.size()];
  auto Find = [&]() -> Place * {
    Place *Each = Bucket.load(std::memory_order_acquire);
    while (Each && Each->Address != Address)
      Each = Each->Next;
    return Each;
  };
  if (Place *Found = Find())
    return *Found;
  std::unique_ptr<Place> Added(new Place(Address));
  std::lock_guard Lock(Adding);
  if (Place *Found = Find())
    return *Found;
  Added->Next = Bucket.load();
  Bucket.store(Added.get(), std::memory_order_release);
  return *Added.release();
}

Place &Place::outside() {
  struct Walk {
    void *From;
    Place *Found;
    bool IsPast;
  } Walking{Address, this, false};
  auto Step = [](_Unwind_Context *Frame, void *Of) {
    auto &[From, Found, IsPast] = *static_cast<Walk *>(Of);
    void *Returns = reinterpret_cast<void *>(_Unwind_GetIP(Frame));
    if (!IsPast) {
      IsPast = Returns == From;
      return _URC_NO_REASON;
    }
    Place &Here = at(Returns);
    if (Here.isBinding())
      return _URC_NO_REASON;
    Found = &Here;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(Step, &Walking);
  return *Walking.Found;
}

ErgonMpiSite &Place::site(const char *Call, ErgonMpi &Of) {
  auto Find = [&]() -> Known * {
    Known *Each = Sites.load(std::memory_order_acquire);
    while (Each && std::strcmp(Each->Site.Call, Call) != 0)
      Each = Each->Next;
    return Each;
  };
  if (Known *Found = Find())
    return Found->Site;
  auto Added = std::make_unique<Known>(textOf(Address));
  std::lock_guard Lock(Adding);
  if (Known *Found = Find())
    return Found->Site;
  Added->Site = {Call, Added->At.c_str(), 0, 0, 0, Of.Sites};
  Added->Next = Sites.load();
  std::atomic_ref(Of.Sites).store(&Added->Site, std::memory_order_release);
  Sites.store(Added.get(), std::memory_order_release);
  return Added.release()->Site;
}

} // namespace ergon::runtime
