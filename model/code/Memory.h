//===- Memory.h - memory of interpreted code --------------------*- C++ -*-===//
//
// Objects hold what was stored in them, and know which of their bytes are unknown. Copies of a
// memory share objects until one of them writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/code/Slots.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon::code {

/// An object: a variable, a global, allocated memory.
class Object {
public:
  enum class Rest : std::uint8_t { Zero, Unknown };
  explicit Object(Rest What = Rest::Unknown) : Others(What) {}

  /// What a load of \p Bytes bytes at \p Offset reads; a real number where \p IsReal.
  Value load(std::int64_t Offset, unsigned Bytes, bool IsReal) const;
  void store(std::int64_t Offset, unsigned Bytes, const Value &What);
  /// Copies \p Bytes bytes of \p From; returns how many slots these were.
  std::size_t copy(std::int64_t Offset, const Object &From, std::int64_t Start, std::int64_t Bytes);
  /// Sets \p Bytes bytes to zero, or makes them unknown.
  void fill(std::int64_t Offset, std::int64_t Bytes, Rest What);
  /// Makes all unknown.
  void forget();
  /// Adds the pointers that it holds to \p Result.
  void addPointers(std::vector<Value> &Result) const;
  /// Makes what differs from \p Other unknown; returns whether anything changed. Adds how many
  /// slots were compared to \p Compared.
  bool merge(const Object &Other, std::vector<Value> &Dropped, std::uint64_t &Compared);

  /// A device or another thread may write to it at any time: all of it stays unknown.
  bool IsShared = false;
  /// Its address may be where the interpreter does not see it.
  bool IsExposed = false;
  /// Another exposed object may be the same memory: a pointer of a caller that nobody sees leads to
  /// it. What is stored in one may change all others.
  bool MayOverlap = false;
  /// It is what an argument leads to that may lead nowhere.
  bool MayBeNone = false;

  /// Nothing is known of it.
  bool isUnknown() const { return IsShared || (Others == Rest::Unknown && Held.isEmpty()); }
  /// And all may write to it: no more can be lost.
  bool isLost() const { return IsExposed && Others == Rest::Unknown && Held.isEmpty(); }

  using Slot = Slots::Slot;
  /// What it holds where something is known, or was stored.
  const Slots &slots() const { return Held; }

private:
  Slots Held;
  Rest Others; ///< what all other bytes are

  std::optional<unsigned> byteAt(std::int64_t Offset) const;
  void cut(std::int64_t Offset, std::int64_t Bytes);
};

/// All objects, by number.
class Memory {
public:
  /// The number of the new object.
  std::uint32_t add(Object What);
  /// Whether these places may be equal or not: two exposed objects of which one may be the other;
  /// null, and what an argument leads to that may be null.
  bool mayBeEqual(const Value &Left, const Value &Right) const;
  bool has(std::uint32_t Number) const { return Number < NumObjects && at(Number); }
  const Object &object(std::uint32_t Number) const { return *at(Number); }
  Object &change(std::uint32_t Number);
  std::size_t size() const { return NumObjects; }

  /// What a load through \p From reads; unknown where the place is.
  Value load(const Value &From, unsigned Bytes, bool IsReal = false) const;
  /// Without a known object, all exposed ones become unknown.
  void store(const Value &To, unsigned Bytes, const Value &What);
  void copy(const Value &To, const Value &From, const Value &Bytes);
  /// \p Byte is what each byte becomes.
  void set(const Value &To, const Value &Byte, const Value &Bytes);
  /// Makes the object of \p At unknown.
  void forget(const Value &At);
  /// Other code got \p Pointer: it may have written to all that this leads to, and keep it.
  void giveAway(const Value &Pointer);
  /// Whether code that has \p Pointer can find the address of a function.
  bool leadsToFunction(const Value &Pointer) const;
  /// Makes all exposed objects, and what these lead to, unknown.
  void forgetExposed();
  /// What was read at \p From is not known, but may be a pointer that is there.
  void exposeRead(const Value &From, unsigned Bytes);
  /// \p What was dropped: a pointer's object is exposed.
  void expose(const Value &What);
  void expose(const std::vector<Value> &Dropped);
  /// Makes \p Mine unknown where it differs from \p Other, and exposes what these lead to; returns
  /// whether anything changed.
  bool join(Value &Mine, const Value &Other);
  /// Makes what differs from \p Other unknown; returns whether anything changed in the first
  /// \p NumOld objects. Where all that leads to others is in these, others do not matter.
  bool merge(const Memory &Other, std::size_t NumOld = ~std::size_t(0));
  /// How many slots were compared, or copied (SlotsOfCopied each), and how many bytes of texts were
  /// read or written, since it was asked for.
  std::uint64_t takeWork() { return std::exchange(Work, 0); }

  /// The string at \p At, without its final zero; nothing where it is not known.
  std::optional<std::string> text(const Value &At) const;
  /// \p Count bytes from \p At on; nothing where one is not known, or where they are no text of
  /// usual length.
  std::optional<std::string> bytes(const Value &At, std::uint64_t Count) const;
  /// Stores \p Text and a zero. One that is too long to be a size or an option is not known then.
  void writeText(const Value &At, std::string_view Text);
  /// Stores \p Bytes as they are, without a zero behind them.
  void writeBytes(const Value &At, std::string_view Bytes);

private:
  /// Objects with neighbouring numbers. Copies of a memory share chunks too, so that a copy is
  /// cheap, and two copies are compared where they differ.
  struct Chunk {
    static constexpr std::uint32_t Size = 64;
    std::array<std::shared_ptr<Object>, Size> Objects{};
    bool MayLose = false; ///< an exposed object may have something that is known
  };
  std::vector<std::shared_ptr<Chunk>> Chunks;
  std::uint32_t NumObjects = 0;
  mutable std::uint64_t Work = 0;
  static constexpr std::uint64_t SlotsOfCopied = 4; ///< it is searched and stored

  const std::shared_ptr<Object> &at(std::uint32_t Number) const {
    return Chunks[Number / Chunk::Size]->Objects[Number % Chunk::Size];
  }
  Chunk &changeChunk(std::uint32_t Number);
  void forgetObject(std::uint32_t Number);
  /// The object \p Number, to be written to.
  Object &written(std::uint32_t Number);
};

} // namespace ergon::code
