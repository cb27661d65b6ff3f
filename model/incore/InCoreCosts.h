//===- InCoreCosts.h - in-core costs of instructions ------------*- C++ -*-===//
//
// The time that a core needs for a mix of instructions, from rates and latencies measured on it:
// the longest of front-end issue, port pressure of each group of units, and the latency of a
// dependence chain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Pipeline.h"
#include "model/program/Instructions.h"

#include <set>
#include <string>
#include <string_view>

namespace ergon {

/// The narrowest vector.
inline constexpr unsigned VectorBits = 128;

/// Names of the streams of a profile that the model uses; calibration measures streams by these
/// names.
inline constexpr std::string_view StreamNames[] = {
    "load",         "load4",        "store",     "copy",      "update",      "triad",
    "gather4",      "gather8",      "scatter4",  "scatter8",  "load_line",   "load_beside",
    "load_4_lines", "store_beside", "load_runs", "load_page", "load_random", "load_sum"};

/// A time and its bottleneck.
struct BoundTime {
  double S = 0;
  std::string Bound = "none";

  /// Raises the time to \p OtherS seconds, and sets the bottleneck, if that is longer.
  void atLeast(double OtherS, std::string_view Other) {
    if (OtherS > S)
      *this = {OtherS, std::string(Other)};
  }
};

class InCoreCosts {
public:
  /// For one of \p Threads concurrent threads. \p P must outlive it.
  explicit InCoreCosts(const Pipeline &P, unsigned Threads = 1);

  /// Seconds that \p Mix keeps a core busy without dependences: the longest of `issue` and the
  /// units' times.
  BoundTime busyS(const InstructionMix &Mix) const;
  /// Latency of \p Chain in seconds, whose loads take \p LoadS.
  double chainS(const InstructionMix &Chain, double LoadS) const;
  /// Latency in seconds of a dependent load from that level; 0 where the profile has none. Of main
  /// memory, in a loop that fetches \p FetchedBytes from it; 0: more than every cache has.
  double loadS(std::string_view Level, double FetchedBytes = 0) const;
  /// Of main memory's time and that of a core that waits for its own results, the share of the
  /// shorter one that is not hidden, in a loop that fetches \p FetchedBytes.
  double notHidden(double FetchedBytes) const;
  /// Seconds that a line of \p LineBytes from main memory takes more where a loop that fetches \p
  /// FetchedBytes issues \p WorkSlots for each line, beside loads and stores: the more, the fewer
  /// lines ahead the core asks for. 0 where it was not measured.
  double lookaheadS(double WorkSlots, double FetchedBytes, double LineBytes) const;
  /// Seconds lost by a branch misprediction; 0 where the profile does not say.
  double mispredictS() const;
  /// The share of it that remains for branches that repeat after \p SoMany of them; 1 where the
  /// profile does not say.
  double repeatedShare(double SoMany) const;
  /// The share of its latency that a chain of \p Instructions does not overlap with independent
  /// code after it. Everything executed with it takes \p Slots.
  double chainShare(double Instructions, double Slots) const;
  /// Seconds to issue that many slots in that many pieces, each ended by a jump.
  double issueS(double Slots, double Pieces) const;
  /// Bytes per second of one thread's sequential accesses to a level, with operands of \p Bits or
  /// the nearest measured width; without a width, the best vector width. Of main memory, in a loop
  /// that fetches \p FetchedBytes from it; 0: more than every cache has.
  std::optional<double> bytesPerS(std::string_view Level, std::string_view Access,
                                  std::optional<unsigned> Bits = {}, double FetchedBytes = 0) const;
  /// Whether the profile has passes over flushed data.
  bool hasPasses() const { return !Core.Passes.empty(); }
  /// How far a loop that fetches so many bytes is from the longest measured pass of \p Access,
  /// of which caches keep what is stored to, to streams of more than these have: 0 to 1.
  double farShare(std::string_view Access, unsigned Bits, double FetchedBytes) const;
  /// The slowdown of vector loads or stores that step by a vector from an unaligned address, as
  /// some cross a boundary of \p LineBytes.
  double besideFactor(std::string_view Access, unsigned Bits, double LineBytes) const;
  /// Instruction kinds that the profile has no cost for: only their issue slots count.
  const std::set<std::string> &unpriced() const { return Unpriced; }

private:
  const Pipeline &Core;
  unsigned Threads;
  double Busy = 1, Waiting = 1; ///< relative to a single thread
  mutable std::set<std::string> Unpriced;

  std::optional<double> farBytesPerS(std::string_view Level, std::string_view Access,
                                     std::optional<unsigned> Bits, unsigned Together) const;
  std::vector<const PipelinePass *> passesOf(std::string_view Access,
                                             std::optional<unsigned> Bits) const;
  std::optional<double> passPerS(std::string_view Access, std::optional<unsigned> Bits,
                                 double FetchedBytes, std::optional<double> FarPerS) const;
  std::optional<double> accessesPerS(std::string_view Stream, unsigned Bits) const;
  std::optional<double> byIndexPerS(std::string_view Access, const InstructionKind &Kind) const;
  std::optional<double> perS(const InstructionKind &Kind) const;
  /// The stream for that many threads, with operands of \p Bits or the widest, or the nearest to
  /// it.
  const PipelineStream *find(std::string_view Level, std::string_view Access, unsigned Threads,
                             std::optional<unsigned> Bits) const;
  const PipelineOperation *find(const InstructionKind &Kind,
                                std::optional<MeasuredQuantity> PipelineOperation::*O) const;
};

} // namespace ergon
