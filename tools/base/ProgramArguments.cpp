//===- ProgramArguments.cpp - values from a program's arguments -----------===//

#include "tools/base/ProgramArguments.h"
#include "formats/record/CompilationFormat.h"
#include "predict/answer/EntryPredictor.h"

#include <fmt/format.h>

#include <charconv>

namespace ergon {

/// The whole number at the beginning of \p Text, as strtol reads it in base 10.
static std::optional<long> leadingNumber(std::string_view Text) {
  Text.remove_prefix(std::min(Text.find_first_not_of(" \t"), Text.size()));
  if (Text.starts_with('+'))
    Text.remove_prefix(1);
  long Result = 0;
  const auto [End, Bad] = std::from_chars(Text.data(), Text.data() + Text.size(), Result);
  return Bad == std::errc() ? std::optional(Result) : std::nullopt;
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
    const auto Number = leadingNumber(Word);
    if (!Number)
      return std::unexpected(
          Error{fmt::format("argument {} is no number", U.Argument), "",
                "main reads it as one at " + U.Location.text() + ": give a number", Source});
    Result.emplace_back(U.Symbol, Bounds{*Number, *Number});
    Result.back().Source = Source;
  }
  return Result;
}

std::optional<Error> setArguments(const std::optional<std::string> &Arguments,
                                  EntryPredictor &Entry) {
  if (!Arguments)
    return std::nullopt;
  auto Values = readArguments(*Arguments, Entry.function());
  if (!Values)
    return Values.error();
  for (GivenValue &Value : *Values)
    Entry.set(std::move(Value));
  return std::nullopt;
}

} // namespace ergon
