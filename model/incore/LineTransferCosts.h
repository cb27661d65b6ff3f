//===- LineTransferCosts.h - line-transfer costs ----------------*- C++ -*-===//
//
// The time of a line from or to a memory level by access order: sequential, in runs, at random.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/incore/InCoreCosts.h"
#include "model/incore/LineOrder.h"

namespace ergon {

/// How a loop uses a line of main memory; irrelevant for caches.
struct LineUse {
  unsigned Bits = 0;    ///< of the line per access
  unsigned Streams = 1; ///< that are loaded together
  double LoopBytes = 0; ///< that the loop fetches; 0: more than every cache has
};

class LineTransferCosts {
public:
  /// \p CoreCosts must outlive it.
  LineTransferCosts(const InCoreCosts &CoreCosts, unsigned LineBytes)
      : CoreCosts(CoreCosts), Line(LineBytes) {}

  /// Seconds for a line of \p Level. Nothing where the profile has no stream of that level.
  std::optional<double> loadS(std::string_view Level, const LineOrder &Order,
                              const LineUse &Use) const;
  /// For a line that is fetched because it is stored to, with \p BesideLoads other loaded lines or
  /// alone. Nothing where loadS() or writeBackS() has none.
  std::optional<double> storeS(std::string_view Level, const LineOrder &Order, const LineUse &Use,
                               bool BesideLoads) const;
  /// Additional seconds of a dirty line when it is written back to \p Level.
  std::optional<double> writeBackS(std::string_view Level, unsigned Bits) const;
  /// Seconds of the first-level accesses in the measurement of a line farther away: accesses to all
  /// of it if sequential, otherwise to one operand.
  double accessS(std::string_view Access, const LineOrder &Order, unsigned Bits) const;

private:
  const InCoreCosts &CoreCosts;
  double Line;

  std::optional<double> inOrderS(std::string_view Level, std::string_view Access,
                                 const LineUse &Use) const;
  std::optional<double> togetherS(std::string_view Level, const LineUse &Use) const;
  std::optional<double> startS(std::string_view Level, const LineUse &Use) const;
  std::optional<double> firstS(std::string_view Level,
                               std::initializer_list<std::string_view> Accesses,
                               const LineUse &Use) const;
};

} // namespace ergon
