//===- CommandSimulate.cpp - ergon simulate -------------------------------===//
//
// SimGrid takes longer to load than a prediction takes, so the simulation is a
// program of its own, beside this one.
//
//===----------------------------------------------------------------------===//

#include "tools/base/Commands.h"

#include <unistd.h>

#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

int runSimulate(const SimulateOptions &Options) {
  std::error_code Failed;
  const std::string Program =
      fs::read_symlink("/proc/self/exe", Failed).parent_path() / "ergon-simulate";
  std::vector<std::string> Words = {"ergon simulate", Options.File};
  if (Options.Json)
    Words.push_back("--json");
  for (const auto &[Name, Value] :
       {std::pair("--power-csv=", Options.PowerCsv), std::pair("--svg=", Options.Svg),
        std::pair("--export=", Options.Export)})
    if (!Value.empty())
      Words.push_back(Name + Value);
  std::vector<char *> Arguments;
  for (std::string &Word : Words)
    Arguments.push_back(Word.data());
  Arguments.push_back(nullptr);
  execv(Program.c_str(), Arguments.data());
  return complain({"this build has no simulation", "",
                   "install libsimgrid-dev, configure and build again", Program});
}

} // namespace ergon
