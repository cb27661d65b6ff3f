//===- State.cpp - what interpreted code has reached ----------------------===//

#include "model/code/State.h"

#include <algorithm>

namespace ergon::code {

/// By how much \p What is more than each of \p With.
static Inputs above(const Inputs &With, const Value &What) {
  Inputs Result;
  std::int64_t More = 0;
  for (const auto &[Symbol, Number] : With)
    if (What.isInteger() && !__builtin_sub_overflow(std::int64_t(What.Bits), Number, &More))
      Result.emplace_back(Symbol, More);
  return Result;
}

static void keepCommon(Inputs &Mine, const Inputs &Other) {
  std::erase_if(Mine,
                [&](const auto &Each) { return std::ranges::find(Other, Each) == Other.end(); });
}

void State::note(std::pair<std::uint32_t, std::uint32_t> Where, const Value &What,
                 const Inputs &With) {
  auto [Slot, New] = Notes.changePageOf(Where.first).try_emplace(Where, Noted{What});
  Noted &All = Slot->second;
  if (!New && All.What != What)
    All.What = Value::unknown();
  All.add(What);
  if (New)
    All.Above = above(With, What);
  else if (!All.Above.empty())
    keepCommon(All.Above, above(With, What));
}

void State::Noted::add(const Value &Visit) {
  const auto Number = std::int64_t(Visit.Bits);
  IsSum &= All.add({Number, 1, {Number, Number}}) && Visit.isInteger();
}

void State::Share::count(std::uint64_t Of, std::uint64_t In) {
  if (In != 0 && Denominator != 0) {
    IsSame &= !Each || Each == Latest;
    Before = range();
    Each = Latest;
  }
  if (In != 0)
    Latest = 0;
  Denominator += In;
  Numerator += Of;
  Latest += Of;
}

std::optional<std::int64_t> State::Share::sameEachTime(bool IsPart) const {
  if (!IsKnown || Denominator == 0)
    return std::nullopt;
  const bool Is =
      IsPart ? Numerator == 0 || Numerator == Denominator
             : Denominator == 1 || (IsSame && Each == Latest && Numerator == Denominator * Latest);
  return Is ? std::optional(std::int64_t(Numerator / Denominator)) : std::nullopt;
}

std::pair<std::int64_t, std::int64_t> State::Share::range() const {
  const auto Last = std::int64_t(Latest);
  return Each ? std::pair(std::min(Before.first, Last), std::max(Before.second, Last))
              : std::pair(Last, Last);
}

void State::callThrough(std::pair<std::uint32_t, std::uint32_t> Where, const Value &Callee) {
  const bool IsKnown = Callee.What == Value::Kind::Function;
  ++Called[{Where, IsKnown ? std::optional(Callee.Object) : std::nullopt}].Numerator;
}

/// Shares that differ are not known; returns whether anything changed.
template <typename Shares> static bool mergeShares(Shares &Mine, const Shares &Theirs) {
  bool Changed = false;
  auto Merge = [&](State::Share &Share, const State::Share &Other) {
    if (Share.IsKnown && Share != Other) {
      Share.IsKnown = false;
      Changed = true;
    }
  };
  for (auto &[Where, Share] : Mine)
    if (auto Other = Theirs.find(Where); Other != Theirs.end())
      Merge(Share, Other->second);
    else
      Merge(Share, {});
  for (const auto &[Where, Other] : Theirs)
    if (auto [Slot, New] = Mine.try_emplace(Where); New)
      Merge(Slot->second, Other);
  return Changed;
}

template <typename T> static void keepSame(std::optional<T> &Mine, const std::optional<T> &Other) {
  if (Mine != Other)
    Mine.reset();
}

static void keepSame(LaunchValues &Mine, const LaunchValues &Other) {
  for (std::size_t Axis = 0; Axis != 3; ++Axis) {
    keepSame(Mine.Grid[Axis], Other.Grid[Axis]);
    keepSame(Mine.Block[Axis], Other.Block[Axis]);
  }
  keepSame(Mine.SharedBytes, Other.SharedBytes);
  Mine.Arguments.resize(std::min(Mine.Arguments.size(), Other.Arguments.size()));
  for (std::size_t I = 0; I != Mine.Arguments.size(); ++I)
    std::erase_if(Mine.Arguments[I], [&](const auto &Held) {
      auto Same = Other.Arguments[I].find(Held.first);
      return Same == Other.Arguments[I].end() || Same->second != Held.second;
    });
}

void State::launch(const std::string &Kernel, const LaunchValues &Values) {
  auto [Slot, New] = Launches.try_emplace(Kernel, First{true, Values});
  if (New || Slot->second.IsSure)
    return;
  keepSame(Slot->second.Values, Values);
  Slot->second.IsSure = true;
}

/// Values that differ are not known; returns whether anything changed.
static bool mergeNotes(ByFunction<State::Noted>::Page &Mine,
                       const ByFunction<State::Noted>::Page &Theirs) {
  bool Changed = false;
  auto LoseSum = [&](State::Noted &What) {
    Changed |= What.IsSum;
    What.IsSum = false;
  };
  for (auto &[Where, What] : Mine)
    if (auto Other = Theirs.find(Where); Other == Theirs.end() || Other->second != What)
      LoseSum(What);
  for (const auto &[Where, Other] : Theirs) {
    auto [Slot, New] = Mine.try_emplace(Where, Other);
    State::Noted &What = Slot->second;
    Changed |= New;
    if (New) {
      LoseSum(What);
      continue;
    }
    keepCommon(What.Above, Other.Above);
    if (What.What != Other.What && What.What.isKnown()) {
      What.What = Value::unknown();
      Changed = true;
    }
  }
  return Changed;
}

bool State::merge(const State &Other, std::size_t NumOld) {
  bool Changed = Objects.merge(Other.Objects, NumOld);
  Changed |= Notes.merge(Other.Notes, mergeNotes);
  Changed |= Shares.merge(Other.Shares, mergeShares<ByFunction<Share>::Page>);
  Changed |= mergeShares(Called, Other.Called);
  for (auto &[Kernel, Mine] : Launches) {
    const First Before = Mine;
    auto Theirs = Other.Launches.find(Kernel);
    Mine.IsSure &= Theirs != Other.Launches.end() && Theirs->second.IsSure;
    if (Theirs != Other.Launches.end())
      keepSame(Mine.Values, Theirs->second.Values);
    Changed |= Mine != Before;
  }
  for (const auto &[Kernel, Theirs] : Other.Launches)
    if (auto [Slot, New] = Launches.try_emplace(Kernel, Theirs); New) {
      Slot->second.IsSure = false;
      Changed = true;
    }
  Changed |= Objects.join(Tokens, Other.Tokens);
  if (Threads != Other.Threads && Threads != Value::unknown()) {
    Threads = Value::unknown();
    Changed = true;
  }
  for (std::size_t I = 0; I != Configuration.size(); ++I)
    if (Configuration[I] != Other.Configuration[I] && Configuration[I] != Value::unknown()) {
      Configuration[I] = Value::unknown();
      Changed = true;
    }
  return Changed;
}

} // namespace ergon::code
