//===- PastWalk.cpp - cache contents left by skipped iterations -----------===//

#include "model/traffic/PastWalk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

namespace ergon {

PastWalk::PastWalk(const AccessStream &Stream, StreamRunner &Runner, CacheSimulator &Caches)
    : Runner(Runner), Caches(Caches), Rooms(Stream.Variables), Parts(Stream.Accesses),
      Marks(std::bit_ceil(3 * Caches.lines())), Lines(Caches.lines()) {
  for (Room &R : Rooms) {
    R.Next.resize(Stream.Accesses);
    R.Low.resize(Stream.Accesses);
    R.Wanted.resize(Stream.Accesses);
  }
  collect(Stream.Body);
}

/// False for an access that another access of its loop accompanies on the same lines.
bool PastWalk::adds(const StreamAccess &Access, const StreamNest &Nest) const {
  const std::int64_t Line = Caches.lineBytes();
  for (const StreamItem &Item : Nest.Items) {
    const auto *Other = std::get_if<StreamAccess>(&Item.What);
    if (!Other)
      continue;
    if (Other == &Access)
      return true;
    const std::int64_t Gap = Other->Address.Constant - Access.Address.Constant;
    if (Access.Address.isAffine() && Other->Address.isAffine() &&
        Access.Address.Steps == Other->Address.Steps && Gap < Line && -Gap < Line &&
        Other->What == Access.What &&
        std::ranges::find(Parts[Other->Number], Other) != Parts[Other->Number].end())
      return false;
  }
  return true;
}

void PastWalk::collect(const StreamNest &Nest) {
  for (const StreamItem &Item : Nest.Items)
    if (const auto *Inner = std::get_if<StreamNest>(&Item.What))
      collect(*Inner);
    else if (const auto &Access = std::get<StreamAccess>(Item.What);
             !Access.NonTemporal && adds(Access, Nest))
      Parts[Access.Number].push_back(&Access);
}

double PastWalk::run(const StreamNest &Nest, std::int64_t First, std::int64_t Last) {
  Looks = Idle = Found = 0;
  History.clear();
  walk(Nest, First, Last, std::vector<char>(Parts.size(), 1));
  for (const Touch &T : std::views::reverse(History)) {
    Marks[T.Mark] = 0;
    if (T.IsStore)
      Caches.store(T.Touched);
    else
      Caches.load(T.Touched);
  }
  return double(Looks) + 2 * double(History.size());
}

/// Notes a line that is touched for the first time. False once the caches are full, or hardly any
/// new line is found.
bool PastWalk::touch(const StreamAccess &Access) {
  const CacheSimulator::Reference Reference{Access.Number, Runner.addressOf(Access), Access.Bytes};
  const bool IsStore = Access.What != Access::Kind::Load;
  const std::uint64_t Line = Reference.Address / Caches.lineBytes();
  // Neighbouring lines get neighbouring entries.
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
  History.push_back({Reference, IsStore, Place});
  return Found < Lines + Lines / 4;
}

/// The last iteration before \p Position in which this access touches other lines.
std::int64_t PastWalk::before(const StreamNest &Nest, unsigned Access, std::int64_t Position,
                              std::int64_t Low) const {
  std::int64_t Stride = 0;
  for (const StreamAccess *SA : Parts[Access]) {
    if (!SA->DependsOn[Nest.Variable])
      continue;
    std::int64_t Step = SA->Address.stepOf(Nest.Variable);
    Stride = SA->Address.isAffine() && Step != 0
                 ? std::max<std::int64_t>(Caches.lineBytes() / std::max(Step, -Step), 1)
                 : 1;
  }
  // An access that does not depend on the loop touches the same lines again, or inner loops are
  // shorter.
  if (Stride == 0)
    return Nest.IsUneven && Position > Low ? Low : Low - 1;
  return Position > Low ? std::max(Position - Stride, Low) : Low - 1;
}

/// False once nothing more is to be found.
bool PastWalk::walk(const StreamNest &Nest, std::int64_t First, std::int64_t Last,
                    const std::vector<char> &Wanted) {
  Room &R = Rooms[Nest.Variable];
  std::fill(R.Next.begin() + Nest.FirstAccess, R.Next.begin() + Nest.EndAccess, First - 1);
  auto SetRange = [&](unsigned Access, const StreamRunner::Range &Input) {
    if (Wanted[Access] && !Parts[Access].empty()) {
      R.Next[Access] = Input.End > Input.First ? Input.End - 1 : First - 1;
      R.Low[Access] = Input.First;
    }
  };
  for (const StreamItem &Item : Nest.Items) {
    const StreamRunner::Range Scope = Runner.rangeOf(Item, First, Last + 1);
    if (const auto *Inner = std::get_if<StreamNest>(&Item.What))
      for (unsigned I = Inner->FirstAccess; I != Inner->EndAccess; ++I)
        SetRange(I, Scope);
    else
      SetRange(std::get<StreamAccess>(Item.What).Number, Scope);
  }
  while (true) {
    std::int64_t Position = First - 1;
    for (unsigned I = Nest.FirstAccess; I != Nest.EndAccess; ++I)
      Position = std::max(Position, R.Next[I]);
    if (Position < First)
      return true;
    for (unsigned I = Nest.FirstAccess; I != Nest.EndAccess; ++I) {
      R.Wanted[I] = R.Next[I] == Position;
      if (R.Wanted[I])
        if (R.Next[I] = before(Nest, I, Position, R.Low[I]); R.Next[I] < R.Low[I])
          R.Next[I] = First - 1;
    }
    Runner.Values[Nest.Variable] = Position;
    if (!step(Nest, R.Wanted))
      return false;
  }
}

/// One iteration.
bool PastWalk::step(const StreamNest &Nest, const std::vector<char> &Wanted) {
  for (const StreamItem &Item : std::views::reverse(Nest.Items)) {
    if (const auto *Inner = std::get_if<StreamNest>(&Item.What)) {
      const auto Begin = Wanted.begin() + Inner->FirstAccess,
                 End = Wanted.begin() + Inner->EndAccess;
      if (std::find(Begin, End, 1) == End || Runner.meanTimes(Item.Runs) == 0)
        continue;
      const auto Trips = std::int64_t(std::ceil(Runner.meanTimes(Inner->Trips)));
      if (Trips > 0 && !walk(*Inner, 0, Trips - 1, Wanted))
        return false;
      continue;
    }
    const auto &Access = std::get<StreamAccess>(Item.What);
    if (Wanted[Access.Number] && !Access.NonTemporal && Runner.meanTimes(Item.Runs) != 0 &&
        !touch(Access))
      return false;
  }
  return true;
}

} // namespace ergon
