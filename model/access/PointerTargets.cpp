//===- PointerTargets.cpp - which objects pointers lead to ----------------===//

#include "model/access/PointerTargets.h"

#include <algorithm>

namespace ergon {

/// Where \p Of has a place that is a number: its bytes from the object's start.
static std::optional<std::int64_t> fixedOffset(const PointerTarget &Of) {
  auto Bytes = Of.Offset && !Of.Row ? Of.Offset->constant() : std::nullopt;
  if (!Bytes || !Bytes->isInteger() || !Bytes->get_num().fits_slong_p())
    return std::nullopt;
  return Bytes->get_num().get_si();
}

/// So many bytes further; of what makes no sense any number.
static std::int64_t further(std::int64_t From, std::int64_t Bytes) {
  return std::int64_t(std::uint64_t(From) + std::uint64_t(Bytes));
}

unsigned PointerTargets::make(MemoryObject Of) {
  Objects.push_back(std::move(Of));
  return unsigned(Objects.size() - 1);
}

PointerTarget PointerTargets::ofKey(const std::string &Key, MemoryObject Of) {
  auto [Found, New] = ByKey.try_emplace(Key);
  if (New)
    Found->second = make(std::move(Of));
  else if (Of.Bytes && !Objects[Found->second].Bytes) // another file says it
    Objects[Found->second].Bytes = std::move(Of.Bytes);
  return {Found->second, Expr()};
}

/// What the pointer leads to that object \p Number is found through: it lies in one before that.
PointerTarget PointerTargets::pointedFrom(std::size_t Number, Names &In) {
  const SizedObject &Of = In.Of.Objects[Number];
  const PointerTarget Holder = targetOf(Of.Via->Object, Of.Where, In, Number);
  const MemoryObject &HolderObject = Objects[Holder.Object];
  const bool IsGlobal = HolderObject.IsGlobal;
  MemoryObject Pointed{(IsGlobal ? "" : In.Prefix) + Of.Name, Of.Where};
  Pointed.IsGlobal = IsGlobal;
  auto Start = fixedOffset(Holder);
  if (!Of.Via->Offset)
    return ofKey("rows of " + std::to_string(Holder.Object), std::move(Pointed));
  if (!Start)
    return ofKey(In.Prefix + Of.Name, std::move(Pointed));
  const std::int64_t At = further(*Start, *Of.Via->Offset);
  if (auto Found = Now.find({Holder.Object, At}); Found != Now.end()) {
    if (Found->second)
      return *Found->second;
    Pointed.MayBeOther = true;
  } else if (auto Rows = ByKey.find("rows of " + std::to_string(Holder.Object));
             Rows != ByKey.end()) {
    return {Rows->second, Expr(), Expr(At)};
  }
  // The pointer was there all the time.
  PointerTarget Result{make(std::move(Pointed)), Expr()};
  for (Cells &Each : Held)
    Each.try_emplace({Holder.Object, At}, Result);
  Now.insert_or_assign({Holder.Object, At}, Result);
  return Result;
}

PointerTarget PointerTargets::targetOf(const std::string &Base, Space Where, Names &In,
                                       std::size_t Before) {
  if (auto Found = In.Known.find(Base); Found != In.Known.end())
    return Found->second;
  const auto End = In.Of.Objects.begin() + std::ptrdiff_t(Before);
  const auto Found = std::find_if(In.Of.Objects.begin(), End,
                                  [&](const SizedObject &Each) { return Each.Name == Base; });
  const SizedObject *Said = Found == End ? nullptr : &*Found;
  if (Said && Said->Via)
    return pointedFrom(std::size_t(Found - In.Of.Objects.begin()), In);
  // Who follows a pointer knows less of where it leads than the code that has the object.
  const bool IsOnStack =
      (Said && Said->Where == Space::Stack) || Where == Space::Stack || Where == Space::Local;
  MemoryObject Of{Base, IsOnStack && Where == Space::Memory ? Space::Stack : Where};
  if (Said && Said->Bytes != 0)
    Of.Bytes = Expr(Said->Bytes);
  Of.IsGlobal = Said && !Said->IsAllocated && (!Said->Symbol.empty() || !IsOnStack);
  if (Of.IsGlobal)
    return ofKey("global " + (Said->Symbol.empty() ? Base : Said->Symbol), std::move(Of));
  Of.Name = (Base.empty() ? "" : In.Prefix) + Base;
  Of.IsWarm = Base == FrameObject && In.Prefix.empty();
  Of.MayBeOther =
      !In.Prefix.empty() &&
      std::ranges::find(In.Of.Parameters, Base, &Parameter::Name) != In.Of.Parameters.end();
  const std::string Key = Of.Name;
  In.Made.insert(Key);
  return ofKey(Key, std::move(Of));
}

void PointerTargets::enter(Names &In) {
  const std::vector<SizedObject> &All = In.Of.Objects;
  // Where tables have rows, single pointers of them lead to rows too.
  for (std::size_t I = 0; I != All.size(); ++I)
    if (All[I].Via && !All[I].Via->Offset)
      pointedFrom(I, In);
  for (std::size_t I = 0; I != All.size(); ++I)
    if (All[I].Via && All[I].Via->AtEntry)
      In.Known.insert_or_assign(All[I].Name, pointedFrom(I, In));
}

void PointerTargets::load(const std::string &Base, Names &In) {
  In.Known.erase(Base);
  if (std::ranges::find(In.Of.Objects, Base, &SizedObject::Name) != In.Of.Objects.end())
    In.Known.insert_or_assign(Base, targetOf(Base, Space::Memory, In));
}

void PointerTargets::store(const PointerTarget &To, std::optional<PointerTarget> Value) {
  if (auto At = fixedOffset(To))
    Now.insert_or_assign({To.Object, *At}, std::move(Value));
}

void PointerTargets::clear(const PointerTarget &To) {
  if (auto At = fixedOffset(To))
    Now.erase({To.Object, *At});
}

void PointerTargets::copy(const PointerTarget &From, const PointerTarget &To, std::int64_t Bytes) {
  auto Source = fixedOffset(From), Sink = fixedOffset(To);
  if (!Source || !Sink || further(*Source, Bytes) <= *Source || further(*Sink, Bytes) <= *Sink)
    return;
  const Cells Before = Now;
  Now.erase(Now.lower_bound({To.Object, *Sink}),
            Now.lower_bound({To.Object, further(*Sink, Bytes)}));
  for (auto Each = Before.lower_bound({From.Object, *Source});
       Each != Before.lower_bound({From.Object, further(*Source, Bytes)}); ++Each)
    Now.insert_or_assign({To.Object, further(*Sink, further(Each->first.second, -*Source))},
                         Each->second);
}

void PointerTargets::leave(const Names &In, const std::optional<PointerTarget> &Returned) {
  for (const std::string &Key : In.Made) {
    auto Found = ByKey.find(Key);
    if (Found == ByKey.end())
      continue;
    const unsigned Object = Found->second;
    if (Objects[Object].Where == Space::Stack)
      std::erase_if(Now, [&](const auto &Each) { return Each.first.first == Object; });
  }
  for (const std::string &Key : In.Made) {
    auto Found = ByKey.find(Key);
    if (Found == ByKey.end() || Objects[Found->second].Where == Space::Stack ||
        Objects[Found->second].MayBeOther)
      continue;
    const unsigned Object = Found->second;
    auto Leads = [&](const std::optional<PointerTarget> &To) { return To && To->Object == Object; };
    if (Leads(Returned) ||
        std::ranges::any_of(Now, [&](const auto &Each) { return Leads(Each.second); }))
      ByKey.erase(Found);
  }
}

bool PointerTargets::isAsHeld() const {
  return std::ranges::all_of(Held.back(), [&](const auto &Each) {
    auto Found = Now.find(Each.first);
    return Found != Now.end() && Found->second == Each.second;
  });
}

bool PointerTargets::tookTurns() const {
  std::set<unsigned> Then;
  for (const auto &[At, To] : Held.back())
    if (To)
      Then.insert(To->Object);
  return std::ranges::any_of(Held.back(), [&](const auto &Each) {
    auto Found = Now.find(Each.first);
    return Found != Now.end() && Found->second && Found->second != Each.second &&
           Then.contains(Found->second->Object);
  });
}

} // namespace ergon
