//===- Probes.cpp - what is measured to know a processor ------------------===//

#include "calibration/Probes.h"
#include "model/machine/CostClass.h"
#include "model/machine/Pages.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// Main memory is measured with this multiple of the bytes of all caches. Whatever the replacement,
/// almost no line is still there when it is used again.
static constexpr std::uint64_t BeyondCaches = 4;
/// An iteration goes through only this part of data that no cache holds, so that a sample need not
/// go through all of them.
static constexpr std::uint64_t VisitBytes = std::uint64_t(1) << 20;

std::string_view name(ElementType T) {
  switch (T) {
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  }
  return "";
}

unsigned ProbedMachine::lineBytes() const { return Caches.front().LineBytes.value_or(64); }

std::vector<const Kernel *> runnableKernels() {
  std::vector<const Kernel *> Result;
  for (const KernelList &Each : {kernelsBase(), kernelsAvx2(), kernelsAvx512()})
    if (Each.CanRun())
      for (std::size_t K = 0; K != Each.Size; ++K)
        Result.push_back(Each.Begin + K);
  return Result;
}

std::map<std::string, double> Probe::counts(std::uint64_t Iterations, unsigned LineBytes) const {
  const KernelCounts &Step = Of->Step;
  const double Steps = double(Iterations) * double(steps()) * Threads;
  std::map<std::string, double> Result;
  auto Add = [&](std::string Class, double Units) {
    if (Units)
      Result[std::move(Class)] = Units * Steps;
  };
  // Flops of `issue`, which has all kinds, are of f64. So are conversions of i64; those of i32 are
  // of f32.
  const bool IsSingle = Of->Type == ElementType::F32 || Of->Type == ElementType::I32;
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
  // A stride longer than a line skips lines.
  const double Lines = std::min<double>(Of->StepBytes, double(Of->Operations) * LineBytes);
  for (std::string_view Each : {"l2", "l3", "dram"}) {
    if (Level.empty() || Level == "l1")
      break;
    Add(levelBytes(Each), Lines * (Of->Reads + 2 * Of->Writes) + Of->IndexBytes);
    if (Each == Level)
      break;
  }
  return Result;
}

std::uint64_t Probe::warmUp() const {
  if (Level != "dram")
    return Visit ? Bytes / Visit : 1;
  const bool IsInOrder = !Of->InChain && !Of->IndexBytes && Of->Columns == 1;
  const std::uint64_t Loads = steps() * Of->Operations;
  return IsInOrder ? 0 : (2 * Bytes / PageBytes + Loads - 1) / Loads;
}

/// How many of the threads share one of these caches.
static unsigned sharing(const Cache &Of, unsigned Threads) {
  return std::min(Of.SharedBy.value_or(1), Threads);
}

std::vector<DataPlace> placesFor(const ProbedMachine &M, unsigned Threads,
                                 std::vector<std::string> &LeftOut) {
  std::vector<DataPlace> Result;
  std::uint64_t Nearer = 0, All = 0;
  for (const Cache &Each : M.Caches) {
    const std::uint64_t Own = Each.Bytes / sharing(Each, Threads);
    if (Nearer == 0)
      Result.push_back({Each.Level, Own / 2});
    else if (Own >= 4 * Nearer)
      Result.push_back({Each.Level, std::uint64_t(std::sqrt(double(Nearer) * double(Own)))});
    else
      LeftOut.push_back(Each.Level + " on " + std::to_string(Threads) +
                        " threads: it is hardly larger than the caches before it");
    Nearer = std::max(Nearer, Own);
    All += Own;
  }
  const std::uint64_t Memory = BeyondCaches * All;
  if (2 * Memory * Threads > M.FreeBytes)
    LeftOut.push_back("dram on " + std::to_string(Threads) + " threads: data of " +
                      std::to_string(Memory * Threads >> 20) +
                      " MiB are needed, so that caches do not hold them, and only " +
                      std::to_string(M.FreeBytes >> 20) + " MiB of memory are free");
  else
    Result.push_back({"dram", Memory});
  return Result;
}

static std::string probeName(const Probe &Of) {
  std::string Result = Of.Of->Operation;
  Result += "-" + std::string(name(Of.Of->Type)) + "-" + std::to_string(Of.Of->Bits);
  if (Of.Of->InChain)
    Result += "-chain";
  if (!Of.Level.empty())
    Result += "-" + Of.Level;
  if (Of.Pages)
    Result += "-" + std::to_string(Of.Pages) + "pages";
  return Result + "-" + std::to_string(Of.Threads) + (Of.Threads == 1 ? "thread" : "threads");
}

