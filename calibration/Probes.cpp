//===- Probes.cpp - what is measured to know a processor ------------------===//

#include "calibration/Probes.h"
#include "model/machine/CostClass.h"
#include "model/machine/Pages.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ergon {

/// Main memory is measured with this multiple of the bytes of all caches. Whatever the replacement,
/// almost no line is still there when it is used again.
static constexpr std::uint64_t BeyondCaches = 4;
/// Streams of a thread that are there at once: of the probe with most, and of as many bytes those
/// that are timed around it (MemoryLooks).
static constexpr std::uint64_t MostStreams = 4 + 4;
/// An iteration goes through only this part of data that no cache holds, so that a sample need not
/// go through all of them.
static constexpr std::uint64_t VisitBytes = std::uint64_t(1) << 20;

std::string_view name(ElementType T) {
  static constexpr std::string_view Names[] = {"f32", "f64", "i32", "i64"};
  return Names[std::size_t(T)];
}

unsigned ProbedMachine::lineBytes() const { return Caches.front().LineBytes.value_or(64); }

std::vector<const Kernel *> runnableKernels() {
  std::vector<const Kernel *> Result;
  for (const KernelList &List : {kernelsBase(), kernelsAvx2(), kernelsAvx512()})
    if (List.CanRun())
      for (std::size_t K = 0; K != List.Size; ++K)
        Result.push_back(List.Begin + K);
  return Result;
}

/// Bytes of lines of one stream that a step accesses: a stride longer than a line skips lines.
static std::uint64_t lineBytesOfStep(const Kernel &K, unsigned LineBytes) {
  return std::min<std::uint64_t>(K.StepBytes, std::uint64_t(K.Operations) * LineBytes);
}

std::uint64_t Probe::fetchedBytes(unsigned LineBytes) const {
  return steps() * lineBytesOfStep(*Code, LineBytes) * (Code->Reads + Code->Writes);
}

