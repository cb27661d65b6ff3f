//===- Instructions.h - executed instructions by kind -----------*- C++ -*-===//
//
// What the time of code on a CPU depends on beside its data: instructions by operation, type and
// width, and dependence chains. Cost classes count the program's operations; these are the
// processor's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

struct InstructionKind {
  /// `add mul fma div sqrt max convert extend shuffle logic load store gather scatter call`, or a
  /// function of the mathematical library: `exp`.
  std::string Operation;
  std::string Type;  ///< of an element: `f64`, `i32`
  unsigned Bits = 0; ///< of an operand, all its elements

  /// `add f64 256`, and back. Nothing for other texts.
  std::string text() const;
  static std::optional<InstructionKind> parse(std::string_view Text);
  auto operator<=>(const InstructionKind &) const = default;
};

/// Number of each kind. Means, so they may be fractions.
struct InstructionMix {
  /// Issue slots: a comparison and its branch are one, and so are an operation and the load of its
  /// operand.
  double Slots = 0;
  std::map<InstructionKind, double> Counts;

  /// Whether nothing is executed.
  bool empty() const { return Slots == 0 && Counts.empty(); }
  /// Sums, and multiples for repeated runs.
  InstructionMix &operator+=(const InstructionMix &Other);
  friend InstructionMix operator*(const InstructionMix &Mix, double Times);
  bool operator==(const InstructionMix &) const = default;
};

/// What is compared before a vector loop, which runs only where objects do not overlap.
struct OverlapCheck {
  /// What an object must start behind another one, if not before it; 0 where the ranges of all
  /// accesses may not meet.
  unsigned ApartBytes = 0;
  /// The loops whose accesses it covers, from the innermost one; 0 where no addresses are compared.
  unsigned Loops = 0;
  /// Whether accesses must follow each other: the compiler took a stride for 1.
  bool UnitStride = false;
  bool operator==(const OverlapCheck &) const = default;
};

/// A machine loop that the compiler generated for a source loop.
struct MachineLoop {
  /// Source iterations per machine iteration.
  unsigned Step = 1;
  /// The instructions of one iteration; nothing where that depends on data.
  std::optional<InstructionMix> Iteration;
  /// Loop-carried dependence chains, of which the longest counts.
  std::vector<InstructionMix> Chains;
  /// The instructions to enter and leave the loop, once.
  InstructionMix Entry;
  /// What must hold for it to run; without, the loop runs where others cannot.
  std::optional<OverlapCheck> Check = std::nullopt;
  bool operator==(const MachineLoop &) const = default;
};

} // namespace ergon
