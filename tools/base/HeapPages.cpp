//===- HeapPages.cpp - the command's heap in large pages ------------------===//

#include "tools/base/HeapPages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace ergon {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
void useLargeHeapPages() {
  // Under a limit of address space, what is reserved here would be missing elsewhere.
  rlimit Limit{};
  if (getrlimit(RLIMIT_AS, &Limit) || Limit.rlim_cur != RLIM_INFINITY)
    return;
  // Address space, of which only what is used becomes memory; a larger heap goes on as usual.
  static constexpr int Reserved = 1 << 30;
  // By mallopt(3): what malloc(3) does by itself is off once one of these is set.
  static constexpr int UsualPad = 128 << 10, LargestOfHeap = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, LargestOfHeap);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max()); // the reserve stays
  mallopt(M_TOP_PAD, Reserved);
  void *const First = std::malloc(std::size_t(1) << 20); // more than there is: the heap grows
  mallopt(M_TOP_PAD, UsualPad);
  std::free(First);
  const auto PageBytes = std::uintptr_t(sysconf(_SC_PAGESIZE));
  const auto End = reinterpret_cast<std::uintptr_t>(sbrk(0)) / PageBytes * PageBytes;
  const auto Begin = reinterpret_cast<std::uintptr_t>(First) / PageBytes * PageBytes;
  if (First && Begin < End) // else it is not in the heap
    madvise(reinterpret_cast<void *>(Begin), End - Begin, MADV_HUGEPAGE);
}
#else
void useLargeHeapPages() {}
#endif

} // namespace ergon
