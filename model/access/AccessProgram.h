//===- AccessProgram.h - what code accesses, in order -----------*- C++ -*-===//
//
// A run of a function as a nest of loops over accesses to objects in memory, its
// calls written out: what the predictors of memory traffic read. Formulas are in
// iteration numbers, in a kernel in `blockIdx.*` and `threadIdx.*`, and in what
// was left unbound.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ACCESS_ACCESSPROGRAM_H
#define ERGON_MODEL_ACCESS_ACCESSPROGRAM_H

#include "model/program/Program.h"

#include <string>
#include <variant>
#include <vector>

namespace ergon {

/// Memory that no other object overlaps: what a parameter points to, a global, a
/// local variable.
struct MemoryObject {
  /// As the entry's code calls it; of a called function `callee::name`.
  std::string Name;
  Space Where;
  /// Its size, where the code says it: of globals and local variables.
  std::optional<Expr> Bytes = std::nullopt;
  /// It is in all caches when the run begins: the entry's own frame, beside its caller's.
  bool IsWarm = false;
  /// Of a static duration, under a name of the whole program, or what a pointer there leads to.
  bool IsGlobal = false;
  /// It is not known where the pointer leads, so that it may be a part of another object.
  bool MayBeOther = false;
  /// Somebody said where it starts.
  bool IsPlaced = false;
};

struct MemoryAccess {
  Access::Kind What;
  unsigned Object; ///< its number in the program
  unsigned Bytes;
  /// Bytes from the object's start; nothing where the address is no formula, so that
  /// it may be any place of the object.
  std::optional<Expr> Offset;
  /// The store goes around the caches.
  bool NonTemporal = false;
  std::string Function{}; ///< whose code it is, demangled
  SourceLocation Location{};
  /// Where there is no offset; starts are numbered in the program.
  std::optional<UnknownStart> From{};
};

struct AccessItem;

/// What blocks execute in one iteration of the loop around, and how often. The mix is the record's,
/// which has to live as long.
struct ExecutedBlock {
  Expr Runs;
  const InstructionMix *Mix;
};

/// A loop with the iteration numbers 0 to `Last`; of none where that is negative.
struct AccessNest {
  /// Unique in the program; empty for the program itself, that runs once.
  std::string Variable;
  Expr Last;
  SourceLocation Location{};
  /// In the order in which they run.
  std::vector<AccessItem> Items;
  /// Loops that access nothing, as items.
  std::vector<AccessItem> Idle;
  std::vector<ExecutedBlock> Executed{};
  /// What the compiler made of the loop: the record's, or null.
  const std::vector<MachineLoop> *Made = nullptr;
};

/// An access or a loop, and how often it runs in one iteration of what is around it:
/// 1, conditions that are 1 or 0 (then the formula says in which iterations), or a
/// share that is the mean of many.
struct AccessItem {
  Expr Runs;
  std::variant<MemoryAccess, AccessNest> What;
};

/// Memory that a run uses and that no access tells of, as no record knows it: assumed.
struct HiddenMemory {
  std::uint64_t StackBytes = 0; ///< one after the other, in use all the time
  std::uint64_t CodeBytes = 0;
};

struct AccessProgram {
  std::vector<MemoryObject> Objects;
  AccessNest Body;
  /// Symbols that the formulas depend on and that are no iteration number, thread or
  /// block index: they need a value before there are numbers.
  std::set<std::string> Unbound;
  /// Calls whose accesses are not known, by name.
  std::set<std::string> OpenCalls;
  HiddenMemory Hidden{};
  /// What the offsets rest on.
  std::set<std::string> Assumptions;
};

/// The accesses of \p Nest and of the loops in it, in the order of the text.
std::vector<const MemoryAccess *> accessesIn(const AccessNest &Nest);

} // namespace ergon

#endif
