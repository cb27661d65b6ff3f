//===- AccessStream.h - the accesses of a program, one by one ---*- C++ -*-===//
//
// An access program compiled for being run: loops are walked in order, each access
// goes to the caches with its address.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_ACCESSSTREAM_H
#define ERGON_MODEL_TRAFFIC_ACCESSSTREAM_H

#include "model/symbolic/IntegerFormula.h"
#include "model/traffic/CacheSimulator.h"

#include <variant>

namespace ergon {

/// Where an access goes.
struct StreamAddress {
  /// With the object's place; then steps of the variables around.
  std::int64_t Constant = 0;
  std::vector<std::pair<unsigned, std::int64_t>> Steps;
  /// Set where the address is not affine: bytes from the constant.
  std::optional<IntegerFormula> Offset;
  /// Not 0: the place is not known, and is one of so many from the constant on.
  std::uint64_t Places = 0;
  /// Such a place is that of a start, another one in each iteration of the outermost `Outer` loops.
  struct FromStart {
    unsigned Number, Outer;
  };
  std::optional<FromStart> From{};

  /// Whether it is a sum of multiples of iteration numbers and nothing else.
  bool isAffine() const { return !Offset && Places == 0; }
  /// Bytes from one iteration of that loop to the next.
  std::int64_t stepOf(unsigned Variable) const;
};

struct StreamAccess {
  unsigned Number;
  Access::Kind What;
  unsigned Bytes;
  bool NonTemporal;
  StreamAddress Address;
  /// By variable around: the address does, or how often it runs.
  std::vector<bool> DependsOn;
};

/// How often something happens: the formula over the divisor. What is a fraction is made
/// up for over the times that it is asked for: each gives the whole number due by then.
struct StreamTimes {
  unsigned Number;
  std::optional<IntegerFormula> Formula = std::nullopt; ///< nothing: once
  std::int64_t Divisor = 1;
};

/// Slope·variable + Rest >= 0, for the variable of the loop right around.
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
  /// How often what is inside runs depends on the variable.
  bool IsUneven = false;
};
struct StreamItem {
  /// Where all of these hold it runs as often as `Runs` says.
  std::vector<StreamCondition> Conditions;
  StreamTimes Runs;
  std::variant<StreamAccess, StreamNest> What;

  /// An affine access that runs once wherever the conditions hold.
  bool isPlain() const;
};

/// An access program with numbers for names. Accesses are numbered in the order of the
/// text, so those of a loop are neighbours.
struct AccessStream {
  StreamNest Body;
  unsigned Variables = 0, Accesses = 0, TimesNumbers = 0;
  std::vector<std::string> Assumptions;

  /// Error: a symbol without a value, an address beyond what there is, a place of which nothing
  /// is known.
  static std::expected<AccessStream, Error> compile(const AccessProgram &Program,
                                                    const Placement &P, std::uint64_t AddressLimit,
                                                    unsigned LineBytes);
};

/// Runs a stream's loops, or parts of them.
class StreamRunner {
public:
  /// \p Stream and \p Through must outlive it; what runs goes through \p Through.
  StreamRunner(const AccessStream &Stream, CacheSimulator &Through);

  /// How often \p Times is to happen this time.
  std::int64_t times(const StreamTimes &Times);
  /// The same without being counted as asked for; a fraction.
  double meanTimes(const StreamTimes &Times) const;
  /// Of an item of the loop of \p Variable.
  double meanTimes(const StreamItem &Item, unsigned Variable) const;
  /// So many iterations from \p First on.
  void run(const StreamNest &Nest, std::int64_t First, std::int64_t Count);
  void run(const StreamItem &Item);
  std::uint64_t addressOf(const StreamAccess &Access);
  /// An item of a loop, and the iterations in which it runs.
  struct Range {
    const StreamItem *What;
    std::int64_t First, End;
  };
  /// Of those from \p First to before \p End.
  Range rangeOf(const StreamItem &Item, std::int64_t First, std::int64_t End) const;

  /// The iteration numbers of the loops that are run.
  std::vector<std::int64_t> Values;

private:
  /// An access of a plain loop on its way.
  struct Moving {
    Access::Kind What;
    CacheSimulator::Reference Reference;
    std::int64_t Step;

    std::uint64_t stay(unsigned LineBytes) const;
  };
  /// What one loop at a time needs at each depth.
  struct Room {
    std::vector<Moving> Plain;
    std::vector<Range> Ranges;
    std::vector<std::int64_t> Cuts;
    std::vector<const StreamItem *> Active;
  };

  const AccessStream &Stream;
  CacheSimulator &Caches;
  std::vector<std::int64_t> Due; // of fractions: what was not yet given
  std::vector<std::uint64_t> Draws;
  std::vector<Room> Rooms;

  void runActive(const StreamNest &Nest, std::int64_t First, std::int64_t End);
  void runPlain(const StreamNest &Nest, std::int64_t First, std::int64_t End);
  void perform(Access::Kind What, const CacheSimulator::Reference &R);
};

} // namespace ergon

#endif
