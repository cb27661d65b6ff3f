//===- AccessProgram.h - what code accesses, in order -----------*- C++ -*-===//
//
// A run of a function as a loop nest of accesses to objects in memory, with calls expanded: the
// input of the traffic predictors. Formulas are in induction variables, in a kernel in `blockIdx.*`
// and `threadIdx.*`, and in symbols left unbound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Program.h"

#include <string>
#include <variant>
#include <vector>

namespace ergon {

/// Memory that no other object overlaps: a parameter's target, a global, a local variable.
struct MemoryObject {
  /// Its name in the entry's code; `callee::name` for a called function.
  std::string Name;
  Space Where;
  /// Its size, where the code states it: for globals and local variables.
  std::optional<Expr> Bytes = std::nullopt;
  /// Whether all caches hold it when the run begins: the entry's own stack frame.
  bool IsWarm = false;
  /// Whether it has static storage and external linkage, or such a pointer leads to it.
  bool IsGlobal = false;
  /// Whether the pointer's target is unknown, so that it may be part of another object.
  bool MayBeOther = false;
  /// Whether its start address is given.
  bool IsPlaced = false;
};

struct MemoryAccess {
  Access::Kind What;
  unsigned Object; ///< its number in the program
  unsigned Bytes;
  /// Bytes from the object's start; nothing where the address is no formula: it may be anywhere in
  /// the object.
  std::optional<Expr> Offset;
  /// The store bypasses the caches.
  bool NonTemporal = false;
  std::string Function{};    ///< the demangled function that contains it
  SourceLocation Location{}; ///< to the line
  unsigned Column = 0;
  /// Where there is no offset; starts are numbered in the program.
  std::optional<UnknownStart> From{};
  /// Where there is no offset: no byte of the object from there on is touched.
  std::optional<std::uint64_t> Within{};
};

struct AccessItem;

/// What blocks execute in one iteration of the loop around, and how often. The mix belongs to the
/// record, which must outlive it.
struct ExecutedBlock {
  Expr Runs;
  const InstructionMix *Mix;
};

/// A loop with iterations 0 to `Last`; empty where that is negative.
struct AccessNest {
  /// Unique in the program; empty for the program itself, which runs once.
  std::string Variable;
  Expr Last;
  SourceLocation Location{};
  /// In execution order.
  std::vector<AccessItem> Items;
  /// Loops without accesses, as items.
  std::vector<AccessItem> Idle;
  std::vector<ExecutedBlock> Executed{};
  /// The machine loops that the compiler generated, from the record; or null.
  const std::vector<MachineLoop> *Made = nullptr;
};

/// An access or a loop, and how often it runs in one iteration around it: 1, conditions that are 1
/// or 0 (the formula then says in which iterations), or a share that is a mean.
struct AccessItem {
  Expr Runs;
  std::variant<MemoryAccess, AccessNest> What;
};

/// Memory in use that no access names, as no record contains it (stack, code): assumed.
struct HiddenMemory {
  std::uint64_t StackBytes = 0; ///< contiguous, in use all the time
  std::uint64_t CodeBytes = 0;
};

struct AccessProgram {
  std::vector<MemoryObject> Objects;
  AccessNest Body;
  /// Symbols in the formulas that are no induction variable, thread or block index: they need
  /// values for a numeric result.
  std::set<std::string> Unbound;
  /// Calls whose accesses are unknown, by name.
  std::set<std::string> OpenCalls;
  HiddenMemory Hidden{};
  /// What the offsets assume.
  std::set<std::string> Assumptions;
};

/// Takes out what never runs.
void dropUnrun(AccessNest &Nest);

/// The accesses of \p Nest and its inner loops, in text order.
std::vector<const MemoryAccess *> accessesIn(const AccessNest &Nest);

} // namespace ergon
