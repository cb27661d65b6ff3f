//===- LineTransferCosts.cpp - seconds of lines from a level --------------===//

#include "model/incore/LineTransferCosts.h"
#include "model/machine/Pages.h"

#include <algorithm>

namespace ergon {

/// Of what is accessed out of order.
static constexpr double OperandBytes = 8;

static bool isAhead(std::string_view Level) { return Level == "dram"; }

/// Of a line, in a stream of all of it. What a core has to do for accesses to nearer levels is
/// counted apart, whatever their width; but main memory is fetched ahead of the core, by accesses
/// that have gone before: of narrow ones a line has more.
std::optional<double> LineTransferCosts::inOrderS(std::string_view Level, std::string_view Access,
                                                  unsigned Bits) const {
  auto Rate =
      CoreCosts.bytesPerS(Level, Access, isAhead(Level) ? std::optional(Bits) : std::nullopt);
  return Rate ? std::optional(Line / *Rate) : std::nullopt;
}

/// Of a line of which an operand of 8 bytes is read, by the first of these that was measured; else
/// as in order.
std::optional<double> LineTransferCosts::firstS(std::string_view Level,
                                                std::initializer_list<std::string_view> Accesses,
                                                unsigned Bits) const {
  for (std::string_view Access : Accesses)
    if (auto Rate = CoreCosts.bytesPerS(Level, Access))
      return OperandBytes / *Rate;
  return inOrderS(Level, "load", Bits);
}

std::optional<double> LineTransferCosts::loadS(std::string_view Level, const LineOrder &Order,
                                               unsigned Bits) const {
  if (!Order.IsKnown)
    return firstS(Level, {"load_random", "load_page", "load_4_lines"}, Bits);
  const bool SkipsBytes = Order.LeavesBytes && !(isAhead(Level) && Bits < 8 * Line);
  const auto InOrder =
      SkipsBytes ? firstS(Level, {"load_line"}, Bits) : inOrderS(Level, "load", Bits);
  if (!InOrder || Order.GapLines == 0)
    return InOrder;
  // A line comes late for each that was left out before, but those of the first two pages at most:
  // then the prefetchers have found the run. The first of them may be on a page that the
  // translation does not know either.
  const double Late = std::min({Order.RunLines, Order.GapLines, 2.0 * PageBytes / Line});
  const bool IsFar = (Order.RunLines + Order.GapLines) * Line >= PageBytes / 2.0;
  const auto First = IsFar ? firstS(Level, {"load_page", "load_4_lines"}, Bits) : std::nullopt,
             Next = firstS(Level, {"load_4_lines", "load_page"}, Bits);
  const double LateS = std::max(0.0, First.value_or(*Next) - *InOrder) * std::min(1.0, Late) +
                       std::max(0.0, *Next - *InOrder) * std::max(0.0, Late - 1);
  return *InOrder + LateS / Order.RunLines;
}

std::optional<double> LineTransferCosts::storeS(std::string_view Level, const LineOrder &Order,
                                                unsigned Bits, bool BesideLoads) const {
  const auto Fetched = loadS(Level, Order, Bits), WriteBack = writeBackS(Level, Bits);
  if (!Fetched || !WriteBack || !Order.isInOrder())
    return Fetched;
  // Nobody waits for a store: a line of them was measured as a whole, fetched and written back. Of
  // a copy one is loaded and one is stored to.
  const auto Store = inOrderS(Level, "store", Bits), Copied = inOrderS(Level, "copy", Bits);
  const double WholeS = BesideLoads && Copied ? 2 * *Copied - *Fetched : *Store;
  return std::max(0.0, WholeS - *WriteBack);
}

double LineTransferCosts::accessS(std::string_view Access, const LineOrder &Order,
                                  unsigned Bits) const {
  const bool IsWhole = Order.isInOrder();
  auto Rate = CoreCosts.bytesPerS("l1", Access, IsWhole ? Bits : unsigned(8 * OperandBytes));
  return Rate ? (IsWhole ? Line : OperandBytes) / *Rate : 0;
}

std::optional<double> LineTransferCosts::writeBackS(std::string_view Level, unsigned Bits) const {
  const auto Load = inOrderS(Level, "load", Bits), Store = inOrderS(Level, "store", Bits),
             Updated = inOrderS(Level, "update", Bits);
  if (!Load || !Store)
    return std::nullopt;
  // A line that is stored to is fetched and written back: both together were measured. An
  // update counts its bytes twice.
  return std::max(0.0, (Updated ? 2 * *Updated : *Store) - *Load);
}

} // namespace ergon
