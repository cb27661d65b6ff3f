//===- TemporaryFolder.h - a temporary folder -------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <filesystem>
#include <utility>

namespace ergon {

class TemporaryFolder {
public:
  /// Created in TMPDIR, or in /tmp. Error: it cannot be created.
  static std::expected<TemporaryFolder, Error> make();
  TemporaryFolder(TemporaryFolder &&Other) : Path(std::exchange(Other.Path, {})) {}
  ~TemporaryFolder();

  /// The folder's absolute path; empty after it was moved from.
  const std::filesystem::path &path() const { return Path; }

private:
  explicit TemporaryFolder(std::filesystem::path Path) : Path(std::move(Path)) {}
  std::filesystem::path Path;
};

} // namespace ergon
