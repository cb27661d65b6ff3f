//===- Memory.cpp - memory of interpreted code ----------------------------===//

#include "model/code/Memory.h"

#include <algorithm>

namespace ergon::code {

/// The bits of a slot's value as memory has them; nothing for pointers and unknown values.
static std::optional<std::uint64_t> bitsOf(const Object::Slot &S) {
  if (S.What.isInteger())
    return S.What.Bits;
  if (S.What.isReal())
    return S.Bytes == 4 ? std::bit_cast<std::uint32_t>(float(S.What.number())) : S.What.Bits;
  return std::nullopt;
}

std::optional<unsigned> Object::byteAt(std::int64_t Offset) const {
  auto Next = Slots.upper_bound(Offset);
  if (Next != Slots.begin()) {
    const auto &[Start, Found] = *std::prev(Next);
    if (Offset < Start + std::int64_t(Found.Bytes)) {
      auto Bits = bitsOf(Found);
      const std::int64_t At = Offset - Start;
      return Bits ? std::optional(unsigned(At >= 8 ? 0 : *Bits >> (8 * At)) & 0xff) : std::nullopt;
    }
  }
  return Others == Rest::Zero ? std::optional(0U) : std::nullopt;
}

Value Object::load(std::int64_t Offset, unsigned Bytes, bool IsReal) const {
  if (IsShared)
    return Value::unknown();
  if (auto Found = Slots.find(Offset);
      Found != Slots.end() && Found->second.Bytes == Bytes && Found->second.What.isReal() == IsReal)
    return Found->second.What;
  if (Bytes > 8)
    return Value::unknown();
  std::uint64_t Bits = 0;
  for (unsigned I = 0; I != Bytes; ++I) {
    auto Byte = byteAt(Offset + I);
    if (!Byte)
      return Value::unknown();
    Bits |= std::uint64_t(*Byte) << (8 * I);
  }
  if (!IsReal)
    return Value::integer(Bits);
  return Value::real(Bytes == 4 ? double(std::bit_cast<float>(std::uint32_t(Bits)))
                                : std::bit_cast<double>(Bits));
}

/// Frees the bytes for another slot; what a slot has beside them stays.
void Object::cut(std::int64_t Offset, std::int64_t Bytes) {
  const std::int64_t End = Offset + Bytes;
  auto Next = Slots.lower_bound(Offset);
  if (Next != Slots.begin() && std::prev(Next)->first + std::prev(Next)->second.Bytes > Offset)
    --Next;
  while (Next != Slots.end() && Next->first < End) {
    const auto [Start, Old] = *Next;
    const auto Bits = bitsOf(Old);
    Next = Slots.erase(Next);
    for (std::int64_t I = 0; I != Old.Bytes; ++I)
      if (Start + I < Offset || Start + I >= End)
        Slots[Start + I] = {1, Bits ? Value::integer((*Bits >> (8 * I)) & 0xff) : Value::unknown()};
    Next = Slots.lower_bound(std::max(Start + std::int64_t(Old.Bytes), Offset));
  }
}

void Object::store(std::int64_t Offset, unsigned Bytes, const Value &What) {
  // Loops over memory of unknown content store unknown values, which would be a slot each.
  if (!What.isKnown() && Others == Rest::Unknown)
    return cut(Offset, Bytes);
  if (auto Same = Slots.find(Offset); Same != Slots.end() && Same->second.Bytes == Bytes) {
    Same->second.What = What;
    return;
  }
  cut(Offset, Bytes);
  Slots[Offset] = {Bytes, What};
}

void Object::fill(std::int64_t Offset, std::int64_t Bytes, Rest What) {
  cut(Offset, Bytes);
  if (What == Others || Bytes <= 0)
    return;
  const Value Each = What == Rest::Zero ? Value::integer(0) : Value::unknown();
  for (std::int64_t At = 0; At < Bytes;) {
    const unsigned Step = Bytes - At >= 8 ? 8 : 1;
    Slots[Offset + At] = {Step, Each};
    At += Step;
  }
}

void Object::copy(std::int64_t Offset, const Object &From, std::int64_t Start, std::int64_t Bytes) {
  const std::map<std::int64_t, Slot> Source = From.Slots; // may be the object itself
  const std::int64_t End = Start + Bytes;
  if (From.IsShared)
    return fill(Offset, Bytes, Rest::Unknown);
  const Object Before = From;
  fill(Offset, Bytes, From.Others);
  for (auto Next = Source.begin(); Next != Source.end(); ++Next) {
    const auto &[At, What] = *Next;
    if (At >= Start && At + std::int64_t(What.Bytes) <= End) {
      store(Offset + At - Start, What.Bytes, What.What);
      continue;
    }
    for (std::int64_t I = std::max(At, Start); I < std::min(At + std::int64_t(What.Bytes), End);
         ++I)
      store(Offset + I - Start, 1, Before.load(I, 1, false));
  }
}

void Object::forget() {
  Slots.clear();
  Others = Rest::Unknown;
}

bool Object::merge(const Object &Other, std::vector<Value> &Dropped) {
  bool Changed = (Other.IsShared && !IsShared) || (Other.IsExposed && !IsExposed);
  IsShared |= Other.IsShared;
  IsExposed |= Other.IsExposed;
  std::vector<std::pair<std::int64_t, Slot>> Differing;
  // Both in order: most slots of large objects are the same.
  auto Compare = [&](const Object &Mine, const Object &Theirs) {
    auto Same = Theirs.Slots.begin();
    for (const auto &[At, Have] : Mine.Slots) {
      while (Same != Theirs.Slots.end() && Same->first < At)
        ++Same;
      if (Same != Theirs.Slots.end() && Same->first == At && Same->second == Have)
        continue;
      if (!Have.What.isKnown() || Theirs.load(At, Have.Bytes, Have.What.isReal()) != Have.What) {
        Differing.emplace_back(At, Have);
        Dropped.push_back(Have.What);
      }
    }
  };
  Compare(*this, Other);
  Compare(Other, *this);
  for (const auto &[At, What] : Differing) {
    bool IsNew = false; // bytes that were known
    for (unsigned I = 0; I != What.Bytes && !IsNew; ++I) {
      auto Next = Slots.upper_bound(At + I);
      const bool Inside =
          Next != Slots.begin() && At + I < std::prev(Next)->first + std::prev(Next)->second.Bytes;
      IsNew = Inside ? std::prev(Next)->second.What.isKnown() : Others == Rest::Zero;
    }
    Changed |= IsNew;
    if (IsNew)
      fill(At, What.Bytes, Rest::Unknown);
  }
  if (Other.Others == Rest::Unknown && Others == Rest::Zero) {
    Others = Rest::Unknown;
    Changed = true;
  }
  return Changed;
}

std::uint32_t Memory::add(Object What) {
  Objects.push_back(std::make_shared<Object>(std::move(What)));
  return std::uint32_t(Objects.size() - 1);
}

void Memory::drop(std::uint32_t Number) {
  if (Number + 1 == Objects.size())
    Objects.pop_back();
  else if (has(Number))
    Objects[Number] = nullptr;
}

Object &Memory::change(std::uint32_t Number) {
  std::shared_ptr<Object> &Found = Objects[Number];
  if (Found.use_count() > 1) {
    Found = std::make_shared<Object>(*Found);
    Work += Found->slots().size();
  }
  return *Found;
}

Value Memory::load(const Value &From, unsigned Bytes, bool IsReal) const {
  if (!From.isPointer() || !From.HasOffset || !has(From.Object))
    return Value::unknown();
  return object(From.Object).load(From.offset(), Bytes, IsReal);
}

void Memory::expose(const Value &What) {
  if (What.isPointer() && has(What.Object) && !object(What.Object).IsExposed)
    change(What.Object).IsExposed = true;
}

void Memory::forgetObject(std::uint32_t Number) {
  std::vector<Value> Held;
  for (const auto &[At, Slot] : object(Number).slots())
    Held.push_back(Slot.What);
  change(Number).forget();
  for (const Value &Pointer : Held)
    expose(Pointer);
}

void Memory::forget(const Value &At) {
  if (At.isPointer() && has(At.Object))
    forgetObject(At.Object);
  else if (!At.isInteger())
    forgetExposed();
}

void Memory::giveAway(const Value &Pointer) {
  if (!Pointer.isPointer() || !has(Pointer.Object))
    return;
  std::vector<std::uint32_t> Open{Pointer.Object};
  std::vector<bool> Seen(Objects.size());
  while (!Open.empty()) {
    const std::uint32_t Next = Open.back();
    Open.pop_back();
    if (!has(Next) || Seen[Next])
      continue;
    Seen[Next] = true;
    for (const auto &[At, Slot] : object(Next).slots())
      if (Slot.What.isPointer())
        Open.push_back(Slot.What.Object);
    Object &Given = change(Next);
    Given.IsExposed = true;
    Given.forget();
  }
}

void Memory::forgetExposed() {
  for (std::uint32_t I = 0; I != Objects.size(); ++I)
    if (has(I) && object(I).IsExposed)
      giveAway(Value::pointer(I, 0));
}

void Memory::store(const Value &To, unsigned Bytes, const Value &What) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object)) {
    expose(What);
    return forget(To);
  }
  if (!object(To.Object).IsShared)
    change(To.Object).store(To.offset(), Bytes, What);
  else
    expose(What);
}

