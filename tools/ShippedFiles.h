//===- ShippedFiles.h - data that comes with Ergon --------------*- C++ -*-===//
//
// Where machine profiles and library costs are: in the first of a folder that an
// environment variable names, <folder of the executable>/../share/ergon/NAME
// where that exists, and NAME in the source folder that was compiled in.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_SHIPPEDFILES_H
#define ERGON_TOOLS_SHIPPEDFILES_H

#include <string>
#include <vector>

namespace ergon {

struct ShippedFolder {
  const char *Name;     ///< e.g. `machine-profiles`
  const char *Variable; ///< the environment variable
};

std::string shippedFolder(const ShippedFolder &Of);
/// Paths of the folder's *.json but for schema.json, sorted by name.
std::vector<std::string> shippedFiles(const ShippedFolder &Of);

} // namespace ergon

#endif
