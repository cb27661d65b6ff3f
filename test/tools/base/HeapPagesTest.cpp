//===- HeapPagesTest.cpp - the heap in large pages ------------------------===//

#include "tools/base/HeapPages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace ergon;

/// Whether some part of the heap is advised to have large pages, `hg` in proc_pid_smaps(5).
[[maybe_unused]] static bool isHeapAdvised() {
  std::ifstream Mapped("/proc/self/smaps");
  bool InHeap = false;
  for (std::string Line; std::getline(Mapped, Line);) {
    const bool IsRange = Line.find('-') < Line.find(' ') && !Line.starts_with("VmFlags");
    if (IsRange)
      InHeap = Line.ends_with("[heap]");
    if (InHeap && Line.starts_with("VmFlags:") && Line.contains(" hg"))
      return true;
  }
  return false;
}

TEST(HeapPages, AreAskedForAndTheHeapWorksOn) {
  useLargeHeapPages();
  std::vector<std::unique_ptr<std::string>> Kept;
  for (std::size_t I = 0; I != 2000; ++I) {
    Kept.push_back(std::make_unique<std::string>(I * 37 % 5000, char('a' + I % 26)));
    if (I % 3 == 0)
      Kept[I / 2].reset();
  }
  for (std::size_t I = 1000; I != 2000; ++I)
    if (Kept[I])
      EXPECT_EQ(*Kept[I], std::string(I * 37 % 5000, char('a' + I % 26)));
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "this kernel has no large pages to ask for";
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) // with a heap of its own
  EXPECT_TRUE(isHeapAdvised());
#endif
}
