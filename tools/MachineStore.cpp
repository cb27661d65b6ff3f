//===- MachineStore.cpp - finds machine profiles --------------------------===//

#include "tools/MachineStore.h"

#include "formats/ProfileFormat.h"
#include "tools/Suggest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

static fs::path profileFolder() {
  if (const char *Set = std::getenv("ERGON_MACHINE_PROFILES"); Set && *Set)
    return Set;
  std::error_code Failed;
  const fs::path Installed = fs::read_symlink("/proc/self/exe", Failed).parent_path() / ".." /
                             "share" / "ergon" / "machine-profiles";
  if (fs::is_directory(Installed, Failed))
    return Installed.lexically_normal();
  return ERGON_SOURCE_PROFILES;
}

std::vector<std::string> shippedMachines() {
  std::vector<std::string> Names;
  std::error_code Failed;
  for (fs::directory_iterator File(profileFolder(), Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (File->path().extension() == ".json" && File->path().stem() != "schema")
      Names.push_back(File->path().stem());
  std::ranges::sort(Names);
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
    return loadMachineFile(profileFolder() / (NameOrFile + ".json"));
  return std::unexpected(Error{"no machine is called " + inQuotes(NameOrFile), "",
                               suggestName(NameOrFile, Names) + "; or give the path of a profile",
                               ""});
}

} // namespace ergon
