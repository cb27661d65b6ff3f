//===- MachineStore.cpp - finds machine profiles --------------------------===//

#include "tools/MachineStore.h"

#include "formats/ProfileFormat.h"
#include "tools/ShippedFiles.h"
#include "tools/Suggest.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

static const ShippedFolder Profiles{"machine-profiles", "ERGON_MACHINE_PROFILES"};

std::vector<std::string> shippedMachines() {
  std::vector<std::string> Names;
  for (const std::string &Path : shippedFiles(Profiles))
    Names.push_back(fs::path(Path).stem());
  return Names;
}

std::expected<Machine, Error> loadMachineFile(const std::string &Path) {
  std::expected<std::string, Error> Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(std::move(Text.error()));
  std::expected<Machine, Error> M = parseProfile(*Text);
  if (!M)
    M.error().File = Path;
  return M;
}

std::expected<Machine, Error> loadMachine(const std::string &NameOrFile) {
  if (NameOrFile.contains('/') || NameOrFile.ends_with(".json"))
    return loadMachineFile(NameOrFile);
  const std::vector<std::string> Names = shippedMachines();
  if (std::ranges::binary_search(Names, NameOrFile))
    return loadMachineFile(shippedFolder(Profiles) + "/" + NameOrFile + ".json");
  return std::unexpected(Error{"no machine is called " + inQuotes(NameOrFile), "",
                               suggestName(NameOrFile, Names) + "; or give the path of a profile",
                               ""});
}

} // namespace ergon
