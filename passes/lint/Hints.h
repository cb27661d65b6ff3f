//===- Hints.h - operations that could be cheaper ---------------*- C++ -*-===//
//
// Single operations that cost more than they had to, as only the IR shows them. What they cost is
// said by class; what to say of them, and whether, is `ergon lint`'s part.
//
//   double_promotion   operations in double between floats: a literal or a function of the library
//                      made them so. Detail: `0.1`, `sin`, or `double`
//   constant_division  a division by a constant in an innermost loop. Detail: the constant
//   invariant_division one by what that loop does not change. Detail: its name, or nothing
//   not_vectorized     of a loop (passes/incore/VectorRemarks.h). Detail: LLVM's words
//   invariant_transfer, redundant_copy  between host and device (passes/lint/TransferHints.h)
//   constant_power     `pow` of a whole or half exponent of at most 16. Detail: the exponent
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

#include <vector>

namespace ergon {
class OperationCounts;
struct AnalysisContext;
class TransferHints;

class HintFinder {
public:
  HintFinder(const AnalysisContext &Context, const OperationCounts &Opcodes,
             TransferHints &Transfers)
      : Context(Context), Opcodes(Opcodes), Transfers(Transfers) {}

  /// Adds what \p I shows.
  void add(const Instruction &I, std::vector<Hint> &Hints) const;

private:
  const AnalysisContext &Context;
  const OperationCounts &Opcodes;
  TransferHints &Transfers;

  void addPromotion(const Instruction &I, std::vector<Hint> &Hints) const;
  void addDivision(const Instruction &I, std::vector<Hint> &Hints) const;
  void addPower(const Instruction &I, std::vector<Hint> &Hints) const;
};

} // namespace ergon
