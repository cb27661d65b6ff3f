//===- ProgramValues.h - what a program makes of its arguments --*- C++ -*-===//
#pragma once

#include "model/code/Value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon::code {

/// What files hold, by the names that a program opens them by.
using FileTexts = std::map<std::string, std::string, std::less<>>;

/// A cache of the processor, as code finds it by `cpuid`.
struct ProcessorCache {
  unsigned Level;
  std::uint64_t Bytes, LineBytes = 64, Ways = 8;
};

/// What a program is taken to be called by: the name that compilers give, in the folder where it
/// runs.
inline constexpr std::string_view AssumedName = "./a.out";

/// A GPU, as code finds it by CUDA's runtime.
struct GpuProperties {
  std::uint64_t Multiprocessors, ThreadsOfMultiprocessor; ///< how many, resident at most
  std::uint64_t Major, Minor;                             ///< its compute capability
};

/// What code can ask the machine for.
struct Hardware {
  std::vector<ProcessorCache> Caches{};
  std::optional<GpuProperties> Gpu{};
  std::optional<std::uint64_t> Threads{}; ///< that run an OpenMP region; one where it is not given
};

/// How a program is called.
struct CommandLine {
  std::vector<std::string> Words; ///< its arguments, without its own name
  FileTexts Files{};              ///< those that it may read
  bool HasRun = false;            ///< with these, and was measured: its code tells the rest
  Hardware On{};
};

/// How a function is called by code that nobody sees, for the first time.
struct EntryCall {
  /// A number in memory that a pointer leads to.
  struct Held {
    std::vector<std::int64_t> Path; ///< offsets in bytes, as of a Cell
    unsigned Bytes;
    Value What;
  };
  /// A number, where it is known; or a pointer to known numbers.
  struct Argument {
    Value What{};
    std::vector<Held> Behind{};
  };
  std::string Function; ///< its name in its code
  std::vector<Argument> Arguments;
  Hardware On{};
};

/// What real numbers are that the code computes with and that are not known: anything; or
/// ordinary, so that no test for an unusual one holds.
enum class UnknownNumbers { Any, Ordinary };

/// A kernel's first launch.
struct LaunchValues {
  /// Blocks and threads along x, y and z.
  std::array<std::optional<std::uint64_t>, 3> Grid, Block;
  std::optional<std::uint64_t> SharedBytes; ///< of dynamic shared memory
  /// By argument: the integers that it holds, as bits, by their offset in bytes.
  struct Number {
    std::uint64_t Bits;
    unsigned Bytes;
    bool operator==(const Number &) const = default;
  };
  std::vector<std::map<std::int64_t, Number>> Arguments;
  bool operator==(const LaunchValues &) const = default;
};

/// What a call through a pointer calls.
struct PointerTargets {
  std::map<std::string, std::uint64_t> Times; ///< by the function's name in its code
  bool AreCounted = true;                     ///< else how often is not known
  bool AreAll = true;                         ///< false: those of the beginning of a run
  bool operator==(const PointerTargets &) const = default;
};

/// What a program makes of its arguments.
struct ProgramValues {
  /// A symbol's value, where it is the same each time: by the names of its function and itself.
  std::map<std::string, std::map<std::string, std::int64_t>> Symbols;
  /// Those of global variables that have the same value when main begins and at the end.
  std::map<std::string, std::int64_t> Globals;
  struct Mean {
    std::int64_t Sum = 0;
    std::uint64_t Times = 0;
    std::pair<std::int64_t, std::int64_t> Range{}; ///< of one visit
    bool IsBeginning = false; ///< over the first visits: later ones may be different
    bool IsLast = false;      ///< what a run leaves in a global: before, it may be different
    bool IsOrdinary = false;  ///< of a run in which unknown numbers are ordinary
    bool operator==(const Mean &) const = default;
    /// Adds the visits of \p Other; false where the sum is too large.
    bool add(const Mean &Other) {
      Range = Times == 0 ? Other.Range
                         : std::pair(std::min(Range.first, Other.Range.first),
                                     std::max(Range.second, Other.Range.second));
      Times += Other.Times;
      IsBeginning |= Other.IsBeginning;
      return !__builtin_add_overflow(Sum, Other.Sum, &Sum);
    }
  };
  /// Of those that were not the same each time, but known: over all visits.
  std::map<std::string, std::map<std::string, Mean>> Means;
  /// Of those, what was so much less on each visit: an Input's symbol of their function. Where
  /// numbers are ordinary.
  struct Like {
    std::string Symbol;
    std::int64_t More;
  };
  std::map<std::string, std::map<std::string, Like>> Likes;
  /// Names of symbols that had unknown values on some visit of some function.
  std::set<std::string> Varying;
  /// Of these, by name, those whose values are known nevertheless: their means are estimates, as
  /// counts may depend on which visit has which value.
  std::map<std::string, Mean> Estimates;
  /// Names of those that no visited code has: no count depends on their values.
  std::set<std::string> Unvisited;
  /// Calls through pointers, by the names of their function and their symbol.
  std::map<std::string, std::map<std::string, PointerTargets>> Calls;
  /// By kernel, mangled.
  std::map<std::string, LaunchValues> First;
  std::set<std::string> FilesRead; ///< that it depends on
  bool AsksForCaches = false;      ///< of the processor
  bool ReadsName = false;          ///< its own, which is AssumedName
  bool AsksForGpu = false;         ///< and what it says is known
  bool OrdinaryMatters = false;    ///< where it matters whether real numbers are ordinary
  /// Code that is not seen may have called functions whose address is taken.
  bool CallsUnseen = false;
};

} // namespace ergon::code
