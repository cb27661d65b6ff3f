//===- CallSites.cpp - where functions of MPI are called ------------------===//

#include "runtime/mpi/CallSites.h"

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
constinit std::array<std::atomic<CallSite *>, 1024> Buckets{};

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
  Dl_info DI{};
  auto From = [&](const void *Start) {
    return "+0x" + hex(std::uintptr_t(Address) - std::uintptr_t(Start)) + ")";
  };
  if (!dladdr(Address, &DI))
    return "(" + From(nullptr);
  std::string Module(nameOf(DI));
  return DI.dli_sname ? Module + "(" + DI.dli_sname + From(DI.dli_saddr)
                      : Module + "(" + From(DI.dli_fbase);
}

} // namespace

CallSite::CallSite(void *Address) : Address(Address) {
  Dl_info DI{};
  std::string_view Module = dladdr(Address, &DI) ? nameOf(DI) : "";
  // libmpi_mpifh.so.40, libmpi_usempif08.so.40, …
  Binding = Module.starts_with("libmpi_");
}

CallSite &CallSite::at(void *Address) {
  const std::uintptr_t Number = std::uintptr_t(Address);
  std::atomic<CallSite *> &Bucket = Buckets[(Number ^ Number >> 10) % Buckets.size()];
  auto Find = [&]() -> CallSite * {
    CallSite *P = Bucket.load(std::memory_order_acquire);
    while (P && P->Address != Address)
      P = P->Next;
    return P;
  };
  if (CallSite *Found = Find())
    return *Found;
  std::unique_ptr<CallSite> Added(new CallSite(Address));
  std::lock_guard Lock(Adding);
  if (CallSite *Found = Find())
    return *Found;
  Added->Next = Bucket.load();
  Bucket.store(Added.get(), std::memory_order_release);
  return *Added.release();
}

CallSite &CallSite::outside() {
  struct Walk {
    void *From;
    CallSite *Found;
    bool IsPast;
  } Walking{Address, this, false};
  auto Step = [](_Unwind_Context *Frame, void *V) {
    auto &[From, Found, IsPast] = *static_cast<Walk *>(V);
    void *Returns = reinterpret_cast<void *>(_Unwind_GetIP(Frame));
    if (!IsPast) {
      IsPast = Returns == From;
      return _URC_NO_REASON;
    }
    CallSite &P = at(Returns);
    if (P.isBinding())
      return _URC_NO_REASON;
    Found = &P;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(Step, &Walking);
  return *Walking.Found;
}

ErgonMpiSite &CallSite::site(const char *Call, ErgonMpi &Mpi) {
  auto Find = [&]() -> Known * {
    Known *K = Sites.load(std::memory_order_acquire);
    while (K && std::strcmp(K->Site.Call, Call) != 0)
      K = K->Next;
    return K;
  };
  if (Known *Found = Find())
    return Found->Site;
  auto Added = std::make_unique<Known>(textOf(Address));
  std::lock_guard Lock(Adding);
  if (Known *Found = Find())
    return Found->Site;
  Added->Site = {Call, Added->Position.c_str(), 0, 0, 0, Mpi.Sites};
  Added->Next = Sites.load();
  std::atomic_ref(Mpi.Sites).store(&Added->Site, std::memory_order_release);
  Sites.store(Added.get(), std::memory_order_release);
  return Added.release()->Site;
}

} // namespace ergon::runtime
