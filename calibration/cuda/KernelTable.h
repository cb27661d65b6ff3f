//===- KernelTable.h - what the kernels for a GPU execute -------*- C++ -*-===//
//
// The operations of Kernels.cu in numbers. test/calibration/gpu-counts.test compares them with what
// Ergon records of the source, what a run on a CPU counts, and the instructions of the PTX.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Occupancy.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ergon::cuda {

/// Units by cost class.
using Counts = std::map<std::string, double>;

enum class Pattern {
  Operations, ///< in registers: `in` has operands, as Kernels.cu says
  Tiles,      ///< of a warp, by tensor cores
  Shared,     ///< shared memory
  Near,       ///< every block goes over all words
  Stream,     ///< all blocks together go over all words
  Random,     ///< words of sectors anywhere
  Lines,      ///< words of which each thread of a warp has one in a line of its own
  Walk,       ///< one thread, each of whose loads waits for the one before
  Nothing,    ///< a launch alone
  Blocks,     ///< a launch of many blocks
};

/// What operands are.
enum class Operand { F16, Bf16, F32, F64, I8, I32 };

struct KernelCode {
  std::string Name; ///< in the fat binary
  std::string Operation, Type;
  Pattern Runs;
  Operand Inputs;
  Counts Once{};                      ///< of each thread, but for whole numbers' own arithmetic
  Counts Round{};                     ///< of each thread in each iteration
  Counts Chunk{};                     ///< of each four words of a stream
  unsigned WordBytes = 0;             ///< of streams
  bool Reads = false, Writes = false; ///< streams
  ComputeCapability Least{};          ///< that has it
  std::string Measures{}; ///< the class that it is for; empty: a mixture of what others measure
};

/// A walk measures `walk_<level>`, steps of a time, which is no class of costs.
inline constexpr std::string_view WalkPrefix = "walk_";
/// Loads of one iteration of a walk.
inline constexpr unsigned WalkLoads = 8;

/// All of them, in a fixed order.
const std::vector<KernelCode> &kernelTable();

/// What a launch with so many threads in all executes. \p Blocks of them go over the words of Near.
Counts countsOf(const KernelCode &Code, double Iterations, double Threads, double Blocks,
                double Words);

} // namespace ergon::cuda
