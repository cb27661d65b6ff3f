//===- MachineStore.cpp - finds machine profiles --------------------------===//

#include "predict/store/MachineStore.h"

#include "formats/profile/ProfileFormat.h"
#include "predict/store/ParsedFile.h"
#include "predict/store/ShippedFiles.h"

namespace ergon {

static ShippedFolder profiles(std::string_view DataFolder = {}) {
  return {"machine-profiles", "ERGON_MACHINE_PROFILES", DataFolder};
}

std::vector<std::string> shippedMachines() { return shippedNames(profiles()); }

std::expected<Machine, Error> loadMachineFile(const std::string &Path) {
  return parseFile(Path, parseProfile);
}

std::expected<Machine, Error> loadMachine(const std::string &NameOrFile,
                                          const std::string &DataFolder) {
  const auto Path = shippedOrFile(profiles(DataFolder), NameOrFile, "machine", "a profile");
  if (!Path)
    return std::unexpected(Path.error());
  return loadMachineFile(*Path);
}

std::expected<std::optional<Machine>, Error> loadNamedMachine(const std::string &NameOrFile,
                                                              const std::string &DataFolder) {
  if (NameOrFile.empty())
    return std::nullopt;
  return loadMachine(NameOrFile, DataFolder);
}

} // namespace ergon
