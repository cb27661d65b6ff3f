//===- LineSet.cpp - sets of cache lines ----------------------------------===//

#include "model/LineSet.h"

#include <algorithm>

namespace ergon {

void LineSet::normalize() {
  auto ByFirst = [](const LineRange &Left, const LineRange &Right) {
    return Left.First < Right.First;
  };
  if (!std::ranges::is_sorted(Ranges, ByFirst)) {
    if (std::ranges::is_sorted(Ranges.rbegin(), Ranges.rend(), ByFirst))
      std::ranges::reverse(Ranges);
    else
      std::ranges::sort(Ranges, ByFirst);
  }
  std::size_t Kept = 0;
  for (const LineRange &Each : Ranges) {
    if (Each.First >= Each.End)
      continue;
    if (Kept != 0 && Each.First <= Ranges[Kept - 1].End)
      Ranges[Kept - 1].End = std::max(Ranges[Kept - 1].End, Each.End);
    else
      Ranges[Kept++] = Each;
  }
  Ranges.resize(Kept);
}

std::int64_t LineSet::count() const {
  std::int64_t Sum = 0;
  for (const LineRange &Each : Ranges)
    Sum += Each.End - Each.First;
  return Sum;
}

std::int64_t LineSet::countIn(LineRange Of) const {
  auto At = std::ranges::upper_bound(Ranges, Of.First, {}, &LineRange::End);
  std::int64_t Sum = 0;
  for (; At != Ranges.end() && At->First < Of.End; ++At)
    Sum += std::min(At->End, Of.End) - std::max(At->First, Of.First);
  return Sum;
}

LineSet &LineSet::operator|=(const LineSet &Other) {
  if (Other.empty())
    return *this;
  if (empty())
    return *this = Other;
  std::vector<LineRange> Joined;
  Joined.reserve(Ranges.size() + Other.Ranges.size());
  std::ranges::merge(Ranges, Other.Ranges, std::back_inserter(Joined), {}, &LineRange::First,
                     &LineRange::First);
  Ranges = std::move(Joined);
  normalize();
  return *this;
}

LineSet &LineSet::operator-=(const LineSet &Other) {
  if (empty() || Other.empty())
    return *this;
  std::vector<LineRange> Left;
  auto At = Other.Ranges.begin(), End = Other.Ranges.end();
  for (LineRange Each : Ranges) {
    At = std::partition_point(At, End, [&](const LineRange &O) { return O.End <= Each.First; });
    for (auto Next = At; Next != End && Next->First < Each.End; ++Next) {
      if (Next->First > Each.First)
        Left.push_back({Each.First, Next->First});
      Each.First = Next->End;
    }
    if (Each.First < Each.End)
      Left.push_back(Each);
  }
  Ranges = std::move(Left);
  return *this;
}

LineSet operator&(const LineSet &Left, const LineSet &Right) {
  if (Left.Ranges.size() > Right.Ranges.size())
    return Right & Left;
  LineSet Common;
  auto At = Right.Ranges.begin(), End = Right.Ranges.end();
  for (const LineRange &Each : Left.Ranges) {
    At = std::partition_point(At, End, [&](const LineRange &O) { return O.End <= Each.First; });
    for (auto Next = At; Next != End && Next->First < Each.End; ++Next)
      Common.Ranges.push_back({std::max(Each.First, Next->First), std::min(Each.End, Next->End)});
  }
  return Common;
}

bool LineSet::intersects(const LineSet &Other) const {
  if (Ranges.size() > Other.Ranges.size())
    return Other.intersects(*this);
  auto At = Other.Ranges.begin(), End = Other.Ranges.end();
  for (const LineRange &Each : Ranges) {
    At = std::partition_point(At, End, [&](const LineRange &O) { return O.End <= Each.First; });
    if (At != End && At->First < Each.End)
      return true;
  }
  return false;
}

SetLoad::SetLoad(const LineSet &Of, std::uint64_t Sets) : Load(Sets) {
  auto Count = std::int64_t(Sets);
  std::int64_t Everywhere = 0;
  // First how the number changes from one set to the next.
  for (const LineRange &Each : Of.ranges()) {
    std::int64_t Lines = Each.End - Each.First;
    Everywhere += Lines / Count;
    auto From = std::size_t(Each.First % Count), To = std::size_t(Each.End % Count);
    if (From == To)
      continue;
    ++Load[From];
    --Load[To];
    Everywhere += To < From; // the rest goes over the last set
  }
  for (std::int64_t &Each : Load)
    Each = Everywhere += Each;
}

std::int64_t SetLoad::most() const { return *std::ranges::max_element(Load); }
std::int64_t SetLoad::least() const { return *std::ranges::min_element(Load); }

LineSet SetLoad::beyond(std::int64_t Ways, const LineSet &Of) const {
  if (most() <= Ways)
    return {};
  if (least() > Ways)
    return Of;
  auto Count = std::int64_t(Load.size());
  LineSet Result;
  for (const LineRange &Each : Of.ranges()) {
    auto At = std::size_t(Each.First % Count);
    std::int64_t From = Each.First;
    bool IsOpen = false;
    for (std::int64_t Line = Each.First; Line != Each.End; ++Line) {
      bool IsBeyond = Load[At] > Ways;
      if (IsBeyond && !IsOpen)
        From = Line;
      if (!IsBeyond && IsOpen)
        Result.add({From, Line});
      IsOpen = IsBeyond;
      At = At + 1 == Load.size() ? 0 : At + 1;
    }
    if (IsOpen)
      Result.add({From, Each.End});
  }
  return Result;
}

bool plainlyFits(const LineSet &Of, std::uint64_t Sets, std::int64_t Ways) {
  std::int64_t Sum = 0;
  for (const LineRange &Each : Of.ranges()) {
    Sum += (Each.End - Each.First + std::int64_t(Sets) - 1) / std::int64_t(Sets);
    if (Sum > Ways)
      return false;
  }
  return true;
}

} // namespace ergon
