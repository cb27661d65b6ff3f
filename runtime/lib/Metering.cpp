//===- Metering.cpp - when the meters are read ----------------------------===//

#include "runtime/lib/Metering.h"
#include "formats/run/RunKeys.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Time.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <pthread.h>
#include <span>

namespace ergon::runtime {

std::atomic<std::uint32_t> ReadingsTaken;
std::atomic<std::int64_t> NewsAt = std::numeric_limits<std::int64_t>::max();

namespace {

constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

/// A reading that other threads may read while it is overwritten.
struct Slot {
  std::atomic<std::int64_t> Position = 0, Energy = 0;

  void store(const Reading &Now) {
    Position.store(Now.TimeNs, std::memory_order_relaxed);
    Energy.store(Now.EnergyNj, std::memory_order_relaxed);
  }
  Reading load() const {
    return {Position.load(std::memory_order_relaxed), Energy.load(std::memory_order_relaxed)};
  }
};

/// A meter, and its readings so far. The thread that holds IsReading adds to them.
struct Channel {
  Meter *Source = nullptr;
  std::atomic<std::uint32_t> Count = 0;
  Slot Latest[4]; ///< that of number Count - 1 at its number modulo 4
  Reading First;  ///< of this process
  std::int64_t NewsAt = 0, LongestGap = 0, LeastCost = Never;
  std::atomic<bool> HasEnded = false;

  bool isMissing() const { return Count == 0; }

  void read() {
    const std::int64_t Begun = now();
    readOnce();
    if (Count == 1 && First.TimeNs < Begun) // a trace that goes on
      readOnce();
  }

  void readOnce() {
    Reading Now;
    const std::int64_t Begun = now();
    const Outcome Result = Source->read(Now);
    const std::int64_t After = now();
    // Reading takes a fiftieth of one thread's time at most.
    LeastCost = std::min(LeastCost, After - Begun);
    NewsAt = After + std::max(Source->Period, 50 * LeastCost);
    if (Result == Outcome::Ended)
      HasEnded = true;
    const std::uint32_t Number = Count;
    // A trace may tell of an earlier time than now.
    const std::int64_t Before = Number ? Latest[(Number - 1) % 4].load().TimeNs : startOfRun() - 1;
    if (Result != Outcome::Read || Now.TimeNs <= Before)
      return;
    if (Number == 0)
      First = Now;
    else
      LongestGap = std::max(LongestGap, Now.TimeNs - Before);
    // A reader that sees a part of the new reading also sees the last Count, and so knows that an
    // old reading was overwritten.
    std::atomic_thread_fence(std::memory_order_release);
    Latest[Number % 4].store(Now);
    Count.store(Number + 1, std::memory_order_release);
  }

  Reading first() const { return Count.load(std::memory_order_acquire) ? First : Reading(); }

  Reading last() const {
    for (;;) {
      const std::uint32_t Number = Count.load(std::memory_order_acquire);
      if (Number == 0)
        return {};
      const Reading Result = Latest[(Number - 1) % 4].load();
      std::atomic_thread_fence(std::memory_order_acquire);
      if (Count.load(std::memory_order_relaxed) - Number < 3) // not written over meanwhile
        return Result;
    }
  }
};

// All of it lives as long as the process.
FoundMeters *Found;
std::span<Channel> Channels;
std::atomic_flag IsReading;
std::atomic_flag HasSampler;

/// Reads the meters that \p Which holds for; the caller holds IsReading.
template <typename Predicate> void readThose(Predicate Which) {
  std::int64_t Next = Never;
  for (Channel &C : Channels) {
    if (!C.HasEnded && Which(C))
      C.read();
    if (!C.HasEnded)
      Next = std::min(Next, C.NewsAt);
  }
  ReadingsTaken.fetch_add(1, std::memory_order_release);
  NewsAt.store(Next, std::memory_order_relaxed);
}

/// How long the sampler may sleep, in ns; Never where no meter needs a sampler.
std::int64_t sampleEvery() {
  std::int64_t Result = Never;
  for (const Channel &C : Channels)
    if (!C.HasEnded && C.Source->SampleEvery)
      Result = std::min(Result, C.Source->SampleEvery);
  return Result;
}

void *sample(void *) {
  for (std::int64_t Pause; (Pause = sampleEvery()) != Never;) {
    Pause = std::max(Pause, Millisecond);
    const timespec T{Pause / Second, Pause % Second};
    nanosleep(&T, nullptr);
    readDueMeters(now());
  }
  return nullptr;
}

/// Makes a thread that blocks all signals, so that none of the program's handlers runs in it.
void startSampler() {
  if (sampleEvery() == Never || HasSampler.test_and_set())
    return;
  sigset_t All, Kept;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Kept);
  pthread_attr_t How;
  pthread_attr_init(&How);
  pthread_attr_setdetachstate(&How, PTHREAD_CREATE_DETACHED);
  pthread_t Thread;
  // Where that fails, the run record shows each meter's longest gap.
  pthread_create(&Thread, &How, sample, nullptr);
  pthread_attr_destroy(&How);
  pthread_sigmask(SIG_SETMASK, &Kept, nullptr);
}

} // namespace

