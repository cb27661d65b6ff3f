//===- Kernels.h - loops whose time is to be measured -----------*- C++ -*-===//
//
// Each kernel is a loop whose operations are known. Files that are compiled for other instruction
// sets include this header too, so it has no code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace ergon {

/// The data of a kernel.
struct KernelFrame {
  std::size_t Iterations = 1;
  /// Of kernels with streams: these are on a cache line's boundary, A is written.
  unsigned char *A = nullptr;
  const unsigned char *B = nullptr, *C = nullptr, *D = nullptr, *E = nullptr;
  std::size_t Bytes = 0; ///< of each stream
  std::size_t Visit = 0; ///< of each stream, in an iteration: a part of Bytes, of whole steps
  /// Where in the streams, in bytes, the next iteration starts; kept from call to call.
  std::size_t *Offset = nullptr;
};

/// What a step executes, all lanes of it: see the cost classes. Flops of a fused operation are 2.
struct KernelCounts {
  unsigned Flops = 0, Fma = 0, Div = 0, Sqrt = 0, Special = 0;
  unsigned FpOther = 0, IntOps = 0, IntMul = 0, IntDiv = 0, Shuffles = 0, Branches = 0;
  unsigned Loads = 0, Stores = 0, LoadBytes = 0, StoreBytes = 0;
};

enum class ElementType { F32, F64, I32, I64 };

struct Kernel {
  const char *Operation; ///< `add`, `load`, …
  ElementType Type;
  unsigned Bits;          ///< of an operand: those of the type for one lane
  bool InChain;           ///< each operation waits for the one before
  bool IsIsolated = true; ///< measures one thing alone; else a mixture of what others measure
  /// Of kernels that access memory, the streams they only read and those they write, and how many
  /// bytes of each a step takes. Without streams, an iteration is a step.
  unsigned Reads = 0, Writes = 0, StepBytes = 0;
  unsigned Operations; ///< of a step: instructions of the kind that is measured
  KernelCounts Step{};
  void (*Run)(const KernelFrame &);
  /// The number of iterations that go through all data, where each goes through a part of every
  /// page.
  unsigned Columns = 1;
  /// Of a step: bytes of the second stream, which says where in the first to load.
  unsigned IndexBytes = 0;
  bool OnlyNearest = false; ///< is of interest for data in L1 alone
  bool OnlyMemory = false;  ///< is of interest for data in main memory alone
  bool ByPages = false;     ///< is of interest for numbers of pages, whatever level has the data
};

/// Kernels of one instruction set.
struct KernelList {
  const Kernel *Begin;
  std::size_t Size;
  bool (*CanRun)(); ///< whether this processor has it
};

/// Those for any processor of the architecture, those with AVX2 and FMA, with AVX-512; the latter
/// are empty where the architecture is another.
KernelList kernelsBase();
KernelList kernelsAvx2();
KernelList kernelsAvx512();

} // namespace ergon
