//===- MachineRegions.cpp - loops of machine code -------------------------===//

#include "passes/device/MachineRegions.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace ergon {

namespace {
/// Finds the jumps back, which lead to an instruction on the way from the entry, and the
/// predecessors of each instruction.
struct Walk {
  const MachineFunction &Code;
  std::vector<SmallVector<std::size_t, 2>> Before;
  std::vector<bool> Seen, OnWay;
  std::map<std::size_t, std::vector<std::size_t>> Latches; ///< by header

  explicit Walk(const MachineFunction &Code)
      : Code(Code), Before(Code.size()), Seen(Code.size()), OnWay(Code.size()) {
    if (!Code.empty())
      run();
  }

  SmallVector<std::size_t, 2> next(std::size_t At) const {
    SmallVector<std::size_t, 2> Result;
    if (Code[At].Falls && At + 1 < Code.size())
      Result.push_back(At + 1);
    if (Code[At].Target)
      Result.push_back(*Code[At].Target);
    return Result;
  }
  void run() {
    std::vector<std::pair<std::size_t, unsigned>> Way{{0, 0}};
    Seen[0] = OnWay[0] = true;
    while (!Way.empty()) {
      auto &[At, Done] = Way.back();
      const auto Next = next(At);
      if (Done == Next.size()) {
        OnWay[At] = false;
        Way.pop_back();
        continue;
      }
      const std::size_t To = Next[Done++];
      Before[To].push_back(At);
      if (OnWay[To])
        Latches[To].push_back(At);
      if (!Seen[To]) {
        Seen[To] = OnWay[To] = true;
        Way.emplace_back(To, 0);
      }
    }
  }
  /// The instructions of the loop with that header.
  std::vector<std::size_t> membersOf(std::size_t Header) const {
    std::vector<std::size_t> Result{Header};
    std::vector<bool> In(Code.size());
    In[Header] = true;
    std::vector<std::size_t> Left = Latches.at(Header);
    while (!Left.empty()) {
      const std::size_t At = Left.back();
      Left.pop_back();
      if (In[At])
        continue;
      In[At] = true;
      Result.push_back(At);
      Left.insert(Left.end(), Before[At].begin(), Before[At].end());
    }
    return Result;
  }
};
} // namespace

MachineRegions::MachineRegions(const MachineFunction &Code) : Of(Code.size(), Unreachable) {
  const Walk Found(Code);
  for (std::size_t I = 0; I != Code.size(); ++I)
    if (Found.Seen[I])
      Of[I] = 0;
  static constexpr std::size_t MostSteps = 200'000'000; // more loops than any program has
  if (Found.Latches.size() * Code.size() > MostSteps) {
    Of.assign(Code.size(), Unreachable);
    return;
  }
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> Loops;
  for (const auto &[Header, Ends] : Found.Latches)
    Loops.emplace_back(Header, Found.membersOf(Header));
  std::ranges::sort(Loops, std::greater(),
                    [](const auto &L) { return std::pair(L.second.size(), L.first); });
  for (const auto &[Header, Members] : Loops) { // the outer ones first
    const unsigned Number = unsigned(Parents.size());
    Parents.push_back(Of[Header]);
    Depths.push_back(Depths[Of[Header]] + 1);
    for (const std::size_t Member : Members)
      Of[Member] = Number;
  }
}

bool MachineRegions::isInside(unsigned Region, unsigned Outer) const {
  while (Region != Outer && Region != 0)
    Region = Parents[Region];
  return Region == Outer;
}

} // namespace ergon
