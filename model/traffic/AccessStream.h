//===- AccessStream.h - a compiled, runnable access program -----*- C++ -*-===//
//
// An access program compiled to run: loops are walked in order, and each access goes to the caches
// with its address.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/IntegerFormula.h"
#include "model/traffic/CacheSimulator.h"

#include <variant>

namespace ergon {

/// The address of an access.
struct StreamAddress {
  /// Includes the object's address. Strides of the surrounding induction variables follow.
  std::int64_t Constant = 0;
  std::vector<std::pair<unsigned, std::int64_t>> Steps;
  /// Set where the address is not affine: bytes from the constant.
  std::optional<IntegerFormula> Offset;
  /// If not 0, the address is unknown: one of this many from the constant on.
  std::uint64_t Places = 0;
  /// Such an address is drawn once for each iteration of the outermost `Outer` loops.
  struct FromStart {
    unsigned Number, Outer;
  };
  std::optional<FromStart> From{};

  /// Whether it is a sum of multiples of induction variables only.
  bool isAffine() const { return !Offset && Places == 0; }
  /// Stride in bytes of that loop.
  std::int64_t stepOf(unsigned Variable) const;
};

struct StreamAccess {
  unsigned Number;
  Access::Kind What;
  unsigned Bytes;
  bool NonTemporal;
  StreamAddress Address;
  /// By induction variable: whether the address or the number of runs depends on it.
  std::vector<bool> DependsOn;
};

/// How often something happens: the formula over the divisor. Fractions are carried from one query
/// to the next: each gives the whole number due by then.
struct StreamTimes {
  unsigned Number;
  std::optional<IntegerFormula> Formula = std::nullopt; ///< nothing: once
  std::int64_t Divisor = 1;
};

/// Slope·variable + Rest >= 0, for the innermost induction variable.
struct StreamCondition {
  std::int64_t Slope;
  IntegerFormula Rest;
};

struct StreamItem;
struct StreamNest {
  unsigned Variable = 0;
  StreamTimes Trips{};
  std::vector<StreamItem> Items;
  /// Numbers of the accesses inside.
  unsigned FirstAccess = 0, EndAccess = 0;
  /// Whether the work inside depends on the induction variable.
  bool IsUneven = false;
};
struct StreamItem {
  /// It runs `Runs` times where all of these hold.
  std::vector<StreamCondition> Conditions;
  StreamTimes Runs;
  std::variant<StreamAccess, StreamNest> What;

  /// Whether it is an affine access that runs once wherever the conditions hold.
  bool isPlain() const;
};

/// An access program with names replaced by numbers. Accesses are numbered in text order, so those
/// of a loop are consecutive.
struct AccessStream {
  StreamNest Body;
  unsigned Variables = 0, Accesses = 0, TimesNumbers = 0;
  std::vector<std::string> Assumptions;

  /// Error: a symbol without a value, an address out of range, an access whose address is unknown.
  static std::expected<AccessStream, Error> compile(const AccessProgram &Program,
                                                    const Placement &P, std::uint64_t AddressLimit,
                                                    unsigned LineBytes);
};

/// Runs a stream's loops, or parts of them.
class StreamRunner {
public:
  /// \p Stream and \p Through must outlive it; accesses go through \p Through.
  StreamRunner(const AccessStream &Stream, CacheSimulator &Through);

  /// How often \p Times happens this time.
  std::int64_t times(const StreamTimes &Times);
  /// The same as a fraction, without carrying it.
  double meanTimes(const StreamTimes &Times) const;
  /// For an item of the loop of \p Variable.
  double meanTimes(const StreamItem &Item, unsigned Variable) const;
  /// Runs \p Count iterations from \p First on.
  void run(const StreamNest &Nest, std::int64_t First, std::int64_t Count);
  void run(const StreamItem &Item);
  std::uint64_t addressOf(const StreamAccess &Access);
  /// The iterations in which an item of a loop runs.
  struct Range {
    const StreamItem *What;
    std::int64_t First, End;
  };
  /// Within \p First <= i < \p End.
  Range rangeOf(const StreamItem &Item, std::int64_t First, std::int64_t End) const;

  /// The current values of the induction variables.
  std::vector<std::int64_t> Values;

private:
  /// The state of an access in a plain loop.
  struct Moving {
    Access::Kind What;
    CacheSimulator::Reference Reference;
    std::int64_t Step;

    std::uint64_t stay(unsigned LineBytes) const;
  };
  /// Scratch memory of the one active loop at each depth.
  struct Room {
    std::vector<Moving> Plain;
    std::vector<Range> Ranges;
    std::vector<std::int64_t> Cuts;
    std::vector<const StreamItem *> Active;
  };

  const AccessStream &Stream;
  CacheSimulator &Caches;
  std::vector<std::int64_t> Due; // fractions carried so far
  std::vector<std::uint64_t> Draws;
  std::vector<Room> Rooms;

  void runActive(const StreamNest &Nest, std::int64_t First, std::int64_t End);
  void runPlain(const StreamNest &Nest, std::int64_t First, std::int64_t End);
  void perform(Access::Kind What, const CacheSimulator::Reference &R);
};

} // namespace ergon
