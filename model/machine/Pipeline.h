//===- Pipeline.h - rates and latencies of one core -------------*- C++ -*-===//
//
// What the time of code on a CPU depends on beyond a roofline: latencies, rates by operand width,
// bandwidth by level, access kind and threads. Measured by `ergon calibrate`;
// machine-profiles/README.md describes the keys.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A number with its 95 % confidence interval.
struct MeasuredQuantity {
  Quantity Median;
  double Low = 0, High = 0;
};

/// An operation of one type and width, by one thread.
struct PipelineOperation {
  /// `add mul fma div sqrt exp log sin`; `max`, a comparison and a choice; `convert`, one of two
  /// conversions to another type and back: f64 with f32, i64 with f64, i32 with f32; `shuffle`, all
  /// lanes in reverse order; `logic`, `shift` by a constant; `store_forward`, a store and a load of
  /// the same address; `mispredict`, the cost of a mispredicted branch; `jump`, an iteration of an
  /// empty loop.
  std::string Operation;
  std::string Type;  ///< `f32 f64 i32 i64`
  unsigned Bits = 0; ///< of an operand: of its type for one lane
  /// Latency in seconds from an operand to a dependent result.
  std::optional<MeasuredQuantity> LatencyS;
  /// Instructions per second; each does one operation per lane.
  std::optional<MeasuredQuantity> PerS;
};

/// Accesses to data in one level.
struct PipelineStream {
  std::string Level; ///< `l1 l2 l3 dram`
  /// `load store copy`, sequential; `update`, load and store the same; `triad`, load two streams
  /// and store a third; `load4`, load four; `gather4`, `gather8`, load lanes of 4 or 8 bytes by a
  /// vector of indexes; `scatter4`, `scatter8`, store them. 8 bytes per line: `load_runs`, of runs
  /// of 16 lines with as many between; `load_line`, `load_4_lines`, of each (fourth) line;
  /// `load_beside`, `store_beside`, sequential from 8 bytes after a vector's boundary; `load_page`,
  /// with a page and a line between; `load_random`, of random lines whose addresses are known in
  /// advance; `load_sum`, sequential, of main memory alone, each added to the one before.
  std::string Access;
  unsigned Bits = 0; ///< of an access
  unsigned Threads = 1;
  /// Loaded and stored bytes per second, of all threads.
  MeasuredQuantity BytesPerS;
};

/// A pass over data in main memory that no cache has, by one thread.
struct PipelinePass {
  /// As of a stream; `follow`, of a list; `load_add16`, with 16 additions each.
  std::string Access;
  unsigned Bits = 0;          ///< of an access
  double FetchedBytes = 0;    ///< of the lines that it fetches
  MeasuredQuantity BytesPerS; ///< loaded and stored
};

struct PipelineLatency {
  std::string Level;
  MeasuredQuantity LatencyS; ///< of a load whose address comes from an earlier load
};

/// A load from each of this many pages in turn: slower with TLB misses.
struct PipelineTranslation {
  unsigned Pages = 0;
  MeasuredQuantity LoadS;
};

/// Random branches whose sequence repeats after this many.
struct PipelineRepeated {
  unsigned Branches = 0;
  /// The misprediction rate relative to branches that never repeat: up to 1.
  MeasuredQuantity Mispredicted;
};

/// The share of a single thread's rate that each of several threads gets.
struct PipelineShare {
  unsigned Threads = 1;
  MeasuredQuantity Busy;    ///< of issued instructions
  MeasuredQuantity Waiting; ///< of dependence chains
};

struct Pipeline {
  std::optional<MeasuredQuantity> CoreHz; ///< cycles per second during the measurement
  /// Simple operations of all kinds that a thread issues per second.
  std::optional<MeasuredQuantity> IssuePerS;
  /// Chained instructions in flight per thread, behind the oldest waiting one.
  std::optional<MeasuredQuantity> SchedulerWindow;
  /// Issue slots of all instructions in flight, for chains with independent instructions beside
  /// them.
  std::optional<MeasuredQuantity> ReorderWindow;
  std::vector<PipelineShare> Shares;
  std::vector<PipelineOperation> Operations;
  std::vector<PipelineStream> Streams;
  std::vector<PipelinePass> Passes; ///< fewest bytes first
  std::vector<PipelineLatency> Latencies;
  std::vector<PipelineTranslation> Translations; ///< fewest pages first
  std::vector<PipelineRepeated> Repeated;        ///< fewest branches first
};

} // namespace ergon
