//===- ProgramArguments.cpp - values from a program's arguments -----------===//

#include "tools/base/ProgramArguments.h"
#include "formats/record/CompilationFormat.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace ergon {

/// The whole number at the beginning of \p Text, as strtol reads it in base 10; with \p IsReal the
/// whole part of the number that strtod reads.
static std::optional<Rational> leadingNumber(std::string_view Text, bool IsReal) {
  Text.remove_prefix(std::min(Text.find_first_not_of(" \t"), Text.size()));
  if (Text.starts_with('+'))
    Text.remove_prefix(1);
  const char *End = Text.data() + Text.size();
  if (!IsReal) {
    std::int64_t Result = 0;
    return std::from_chars(Text.data(), End, Result).ec == std::errc()
               ? std::optional(Rational(Result))
               : std::nullopt;
  }
  double Result = 0;
  if (std::from_chars(Text.data(), End, Result).ec != std::errc() || std::abs(Result) >= 0x1p63)
    return std::nullopt;
  return Rational(std::int64_t(Result));
}

std::expected<std::vector<GivenValue>, Error> readArguments(const std::string &Arguments,
                                                            const Function &Main) {
  const std::string Source = "--args \"" + Arguments + "\"";
  if (Main.Name != "main" || Main.Parameters.size() < 2)
    return std::unexpected(Error{Main.Demangled + " takes no arguments of a program", "",
                                 "leave --args out, or give --entry main", Source});
  const std::vector<std::string> Words = wordsOf(Arguments);
  std::vector<GivenValue> Result;
  Result.emplace_back(Main.Parameters[0].Name, Rational(Words.size() + 1));
  for (const Unknown &U : Main.Unknowns) {
    if (U.Argument == 0 || U.Argument > Words.size())
      continue;
    const std::string &Word = Words[U.Argument - 1];
    const auto Number = leadingNumber(Word, U.IsReal);
    if (!Number)
      return std::unexpected(
          Error{fmt::format("argument {} is no number", U.Argument), "",
                "main reads it as one at " + U.Location.text() + ": give a number", Source});
    Result.emplace_back(U.Symbol, Bounds{*Number, *Number});
    Result.back().Source = Source;
  }
  return Result;
}

} // namespace ergon