/// Lengths above this are no strings or structures of options.
static constexpr std::int64_t MaxCopied = 1 << 16;

void Memory::copy(const Value &To, const Value &From, const Value &Bytes) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object) || !Bytes.isInteger() ||
      Bytes.Bits > MaxCopied || !From.isPointer() || !From.HasOffset || !has(From.Object)) {
    if (From.isPointer() && has(From.Object))
      for (const auto &[At, Slot] : std::map(object(From.Object).slots()))
        expose(Slot.What);
    return forget(To);
  }
  const std::shared_ptr<Object> Source = Objects[From.Object];
  change(To.Object).copy(To.offset(), *Source, From.offset(), std::int64_t(Bytes.Bits));
}

void Memory::set(const Value &To, const Value &Byte, const Value &Bytes) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object) || !Bytes.isInteger() ||
      !Byte.isInteger() || Bytes.Bits > MaxCopied)
    return forget(To);
  Object &Target = change(To.Object);
  if (Byte.Bits == 0)
    return Target.fill(To.offset(), std::int64_t(Bytes.Bits), Object::Rest::Zero);
  for (std::int64_t I = 0; I != std::int64_t(Bytes.Bits); ++I)
    Target.store(To.offset() + I, 1, Value::integer(Byte.Bits & 0xff));
}

