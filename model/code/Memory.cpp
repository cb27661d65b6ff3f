//===- Memory.cpp - memory of interpreted code ----------------------------===//

#include "model/code/Memory.h"

#include <algorithm>
#include <cstring>
#include <set>

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
  if (const auto Found = Held.lastUpTo(Offset);
      Found && Offset < Found->first + std::int64_t(Found->second.Bytes)) {
    auto Bits = bitsOf(Found->second);
    const std::int64_t At = Offset - Found->first;
    return Bits ? std::optional(unsigned(At >= 8 ? 0 : *Bits >> (8 * At)) & 0xff) : std::nullopt;
  }
  return Others == Rest::Zero ? std::optional(0U) : std::nullopt;
}

Value Object::load(std::int64_t Offset, unsigned Bytes, bool IsReal) const {
  if (IsShared)
    return Value::unknown();
  if (const Slot *Found = Held.find(Offset);
      Found && Found->Bytes == Bytes && Found->What.isReal() == IsReal)
    return Found->What;
  if (Bytes > 8)
    return Value::unknown();
  std::uint64_t Bits = 0;
  std::uint32_t Known = 0;
  for (unsigned I = 0; I != Bytes; ++I)
    if (auto Byte = byteAt(Offset + I)) {
      Bits |= std::uint64_t(*Byte) << (8 * I);
      Known |= 1U << I;
    }
  if (const Value Whole = Value::partly(Bits, Known, Bytes); !IsReal)
    return Whole;
  else if (!Whole.isKnown())
    return Value::unknown();
  return Value::real(Bytes == 4 ? double(std::bit_cast<float>(std::uint32_t(Bits)))
                                : std::bit_cast<double>(Bits));
}

/// Frees the bytes for another slot; what a slot has beside them stays.
void Object::cut(std::int64_t Offset, std::int64_t Bytes) {
  const std::int64_t End = Offset + Bytes;
  auto Next = Held.lastUpTo(Offset);
  if (!Next || Next->first + std::int64_t(Next->second.Bytes) <= Offset)
    Next = Held.firstFrom(Offset);
  while (Next && Next->first < End) {
    const auto [Start, Old] = *Next;
    const auto Bits = bitsOf(Old);
    Held.erase(Start);
    for (std::int64_t I = 0; I != Old.Bytes; ++I)
      if (Start + I < Offset || Start + I >= End)
        Held.set(Start + I,
                 {1, Bits ? Value::integer((*Bits >> (8 * I)) & 0xff) : Value::unknown()});
    Next = Held.firstFrom(std::max(Start + std::int64_t(Old.Bytes), Offset));
  }
}

void Object::store(std::int64_t Offset, unsigned Bytes, const Value &What) {
  if (const std::uint32_t Known = What.isKnown() ? 0 : What.knownBytes()) {
    for (unsigned I = 0; I != Bytes; ++I)
      store(Offset + I, 1,
            Known >> I & 1 ? Value::integer(What.Bits >> (8 * I) & 0xff) : Value::unknown());
    return;
  }
  const bool IsAsRest = !What.isKnown() && Others == Rest::Unknown;
  if (const Slot *Same = Held.find(Offset); IsAsRest || !Same || Same->Bytes != Bytes)
    cut(Offset, Bytes);
  if (!IsAsRest)
    Held.set(Offset, {Bytes, What});
}

void Object::fill(std::int64_t Offset, std::int64_t Bytes, Rest What) {
  cut(Offset, Bytes);
  if (What == Others || Bytes <= 0)
    return;
  const Value Each = What == Rest::Zero ? Value::integer(0) : Value::unknown();
  for (std::int64_t At = 0; At < Bytes;) {
    const unsigned Step = Bytes - At >= 8 ? 8 : 1;
    Held.set(Offset + At, {Step, Each});
    At += Step;
  }
}

