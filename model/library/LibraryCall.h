//===- LibraryCall.h - a call of a library's function -----------*- C++ -*-===//
#pragma once

#include "model/code/Code.h"
#include "model/code/Files.h"
#include "model/code/State.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ergon::code {

/// Objects that the C library has, by number.
struct LibraryObjects {
  std::uint32_t Errno = 0, OptionIndex = 0, OptionText = 0; ///< `errno`, `optind`, `optarg`
  /// glibc's `__libc_single_threaded`, which std::shared_ptr asks: true until there is a thread,
  /// which libraries may create that have no code here.
  std::uint32_t SingleThread = 0;
  std::uint32_t CommandLine = 0; ///< of a program of Fortran: what its runtime was started with
  /// Pointers to the tables of glibc's ctype.h, which begin at -128: the classes of a character,
  /// two bytes each; the small and the capital letter, four bytes.
  std::uint32_t Classes = 0, Small = 0, Capital = 0;
  /// What std::locale() copies, and std::locale::classic(); facets' ids, by facet.
  std::uint32_t GlobalLocale = 0, ClassicLocale = 0;
  std::array<std::uint32_t, 2> FacetIds{};
  /// Tables of virtual functions of what describes types: with one base class, and without.
  std::uint32_t SingleBase = 0, NoBase = 0;
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

/// Code that a program wrote: it calls a function with one more argument, the last.
struct Trampoline {
  Value Callee, Argument;
};
/// What a call of \p At runs, which is no function; nothing where it is not known.
std::optional<Trampoline> trampolineAt(const Value &At, const Memory &Objects);

/// Fills the tables of characters, of which \p Library has the objects.
void addCharacterTables(const LibraryObjects &Library, Memory &Objects);

/// Numbers the names of functions that a library's objects lead to.
void addLocaleNames(Program &Whole);
/// The object of a library's variable, a new one where the program does not name it.
using ObjectOf = std::function<std::uint32_t(std::string_view)>;
/// Adds std::locale's objects and what describes types.
void addLocales(LibraryObjects &Library, const Program &Whole, const ObjectOf &Variable,
                Memory &Objects);

/// Whether a function returns what nobody knows, and does nothing else that matters here.
bool isRandom(std::string_view Name);
/// What \p Call returns; nothing where the library's function is not known here.
std::optional<Value> callLibrary(const LibraryCall &Call);
/// The same for functions on strings, characters, numbers and files, for those of the command line,
/// for questions to the processor, for CUDA's and libstdc++'s, among these std::string's, those of
/// streams that read strings and files, of std::locale and of containers, and of flang's.
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
std::optional<Value> callLocale(const LibraryCall &Call);
std::optional<Value> callContainers(const LibraryCall &Call);
std::optional<Value> callFortran(const LibraryCall &Call);

} // namespace ergon::code
