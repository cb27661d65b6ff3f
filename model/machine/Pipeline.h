//===- Pipeline.h - what one core does how fast -----------------*- C++ -*-===//
//
// What a roofline does not need and the time of code on a CPU depends on: latencies, rates by
// the width of operands, bandwidth by level, kind of access and threads. Measured by
// `ergon calibrate`; machine-profiles/README.md describes the keys.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_PIPELINE_H
#define ERGON_MODEL_MACHINE_PIPELINE_H

#include "model/machine/Quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A number, and where it lies with 95 %.
struct MeasuredQuantity {
  Quantity Median;
  double Low = 0, High = 0;
};

/// An operation of one type and width, by one thread.
struct PipelineOperation {
  /// `add mul fma div sqrt exp log sin`; `max`, a comparison and a choice; `convert`, one of two
  /// that go to another type and back: f64 with f32, i64 with f64, i32 with f32; `shuffle`, all
  /// lanes in reverse order; `logic`, `shift` by a constant; `store_forward`, a store and a load of
  /// the same place; `mispredict`, what a branch costs that goes the other way than the processor
  /// guessed; `jump`, an iteration of a loop of nothing.
  std::string Operation;
  std::string Type;  ///< `f32 f64 i32 i64`
  unsigned Bits = 0; ///< of an operand: those of the type for one lane
  /// Seconds from an operand to the result that the next one waits for.
  std::optional<MeasuredQuantity> LatencyS;
  /// Instructions a second; each does as many operations as it has lanes.
  std::optional<MeasuredQuantity> PerS;
};

/// Accesses to data that lie in one level.
struct PipelineStream {
  std::string Level; ///< `l1 l2 l3 dram`
  /// `load store copy`, in order; `update`, load and store the same; `triad`, load two streams
  /// and store a third; `load4`, load four; `gather4`, `gather8`, load lanes of 4 or 8 bytes by a
  /// vector of indexes. 8 bytes of a line each: `load_line`, `load_4_lines`, of each (fourth) line;
  /// `load_beside`, `store_beside`, in order from 8 bytes behind a vector's boundary;
  /// `load_page`, with a page and a line between; `load_random`, of lines in no order, with
  /// addresses that are known before.
  std::string Access;
  unsigned Bits = 0; ///< of an access
  unsigned Threads = 1;
  /// Loaded and stored bytes a second, of all threads.
  MeasuredQuantity BytesPerS;
};

struct PipelineLatency {
  std::string Level;
  MeasuredQuantity LatencyS; ///< of a load whose address an earlier one gave
};

/// A load from each of so many pages in turn: more where their places have to be looked up.
struct PipelineTranslation {
  unsigned Pages = 0;
  MeasuredQuantity LoadS;
};

/// Branches that go one way or the other in no order, but in the same one after so many again.
struct PipelineRepeated {
  unsigned Branches = 0;
  /// The share that is mispredicted all the same, of what is where they never come again: to 1.
  MeasuredQuantity Mispredicted;
};

/// What each of several threads has of what one alone does.
struct PipelineShare {
  unsigned Threads = 1;
  MeasuredQuantity Busy;    ///< of instructions that a thread begins
  MeasuredQuantity Waiting; ///< of chains, where each waits for the one before
};

struct Pipeline {
  std::optional<MeasuredQuantity> CoreHz; ///< cycles a second while this was measured
  /// Simple operations of all kinds together that a thread begins in a second.
  std::optional<MeasuredQuantity> IssuePerS;
  /// Instructions of chains that a thread has in work at once, behind the oldest one that waits.
  std::optional<MeasuredQuantity> Window;
  /// Slots of all instructions that are in work at once, of chains whose instructions have others
  /// beside them.
  std::optional<MeasuredQuantity> SlotWindow;
  std::vector<PipelineShare> Shares;
  std::vector<PipelineOperation> Operations;
  std::vector<PipelineStream> Streams;
  std::vector<PipelineLatency> Latencies;
  std::vector<PipelineTranslation> Translations; ///< fewest pages first
  std::vector<PipelineRepeated> Repeated;        ///< fewest branches first
};

} // namespace ergon

#endif
