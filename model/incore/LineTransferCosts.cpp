//===- LineTransferCosts.cpp - line-transfer costs ------------------------===//

#include "model/incore/LineTransferCosts.h"
#include "model/machine/Pages.h"

#include <algorithm>

namespace ergon {

/// Operand size of accesses out of order.
static constexpr double OperandBytes = 8;

static bool isAhead(std::string_view Level) { return Level == "dram"; }

/// For a line of a stream that uses all of it. The core's work for accesses is counted separately,
/// whatever their width. But main memory is prefetched by earlier accesses, and narrow ones make
/// more of them per line.
std::optional<double> LineTransferCosts::inOrderS(std::string_view Level, std::string_view Access,
                                                  const LineUse &Use) const {
  auto Rate = CoreCosts.bytesPerS(
      Level, Access, isAhead(Level) ? std::optional(Use.Bits) : std::nullopt, Use.LoopBytes);
  return Rate ? std::optional(Line / *Rate) : std::nullopt;
}

/// For a line of which one operand of 8 bytes is read: the first of these streams that was
/// measured, otherwise as in sequence.
std::optional<double> LineTransferCosts::firstS(std::string_view Level,
                                                std::initializer_list<std::string_view> Accesses,
                                                const LineUse &Use) const {
  for (std::string_view Access : Accesses)
    if (auto Rate = CoreCosts.bytesPerS(Level, Access, {}, Use.LoopBytes))
      return OperandBytes / *Rate;
  return inOrderS(Level, "load", Use);
}

/// For a line of one of the streams that are loaded together: main memory gives several more.
std::optional<double> LineTransferCosts::togetherS(std::string_view Level,
                                                   const LineUse &Use) const {
  const auto One = inOrderS(Level, "load", Use), Four = inOrderS(Level, "load4", Use);
  if (!One || !Four || !isAhead(Level) || Use.Streams < 2)
    return One;
  static constexpr double Measured = 4;
  const double More = std::min(1.0, (Use.Streams - 1) / (Measured - 1));
  return std::min(*One, 1 / ((1 - More) / *One + More / *Four));
}

/// Seconds that the first lines of a run take more than others, as they are not foreseen; nothing
/// where it was not measured.
std::optional<double> LineTransferCosts::startS(std::string_view Level, const LineUse &Use) const {
  const auto Runs = CoreCosts.bytesPerS(Level, "load_runs", {}, Use.LoopBytes),
             InOrder = CoreCosts.bytesPerS(Level, "load_line", {}, Use.LoopBytes);
  static constexpr double MeasuredLines = 16;
  if (!Runs || !InOrder)
    return std::nullopt;
  return std::max(0.0, MeasuredLines * OperandBytes * (1 / *Runs - 1 / *InOrder));
}

std::optional<double> LineTransferCosts::loadS(std::string_view Level, const LineOrder &Order,
                                               const LineUse &Use) const {
  if (!Order.IsKnown)
    return firstS(Level, {"load_random", "load_page", "load_4_lines"}, Use);
  const bool SkipsBytes = Order.LeavesBytes && !(isAhead(Level) && Use.Bits < 8 * Line);
  const auto InOrder = SkipsBytes ? firstS(Level, {"load_line"}, Use) : togetherS(Level, Use);
  if (!InOrder || Order.GapLines == 0)
    return InOrder;
  // Each skipped line delays one line, up to those of the first two pages: by then the prefetchers
  // have found the run. The first of them may also miss the TLB.
  const double Late = std::min({Order.RunLines, Order.GapLines, 2.0 * PageBytes / Line});
  const bool IsFar = (Order.RunLines + Order.GapLines) * Line >= PageBytes / 2.0;
  const auto First = IsFar ? firstS(Level, {"load_page", "load_4_lines"}, Use) : std::nullopt,
             Next = firstS(Level, {"load_4_lines", "load_page"}, Use);
  double LateS = std::max(0.0, First.value_or(*Next) - *InOrder) * std::min(1.0, Late) +
                 std::max(0.0, *Next - *InOrder) * std::max(0.0, Late - 1);
  if (auto Start = startS(Level, Use))
    LateS = std::min(LateS, *Start);
  return *InOrder + LateS / Order.RunLines;
}

std::optional<double> LineTransferCosts::storeS(std::string_view Level, const LineOrder &Order,
                                                const LineUse &Use, bool BesideLoads) const {
  const auto Fetched = loadS(Level, Order, {Use.Bits, 1, Use.LoopBytes}),
             WriteBack = writeBackS(Level, Use.Bits);
  if (!Fetched || !WriteBack || !Order.isInOrder())
    return Fetched;
  // Stores do not stall: their lines were measured as a whole, with fetch and write-back. A copy
  // loads one line and stores to another.
  const auto Store = inOrderS(Level, "store", Use), Copied = inOrderS(Level, "copy", Use);
  const double WholeS = BesideLoads && Copied ? 2 * *Copied - *Fetched : *Store;
  return std::max(0.0, WholeS - CoreCosts.farShare("store", Use.Bits, Use.LoopBytes) * *WriteBack);
}

double LineTransferCosts::accessS(std::string_view Access, const LineOrder &Order,
                                  unsigned Bits) const {
  const bool IsWhole = Order.isInOrder();
  auto Rate = CoreCosts.bytesPerS("l1", Access, IsWhole ? Bits : unsigned(8 * OperandBytes));
  return Rate ? (IsWhole ? Line : OperandBytes) / *Rate : 0;
}

std::optional<double> LineTransferCosts::writeBackS(std::string_view Level, unsigned Bits) const {
  // Of more than caches keep: a pass over fewer bytes writes nothing back.
  const LineUse Far{.Bits = Bits};
  const auto Load = inOrderS(Level, "load", Far), Store = inOrderS(Level, "store", Far),
             Updated = inOrderS(Level, "update", Far);
  if (!Load || !Store)
    return std::nullopt;
  // A line that is stored to is fetched and written back, which was measured together. An update
  // counts its bytes twice.
  return std::max(0.0, (Updated ? 2 * *Updated : *Store) - *Load);
}

} // namespace ergon
