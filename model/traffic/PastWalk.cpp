//===- PastWalk.cpp - what iterations that are not run leave --------------===//

#include "model/traffic/PastWalk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

namespace ergon {

PastWalk::PastWalk(const AccessStream &Of, StreamRunner &Runner, CacheSimulator &Caches)
    : Runner(Runner), Caches(Caches), Rooms(Of.Variables), Parts(Of.Accesses),
      Marks(std::bit_ceil(3 * Caches.lines())), Lines(Caches.lines()) {
  for (Room &Each : Rooms) {
    Each.Next.resize(Of.Accesses);
    Each.Low.resize(Of.Accesses);
    Each.Wanted.resize(Of.Accesses);
  }
  collect(Of.Body);
}

/// False for one that goes with another one of its loop along the same lines.
bool PastWalk::adds(const StreamAccess &One, const StreamNest &In) const {
  const std::int64_t Line = Caches.lineBytes();
  for (const StreamItem &Each : In.Items) {
    const auto *Other = std::get_if<StreamAccess>(&Each.What);
    if (!Other)
      continue;
    if (Other == &One)
      return true;
    const std::int64_t Between = Other->At.Constant - One.At.Constant;
    if (One.At.isAffine() && Other->At.isAffine() && One.At.Steps == Other->At.Steps &&
        Between < Line && -Between < Line && Other->What == One.What &&
        std::ranges::find(Parts[Other->Number], Other) != Parts[Other->Number].end())
      return false;
  }
  return true;
}

void PastWalk::collect(const StreamNest &Of) {
  for (const StreamItem &Each : Of.Items)
    if (const auto *Inner = std::get_if<StreamNest>(&Each.What))
      collect(*Inner);
    else if (const auto &One = std::get<StreamAccess>(Each.What); !One.NonTemporal && adds(One, Of))
      Parts[One.Number].push_back(&One);
}

double PastWalk::run(const StreamNest &Of, std::int64_t First, std::int64_t Last) {
  Looks = Idle = Found = 0;
  Touched.clear();
  walk(Of, First, Last, std::vector<char>(Parts.size(), 1));
  for (const Touch &Each : std::views::reverse(Touched)) {
    Marks[Each.Mark] = 0;
    if (Each.IsStore)
      Caches.store(Each.Of);
    else
      Caches.load(Each.Of);
  }
  return double(Looks) + 2 * double(Touched.size());
}

/// Notes what is touched for the first time. False once that is enough to fill the caches, or
/// hardly anything new is found.
bool PastWalk::touch(const StreamAccess &Of) {
  const CacheSimulator::Reference Reference{Of.Number, Runner.addressOf(Of), Of.Bytes};
  const bool IsStore = Of.What != Access::Kind::Load;
  const std::uint64_t Line = Reference.Address / Caches.lineBytes();
  // Neighbours lie side by side.
  std::size_t Place = (Line >> 3) * 0x9E3779B97F4A7C15 >> (65 - std::bit_width(Marks.size()));
  Place = (Place & ~std::size_t(7)) | (Line & 7);
  while (Marks[Place] != 0 && Marks[Place] >> 1 != Line)
    Place = (Place + 1) & (Marks.size() - 1);
  if (++Looks == 6 * Lines)
    return false;
  if (Marks[Place] != 0 && (!IsStore || (Marks[Place] & 1)))
    return ++Idle != Lines + 1000;
  Found += Marks[Place] == 0;
  Marks[Place] = Line << 1 | IsStore;
  Idle = 0;
  Touched.push_back({Reference, IsStore, Place});
  return Found < Lines + Lines / 4;
}

/// The iteration before \p At that touches other lines by this access.
std::int64_t PastWalk::before(const StreamNest &Of, unsigned Access, std::int64_t At,
                              std::int64_t Low) const {
  std::int64_t Stride = 0;
  for (const StreamAccess *Each : Parts[Access]) {
    if (!Each->DependsOn[Of.Variable])
      continue;
    std::int64_t Step = Each->At.stepOf(Of.Variable);
    Stride = Each->At.isAffine() && Step != 0
                 ? std::max<std::int64_t>(Caches.lineBytes() / std::max(Step, -Step), 1)
                 : 1;
  }
  // What does not depend on the loop touches the same again, or the loops inside are shorter.
  if (Stride == 0)
    return Of.IsUneven && At > Low ? Low : Low - 1;
  return At > Low ? std::max(At - Stride, Low) : Low - 1;
}

/// False once nothing more is to be told.
bool PastWalk::walk(const StreamNest &Of, std::int64_t First, std::int64_t Last,
                    const std::vector<char> &Wanted) {
  Room &Here = Rooms[Of.Variable];
  std::fill(Here.Next.begin() + Of.FirstAccess, Here.Next.begin() + Of.EndAccess, First - 1);
  auto SetRange = [&](unsigned Access, const StreamRunner::Range &In) {
    if (Wanted[Access] && !Parts[Access].empty()) {
      Here.Next[Access] = In.End > In.First ? In.End - 1 : First - 1;
      Here.Low[Access] = In.First;
    }
  };
  for (const StreamItem &Each : Of.Items) {
    const StreamRunner::Range In = Runner.rangeOf(Each, First, Last + 1);
    if (const auto *Inner = std::get_if<StreamNest>(&Each.What))
      for (unsigned I = Inner->FirstAccess; I != Inner->EndAccess; ++I)
        SetRange(I, In);
    else
      SetRange(std::get<StreamAccess>(Each.What).Number, In);
  }
  while (true) {
    std::int64_t At = First - 1;
    for (unsigned I = Of.FirstAccess; I != Of.EndAccess; ++I)
      At = std::max(At, Here.Next[I]);
    if (At < First)
      return true;
    for (unsigned I = Of.FirstAccess; I != Of.EndAccess; ++I) {
      Here.Wanted[I] = Here.Next[I] == At;
      if (Here.Wanted[I])
        if (Here.Next[I] = before(Of, I, At, Here.Low[I]); Here.Next[I] < Here.Low[I])
          Here.Next[I] = First - 1;
    }
    Runner.Values[Of.Variable] = At;
    if (!step(Of, Here.Wanted))
      return false;
  }
}

/// One iteration.
bool PastWalk::step(const StreamNest &Of, const std::vector<char> &Wanted) {
  for (const StreamItem &Each : std::views::reverse(Of.Items)) {
    if (const auto *Inner = std::get_if<StreamNest>(&Each.What)) {
      const auto Begin = Wanted.begin() + Inner->FirstAccess,
                 End = Wanted.begin() + Inner->EndAccess;
      if (std::find(Begin, End, 1) == End || Runner.meanTimes(Each.Runs) == 0)
        continue;
      const auto Trips = std::int64_t(std::ceil(Runner.meanTimes(Inner->Trips)));
      if (Trips > 0 && !walk(*Inner, 0, Trips - 1, Wanted))
        return false;
      continue;
    }
    const auto &One = std::get<StreamAccess>(Each.What);
    if (Wanted[One.Number] && !One.NonTemporal && Runner.meanTimes(Each.Runs) != 0 && !touch(One))
      return false;
  }
  return true;
}

} // namespace ergon
