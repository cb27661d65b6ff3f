//===- LibraryTexts.h - texts that libraries read ---------------*- C++ -*-===//
//
// Numbers in texts, and the texts of std::string, for the functions of libraries that read them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/code/Machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergon::code {

/// A number at the beginning of a text, and how many characters it takes: none where there is no
/// number.
template <typename T> struct NumberRead {
  T Number{};
  std::size_t Length = 0;
};

/// What is read of a file into memory at once beyond this is no size or option.
inline constexpr std::uint64_t MaxRead = 1 << 16;

/// What isspace says of ASCII.
inline bool isSpace(char C) { return C == ' ' || (C >= '\t' && C <= '\r'); }

/// As strtol reads it. Nothing for a number that does not fit.
std::optional<NumberRead<std::int64_t>> readInteger(std::string_view Text, int Base);
/// As strtod reads it, decimal numbers alone.
std::optional<NumberRead<double>> readReal(std::string_view Text);

/// What scanf did with a text.
struct Scanned {
  int Result = 0;         ///< how many conversions it made; -1 at the text's end
  std::size_t Length = 0; ///< how many characters it took
  bool IsAtEnd = false;   ///< it looked for more behind the text's end
};
/// Reads \p Text as scanf does, into the arguments of \p Call behind the format, which is argument
/// \p Format. Nothing where the text, the format or a number is not known: then what it would write
/// is unknown.
std::optional<Scanned> scanText(std::optional<std::string_view> Text, const LibraryCall &Call,
                                std::size_t Format);

/// What the std::string at \p String holds; nothing where that is not known.
std::optional<std::string> textIn(const Value &String, const Memory &Objects);
/// Puts \p Text in the place of what the std::string at \p String holds. False where that string
/// is not known.
bool assignText(const Value &String, std::string_view Text, Memory &Objects);

} // namespace ergon::code
