//===- ProbeRun.cpp - a probe on its data ---------------------------------===//

#include "calibration/Measure.h"
#include "model/machine/Pages.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include <sys/mman.h>

namespace ergon {

/// The offset in a page between the beginnings of streams, so that loads of one do not wait for
/// stores of another.
static constexpr std::size_t StreamShift = 17 * 64;

/// Null where there is no memory. The pages lie where the kernel has some, as those of programs do.
static void *newPages(std::size_t Size) {
  void *Result = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return Result == MAP_FAILED ? nullptr : Result;
}

namespace {
/// Memory of a thread, which the process keeps as long as there is enough. New pages are slower for
/// a while: a hypervisor backs them by small pages, and merges those that stay in use.
class Arena {
public:
  /// Null where there is none.
  void *take(std::size_t Size) {
    if (auto Found = Free.lower_bound(Size); Found != Free.end() && Found->first <= 2 * Size) {
      void *Result = Found->second;
      Taken.insert(Free.extract(Found));
      return Result;
    }
    if (Size > freeMemoryBytes())
      giveBack();
    void *Got = newPages(Size);
    if (!Got)
      return nullptr;
    settle(Got, Size);
    Taken.emplace(Size, Got);
    return Got;
  }
  void give(void *Back) {
    Free.insert(Taken.extract(std::ranges::find(Taken, Back, &Sized::value_type::second)));
  }

private:
  using Sized = std::multimap<std::size_t, void *>;
  Sized Free, Taken;

  /// To the system, what no probe uses now.
  void giveBack() {
    for (const auto &[Size, Begin] : Free)
      munmap(Begin, Size);
    Free.clear();
  }
};
} // namespace

static Arena &arenaOf(unsigned Thread) {
  static std::map<unsigned, Arena> All;
  return All[Thread];
}

/// The streams of one thread.
struct ProbeRun::Data {
  KernelFrame Frame;
  std::size_t Position = 0;
  unsigned Thread;
  void *Mapped;
  std::size_t MappedBytes = 0;
  bool IsFlushed;
  bool HasOwnPages;   ///< not of the arena
  double PassesS = 0; ///< of flushed data: the last sample's time without the flushes

  Data(const Probe &P, unsigned Thread);
  ~Data() {
    if (Mapped && HasOwnPages)
      munmap(Mapped, MappedBytes);
    else if (Mapped)
      arenaOf(Thread).give(Mapped);
  }
  Data(const Data &) = delete;
  Data &operator=(const Data &) = delete;