std::size_t Object::copy(std::int64_t Offset, const Object &From, std::int64_t Start,
                         std::int64_t Bytes) {
  if (From.IsShared) {
    fill(Offset, Bytes, Rest::Unknown);
    return 0;
  }
  const std::int64_t End = Start + Bytes;
  // The source may be the object itself.
  std::vector<Slots::Entry> Source;
  auto Next = From.Held.lastUpTo(Start);
  if (!Next)
    Next = From.Held.firstFrom(Start);
  for (; Next && Next->first < End; Next = From.Held.firstFrom(Next->first + 1))
    Source.push_back(*Next);
  fill(Offset, Bytes, From.Others);
  for (const auto &[At, What] : Source) {
    const std::int64_t Behind = At + std::int64_t(What.Bytes);
    if (At >= Start && Behind <= End) {
      store(Offset + At - Start, What.Bytes, What.What);
      continue;
    }
    const auto Bits = bitsOf(What);
    for (std::int64_t I = std::max(At, Start); I < std::min(Behind, End); ++I)
      store(Offset + I - Start, 1,
            Bits ? Value::integer((*Bits >> (8 * (I - At))) & 0xff) : Value::unknown());
  }
  return Source.size();
}

void Object::forget() {
  Held.clear();
  Others = Rest::Unknown;
}

void Object::addPointers(std::vector<Value> &Result) const {
  if (!Held.mayHavePointers())
    return;
  Held.forEach([&](std::int64_t, const Slot &S) {
    if (S.What.isPointer())
      Result.push_back(S.What);
  });
}

