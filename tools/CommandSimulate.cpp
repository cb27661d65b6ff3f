//===- CommandSimulate.cpp - ergon simulate -------------------------------===//
//
// SimGrid takes longer to load than a prediction takes, so the simulation is a
// program of its own, beside this one.
//
//===----------------------------------------------------------------------===//

#include "tools/Commands.h"

#include <unistd.h>

#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

int runSimulate(const std::vector<std::string> &Words) {
  std::error_code Failed;
  const std::string Program =
      fs::read_symlink("/proc/self/exe", Failed).parent_path() / "ergon-simulate";
  std::vector<char *> Arguments = {const_cast<char *>("ergon simulate")};
  for (const std::string &Word : Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  execv(Program.c_str(), Arguments.data());
  return complain({"this build has no simulation", "",
                   "install libsimgrid-dev, configure and build again", Program});
}

} // namespace ergon
