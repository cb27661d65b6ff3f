//===- Measure.cpp - the time that probes take ----------------------------===//

#include "calibration/Measure.h"
#include "model/machine/Pages.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ergon {

static std::vector<int> processorsOfCaller() {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  std::vector<int> Result;
  if (sched_getaffinity(0, sizeof(Set), &Set) == 0)
    for (int K = 0; K != CPU_SETSIZE; ++K)
      if (CPU_ISSET(K, &Set))
        Result.push_back(K);
  if (Result.empty())
    Result.push_back(0);
  return Result;
}

const std::vector<int> &allowedProcessors() {
  static const std::vector<int> First = processorsOfCaller();
  return First;
}

std::uint64_t freeMemoryBytes() {
  const long Pages = sysconf(_SC_AVPHYS_PAGES), Bytes = sysconf(_SC_PAGESIZE);
  return Pages > 0 && Bytes > 0 ? std::uint64_t(Pages) * std::uint64_t(Bytes) : 0;
}

/// Whether programs get large pages without asking for them.
static bool givesLargePages() {
  std::ifstream File("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string Choice;
  return std::getline(File, Choice) && Choice.find("[always]") != std::string::npos;
}

/// Seconds of a look at each page of \p Bytes, the mean.
static double secondsOfAPage(const unsigned char *Begin, std::size_t Bytes) {
  // Lines of all sets of a cache.
  constexpr std::size_t Stride = PageBytes + 64;
  const auto Start = std::chrono::steady_clock::now();
  for (std::size_t Byte = 0; Byte < Bytes; Byte += Stride)
    static_cast<void>(*static_cast<const volatile unsigned char *>(Begin + Byte));
  const std::chrono::duration<double> Passed = std::chrono::steady_clock::now() - Start;
  return Passed.count() / double(Bytes / Stride);
}

/// Whether a hypervisor that keeps its own page tables fills those of split pages one by one and
/// forgets them again: 5 to 15 µs a page, each time (PVM, 700 MiB and more), where small pages from
/// the beginning take 0.03.
static bool areSplitPagesSlow(const unsigned char *Begin, std::size_t Bytes) {
  constexpr double SlowS = 1e-6;
  for (int Looks = 0; Looks != 3; ++Looks) // of some hundred MiB the third is fast
    if (secondsOfAPage(Begin, Bytes) < SlowS)
      return false;
  return true;
}

void settle(void *Begin, std::size_t Bytes) {
  constexpr std::size_t Large = 2 << 20;
  static std::atomic<std::size_t> SlowFrom = std::numeric_limits<std::size_t>::max();
  auto *const Position = static_cast<unsigned char *>(Begin);
  const std::size_t First = (Large - reinterpret_cast<std::uintptr_t>(Position) % Large) % Large;
  const std::size_t Blocks = First < Bytes ? (Bytes - First) / Large : 0;
  if (Blocks == 0 || givesLargePages() || Bytes >= SlowFrom) {
    std::memset(Position, 1, Bytes);
    return;
  }
  // Asks for large pages. The kernel splits one into small pages as soon as a part of it differs
  // from the rest; a kernel without large pages gives small ones from the beginning.
  madvise(Position + First, Blocks * Large, MADV_HUGEPAGE);
  std::memset(Position, 1, Bytes);
  madvise(Position + First, Blocks * Large, MADV_NOHUGEPAGE);
  for (std::size_t K = 0; K != Blocks; ++K)
    for (int Access : {PROT_READ, PROT_READ | PROT_WRITE})
      mprotect(Position + First + K * Large, PageBytes, Access);
  if (!areSplitPagesSlow(Position, Bytes))
    return;
  SlowFrom = std::min(SlowFrom.load(), Bytes);
  madvise(Position + First, Blocks * Large, MADV_DONTNEED);
  std::memset(Position, 1, Bytes);
}

void bindTo(int Processor) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  CPU_SET(Processor, &Set);
  sched_setaffinity(0, sizeof(Set), &Set);
}

/// Seconds that the calling thread had a processor.
static double busyS() {
  timespec Spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Spent);
  return double(Spent.tv_sec) + 1e-9 * double(Spent.tv_nsec);
}

/// Additions one after the other, or as many at a time as the core can.
static const Kernel &additions(bool InChain) {
  for (const Kernel *K : runnableKernels())
    if (K->InChain == InChain && K->Type == ElementType::I64 && K->Bits == 64 &&
        std::string_view(K->Operation) == "add")
      return *K;
  std::unreachable(); // every instruction set has them
}

