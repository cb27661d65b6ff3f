//===- InThreads.cpp - work of a loop by several threads ------------------===//

#include "tools/base/InThreads.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ergon {

void forEachInThreads(std::size_t Count, const std::function<void(std::size_t)> &Work) {
  static thread_local bool IsWorker = false;
  std::atomic<std::size_t> Next = 0;
  auto Run = [&] {
    for (std::size_t Index; (Index = Next++) < Count;)
      Work(Index);
  };
  if (IsWorker)
    return Run();
  const std::size_t Threads =
      std::min<std::size_t>(Count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> Workers;
  for (std::size_t Thread = 0; Thread != Threads; ++Thread)
    Workers.emplace_back([&] {
      IsWorker = true;
      Run();
    });
}

} // namespace ergon
