//===- Streams.h - libstdc++'s streams in interpreted code ------*- C++ -*-===//
//
// Streams that read what a string or a file holds, and that write to a string. Members that a
// program has inline read the stream's state and its buffer where libstdc++'s ABI has them:
// bits/basic_ios.h, streambuf, sstream and fstream of GCC 12.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/library/LibraryCall.h"
#include "model/library/LibraryTexts.h"

#include <span>

namespace ergon::code {

/// What all streams share, std::basic_ios, and the buffer. Members outside of an object are
/// offsets in it.
class StreamParts {
public:
  /// std::ios_base's states, and its flags: numbers are decimal, spaces before them are skipped.
  static constexpr std::uint64_t AtTextEnd = 2, Failed = 4, NewFlags = 0x1002;
  /// In std::filebuf: the C library's file, null while none is open.
  static constexpr std::int64_t OpenAt = 104;
  /// Of the area that is read, and of that which is written.
  struct Area {
    std::int64_t Begin, Current, End;
  };
  static constexpr Area Get{8, 16, 24}, Put{32, 40, 48};

  /// Those of the stream at \p Stream, where they are known.
  StreamParts(const Value &Stream, Memory &Objects);
  /// Constructs a stream with its buffer and what all streams share at these offsets.
  static void construct(const Value &Stream, std::int64_t BufferOffset, std::int64_t IosOffset,
                        Memory &Objects);

  /// Whether it has a buffer, a known state, and its numbers are formatted as in a new stream.
  bool isKnown() const { return Buffer.isPointer() && State.isInteger(); }
  std::uint64_t state() const { return State.Bits; }
  void setState(std::uint64_t What) const { setState(Ios, Value::integer(What), Objects); }
  /// The same of a std::ios.
  static Value stateOf(const Value &Ios, const Memory &Objects) {
    return Objects.load(moved(Ios, StateAt), 4);
  }
  static void setState(const Value &Ios, const Value &What, Memory &Objects) {
    Objects.store(moved(Ios, StateAt), 4, What);
  }
  Value buffer(std::int64_t At) const { return Objects.load(moved(Buffer, At), 8); }
  void setBuffer(std::int64_t At, const Value &What) const {
    Objects.store(moved(Buffer, At), 8, What);
  }
  /// How many digits a real number has.
  Value precision() const { return Objects.load(moved(Ios, PrecisionAt), 8); }

protected:
  Memory &Objects;
  Value Stream;

private:
  static constexpr std::int64_t PrecisionAt = 8, WidthAt = 16, FlagsAt = 24, StateAt = 32,
                                BufferAt = 232, FacetAt = 240;
  Value Ios, Buffer, State;
};

/// A buffer begins to read \p Size bytes from \p Text on.
void setText(const Value &Buffer, const Value &Text, std::size_t Size, Memory &Objects);

/// A stream that reads a known text. Members return false where what they read would not be known.
class StreamReader : StreamParts {
public:
  /// The stream that is the first argument. isKnown() says whether it is one.
  explicit StreamReader(const LibraryCall &Call);
  bool isKnown() const { return Text.has_value() && StreamParts::isKnown(); }

  /// \p Code is the type's letter in mangled names.
  bool readNumber(char Code, const Value &To);
  bool readWord(const Value &String);
  bool readLine(const Value &String, const Value &End);
  /// Into an array of \p Size characters.
  bool readLine(const Value &To, const Value &Size, const Value &End);
  /// `>>` of a character.
  bool readLetter(const Value &To);
  bool skipSpaces();
  /// Characters one by one: -1 at the end.
  int readCharacter(bool Takes);
  bool readBytes(const Value &To, const Value &Bytes);
  bool ignore(const Value &Characters, const Value &End);
  /// The place in the text, or -1 where the stream failed before.
  std::int64_t place();
  /// \p From is 0 for the beginning, 1 for the current place, 2 for the end.
  bool seek(const Value &To, std::uint64_t From);

private:
  static constexpr std::int64_t CountAt = 8; ///< in std::istream: gcount()
  Value Begin, Current;
  std::optional<std::string> Held;      ///< where the text is no file's
  std::optional<std::string_view> Text; ///< what is left to read

  bool begin();
  void finish(std::size_t Read, bool IsFailed);
  void take(std::size_t Read) const { setBuffer(Get.Current, moved(Current, std::int64_t(Read))); }
  void setCount(std::size_t Read) const {
    Objects.store(moved(Stream, CountAt), 8, Value::integer(Read));
  }
};

/// A class of streams: how its members' names begin, and where it has its buffer and what all
/// streams share.
struct StreamClass {
  std::string_view Name;
  std::int64_t Buffer, Ios;
};
/// The class of \p Among that \p Name is a member of, whose own name is then left.
const StreamClass *classOf(std::string_view &Name, std::span<const StreamClass> Among);

/// Streams of strings and of files; what std::istream reads and std::ostream writes.
std::optional<Value> callStringStream(const LibraryCall &Call);
std::optional<Value> callFileStream(const LibraryCall &Call);
std::optional<Value> callOutput(const LibraryCall &Call);

} // namespace ergon::code