namespace {
/// The narrowest and widest of an operation and type.
class Widths {
public:
  Widths() {
    for (const Kernel *Each : runnableKernels()) {
      auto &[Least, Most] = Of.try_emplace(key(*Each), Each->Bits, Each->Bits).first->second;
      Least = std::min(Least, Each->Bits);
      Most = std::max(Most, Each->Bits);
    }
  }
  bool isOutermost(const Kernel &K) const {
    const auto &[Least, Most] = Of.at(key(K));
    return K.Bits == Least || K.Bits == Most;
  }

private:
  using Key = std::pair<std::string_view, ElementType>;
  static Key key(const Kernel &Of) { return {Of.Operation, Of.Type}; }
  std::map<Key, std::pair<unsigned, unsigned>> Of;
};
} // namespace

/// Whether a kernel measures something new with this number of threads, on data in \p Level or on
/// none. A chain takes the same time beside other threads. All threads together, and accesses mixed
/// with additions, only show whether parts that were measured alone add up: the widths between are
/// left out there, except in a memory that threads share, whose bandwidth depends on the width.
static bool isWanted(const Kernel &Of, const Widths &All, unsigned Threads,
                     std::string_view Level = "") {
  const bool MixesAccesses = !Of.Is && Of.StepBytes;
  if (Threads == 1)
    return !MixesAccesses || All.isOutermost(Of);
  return !Of.InChain && Of.Is && !Of.OnlyNearest && (Level == "dram" || All.isOutermost(Of));
}

/// A kernel on different numbers of pages. The larger ones exceed a processor's translation
/// lookaside buffers (TLB), which have one to four thousand entries today.
static void addByPages(const Kernel &Of, std::uint64_t FreeBytes, std::vector<Probe> &Into) {
  for (unsigned Pages : {512, 1024, 1536, 2048, 3072, 4096, 6144, 8192}) {
    Probe New;
    New.Of = &Of;
    New.Pages = Pages;
    New.Bytes = New.Visit = std::uint64_t(Pages) / Of.Operations * Of.StepBytes;
    if (2 * New.Bytes <= FreeBytes)
      Into.push_back(New);
  }
}

/// The probes of a kernel with streams.
static void addAt(const std::vector<DataPlace> &Places, const Kernel &Of, const Widths &All,
                  unsigned Threads, std::vector<Probe> &Into) {
  const unsigned Streams = Of.Reads + Of.Writes;
  const std::uint64_t Unit = std::max<std::uint64_t>(PageBytes, Of.StepBytes * Of.Columns);
  for (const DataPlace &At : Places) {
    if (Of.OnlyNearest && At.Level != Places.front().Level)
      break;
    if (!isWanted(Of, All, Threads, At.Level))
      continue;
    const bool IsMemory = At.Level == "dram";
    Probe New;
    New.Of = &Of;
    New.Threads = Threads;
    New.Level = At.Level;
    New.Bytes = At.Bytes / Streams / Unit * Unit;
    New.Visit = Of.Columns > 1 ? New.Bytes / Of.Columns
                : IsMemory     ? std::min(New.Bytes, VisitBytes / Unit * Unit)
                               : New.Bytes;
    New.Bytes -= New.Visit ? New.Bytes % New.Visit : 0;
    if (New.Bytes)
      Into.push_back(New);
  }
}

Probe memoryStream(std::uint64_t Bytes, unsigned Threads) {
  const auto All = runnableKernels();
  const auto Loads = std::ranges::find_if(All, [](const Kernel *Each) {
    return std::string_view(Each->Operation) == "load" && Each->Type == ElementType::F64 &&
           Each->Bits == 64;
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
    const std::vector<DataPlace> Places = placesFor(M, Threads, Result.LeftOut);
    for (const Kernel *Each : runnableKernels()) {
      if (Each->ByPages) {
        if (Threads == 1)
          addByPages(*Each, M.FreeBytes, Result.Probes);
      } else if (Each->StepBytes) {
        addAt(Places, *Each, All, Threads, Result.Probes);
      } else if (isWanted(*Each, All, Threads)) {
        Probe &New = Result.Probes.emplace_back();
        New.Of = Each;
        New.Threads = Threads;
      }
    }
  }
  for (Probe &Each : Result.Probes)
    Each.Name = probeName(Each);
  return Result;
}

} // namespace ergon
