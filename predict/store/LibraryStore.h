//===- LibraryStore.h - library descriptions --------------------*- C++ -*-===//
//
// Descriptions of libraries: files from the user in their order, then others, by default the
// shipped ones, whose folder can be given in ERGON_LIBRARY_COSTS (see ShippedFiles.h). The first
// description of a function applies.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/record/LibraryFormat.h"
#include "model/program/Program.h"

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ergon {

/// The paths of the shipped descriptions, sorted. \p DataFolder as in ShippedFolder.
std::vector<std::string> shippedLibraries(const std::string &DataFolder = {});
/// Error: it cannot be read, or is no `ergon-library/1`.
std::expected<Library, Error> loadLibraryFile(const std::string &Path);

/// Descriptions of library functions, found by the name of a function that is called.
class LibraryStore {
public:
  /// Reads a description on demand.
  using Reader = std::function<std::expected<Library, Error>()>;

  /// Uses \p Others once no loaded description has a function.
  explicit LibraryStore(std::vector<Reader> Others) : Others(std::move(Others)) {}
  /// Reads the files of \p Given. Shipped ones are read when they are needed; \p DataFolder as in
  /// ShippedFolder.
  static std::expected<LibraryStore, Error> open(const std::vector<std::string> &Given,
                                                 const std::string &DataFolder = {});

  /// The description of a function, or null. An error in a shipped file is kept
  /// in \p Failure.
  const Function *find(const std::string &Name, std::optional<Error> &Failure);
  /// Definitions by \p First, otherwise descriptions.
  FunctionLookup after(FunctionLookup First, std::optional<Error> &Failure);

private:
  std::vector<std::unique_ptr<Library>> Libraries;
  std::unordered_map<std::string, const Function *> ByName;
  std::vector<const Function *> Patterns; // names that end in `*`
  std::vector<Reader> Others;             // not read yet

  void add(Library L);
};

} // namespace ergon
