//===- ShippedFiles.h - data that comes with Ergon --------------*- C++ -*-===//
//
// Where machine profiles, library costs and applications are: in the first of a folder that an
// environment variable names, NAME in the data folder of an installation that a program gives,
// <folder of the executable>/../share/ergon/NAME where that exists, and NAME in the source folder
// that was compiled in.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PREDICT_STORE_SHIPPEDFILES_H
#define ERGON_PREDICT_STORE_SHIPPEDFILES_H

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

/// How to get a part of Ergon that was not built: the command for the build folder that this
/// program is in. Empty where it is in none.
std::string buildCommand(std::string_view Targets);
/// Paths of the folder's *.json but for schema.json, sorted by name.
std::vector<std::string> shippedFiles(const ShippedFolder &Folder);
/// Their names: the files' without `.json`.
std::vector<std::string> shippedNames(const ShippedFolder &Folder);

/// The path of what the user calls \p NameOrFile: a shipped name, or a file, which is
/// anything with a slash or the ending `.json`. Error: no such name, for \p Kind (`machine`)
/// in \p Document (`profile`).
std::expected<std::string, Error> shippedOrFile(const ShippedFolder &Folder,
                                                const std::string &NameOrFile,
                                                std::string_view Kind, std::string_view Document);

} // namespace ergon

#endif
