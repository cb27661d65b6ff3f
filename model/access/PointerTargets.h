//===- PointerTargets.h - which objects pointers lead to --------*- C++ -*-===//
//
// While a run's code is gone through in order: which objects there are in the whole
// program, whatever functions call them, and where the pointers in memory lead. A
// global is one object under its symbol, a parameter what the caller has, memory
// that a call returned one object for each run of that call's code that keeps it,
// and a pointer in memory leads where it was stored to last.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ACCESS_POINTERTARGETS_H
#define ERGON_MODEL_ACCESS_POINTERTARGETS_H

#include "model/access/AccessProgram.h"

#include <map>
#include <set>

namespace ergon {

/// Where a pointer leads.
struct PointerTarget {
  unsigned Object; ///< as PointerTargets numbers them
  std::optional<Expr> Offset;
  /// Set where the object is all that a table's pointers lead to: which of the table's bytes has
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
    /// What its code calls so: parameters of which the caller knows where they lead, results of
    /// calls, what pointers lead to that it found on entry.
    std::map<std::string, PointerTarget> Known{};
    std::set<std::string> Made{}; ///< keys of its own objects
  };

  /// By object, then offset: where pointers in memory lead.
  using Cells = std::map<std::pair<unsigned, std::int64_t>, std::optional<PointerTarget>>;

  /// Finds what pointers lead to on entry.
  void enter(Names &N);
  /// What \p N calls \p Base.
  PointerTarget targetOf(const std::string &Base, Space Where, Names &N) {
    return targetOf(Base, Where, N, N.Named.Objects.size());
  }
  /// Loads the pointer that leads to what \p N calls \p Base.
  void load(const std::string &Base, Names &N);
  /// A pointer is put into memory; nothing: it is not known where it leads.
  void store(const PointerTarget &To, std::optional<PointerTarget> Value);
  /// No pointer is there.
  void clear(const PointerTarget &To);
  /// Bytes are copied, and pointers with them.
  void copy(const PointerTarget &From, const PointerTarget &To, std::int64_t Bytes);
  /// Forgets the variables of \p N; memory that it keeps for later, or returns, is not made
  /// again by its next run.
  void leave(const Names &N, const std::optional<PointerTarget> &Returned);

  /// The object of that number: PointerTarget names objects so.
  const MemoryObject &object(unsigned Number) const { return Objects[Number]; }

  /// Keeps the pointers as they are now, with those that are found to have been there, until
  /// release(): when a loop's first iteration begins.
  void hold() { Held.push_back(Now); }
  void release() { Held.pop_back(); }
  /// Whether all pointers lead where they did.
  bool isAsHeld() const;
  /// Whether any leads to what another one led to, so that they take turns.
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

#endif