std::uint32_t numMeters() { return std::uint32_t(Channels.size()); }
const char *meterName(std::uint32_t Index) { return Channels[Index].Source->Name.c_str(); }
Reading firstReading(std::uint32_t Index) { return Channels[Index].first(); }
Reading lastReading(std::uint32_t Index) { return Channels[Index].last(); }

void startMeters() {
  Found = new FoundMeters(findMeters());
  Channels = {new Channel[Found->Meters.size()], Found->Meters.size()};
  bool HasLibrary = false;
  for (std::size_t I = 0; I != Channels.size(); ++I) {
    Channels[I].Source = Found->Meters[I].get();
    HasLibrary |= Channels[I].Source->UsesLibrary;
  }
  readThose([](Channel &) { return true; });
  startSampler();
  if (HasLibrary) // before the library ends
    std::atexit([] { FinalReadings(false); });
}

void restartMeters() {
  IsReading.test_and_set(); // by a thread that is no longer there, perhaps
  HasSampler.clear();       // the next region that reads a meter starts one
  for (Channel &C : Channels) {
    C.Count = 0;
    C.LongestGap = 0;
    if (C.Source->UsesLibrary)
      C.HasEnded = true;
  }
  readThose([](Channel &) { return true; });
  IsReading.clear();
}

void readDueMeters(std::int64_t Now) {
  if (IsReading.test_and_set(std::memory_order_acquire))
    return;
  NewsAt.store(Never, std::memory_order_relaxed); // no other thread need try
  readThose([&](Channel &C) { return Now >= C.NewsAt; });
  IsReading.clear(std::memory_order_release);
  startSampler();
}

FinalReadings::FinalReadings(bool InHandler) {
  // Another thread's reading ends soon; one that this handler interrupted does not, and keeps
  // others from reading.
  for (int Tries = InHandler ? 10 : 1000;
       !(IsMine = !IsReading.test_and_set(std::memory_order_acquire));) {
    if (--Tries == 0)
      return;
    const timespec Pause{0, 100'000};
    nanosleep(&Pause, nullptr);
  }
  readThose([&](Channel &C) { return !InHandler || !C.Source->UsesLibrary; });
}

FinalReadings::~FinalReadings() {
  if (IsMine)
    IsReading.clear(std::memory_order_release);
}

void writeMeters(Output &Result, std::int64_t StartedAt) {
  using namespace run_keys;
  Result.open('[', Meters);
  for (const Channel &C : Channels) {
    if (C.isMissing())
      continue;
    const Reading Last = C.last();
    Result.open('{');
    Result.text(C.Source->Name, Name);
    Result.text(C.Source->Covers, Covers);
    Result.billionths(Last.EnergyNj - C.First.EnergyNj, Energy);
    Result.billionths(C.First.TimeNs - StartedAt, From);
    Result.billionths(Last.TimeNs - StartedAt, End);
    Result.number(C.Count, Readings);
    Result.billionths(C.Source->Period, Period);
    Result.billionths(C.LongestGap, LongestGap);
    if (C.HasEnded)
      Result.text(C.Source->why(), Why);
    C.Source->writeMore(Result);
    Result.close('}');
  }
  Result.close(']');
  Result.open('[', Unread);
  auto Missing = [&](const std::string &Which, const char *Reason) {
    Result.open('{');
    Result.text(Which, Name);
    Result.text(Reason, Why);
    Result.close('}');
  };
  for (const auto &[Which, Reason] : Found->Unread)
    Missing(Which, Reason.c_str());
  for (const Channel &C : Channels)
    if (C.isMissing())
      Missing(C.Source->Name, *C.Source->why()        ? C.Source->why()
                              : C.Source->UsesLibrary ? "its library cannot be used after a fork"
                                                      : "it has told nothing of this time");
  Result.close(']');
}

} // namespace ergon::runtime