bool canFlush() {
#if defined(__x86_64__) || defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

std::map<std::string, double> Probe::counts(std::uint64_t Iterations, unsigned LineBytes) const {
  const KernelCounts &Step = Code->Step;
  const double Steps = double(Iterations) * double(steps()) * Threads;
  std::map<std::string, double> Result;
  auto Add = [&](std::string Class, double Units) {
    if (Units)
      Result[std::move(Class)] = Units * Steps;
  };
  // Flops of `issue`, which has all kinds, are of f64. So are conversions of i64; those of i32 are
  // of f32.
  const bool IsSingle = Code->Type == ElementType::F32 || Code->Type == ElementType::I32;
  const std::string Type = IsSingle ? "f32" : "f64";
  Add("flops_" + Type, Step.Flops);
  Add("fma_" + Type, Step.Fma);
  Add("div_" + Type, Step.Div);
  Add("sqrt_" + Type, Step.Sqrt);
  Add("special_" + Type, Step.Special);
  Add("fp_other_" + Type, Step.FpOther);
  Add("shuffles", Step.Shuffles);
  Add("branches", Step.Branches);
  Add("int_ops", Step.IntOps);
  Add("int_mul", Step.IntMul);
  Add("int_div", Step.IntDiv);
  Add("loads_memory", Step.Loads);
  Add("stores_memory", Step.Stores);
  Add("load_bytes_memory", Step.LoadBytes);
  Add("store_bytes_memory", Step.StoreBytes);
  Add("bytes_l1", Step.LoadBytes + Step.StoreBytes);
  const double Lines = double(lineBytesOfStep(*Code, LineBytes));
  for (std::string_view Text : {"l2", "l3", "dram"}) {
    if (Level.empty() || Level == "l1")
      break;
    Add(levelBytes(Text),
        Lines * (Code->Reads + (IsFlushed ? 1 : 2) * Code->Writes) + Code->IndexBytes);
    if (Text == Level)
      break;
  }
  return Result;
}

std::uint64_t Probe::warmUp() const {
  if (IsFlushed)
    return 0;
  if (Level != "dram")
    return Visit ? Bytes / Visit : 1;
  const bool IsInOrder = !Code->InChain && !Code->IndexBytes && Code->Columns == 1;
  const std::uint64_t Loads = steps() * Code->Operations;
  return IsInOrder ? 0 : (2 * Bytes / PageBytes + Loads - 1) / Loads;
}

/// How many of the threads share one of these caches.
static unsigned sharing(const Cache &C, unsigned Threads) {
  return std::min(C.SharedBy.value_or(1), Threads);
}

std::vector<DataSize> dataSizes(const ProbedMachine &M, unsigned Threads,
                                std::vector<std::string> &LeftOut) {
  std::vector<DataSize> Result;
  std::uint64_t Nearer = 0, All = 0;
  for (const Cache &C : M.Caches) {
    const std::uint64_t Own = C.Bytes / sharing(C, Threads);
    if (Nearer == 0)
      Result.push_back({C.Level, Own / 2});
    else if (Own >= 4 * Nearer)
      Result.push_back({C.Level, std::uint64_t(std::sqrt(double(Nearer) * double(Own)))});
    else
      LeftOut.push_back(C.Level + " on " + std::to_string(Threads) +
                        " threads: it is hardly larger than the caches before it");
    Nearer = std::max(Nearer, Own);
    All += Own;
  }
  // Caches that keep what was used last hold nothing of a stream of half as many bytes either.
  std::uint64_t Memory = BeyondCaches * All;
  if (MostStreams * Memory * Threads > M.FreeBytes)
    Memory /= 2;
  if (MostStreams * Memory * Threads > M.FreeBytes)
    LeftOut.push_back("dram on " + std::to_string(Threads) + " threads: data of " +
                      std::to_string(MostStreams * Memory * Threads >> 20) +
                      " MiB are needed, so that caches do not hold them, and only " +
                      std::to_string(M.FreeBytes >> 20) + " MiB of memory are free");
  else
    Result.push_back({"dram", Memory});
  return Result;
}

static std::string probeName(const Probe &P) {
  std::string Result = P.Code->Operation;
  Result += "-" + std::string(name(P.Code->Type)) + "-" + std::to_string(P.Code->Bits);
  if (P.Code->InChain)
    Result += "-chain";
  if (!P.Level.empty())
    Result += "-" + P.Level;
  if (P.IsFlushed)
    Result += std::string(FlushedName) + std::to_string(P.Bytes);
  if (P.Pages)
    Result += "-" + std::to_string(P.Pages) + "pages";
  return Result + "-" + std::to_string(P.Threads) + (P.Threads == 1 ? "thread" : "threads");
}

namespace {
/// The narrowest and widest of an operation and type.
class Widths {
public:
  Widths() {
    for (const Kernel *K : runnableKernels()) {
      auto &[Least, Most] = Entries.try_emplace(key(*K), K->Bits, K->Bits).first->second;
      Least = std::min(Least, K->Bits);
      Most = std::max(Most, K->Bits);
    }
  }
  bool isOutermost(const Kernel &K) const {
    const auto &[Least, Most] = Entries.at(key(K));
    return K.Bits == Least || K.Bits == Most;
  }

private:
  using Key = std::pair<std::string_view, ElementType>;
  static Key key(const Kernel &K) { return {K.Operation, K.Type}; }
  std::map<Key, std::pair<unsigned, unsigned>> Entries;
};
} // namespace

/// Whether a kernel measures something new with this number of threads, on data in \p Level or on
/// none. A chain takes the same time beside other threads. All threads together, and accesses mixed
/// with additions, only show whether parts that were measured alone add up: the widths between are
/// left out there, except in a memory that threads share, whose bandwidth depends on the width.
static bool isWanted(const Kernel &K, const Widths &All, unsigned Threads,
                     std::string_view Level = "") {
  const bool MixesAccesses = !K.IsIsolated && K.StepBytes;
  if (Threads == 1)
    return !MixesAccesses || All.isOutermost(K);
  return !K.InChain && K.IsIsolated && !K.OnlyNearest && (Level == "dram" || All.isOutermost(K));
}

/// A kernel on different numbers of pages. The larger ones exceed a processor's translation
/// lookaside buffers (TLB), which have one to four thousand entries today.
static void addByPages(const Kernel &K, std::uint64_t FreeBytes, std::vector<Probe> &Result) {
  for (unsigned Pages : {512, 1024, 1280, 1536, 1792, 2048, 2304, 2560, 3072, 4096, 6144, 8192}) {
    Probe New;
    New.Code = &K;
    New.Pages = Pages;
    New.Bytes = New.Visit = std::uint64_t(Pages) / K.Operations * K.StepBytes;
    if (2 * New.Bytes <= FreeBytes)
      Result.push_back(New);
  }
}

/// The probes of a kernel with streams.
static void addAt(const std::vector<DataSize> &Places, const Kernel &K, const Widths &All,
                  unsigned Threads, std::vector<Probe> &Result) {
  const unsigned Streams = K.Reads + K.Writes;
  const std::uint64_t Unit = std::max<std::uint64_t>(PageBytes, K.StepBytes * K.Columns);
  for (const DataSize &Place : Places) {
    const bool IsMemory = Place.Level == "dram";
    if (K.OnlyNearest && Place.Level != Places.front().Level)
      break;
    if ((K.OnlyMemory && !IsMemory) || !isWanted(K, All, Threads, Place.Level))
      continue;
    Probe New;
    New.Code = &K;
    New.Threads = Threads;
    New.Level = Place.Level;
    New.Bytes = Place.Bytes / Streams / Unit * Unit;
    New.Visit = K.Columns > 1 ? New.Bytes / K.Columns
                : IsMemory    ? std::min(New.Bytes, VisitBytes / Unit * Unit)
                              : New.Bytes;
    New.Bytes -= New.Visit ? New.Bytes % New.Visit : 0;
    if (New.Bytes)
      Result.push_back(New);
  }
}

/// A kernel on data that no cache has, in one pass. Of little data the first lines take most of the
/// time; of much, pages are beyond the reach of the TLB. Caches keep what is stored to, so that the
/// pass has no write-backs.
static void addFlushed(const Kernel &K, std::uint64_t CacheBytes, std::vector<Probe> &Result) {
  static constexpr std::string_view Wanted[] = {
      "load",         "load4",     "store",       "copy",     "load_line",
      "load_4_lines", "load_runs", "load_random", "load_sum", "follow"};
  // Beside loads alone, loads with some work for each line. With more of it, additions wait for the
  // data in the scheduler, which few loops have so many of.
  static constexpr unsigned MostAdditions = 32, LineBits = 512;
  const std::string_view Name = K.Operation;
  const bool HasWork = Name == "load_add16" && 16 * LineBits / K.Bits <= MostAdditions;
  if (!HasWork && std::ranges::find(Wanted, Name) == std::end(Wanted))
    return;
  constexpr std::uint64_t KiB = 1 << 10;
  for (const std::uint64_t Bytes :
       {KiB / 2, 4 * KiB, 32 * KiB, 128 * KiB, 256 * KiB, 1024 * KiB, 16384 * KiB}) {
    const std::uint64_t Steps = Bytes / (K.Reads + K.Writes) / K.StepBytes;
    Probe New;
    New.Code = &K;
    New.Level = "dram";
    New.Bytes = New.Visit = Steps * K.StepBytes;
    New.IsFlushed = true;
    if (Steps > 0 && 2 * Bytes <= CacheBytes)
      Result.push_back(New);
  }
}

Probe memoryStream(std::uint64_t Bytes, unsigned Threads) {
  const auto All = runnableKernels();
  const auto Loads = std::ranges::find_if(All, [](const Kernel *K) {
    return std::string_view(K->Operation) == "load" && K->Type == ElementType::F64 && K->Bits == 64;
  });
  std::vector<Probe> Result;
  addAt({{"dram", Bytes}}, **Loads, Widths(), Threads, Result);
  return Result.front();
}

ProbeTable probesFor(const ProbedMachine &M) {
  ProbeTable Result;
  const Widths All;
  std::vector<unsigned> Teams = {1};
  if (M.Threads > 1)
    Teams.push_back(M.Threads);
  for (const unsigned Threads : Teams) {
    const std::vector<DataSize> Places = dataSizes(M, Threads, Result.LeftOut);
    for (const Kernel *K : runnableKernels()) {
      if (K->ByPages) {
        if (Threads == 1)
          addByPages(*K, M.FreeBytes, Result.Probes);
      } else if (K->StepBytes) {
        addAt(Places, *K, All, Threads, Result.Probes);
        if (Threads == 1 && canFlush())
          addFlushed(*K, M.Caches.back().Bytes, Result.Probes);
      } else if (isWanted(*K, All, Threads)) {
        Probe &New = Result.Probes.emplace_back();
        New.Code = K;
        New.Threads = Threads;
      }
    }
  }
  for (Probe &P : Result.Probes)
    P.Name = probeName(P);
  return Result;
}

} // namespace ergon