/// Additions a second, over some 10 µs at most.
static double additionsPerS(const Kernel &K) {
  const KernelFrame Frame{.Iterations = 40'000 / K.Operations};
  // An interruption makes a look longer, never shorter.
  double Shortest = std::numeric_limits<double>::infinity();
  for (int Looks = 0; Looks != 5; ++Looks) {
    const double Begin = nowS();
    K.Run(Frame);
    Shortest = std::min(Shortest, nowS() - Begin);
  }
  return double(Frame.Iterations * K.Operations) / Shortest;
}

double coreClockHz() {
  static const Kernel &Chain = additions(true);
  return additionsPerS(Chain);
}

std::vector<double> clocksNow() {
  bindTo(allowedProcessors().front());
  std::vector<double> Result;
  constexpr int WarmUp = 200, Kept = 51; // 15 ms
  for (int K = 0; K != WarmUp + Kept; ++K)
    if (const double Hz = coreClockHz(); K >= WarmUp)
      Result.push_back(Hz);
  return Result;
}

/// Additions in a cycle of such a clock: fewer where another thread is on the same core.
static double additionsPerCycle(double ClockHz) {
  static const Kernel &AtOnce = additions(false);
  return additionsPerS(AtOnce) / ClockHz;
}

/// Waits until no other thread runs on the calling thread's core, or until a time limit.
static void waitForCore() {
  constexpr double LongestS = 0.03;
  const double End = nowS() + LongestS;
  while (theCores().isShared(additionsPerCycle(coreClockHz())) && nowS() < End) {
  }
}

/// Whether two of them are hardware threads of one core, as the kernel says.
static bool shareCores(const std::vector<int> &Processors) {
  std::set<std::string> Cores;
  for (int Processor : Processors) {
    std::ifstream File("/sys/devices/system/cpu/cpu" + std::to_string(Processor) +
                       "/topology/core_cpus_list");
    std::string Core;
    if (std::getline(File, Core) && !Cores.insert(Core).second)
      return true;
  }
  return false;
}

namespace {
/// What a thread saw of a sample.
struct Part {
  double Begin = 0, End = 0, BusyS = 0, ClockBefore = 0, ClockAfter = 0;
  double PerCycle = 0; ///< additions in a cycle, before and after: the fewer
};

/// The threads that work for one team after the other: the calling thread, and others that spin
/// while there is nothing to do.
class Crew {
public:
  Crew(unsigned Threads, std::vector<int> OnProcessors);
  bool is(unsigned Threads, const std::vector<int> &Where) const {
    return Others.size() + 1 == Threads && Processors == Where;
  }
  void run(const std::function<void(unsigned Thread)> &Job);

private:
  const std::vector<int> Processors;
  const std::function<void(unsigned)> *Job = nullptr;
  std::atomic<std::uint64_t> Asked = 0, Ended = 0;
  std::vector<std::jthread> Others; // the last member: they end before the rest does
};
} // namespace

Crew::Crew(unsigned Threads, std::vector<int> OnProcessors) : Processors(std::move(OnProcessors)) {
  for (unsigned K = 1; K < Threads; ++K)
    Others.emplace_back([this, K](std::stop_token Stop) {
      bindTo(Processors[K]);
      for (std::uint64_t Next = 1; !Stop.stop_requested();)
        if (Asked.load() == Next) {
          (*Job)(K);
          ++Ended;
          ++Next;
        }
    });
}

void Crew::run(const std::function<void(unsigned)> &New) {
  Job = &New;
  const std::uint64_t Jobs = ++Asked;
  New(0);
  while (Ended.load() != Jobs * Others.size()) {
  }
}

/// The last team, until another is asked for.
static Crew &crewOf(unsigned Threads, const std::vector<int> &Processors) {
  static std::unique_ptr<Crew> Now;
  if (!Now || !Now->is(Threads, Processors)) {
    Now.reset();
    Now = std::make_unique<Crew>(Threads, Processors);
  }
  return *Now;
}

Team::Team(unsigned Threads, const std::vector<int> &Processors, ThreadWork Work,
           std::uint64_t WarmUp)
    : Processors(Processors.begin(), Processors.begin() + Threads), Work(std::move(Work)),
      WarmUp(WarmUp), ShareCores(shareCores(this->Processors)) {
  bindTo(Processors[0]);
  crewOf(Threads, this->Processors);
}

Timing Team::take(std::uint64_t Iterations, const AroundSample &Around) const {
  const std::size_t Threads = Processors.size();
  std::vector<Part> Parts(Threads);
  std::atomic<std::size_t> Waiting = Threads;
  crewOf(unsigned(Threads), Processors).run([&](unsigned Thread) {
    Part &Target = Parts[Thread];
    if (!ShareCores)
      waitForCore();
    if (WarmUp)
      Work(Thread, WarmUp); // caches and pages as the measured iterations will find them
    Target.ClockBefore = coreClockHz();
    Target.PerCycle = additionsPerCycle(Target.ClockBefore);
    --Waiting;
    while (Waiting.load()) {
    }
    if (Thread == 0 && Around.Begin)
      Around.Begin();
    const double Busy = busyS();
    Target.Begin = nowS();
    Work(Thread, Iterations);
    Target.End = nowS();
    Target.BusyS = busyS() - Busy;
    if (Thread == 0 && Around.End)
      Around.End();
    Target.ClockAfter = coreClockHz();
    Target.PerCycle = std::min(Target.PerCycle, additionsPerCycle(Target.ClockAfter));
  });
  Timing Result{.Threads = unsigned(Threads)};
  double Begin = Parts[0].Begin, End = Parts[0].End;
  for (const Part &P : Parts) {
    Begin = std::min(Begin, P.Begin);
    End = std::max(End, P.End);
    Result.Waited = std::max(Result.Waited, 1 - P.BusyS / (P.End - P.Begin));
    Result.ClockHz += (P.ClockBefore + P.ClockAfter) / 2 / double(Threads);
    Result.ClockMove = std::max(Result.ClockMove, std::abs(P.ClockAfter / P.ClockBefore - 1));
  }
  Result.Seconds = End - Begin;
  if (!ShareCores) {
    Result.PerCycle = std::ranges::min(Parts, {}, &Part::PerCycle).PerCycle;
    theCores().see(Result.PerCycle);
  }
  // The scheduler preempts a thread that has just slept less soon. Several threads would wake at
  // different times, so they do not sleep.
  if (Threads == 1 && Result.Waited > MostWaited)
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  return Result;
}

/// The bandwidth that loads in order get from memory.
class MemoryLooks::Stream {
public:
  Stream(std::uint64_t Bytes, unsigned Threads);

  unsigned threads() const { return Measured.Threads; }
  Timing around(const std::function<Timing()> &Sample) const;

private:
  Probe Measured;
  ProbeRun Run;
  std::uint64_t Iterations = 1;

  double perS(const Timing &Taken) const;
};

MemoryLooks::Stream::Stream(std::uint64_t Bytes, unsigned Threads)
    : Measured(memoryStream(Bytes, Threads)), Run(Measured, allowedProcessors()) {
  constexpr double LookS = 5e-4;
  if (Run.ready())
    Iterations = iterationsFor(LookS, [&](std::uint64_t Count) { return Run.take(Count); });
}

double MemoryLooks::Stream::perS(const Timing &Taken) const {
  return double(Iterations * Measured.steps() * Measured.Code->StepBytes * Measured.Threads) /
         Taken.Seconds;
}

Timing MemoryLooks::Stream::around(const std::function<Timing()> &Sample) const {
  if (!Run.ready())
    return Sample();
  auto Look = [&] {
    Run.touchAhead(Iterations);
    return Run.take(Iterations);
  };
  const Timing Before = Look();
  Timing Result = Sample();
  const Timing After = Look();
  Result.MemoryPerS = 2 / (1 / perS(Before) + 1 / perS(After));
  // A thread that had no processor during the look says nothing about memory.
  Result.Waited = std::max({Result.Waited, Before.Waited, After.Waited});
  if (Result.Waited <= MostWaited)
    theMemory().see(Measured.Threads, Result.MemoryPerS);
  return Result;
}

TakeSample MemoryLooks::around(const std::string &Level, std::uint64_t Bytes, unsigned Threads,
                               TakeSample Take) {
  if (Level != "dram" || Bytes == 0)
    return Take;
  if (!Last || Last->threads() != Threads)
    Last = std::make_shared<Stream>(Bytes, Threads);
  return [Beside = Last, Take = std::move(Take)](std::uint64_t Iterations) {
    return Beside->around([&] { return Take(Iterations); });
  };
}

} // namespace ergon
