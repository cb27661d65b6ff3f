//===- PointerTargets.h - points-to analysis of a run -----------*- C++ -*-===//
//
// Follows a run's code in order and tracks the objects of the whole program and the targets of
// pointers in memory. A global is one object by its symbol, a parameter is the caller's object,
// memory returned by a call is one object for each run of that call's code that keeps it, and a
// pointer in memory has the target that was stored last.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"

#include <map>
#include <set>

namespace ergon {

/// The target of a pointer.
struct PointerTarget {
  unsigned Object; ///< in the numbering of PointerTargets
  std::optional<Expr> Offset;
  /// Set where the object is what all pointers of a table lead to: which bytes of the table hold
  /// the pointer that `Offset` starts from.
  std::optional<Expr> Row{};

  bool operator==(const PointerTarget &) const = default;
};

class PointerTargets {
public:
  /// The objects of a function that is being run.
  struct Names {
    const Function &Named;
    std::string Prefix; ///< of the names of its own objects
    /// Targets by the names in its code: parameters with a target known to the caller, results of
    /// calls, targets of pointers found on entry.
    std::map<std::string, PointerTarget> Known{};
    std::set<std::string> Made{}; ///< keys of its own objects
  };

  /// By object, then offset: the targets of pointers in memory.
  using Cells = std::map<std::pair<unsigned, std::int64_t>, std::optional<PointerTarget>>;

  /// Finds the targets of pointers on entry.
  void enter(Names &N);
  /// The target of \p Base in \p N.
  PointerTarget targetOf(const std::string &Base, Space Where, Names &N) {
    return targetOf(Base, Where, N, N.Named.Objects.size());
  }
  /// Loads the pointer that leads to \p Base of \p N.
  void load(const std::string &Base, Names &N);
  /// Stores a pointer; nothing: an unknown one.
  void store(const PointerTarget &To, std::optional<PointerTarget> Value);
  /// Overwrites a pointer with other data.
  void clear(const PointerTarget &To);
  /// Copies bytes with the pointers in them.
  void copy(const PointerTarget &From, const PointerTarget &To, std::int64_t Bytes);
  /// Removes the variables of \p N; memory that it keeps or returns is not created again by its
  /// next run.
  void leave(const Names &N, const std::optional<PointerTarget> &Returned);

  /// The object with the number that PointerTarget has.
  const MemoryObject &object(unsigned Number) const { return Objects[Number]; }

  /// Saves the pointers, at the start of a loop's first iteration, until release(). Pointers found
  /// later to have existed are added.
  void hold() { Held.push_back(Now); }
  void release() { Held.pop_back(); }
  /// Whether all pointers have their saved targets.
  bool isAsHeld() const;
  /// Whether one has another one's saved target: they swap.
  bool tookTurns() const;
  const Cells &cells() const { return Now; }
  void restore(Cells To) { Now = std::move(To); }

private:
  std::vector<MemoryObject> Objects;
  std::map<std::string, unsigned> ByKey;
  Cells Now;
  std::vector<Cells> Held;

  unsigned make(MemoryObject Object);
  PointerTarget ofKey(const std::string &Key, MemoryObject Object);
  PointerTarget targetOf(const std::string &Base, Space Where, Names &N, std::size_t Before);
  PointerTarget pointedFrom(std::size_t Number, Names &N);
};

} // namespace ergon
