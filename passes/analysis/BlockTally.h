//===- BlockTally.h - counts by source line ---------------------*- C++ -*-===//
//
// Adds up the counts of instructions with the same execution count, in total and by source line.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/opcodes/Operations.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ergon {
class OperationCounts;

class BlockTally {
public:
  /// Adds the counts of one run of \p I to the block and its line.
  void add(const Instruction &I, const OperationCounts &Opcodes);
  /// Adds the result to \p Target, a block of \p F.
  void addTo(Block &Target, const llvm::Function &F) const;

private:
  using Line = std::pair<const llvm::DIFile *, unsigned>;

  Tally All;
  std::vector<std::pair<Line, Tally>> Lines;
  llvm::DenseMap<Line, std::size_t> LineAt; ///< index in `Lines`
};

/// Adds \p Amount to the counts of \p Target, for the line of \p I in \p F.
void addAt(const Instruction &I, const llvm::Function &F, CostClass Class, const Expr &Amount,
           Block &Target);

/// The source files in positions of \p Functions with a checksum in the debug information of \p M.
/// If it has none at all, as for device code, computes that of \p Source, the main file.
std::vector<SourceFile> sourceFiles(const llvm::Module &M, const std::vector<Function> &Functions,
                                    StringRef Source);

} // namespace ergon
