//===- TemporaryFolder.cpp - a folder that goes with its owner ------------===//

#include "tools/base/TemporaryFolder.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace ergon {

std::expected<TemporaryFolder, Error> TemporaryFolder::make() {
  std::error_code Failed;
  const fs::path Above = fs::temp_directory_path(Failed);
  std::string Name = Above / "ergon-XXXXXX";
  if (Failed || !mkdtemp(Name.data()))
    return std::unexpected(Error{"no folder can be made for temporary files", "",
                                 "set TMPDIR to a folder that can be written to", Above});
  return TemporaryFolder(Name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code Ignored;
  if (!Path.empty())
    fs::remove_all(Path, Ignored);
}

} // namespace ergon
