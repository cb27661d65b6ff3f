//===- PointerTargets.cpp - points-to analysis of a run -------------------===//

#include "model/access/PointerTargets.h"

#include <algorithm>

namespace ergon {

/// The offset of \p Target in bytes, where it is a number.
static std::optional<std::int64_t> fixedOffset(const PointerTarget &Target) {
  auto Bytes = Target.Offset && !Target.Row ? Target.Offset->constant() : std::nullopt;
  if (!Bytes || !Bytes->asWord())
    return std::nullopt;
  return *Bytes->asWord();
}

/// \p From plus \p Bytes, with wrap-around on overflow.
static std::int64_t further(std::int64_t From, std::int64_t Bytes) {
  return std::int64_t(std::uint64_t(From) + std::uint64_t(Bytes));
}

unsigned PointerTargets::make(MemoryObject Object) {
  Objects.push_back(std::move(Object));
  return unsigned(Objects.size() - 1);
}

PointerTarget PointerTargets::ofKey(const std::string &Key, MemoryObject Object) {
  auto [Found, New] = ByKey.try_emplace(Key);
  if (New)
    Found->second = make(std::move(Object));
  else if (Object.Bytes && !Objects[Found->second].Bytes) // another file states it
    Objects[Found->second].Bytes = std::move(Object.Bytes);
  return {Found->second, Expr()};
}

/// The target of the pointer through which object \p Number is found: the pointer is in an object
/// before it.
PointerTarget PointerTargets::pointedFrom(std::size_t Number, Names &N) {
  const SizedObject &Object = N.Named.Objects[Number];
  const PointerTarget Holder = targetOf(Object.Via->Object, Object.Where, N, Number);
  const MemoryObject &HolderObject = Objects[Holder.Object];
  const bool IsGlobal = HolderObject.IsGlobal;
  MemoryObject Pointed{(IsGlobal ? "" : N.Prefix) + Object.Name, Object.Where};
  Pointed.IsGlobal = IsGlobal;
  auto Start = fixedOffset(Holder);
  if (!Object.Via->Offset)
    return ofKey("rows of " + std::to_string(Holder.Object), std::move(Pointed));
  if (!Start)
    return ofKey(N.Prefix + Object.Name, std::move(Pointed));
  const std::int64_t Position = further(*Start, *Object.Via->Offset);
  if (auto Found = Now.find({Holder.Object, Position}); Found != Now.end()) {
    if (Found->second)
      return *Found->second;
    Pointed.MayBeOther = true;
  } else if (auto Rows = ByKey.find("rows of " + std::to_string(Holder.Object));
             Rows != ByKey.end()) {
    return {Rows->second, Expr(), Expr(Position)};
  }
  // The pointer existed from the start.
  PointerTarget Result{make(std::move(Pointed)), Expr()};
  for (Cells &C : Held)
    C.try_emplace({Holder.Object, Position}, Result);
  Now.insert_or_assign({Holder.Object, Position}, Result);
  return Result;
}

PointerTarget PointerTargets::targetOf(const std::string &Base, Space Where, Names &N,
                                       std::size_t Before) {
  if (auto Found = N.Known.find(Base); Found != N.Known.end())
    return Found->second;
  const auto End = N.Named.Objects.begin() + std::ptrdiff_t(Before);
  const auto Found = std::find_if(N.Named.Objects.begin(), End,
                                  [&](const SizedObject &Object) { return Object.Name == Base; });
  const SizedObject *Said = Found == End ? nullptr : &*Found;
  if (Said && Said->Via)
    return pointedFrom(std::size_t(Found - N.Named.Objects.begin()), N);
  // Code that follows a pointer knows less of its target than code that owns the object.
  const bool IsOnStack =
      (Said && Said->Where == Space::Stack) || Where == Space::Stack || Where == Space::Local;
  MemoryObject MO{Base, IsOnStack && Where == Space::Memory ? Space::Stack : Where};
  if (Said && Said->Bytes != 0)
    MO.Bytes = Expr(Said->Bytes);
  MO.IsGlobal = Said && !Said->IsAllocated && (!Said->Symbol.empty() || !IsOnStack);
  if (MO.IsGlobal)
    return ofKey("global " + (Said->Symbol.empty() ? Base : Said->Symbol), std::move(MO));
  MO.Name = (Base.empty() ? "" : N.Prefix) + Base;
  MO.IsWarm = Base == FrameObject && N.Prefix.empty();
  MO.MayBeOther =
      !N.Prefix.empty() &&
      std::ranges::find(N.Named.Parameters, Base, &Parameter::Name) != N.Named.Parameters.end();
  const std::string Key = MO.Name;
  N.Made.insert(Key);
  return ofKey(Key, std::move(MO));
}

void PointerTargets::enter(Names &N) {
  const std::vector<SizedObject> &All = N.Named.Objects;
  // Where tables have rows, single pointers in them lead to rows too.
  for (std::size_t I = 0; I != All.size(); ++I)
    if (All[I].Via && !All[I].Via->Offset)
      pointedFrom(I, N);
  for (std::size_t I = 0; I != All.size(); ++I)
    if (All[I].Via && All[I].Via->AtEntry)
      N.Known.insert_or_assign(All[I].Name, pointedFrom(I, N));
}

void PointerTargets::load(const std::string &Base, Names &N) {
  N.Known.erase(Base);
  if (std::ranges::find(N.Named.Objects, Base, &SizedObject::Name) != N.Named.Objects.end())
    N.Known.insert_or_assign(Base, targetOf(Base, Space::Memory, N));
}

void PointerTargets::store(const PointerTarget &To, std::optional<PointerTarget> Value) {
  if (auto V = fixedOffset(To))
    Now.insert_or_assign({To.Object, *V}, std::move(Value));
}

void PointerTargets::clear(const PointerTarget &To) {
  if (auto Value = fixedOffset(To))
    Now.erase({To.Object, *Value});
}

void PointerTargets::copy(const PointerTarget &From, const PointerTarget &To, std::int64_t Bytes) {
  auto Source = fixedOffset(From), Sink = fixedOffset(To);
  if (!Source || !Sink || further(*Source, Bytes) <= *Source || further(*Sink, Bytes) <= *Sink)
    return;
  const Cells Before = Now;
  Now.erase(Now.lower_bound({To.Object, *Sink}),
            Now.lower_bound({To.Object, further(*Sink, Bytes)}));
  for (auto Position = Before.lower_bound({From.Object, *Source});
       Position != Before.lower_bound({From.Object, further(*Source, Bytes)}); ++Position)
    Now.insert_or_assign({To.Object, further(*Sink, further(Position->first.second, -*Source))},
                         Position->second);
}

void PointerTargets::leave(const Names &N, const std::optional<PointerTarget> &Returned) {
  for (const std::string &Key : N.Made) {
    auto Found = ByKey.find(Key);
    if (Found == ByKey.end())
      continue;
    const unsigned Object = Found->second;
    if (Objects[Object].Where == Space::Stack)
      std::erase_if(Now, [&](const auto &Item) { return Item.first.first == Object; });
  }
  for (const std::string &Key : N.Made) {
    auto Found = ByKey.find(Key);
    if (Found == ByKey.end() || Objects[Found->second].Where == Space::Stack ||
        Objects[Found->second].MayBeOther)
      continue;
    const unsigned Object = Found->second;
    auto Leads = [&](const std::optional<PointerTarget> &To) { return To && To->Object == Object; };
    if (Leads(Returned) || std::ranges::any_of(Now, [&](const auto &I) { return Leads(I.second); }))
      ByKey.erase(Found);
  }
}

bool PointerTargets::isAsHeld() const {
  return std::ranges::all_of(Held.back(), [&](const auto &Item) {
    auto Found = Now.find(Item.first);
    return Found != Now.end() && Found->second == Item.second;
  });
}

bool PointerTargets::tookTurns() const {
  std::set<unsigned> Then;
  for (const auto &[Entry, To] : Held.back())
    if (To)
      Then.insert(To->Object);
  return std::ranges::any_of(Held.back(), [&](const auto &Item) {
    auto Found = Now.find(Item.first);
    return Found != Now.end() && Found->second && Found->second != Item.second &&
           Then.contains(Found->second->Object);
  });
}

} // namespace ergon