  void run(const Kernel &Code, std::uint64_t Iterations);
};

/// A list through all nodes of the stream in a random order: Sattolo's algorithm makes one cycle.
static void linkNodes(unsigned char *Stream, std::size_t Bytes) {
  constexpr std::size_t Node = 64;
  std::vector<std::uint32_t> Next(Bytes / Node);
  std::iota(Next.begin(), Next.end(), 0u);
  std::minstd_rand Random(1);
  for (std::size_t K = Next.size(); K > 1; --K)
    std::swap(Next[K - 1], Next[Random() % (K - 1)]);
  for (std::size_t K = 0; K != Next.size(); ++K) {
    const void *To = Stream + Next[K] * Node;
    std::memcpy(Stream + K * Node, &To, sizeof(To));
  }
}

/// The numbers of all lines of the stream in a random order.
static void fillIndex(unsigned char *Index, std::size_t Bytes) {
  std::vector<std::uint32_t> Lines(Bytes / 64);
  std::iota(Lines.begin(), Lines.end(), 0u);
  std::ranges::shuffle(Lines, std::minstd_rand(1));
  std::memcpy(Index, Lines.data(), Lines.size() * sizeof(Lines[0]));
}

/// Takes data out of all caches.
static void flush(const void *Begin, std::size_t Bytes) {
  static constexpr std::size_t Line = 64; // longer ones are flushed more than once
  const auto *const First = static_cast<const unsigned char *>(Begin);
  for (std::size_t Offset = 0; Offset < Bytes; Offset += Line) {
#if defined(__x86_64__)
    __builtin_ia32_clflush(First + Offset);
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" ::"r"(First + Offset) : "memory");
#endif
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Until memory has written what was flushed.
static void waitForWrites() {
  static constexpr double WritesS = 3e-6;
  for (const double End = nowS() + WritesS; nowS() < End;) {
  }
}

/// Flushes some other data, as a program does that has long been at work with others: prefetchers
/// that have seen nothing but a few lines that are flushed again and again ask for no more of them.
static void flushOthers() {
  static const std::size_t Bytes = 2 << 20;
  static const std::vector<unsigned char> Others(Bytes, 1);
  flush(Others.data(), Bytes);
}

/// Between two looks at the clock, one right after the other.
static double clockLookS() {
  double Shortest = std::numeric_limits<double>::infinity();
  for (int Looks = 0; Looks != 200; ++Looks) {
    const double Begin = nowS();
    Shortest = std::min(Shortest, nowS() - Begin);
  }
  return Shortest;
}

void ProbeRun::Data::run(const Kernel &Code, std::uint64_t Iterations) {
  KernelFrame Now = Frame; // one iteration
  if (!IsFlushed) {
    Now.Iterations = Iterations;
    return Code.Run(Now);
  }
  static const double LookS = clockLookS();
  PassesS = 0;
  for (std::uint64_t Pass = 0; Pass != Iterations; ++Pass) {
    flushOthers();
    flush(Mapped, MappedBytes);
    waitForWrites();
    const double Begin = nowS();
    Code.Run(Now);
    PassesS += nowS() - Begin - LookS;
  }
}

ProbeRun::Data::Data(const Probe &P, unsigned Thread)
    : Thread(Thread), IsFlushed(P.IsFlushed), HasOwnPages(P.IsFlushed || P.Pages > 0) {
  constexpr unsigned Streams = 5;
  const std::size_t Index =
      (std::max<std::size_t>(P.Bytes, PageBytes) + PageBytes) / PageBytes * PageBytes;
  std::size_t Offset[Streams], Size = 0;
  for (unsigned K = 0; K != Streams; ++K) {
    Offset[K] = Size;
    const bool IsUsed = K == 0   ? P.Code->Writes > 0
                        : K == 2 ? P.Code->Reads >= 2 || P.Code->IndexBytes > 0
                                 : K <= std::max(1u, P.Code->Reads);
    Size += IsUsed ? Index + StreamShift : 0;
  }
  MappedBytes = Size + PageBytes;
  Mapped = HasOwnPages ? newPages(MappedBytes) : arenaOf(Thread).take(MappedBytes);
  if (!Mapped)
    return;
  unsigned char *Begin[Streams];
  for (unsigned K = 0; K != Streams; ++K)
    Begin[K] = static_cast<unsigned char *>(Mapped) + Offset[K];
  Frame = {.A = Begin[0],
           .B = Begin[1],
           .C = Begin[2],
           .D = Begin[3],
           .E = Begin[4],
           .Bytes = P.Bytes,
           .Visit = P.Visit,
           .Offset = &Position};
  if (P.Code->Writes)
    std::memset(Begin[0], 1, P.Bytes);
  // Zeros are no denormals, and pages that were only read would all be one page of zeros.
  for (unsigned K = 1; K <= std::max(1u, P.Code->Reads); ++K)
    std::memset(Begin[K], 0, std::max(P.Bytes, std::uint64_t(PageBytes)));
  if (P.Code->InChain && P.Code->Reads)
    linkNodes(Begin[1], P.Bytes);
  if (P.Code->IndexBytes)
    fillIndex(Begin[2], P.Bytes);
}

ProbeRun::ProbeRun(const Probe &P, const std::vector<int> &Processors) {
  Threads.resize(P.Threads);
  for (unsigned K = 0; K != P.Threads; ++K) {
    bindTo(Processors[K]); // so that pages are near it
    Threads[K] = std::make_unique<Data>(P, K);
    Ready = Ready && Threads[K]->Mapped;
  }
  Runs.emplace(
      P.Threads, Processors,
      [this, Code = P.Code](unsigned Thread, std::uint64_t Iterations) {
        Threads[Thread]->run(*Code, Iterations);
      },
      P.warmUp());
}

ProbeRun::~ProbeRun() = default;

Timing ProbeRun::take(std::uint64_t Iterations, const AroundSample &Around) const {
  Timing Result = Runs->take(Iterations, Around);
  if (Threads.front()->IsFlushed)
    Result.Seconds = Threads.front()->PassesS;
  return Result;
}

void ProbeRun::touchAhead(std::uint64_t Iterations) const {
  for (const auto &OfThread : Threads) {
    const KernelFrame &Frame = OfThread->Frame;
    const std::uint64_t Bytes = std::min<std::uint64_t>(Iterations * Frame.Visit, Frame.Bytes);
    for (std::uint64_t Next = 0; Next < Bytes; Next += PageBytes)
      static_cast<void>(*static_cast<const volatile unsigned char *>(
          Frame.B + (OfThread->Position + Next) % Frame.Bytes));
  }
}

} // namespace ergon
