//===- SignalStacks.cpp - where signals are handled -----------------------===//

#include "runtime/lib/Signals.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ergon::runtime {
namespace {

/// Besides what the kernel puts there (_SC_SIGSTKSZ). The program's handlers may run here too.
constexpr std::size_t Room = std::size_t(1) << 20;
/// Each is two mappings of memory, of which a process has 65,530 (Linux, vm.max_map_count).
constexpr int MostStacks = 4096;

bool IsStarted;
std::size_t PageSize, Size; ///< of what lies above the page that stops an overflow
pthread_key_t AtThreadEnd;
std::atomic<int> NumStacks;

std::atomic<void *> Spare; ///< for programs whose threads come and go

void release(void *Base) {
  if (void *None = nullptr; Spare.compare_exchange_strong(None, Base))
    return;
  if (munmap(Base, PageSize + Size) == 0)
    --NumStacks;
}

/// A page that stops an overflow, and the stack behind it; null where there is no memory for it.
void *make() {
  if (++NumStacks <= MostStacks) {
    void *Base = mmap(nullptr, PageSize + Size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (Base != MAP_FAILED && mprotect(Base, PageSize, PROT_NONE) == 0)
      return Base;
    if (Base != MAP_FAILED)
      munmap(Base, PageSize + Size);
  }
  --NumStacks;
  return nullptr;
}

/// Not by a destructor in the thread's first frame: a cancelled thread would unwind through it.
void leave(void *Base) {
  stack_t Now{};
  if (sigaltstack(nullptr, &Now) != 0 || (Now.ss_flags & SS_ONSTACK))
    return; // it ends in a handler
  if (Now.ss_sp == static_cast<char *>(Base) + PageSize) {
    stack_t None{};
    None.ss_flags = SS_DISABLE;
    if (sigaltstack(&None, nullptr) != 0)
      return;
  }
  release(Base);
}

/// Sanitizers give each thread a stack, and unmap the one that it has when it ends, even if that is
/// another's.
bool isSanitized() { return dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr; }

} // namespace

void startSignalStacks() {
  if (isSanitized() || pthread_key_create(&AtThreadEnd, leave) != 0)
    return;
  PageSize = std::size_t(sysconf(_SC_PAGESIZE));
  const long ByKernel = std::max<long>(sysconf(_SC_SIGSTKSZ), 0);
  Size = (Room + std::size_t(ByKernel) + PageSize - 1) / PageSize * PageSize;
  IsStarted = true;
  takeSignalStack();
}

void takeSignalStack() {
  stack_t Now{};
  if (!IsStarted || sigaltstack(nullptr, &Now) != 0 || !(Now.ss_flags & SS_DISABLE))
    return;
  void *Base = Spare.exchange(nullptr);
  if (!Base)
    Base = make();
  if (!Base)
    return;
  stack_t Own{};
  Own.ss_sp = static_cast<char *>(Base) + PageSize;
  Own.ss_size = Size;
  if (pthread_setspecific(AtThreadEnd, Base) != 0 || sigaltstack(&Own, nullptr) != 0) {
    pthread_setspecific(AtThreadEnd, nullptr);
    release(Base);
  }
}

} // namespace ergon::runtime