bool Memory::merge(const Memory &Other) {
  bool Changed = false;
  std::vector<Value> Dropped;
  for (std::uint32_t I = 0; I != std::min(Objects.size(), Other.Objects.size()); ++I) {
    if (Objects[I] == Other.Objects[I] || !Objects[I] || !Other.Objects[I]) {
      if (!Objects[I])
        Objects[I] = Other.Objects[I];
      continue;
    }
    Work += Objects[I]->slots().size() + Other.Objects[I]->slots().size();
    if (*Objects[I] == *Other.Objects[I])
      continue;
    Work += Objects[I]->slots().size();
    Object Joined = *Objects[I];
    if (Joined.merge(*Other.Objects[I], Dropped)) {
      Objects[I] = std::make_shared<Object>(std::move(Joined));
      Changed = true;
    }
  }
  for (std::size_t I = Objects.size(); I < Other.Objects.size(); ++I)
    Objects.push_back(Other.Objects[I]);
  for (const Value &Lost : Dropped)
    expose(Lost);
  return Changed;
}

std::optional<std::string> Memory::text(const Value &At) const {
  std::string Result;
  static constexpr std::size_t MaxText = 1 << 16;
  for (Value Next = At; Result.size() != MaxText; ++Next.Bits) {
    const Value Byte = load(Next, 1);
    if (!Byte.isInteger())
      return std::nullopt;
    if (Byte.Bits == 0)
      return Result;
    Result += char(Byte.Bits);
  }
  return std::nullopt;
}

void Memory::writeText(const Value &At, std::string_view Text) {
  Value Next = At;
  for (char C : Text) {
    store(Next, 1, Value::integer(static_cast<unsigned char>(C)));
    ++Next.Bits;
  }
  store(Next, 1, Value::integer(0));
}

} // namespace ergon::code
