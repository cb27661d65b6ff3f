//===- ShippedFiles.h - data that comes with Ergon --------------*- C++ -*-===//
//
// Finds machine profiles, library costs and applications, in the first of: a folder in an
// environment variable, NAME in the installation's data folder given by the program, <folder of the
// executable>/../share/ergon/NAME if it exists, and NAME in the compiled-in source folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// One kind of data that comes with Ergon.
struct ShippedFolder {
  const char *Name;              ///< e.g. `machine-profiles`
  const char *Variable;          ///< the environment variable
  std::string_view DataFolder{}; ///< an installation's `share/ergon`; empty: none is given
};

/// By the rule of the file's head; it need not exist.
std::string shippedFolder(const ShippedFolder &Folder);

/// The command that builds a missing part of Ergon, in the build folder of this program. Empty
/// outside a build folder.
std::string buildCommand(std::string_view Targets);
/// Paths of the folder's *.json but for schema.json, sorted by name.
std::vector<std::string> shippedFiles(const ShippedFolder &Folder);
/// Their names: the files' without `.json`.
std::vector<std::string> shippedNames(const ShippedFolder &Folder);

/// The path of \p NameOrFile: a shipped name, or a file, which has a slash or the suffix `.json`.
/// Error: no such name, for \p Kind (`machine`) in \p Document (`profile`).
std::expected<std::string, Error> shippedOrFile(const ShippedFolder &Folder,
                                                const std::string &NameOrFile,
                                                std::string_view Kind, std::string_view Document);

} // namespace ergon
