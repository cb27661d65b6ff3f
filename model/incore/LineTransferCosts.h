//===- LineTransferCosts.h - seconds of lines from a level ------*- C++ -*-===//
//
// What a line takes that a level of memory gives or gets, as the lines are asked for: in order,
// in runs, at random.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_INCORE_LINETRANSFERCOSTS_H
#define ERGON_MODEL_INCORE_LINETRANSFERCOSTS_H

#include "model/incore/InCoreCosts.h"
#include "model/incore/LineOrder.h"

namespace ergon {

class LineTransferCosts {
public:
  /// \p CoreCosts has to live as long.
  LineTransferCosts(const InCoreCosts &CoreCosts, unsigned LineBytes)
      : CoreCosts(CoreCosts), Line(LineBytes) {}

  /// Seconds for a line of \p Level that is accessed by \p Bits at a time. Nothing where the
  /// profile has no stream of that level.
  std::optional<double> loadS(std::string_view Level, const LineOrder &Order, unsigned Bits) const;
  /// Of a line that is fetched because it is stored to, \p BesideLoads of others or alone. Nothing
  /// where loadS() or writeBackS() has none.
  std::optional<double> storeS(std::string_view Level, const LineOrder &Order, unsigned Bits,
                               bool BesideLoads) const;
  /// What a line that is stored to takes more, when it leaves to \p Level.
  std::optional<double> writeBackS(std::string_view Level, unsigned Bits) const;
  /// Of the accesses to the first level with which a line farther away was measured: of all of it
  /// where it comes in order, else of one operand.
  double accessS(std::string_view Access, const LineOrder &Order, unsigned Bits) const;

private:
  const InCoreCosts &CoreCosts;
  double Line;

  std::optional<double> inOrderS(std::string_view Level, std::string_view Access,
                                 unsigned Bits) const;
  std::optional<double> firstS(std::string_view Level,
                               std::initializer_list<std::string_view> Accesses,
                               unsigned Bits) const;
};

} // namespace ergon

#endif
