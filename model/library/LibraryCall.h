//===- LibraryCall.h - a call of a library's function -----------*- C++ -*-===//
#pragma once

#include "model/code/Code.h"
#include "model/code/Files.h"
#include "model/code/State.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ergon::code {

/// Objects that the C library has, by number.
struct LibraryObjects {
  std::uint32_t Errno = 0, OptionIndex = 0, OptionText = 0; ///< `errno`, `optind`, `optarg`
  /// Pointers to the tables of glibc's ctype.h, which begin at -128: the classes of a character,
  /// two bytes each; the small and the capital letter, four bytes.
  std::uint32_t Classes = 0, Small = 0, Capital = 0;
};

/// The hardware that code asks, and what it asked for.
struct AskedHardware {
  Hardware Has{};
  bool Caches = false, Gpu = false;
};

/// A call of a library's function.
struct LibraryCall {
  std::string_view Name;
  Type Result;
  std::vector<Value> Arguments;
  State &Now;
  const Program &Whole;
  Files &Disk;
  AskedHardware &Asked;
  const LibraryObjects &Library;

  /// An argument, unknown where there are fewer.
  Value argument(std::size_t Number) const {
    return Number < Arguments.size() ? Arguments[Number] : Value::unknown();
  }
  /// An integer of the width that the call returns.
  Value returned(std::int64_t Number) const {
    return Value::integer(lowBits(std::uint64_t(Number), Result.Bits));
  }
};

/// Fills the tables of characters, of which \p Library has the objects.
void addCharacterTables(const LibraryObjects &Library, Memory &Objects);

/// Whether a function returns what nobody knows, and does nothing else that matters here.
bool isRandom(std::string_view Name);
/// What \p Call returns; nothing where the library's function is not known here.
std::optional<Value> callLibrary(const LibraryCall &Call);
/// The same for functions on strings, characters, numbers and files, for those of the command line,
/// for questions to the processor, for CUDA's and libstdc++'s, among these std::string's and those
/// of streams that read strings and files.
std::optional<Value> callStrings(const LibraryCall &Call);
std::optional<Value> callCharacters(const LibraryCall &Call);
std::optional<Value> callFormat(const LibraryCall &Call);
std::optional<Value> callNumbers(const LibraryCall &Call);
std::optional<Value> callFiles(const LibraryCall &Call);
std::optional<Value> callGetopt(const LibraryCall &Call);
std::optional<Value> callCuda(const LibraryCall &Call);
std::optional<Value> callProcessor(const LibraryCall &Call);
std::optional<Value> callCxx(const LibraryCall &Call);
std::optional<Value> callCxxStrings(const LibraryCall &Call);
std::optional<Value> callStreams(const LibraryCall &Call);

} // namespace ergon::code
