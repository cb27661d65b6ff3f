//===- InCoreCosts.h - seconds of instructions on one core ------*- C++ -*-===//
//
// What a core needs for a mix of instructions, from rates and latencies that were measured on
// it: the most that the front end issues, that each group of units does, and that a chain of
// instructions waits.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_INCORE_INCORECOSTS_H
#define ERGON_MODEL_INCORE_INCORECOSTS_H

#include "model/machine/Pipeline.h"
#include "model/program/Instructions.h"

#include <set>
#include <string>
#include <string_view>

namespace ergon {

/// Of the narrowest vector.
inline constexpr unsigned VectorBits = 128;

/// The streams of a profile that the model asks for: whoever measures has them by these names.
inline constexpr std::string_view StreamNames[] = {
    "load",         "store",     "copy",        "update",       "triad",
    "gather4",      "gather8",   "load_beside", "store_beside", "load_line",
    "load_4_lines", "load_page", "load_random"};

/// A time, and what it is due to.
struct BoundTime {
  double S = 0;
  std::string Bound = "none";

  /// Raises the time to \p OtherS seconds, and names what it is due to, where that is longer.
  void atLeast(double OtherS, std::string_view Other) {
    if (OtherS > S)
      *this = {OtherS, std::string(Other)};
  }
};

class InCoreCosts {
public:
  /// Of one of \p Threads that run at once. \p P has to live as long.
  explicit InCoreCosts(const Pipeline &P, unsigned Threads = 1);

  /// Seconds a core is at \p Mix where nothing waits: the longest of `issue` and the units' times.
  BoundTime busyS(const InstructionMix &Mix) const;
  /// Seconds from one end of \p Chain to the other, whose loads take \p LoadS.
  double chainS(const InstructionMix &Chain, double LoadS) const;
  /// Seconds of a load from that level whose address was waited for; 0 where the profile has none.
  double loadS(std::string_view Level) const;
  /// Seconds lost where a branch goes another way than foreseen; 0 where the profile does not say.
  double mispredictS() const;
  /// The share of that which is left for branches that come again in the same order after
  /// \p SoMany of them; 1 where the profile does not say.
  double repeatedShare(double SoMany) const;
  /// The share of its time that a chain of \p Instructions keeps for itself, where what follows
  /// does not wait for it. All that is executed with it takes \p Slots.
  double chainShare(double Instructions, double Slots) const;
  /// Seconds to issue so many slots in so many pieces, with a jump behind each.
  double issueS(double Slots, double Pieces) const;
  /// Bytes a second that one thread has of an access in order to a level: with operands of
  /// \p Bits, or the nearest that was measured; where none is said that of the
  /// vectors' width that surely has the most.
  std::optional<double> bytesPerS(std::string_view Level, std::string_view Access,
                                  std::optional<unsigned> Bits = {}) const;
  /// How much longer loads or stores of vectors take where they go on in steps of a vector from
  /// beside a vector's boundary, and some lie in two lines of \p LineBytes.
  double besideFactor(std::string_view Access, unsigned Bits, double LineBytes) const;
  /// Kinds that were asked for and that the profile says nothing of: issued, and no more.
  const std::set<std::string> &unpriced() const { return Unpriced; }

private:
  const Pipeline &Core;
  unsigned Threads;
  double Busy = 1, Waiting = 1; ///< of what one thread alone does
  mutable std::set<std::string> Unpriced;

  std::optional<double> accessesPerS(std::string_view Stream, unsigned Bits) const;
  std::optional<double> gathersPerS(const InstructionKind &Kind) const;
  std::optional<double> perS(const InstructionKind &Kind) const;
  /// That of so many threads, and of operands of \p Bits or the widest, or the next to it.
  const PipelineStream *find(std::string_view Level, std::string_view Access, unsigned Threads,
                             std::optional<unsigned> Bits) const;
  const PipelineOperation *find(const InstructionKind &Kind,
                                std::optional<MeasuredQuantity> PipelineOperation::*O) const;
};

} // namespace ergon

#endif
