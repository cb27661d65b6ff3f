//===- Probes.h - what is measured to know a processor ----------*- C++ -*-===//
//
// A probe is a kernel on data of a size that lives in one level of memory, on one thread or on
// all. The table of probes follows from the kernels that this processor can run and from its
// caches.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Kernels.h"
#include "model/machine/Caches.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// `f32`, `f64`, `i64`.
std::string_view name(ElementType T);

/// Part of the names of probes whose data are flushed.
inline constexpr std::string_view FlushedName = "-flushed";

struct Probe {
  std::string Name; ///< such as `load-f64-256-l2-1thread`
  const Kernel *Code = nullptr;
  std::string Level; ///< `l1` … `dram` where the data are; empty where there are none
  unsigned Threads = 1;
  std::uint64_t Bytes = 0; ///< of each stream, for each thread
  std::uint64_t Visit = 0; ///< of these, in an iteration of the kernel: a whole part
  unsigned Pages = 0;      ///< that an iteration loads from, where that is what it is about
  /// The data are flushed from all caches before each iteration, which goes through all of them.
  bool IsFlushed = false;

  /// Steps of a thread in an iteration of the kernel.
  std::uint64_t steps() const { return Code->StepBytes ? Visit / Code->StepBytes : 1; }
  /// Iterations after which all data are in the level where they stay. Data in memory need none,
  /// but their page tables stay in caches: of data out of order, each page must have been accessed.
  std::uint64_t warmUp() const;
  /// Bytes of the lines that an iteration fetches, of all streams of a thread.
  std::uint64_t fetchedBytes(unsigned LineBytes) const;
  /// Units of every cost class, of all threads, in \p Iterations of the kernel. Bytes of a level
  /// are of whole lines, of a store that misses twice: fetched, and written back.
  std::map<std::string, double> counts(std::uint64_t Iterations, unsigned LineBytes) const;
};

/// The machine that probes are made for.
struct ProbedMachine {
  std::vector<Cache> Caches;   ///< nearest the core first
  unsigned Threads = 1;        ///< that can run at once
  std::uint64_t FreeBytes = 0; ///< of memory
  /// Bytes of a line of the first cache that states one; 64 where none does.
  unsigned lineBytes() const;
};

/// A level and how many bytes of data a thread has in it.
struct DataSize {
  std::string Level;
  std::uint64_t Bytes = 0;
};

/// Sizes of data for each level, with \p Threads at work. For a cache it is the geometric mean of a
/// thread's part of it and of the one before, where the cache has twice the bytes of the one
/// before: far enough from both, also where others use the cache. For the first cache it is half of
/// it. For main memory it is four times all caches, twice where there is not the memory for what a
/// probe needs then. \p LeftOut gets a phrase for each level that cannot be measured.
std::vector<DataSize> dataSizes(const ProbedMachine &M, unsigned Threads,
                                std::vector<std::string> &LeftOut);

struct ProbeTable {
  std::vector<Probe> Probes;
  /// Levels that cannot be measured, each with a phrase that says why.
  std::vector<std::string> LeftOut;
};

/// Whether a program may flush lines from all caches here.
bool canFlush();

/// All probes, in a fixed order.
ProbeTable probesFor(const ProbedMachine &M);

/// The probe of the narrowest loads in order from memory, on that many bytes of each thread.
Probe memoryStream(std::uint64_t Bytes, unsigned Threads);

/// Every kernel that this processor can run.
std::vector<const Kernel *> runnableKernels();

} // namespace ergon
