//===- AccessItems.h - parts of a program of accesses -----------*- C++ -*-===//

#ifndef ERGON_MODEL_ACCESS_ACCESSITEMS_H
#define ERGON_MODEL_ACCESS_ACCESSITEMS_H

#include "model/access/AccessProgram.h"

namespace ergon {

/// Adds an access to \p Result. One that goes to one place where a condition holds and to another
/// where it does not is two: each is then plain.
void addByCase(const Expr &Runs, MemoryAccess Access, std::vector<AccessItem> &Result,
               unsigned Cases = 0);

/// One loop whose iterations are those of \p Turns in turn. They differ in nothing but what runs.
AccessNest joinTurns(std::vector<AccessNest> Turns);

/// Puts values for symbols in the offsets of all accesses of \p Result.
void substituteInOffsets(AccessNest &Result, const Substitution &Values);

/// The number of the object of this name, which is added where there is none.
unsigned objectNamed(MemoryObject Object, AccessProgram &Program);

/// Adds the loads from their tables of the mathematical functions in \p Mix.
void addTableLoads(const InstructionMix &Mix, const Expr &Runs, const Function &F,
                   AccessNest &Result, AccessProgram &Program);

/// True for what moves no memory of the host's, as far as is known.
bool isPure(const Function &Library);

/// Operations that stand in \p L and in the loops in it.
std::uint64_t operationsIn(const Loop &L);

} // namespace ergon

#endif
