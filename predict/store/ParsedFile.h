//===- ParsedFile.h - documents in files ------------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// What \p Parse makes of the text in the file \p Path. Error: it cannot be read, or one of \p
/// Parse, with the file's path.
template <typename Parser>
auto parseFile(const std::string &Path, const Parser &Parse)
    -> decltype(Parse(std::string_view())) {
  const auto Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(Text.error());
  auto Result = Parse(*Text);
  if (!Result)
    Result.error().File = Path;
  return Result;
}

} // namespace ergon
