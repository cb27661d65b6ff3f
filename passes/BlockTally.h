//===- BlockTally.h - what code costs, line by line -------------*- C++ -*-===//
//
// Adds up what the instructions of code that runs equally often cost, together and for each line
// of the source that they come from.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_BLOCKTALLY_H
#define ERGON_PASSES_BLOCKTALLY_H

#include "model/Function.h"
#include "passes/Operations.h"

#include <map>
#include <string>
#include <utility>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace ergon {
class OperationCosts;

class BlockTally {
public:
  void add(const llvm::Instruction &I, const OperationCosts &Costs);
  /// Adds it all to \p Into, a block of \p Of.
  void addTo(Block &Into, const llvm::Function &Of) const;

private:
  Tally All{};
  std::map<std::pair<std::string, unsigned>, Tally> Lines; ///< by file and line
};

/// Adds \p Amount to what a run of \p Into costs, as a part of the line of \p At in \p Of.
void addAt(const llvm::Instruction &At, const llvm::Function &Of, CostClass Class,
           const Expr &Amount, Block &Into);

/// The source files that positions of \p Functions name, as far as the debug information of \p M
/// has their checksums.
std::vector<SourceFile> sourceFiles(const llvm::Module &M, const std::vector<Function> &Functions);

} // namespace ergon

#endif
