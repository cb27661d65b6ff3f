//===- AccessItems.h - items of an access program ---------------*- C++ -*-===//

#pragma once

#include "model/access/AccessProgram.h"

#include <set>

namespace ergon {

/// Adds an access to \p Result. An access whose address depends on a condition becomes two simple
/// ones.
void addByCase(const Expr &Runs, MemoryAccess Access, std::vector<AccessItem> &Result,
               unsigned Cases = 0);

/// One loop that alternates between the iterations of \p Turns, which differ only in what they
/// execute.
AccessNest joinTurns(std::vector<AccessNest> Turns);

/// Substitutes symbols in the offsets of all accesses of \p Result.
void substituteInOffsets(AccessNest &Result, const Substitution &Values);

/// The number of the object of this name, which is added if missing.
unsigned objectNamed(MemoryObject Object, AccessProgram &Program);

/// Adds the table loads of the mathematical functions in \p Mix.
void addTableLoads(const InstructionMix &Mix, const Expr &Runs, const Function &F,
                   AccessNest &Result, AccessProgram &Program);

/// Whether, as far as is known, it accesses no host memory.
bool isPure(const Function &Library);

/// Number of operations in \p L and its inner loops.
std::uint64_t operationsIn(const Loop &L);

/// Adds the symbols of counts, trip counts and offsets of \p Nest to \p Symbols.
void collectSymbols(const AccessNest &Nest, std::set<std::string> &Symbols);

} // namespace ergon
