//===- BlockTally.h - what code counts, line by line ------------*- C++ -*-===//
//
// Adds up what the instructions of code that runs equally often count, together and for each line
// of the source that they come from.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ANALYSIS_BLOCKTALLY_H
#define ERGON_PASSES_ANALYSIS_BLOCKTALLY_H

#include "model/program/Function.h"
#include "passes/opcodes/Operations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class DIFile;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace ergon {
class OperationCounts;

class BlockTally {
public:
  /// Adds what one run of \p I costs, to the block and to the line that \p I comes from.
  void add(const llvm::Instruction &I, const OperationCounts &Opcodes);
  /// Adds it all to \p Target, a block of \p F.
  void addTo(Block &Target, const llvm::Function &F) const;

private:
  using Line = std::pair<const llvm::DIFile *, unsigned>;

  Tally All;
  std::vector<std::pair<Line, Tally>> Lines;
  llvm::DenseMap<Line, std::size_t> LineAt; ///< where in `Lines`
};

/// Adds \p Amount to what a run of \p Target counts, as a part of the line of \p I in \p F.
void addAt(const llvm::Instruction &I, const llvm::Function &F, CostClass Class, const Expr &Amount,
           Block &Target);

/// The source files that positions of \p Functions name, as far as the debug information of \p M
/// has their checksums. Where it has none at all, as of device code, that of \p Source, the main
/// file, is computed.
std::vector<SourceFile> sourceFiles(const llvm::Module &M, const std::vector<Function> &Functions,
                                    llvm::StringRef Source);

} // namespace ergon

#endif
