//===- Operations.h - what an operation counts as ---------------*- C++ -*-===//
//
// The vocabulary between the tables of opcodes, intrinsics and PTX, and the cost
// classes. docs/counting-rules.md says the same in words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/CostClass.h"
#include "passes/ir/LLVM.h"

#include <utility>

namespace ergon {

/// How often each class is counted in straight-line code: the few that are, in their order.
class Tally {
public:
  /// Adds \p Times units of the class.
  void add(CostClass Class, long Times);
  /// Adds the counts of \p More class by class.
  Tally &operator+=(const Tally &More);
  /// How often the class is counted; 0 where it is not.
  long operator[](CostClass Class) const;
  /// Whether nothing is counted; the counted classes with their numbers, in the order of CostClass.
  bool empty() const { return Counted.empty(); }
  auto begin() const { return Counted.begin(); }
  auto end() const { return Counted.end(); }

private:
  SmallVector<std::pair<CostClass, long>, 4> Counted;
};

/// What an operation is, before its type and lanes.
enum class Operation {
  Free,
  Flop,
  Division,
  Root,
  Fused,
  Special,
  FloatOther,
  Integer,
  Multiply,
  MultiplyAdd, ///< of integers: a multiplication and an addition
  Divide,
  Barrier
};

/// The floating-point type of \p T or of its elements.
FloatType floatTypeOf(const llvm::Type *T);
/// How many values \p T holds: the elements of a vector, else 1.
long lanesOf(const llvm::Type *T);

/// Counts \p Lanes times \p What; \p Type says nothing of an integer's.
void addOperation(Operation What, FloatType Type, Tally &Sum, long Lanes);
/// Counts one load and one store of as many bytes in \p Where; zero bytes are none.
void addAccess(Space Where, long BytesRead, long BytesWritten, Tally &Sum);

} // namespace ergon