bool Object::merge(const Object &Other, std::vector<Value> &Dropped, std::uint64_t &Compared) {
  bool Changed = (Other.IsShared && !IsShared) || (Other.IsExposed && !IsExposed);
  IsShared |= Other.IsShared;
  IsExposed |= Other.IsExposed;
  MayOverlap |= Other.MayOverlap;
  MayBeNone |= Other.MayBeNone;
  if (Other.Others == Rest::Unknown && Other.Held.isEmpty()) {
    Changed |= Others == Rest::Zero || !Held.isEmpty();
    addPointers(Dropped);
    forget();
    return Changed;
  }
  std::vector<Slots::Entry> Differing;
  auto Compare = [&](const Object &Mine, const Object &Theirs) {
    Mine.Held.forEachNotSharedWith(Theirs.Held, [&](std::int64_t At, const Slot &Have) {
      ++Compared;
      const Slot *Same = Theirs.Held.find(At);
      if ((!Same || *Same != Have) &&
          (!Have.What.isKnown() || Theirs.load(At, Have.Bytes, Have.What.isReal()) != Have.What)) {
        Differing.emplace_back(At, Have);
        Dropped.push_back(Have.What);
      }
    });
  };
  Compare(*this, Other);
  Compare(Other, *this);
  for (const auto &[At, What] : Differing) {
    bool IsNew = false; // bytes that were known
    for (unsigned I = 0; I != What.Bytes && !IsNew; ++I) {
      const auto Found = Held.lastUpTo(At + I);
      const bool Inside = Found && At + I < Found->first + std::int64_t(Found->second.Bytes);
      IsNew = Inside ? Found->second.What.isKnown() : Others == Rest::Zero;
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

Memory::Chunk &Memory::changeChunk(std::uint32_t Number) {
  std::shared_ptr<Chunk> &Found = Chunks[Number / Chunk::Size];
  if (Found.use_count() > 1)
    Found = std::make_shared<Chunk>(*Found);
  return *Found;
}

std::uint32_t Memory::add(Object What) {
  if (NumObjects % Chunk::Size == 0)
    Chunks.push_back(std::make_shared<Chunk>());
  changeChunk(NumObjects).Objects[NumObjects % Chunk::Size] =
      std::make_shared<Object>(std::move(What));
  return NumObjects++;
}

Object &Memory::change(std::uint32_t Number) {
  Chunk &In = changeChunk(Number);
  std::shared_ptr<Object> &Found = In.Objects[Number % Chunk::Size];
  if (Found.use_count() > 1)
    Found = std::make_shared<Object>(*Found);
  In.MayLose |= Found->IsExposed;
  return *Found;
}

Value Memory::load(const Value &From, unsigned Bytes, bool IsReal) const {
  if (!From.isPointer() || !From.HasOffset || !has(From.Object))
    return Value::unknown();
  return object(From.Object).load(From.offset(), Bytes, IsReal);
}

void Memory::expose(const Value &What) {
  if (What.isPointer() && has(What.Object) && !object(What.Object).IsExposed)
    change(What.Object).IsExposed = changeChunk(What.Object).MayLose = true;
}

void Memory::expose(const std::vector<Value> &Dropped) {
  for (const Value &Lost : Dropped)
    expose(Lost);
}

void Memory::exposeRead(const Value &From, unsigned Bytes) {
  if (!From.isPointer() || !has(From.Object) || !object(From.Object).slots().mayHavePointers())
    return; // what exposed objects lead to is forgotten with them
  std::vector<Value> Read;
  object(From.Object).slots().forEach([&](std::int64_t At, const Object::Slot &Held) {
    ++Work;
    const bool MayMeet = !From.HasOffset || (At < From.offset() + std::int64_t(Bytes) &&
                                             From.offset() < At + std::int64_t(Held.Bytes));
    if (MayMeet && Held.What.isPointer())
      Read.push_back(Held.What);
  });
  expose(Read);
}

bool Memory::join(Value &Mine, const Value &Other) {
  if (Mine == Other)
    return false;
  expose(Mine);
  expose(Other);
  const bool Changed = Mine != Value::unknown();
  Mine = Value::unknown();
  return Changed;
}

void Memory::forgetObject(std::uint32_t Number) {
  std::vector<Value> Held;
  object(Number).addPointers(Held);
  change(Number).forget();
  expose(Held);
}

bool Memory::mayBeEqual(const Value &Left, const Value &Right) const {
  auto Is = [this](const Value &Each, bool Object::*What) {
    return Each.isPointer() && has(Each.Object) && object(Each.Object).*What;
  };
  return (Is(Left, &Object::MayOverlap) && Is(Right, &Object::MayOverlap) &&
          Left.Object != Right.Object) ||
         (Is(Left, &Object::MayBeNone) && Right.isInteger()) ||
         (Is(Right, &Object::MayBeNone) && Left.isInteger());
}

Object &Memory::written(std::uint32_t Number) {
  if (object(Number).MayOverlap)
    forgetExposed();
  return change(Number);
}

void Memory::forget(const Value &At) {
  if (At.isPointer() && has(At.Object) && !object(At.Object).MayOverlap)
    forgetObject(At.Object);
  else if (!At.isInteger())
    forgetExposed();
}

bool Memory::leadsToFunction(const Value &Pointer) const {
  std::vector<Value> Open{Pointer};
  std::set<std::uint32_t> Seen;
  while (!Open.empty()) {
    const Value Next = Open.back();
    Open.pop_back();
    if (Next.isFunction())
      return true;
    if (!Next.isPointer() || !has(Next.Object) || !Seen.insert(Next.Object).second)
      continue;
    if (const Slots &Held = object(Next.Object).slots(); Held.mayHavePointers())
      Held.forEach([&](std::int64_t, const Slots::Slot &S) { Open.push_back(S.What); });
  }
  return false;
}

void Memory::giveAway(const Value &Pointer) {
  if (!Pointer.isPointer())
    return;
  std::vector<Value> Open{Pointer};
  while (!Open.empty()) {
    const std::uint32_t Next = Open.back().Object;
    Open.pop_back();
    if (!has(Next) || object(Next).isLost())
      continue;
    object(Next).addPointers(Open);
    Object &Given = change(Next);
    Given.IsExposed = true;
    Given.forget();
  }
}

void Memory::forgetExposed() {
  for (std::size_t Number = 0; Number != Chunks.size(); ++Number) {
    if (!Chunks[Number]->MayLose)
      continue;
    const std::uint32_t First = std::uint32_t(Number) * Chunk::Size;
    Work += SlotsOfCopied * Chunk::Size; // it is copied, as another way has it too
    for (std::uint32_t I = First; I != First + Chunk::Size; ++I)
      if (has(I) && object(I).IsExposed)
        giveAway(Value::pointer(I, 0));
    changeChunk(First).MayLose = false;
  }
}

void Memory::store(const Value &To, unsigned Bytes, const Value &What) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object)) {
    expose(What);
    return forget(To);
  }
  if (!object(To.Object).IsShared)
    written(To.Object).store(To.offset(), Bytes, What);
  else
    expose(What);
}

/// Lengths above this are no strings or structures of options.
static constexpr std::int64_t MaxCopied = 1 << 16;

