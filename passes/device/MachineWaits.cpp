//===- MachineWaits.cpp - what instructions wait for ----------------------===//

#include "passes/device/MachineWaits.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ergon {

namespace {
/// A flag that is set and not yet seen: when its result is there.
struct Pending {
  double Until = 0;
  MachineInstruction::Delay Of = MachineInstruction::Delay::None;
};
using Flags = std::array<Pending, 6>;
} // namespace

/// Of a result, in cycles, to tell how much of it is over when it is waited for: of L2, of shared
/// memory.
static double usual(MachineInstruction::Delay Of) {
  return Of == MachineInstruction::Delay::Long ? 250 : 25;
}

std::vector<MachineWait> waitsOf(const MachineFunction &Code) {
  using Delay = MachineInstruction::Delay;
  std::vector<MachineWait> Result(Code.size());
  std::map<std::size_t, Flags> AtTarget; // with times from there on
  for (int Pass = 0; Pass != 2; ++Pass) {
    Flags Set{};
    double Now = 0;
    for (std::size_t I = 0; I != Code.size(); ++I) {
      const MachineInstruction &Next = Code[I];
      if (auto Found = AtTarget.find(I); Found != AtTarget.end())
        for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
          if (const Pending &Of = Found->second[Flag]; Now + Of.Until > Set[Flag].Until)
            Set[Flag] = {.Until = Now + Of.Until, .Of = Of.Of};
      Pending Latest{.Until = Now};
      for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
        if (Next.Awaits >> Flag & 1)
          if (const Pending Of = std::exchange(Set[Flag], {}); Of.Until > Latest.Until)
            Latest = Of;
      Result[I] = {};
      if (Latest.Of != Delay::None)
        (Latest.Of == Delay::Long ? Result[I].Long : Result[I].Short) =
            (Latest.Until - Now) / usual(Latest.Of);
      Now = Latest.Until;
      auto put = [&](std::optional<unsigned> Flag, Delay Of) {
        if (Flag && *Flag < Set.size() && Now + usual(Of) > Set[*Flag].Until)
          Set[*Flag] = {.Until = Now + usual(Of), .Of = Of};
      };
      put(Next.Sets, Next.Takes);
      put(Next.Frees, Delay::Short);
      Now += Next.StallCycles;
      if (Next.Target && *Next.Target <= I) { // a loop
        Flags &Ends = AtTarget[*Next.Target];
        for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
          Ends[Flag] = {.Until = std::max(0.0, Set[Flag].Until - Now), .Of = Set[Flag].Of};
      }
      if (!Next.Falls)
        Set = {};
    }
  }
  return Result;
}

} // namespace ergon
