//===- LibraryFiles.cpp - descriptions of libraries on disk ---------------===//

#include "predict/store/LibraryStore.h"
#include "predict/store/ParsedFile.h"
#include "predict/store/ShippedFiles.h"

namespace ergon {

std::vector<std::string> shippedLibraries(const std::string &DataFolder) {
  return shippedFiles({"library-costs", "ERGON_LIBRARY_COSTS", DataFolder});
}

std::expected<Library, Error> loadLibraryFile(const std::string &Path) {
  return parseFile(Path, parseLibrary);
}

std::expected<LibraryStore, Error> LibraryStore::open(const std::vector<std::string> &Given,
                                                      const std::string &DataFolder) {
  std::vector<Reader> Shipped;
  for (const std::string &Path : shippedLibraries(DataFolder))
    Shipped.emplace_back([Path] { return loadLibraryFile(Path); });
  LibraryStore Result(std::move(Shipped));
  for (const std::string &Path : Given) {
    auto Loaded = loadLibraryFile(Path);
    if (!Loaded)
      return std::unexpected(std::move(Loaded.error()));
    Result.add(std::move(*Loaded));
  }
  return Result;
}

} // namespace ergon
