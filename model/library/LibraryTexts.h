//===- LibraryTexts.h - texts that libraries read ---------------*- C++ -*-===//
//
// Texts that scanf reads, and those of std::string.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/library/LibraryCall.h"
#include "model/library/NumberTexts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergon::code {

/// What is read of a file into memory at once beyond this is no size or option.
inline constexpr std::uint64_t MaxRead = 1 << 16;

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
/// Constructs a std::string at \p String. False where that is no place.
bool makeText(const Value &String, std::string_view Text, Memory &Objects);

} // namespace ergon::code