void Memory::copy(const Value &To, const Value &From, const Value &Bytes) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object) || !Bytes.isInteger() ||
      Bytes.Bits > MaxCopied || !From.isPointer() || !From.HasOffset || !has(From.Object)) {
    if (From.isPointer() && has(From.Object)) {
      std::vector<Value> Held;
      object(From.Object).addPointers(Held);
      expose(Held);
    }
    return forget(To);
  }
  Object &Target = written(To.Object); // before the source is looked up, which may be the same
  Work += SlotsOfCopied *
          Target.copy(To.offset(), object(From.Object), From.offset(), std::int64_t(Bytes.Bits));
}

void Memory::set(const Value &To, const Value &Byte, const Value &Bytes) {
  if (!To.isPointer() || !To.HasOffset || !has(To.Object) || !Bytes.isInteger() ||
      !Byte.isInteger() || Bytes.Bits > MaxCopied)
    return forget(To);
  Object &Target = written(To.Object);
  if (Byte.Bits == 0)
    return Target.fill(To.offset(), std::int64_t(Bytes.Bits), Object::Rest::Zero);
  for (std::int64_t I = 0; I != std::int64_t(Bytes.Bits); ++I)
    Target.store(To.offset() + I, 1, Value::integer(Byte.Bits & 0xff));
}

bool Memory::merge(const Memory &Other, std::size_t NumOld) {
  bool Changed = false;
  std::vector<Value> Dropped;
  for (std::size_t C = 0; C != std::min(Chunks.size(), Other.Chunks.size()); ++C) {
    if (Chunks[C] == Other.Chunks[C])
      continue;
    Chunk &Mine = changeChunk(std::uint32_t(C) * Chunk::Size);
    const Chunk &Theirs = *Other.Chunks[C];
    Mine.MayLose |= Theirs.MayLose;
    for (std::uint32_t I = 0; I != Chunk::Size; ++I) {
      if (Mine.Objects[I] == Theirs.Objects[I] || !Theirs.Objects[I])
        continue;
      if (!Mine.Objects[I]) {
        Mine.Objects[I] = Theirs.Objects[I];
        continue;
      }
      Object Joined = *Mine.Objects[I];
      if (Joined.merge(*Theirs.Objects[I], Dropped, Work)) {
        Mine.MayLose |= Joined.IsExposed;
        Mine.Objects[I] = std::make_shared<Object>(std::move(Joined));
        Changed |= C * Chunk::Size + I < NumOld;
      }
    }
  }
  if (Other.Chunks.size() > Chunks.size())
    Chunks.insert(Chunks.end(), Other.Chunks.begin() + std::ptrdiff_t(Chunks.size()),
                  Other.Chunks.end());
  NumObjects = std::max(NumObjects, Other.NumObjects);
  expose(Dropped);
  return Changed;
}

/// Longer texts are no options.
static constexpr std::size_t MaxBytes = 1 << 16;

std::optional<std::string> Memory::bytes(const Value &At, std::uint64_t Count) const {
  if (Count > MaxBytes)
    return std::nullopt;
  std::string Result;
  Work += Count;
  for (std::uint64_t I = 0; I != Count; ++I) {
    const Value Byte = load(moved(At, std::int64_t(I)), 1);
    if (!Byte.isInteger())
      return std::nullopt;
    Result += char(Byte.Bits);
  }
  return Result;
}

std::optional<std::string> Memory::text(const Value &At) const {
  std::string Result;
  for (Value Next = At; Result.size() != MaxBytes; ++Next.Bits) {
    const Value Byte = load(Next, 1);
    ++Work;
    if (!Byte.isInteger())
      return std::nullopt;
    if (Byte.Bits == 0)
      return Result;
    Result += char(Byte.Bits);
  }
  return std::nullopt;
}

void Memory::writeText(const Value &At, std::string_view Text) {
  if (Text.size() > MaxBytes) {
    forget(At);
    return;
  }
  writeBytes(At, Text);
  store(moved(At, std::int64_t(Text.size())), 1, Value::integer(0));
}

void Memory::writeBytes(const Value &At, std::string_view Bytes) {
  Work += Bytes.size();
  for (std::size_t I = 0; I < Bytes.size();) {
    const std::size_t Step = Bytes.size() - I >= 8 ? 8 : 1; // in words, as few slots
    std::uint64_t Word = 0;
    std::memcpy(&Word, Bytes.data() + I, Step);
    store(moved(At, std::int64_t(I)), unsigned(Step), Value::integer(Word));
    I += Step;
  }
}

} // namespace ergon::code
