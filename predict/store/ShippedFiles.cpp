//===- ShippedFiles.cpp - data that comes with Ergon ----------------------===//

#include "predict/store/ShippedFiles.h"
#include "predict/text/Suggest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

std::string shippedFolder(const ShippedFolder &Folder) {
  if (const char *Set = std::getenv(Folder.Variable); Set && *Set)
    return Set;
  if (!Folder.DataFolder.empty())
    return fs::path(Folder.DataFolder) / Folder.Name;
  std::error_code Failed;
  const fs::path Installed = fs::read_symlink("/proc/self/exe", Failed).parent_path() / ".." /
                             "share" / "ergon" / Folder.Name;
  if (fs::is_directory(Installed, Failed))
    return Installed.lexically_normal();
  return fs::path(ERGON_SOURCE_DIR) / Folder.Name;
}

std::string buildCommand(std::string_view Targets) {
  std::error_code Failed;
  const fs::path Build = fs::read_symlink("/proc/self/exe", Failed).parent_path().parent_path();
  if (Failed || !fs::is_regular_file(Build / "CMakeCache.txt", Failed))
    return "";
  return "`cmake --build " + Build.native() + " --target " + std::string(Targets) + "`";
}

std::vector<std::string> shippedFiles(const ShippedFolder &Folder) {
  std::vector<fs::path> Paths;
  std::error_code Failed;
  for (fs::directory_iterator File(shippedFolder(Folder), Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (File->path().extension() == ".json" && File->path().stem() != "schema")
      Paths.push_back(File->path());
  std::ranges::sort(Paths, {}, [](const fs::path &P) { return P.stem(); });
  return {Paths.begin(), Paths.end()};
}

std::vector<std::string> shippedNames(const ShippedFolder &Folder) {
  std::vector<std::string> Names;
  for (const std::string &Path : shippedFiles(Folder))
    Names.push_back(fs::path(Path).stem());
  return Names;
}

std::expected<std::string, Error> shippedOrFile(const ShippedFolder &Folder,
                                                const std::string &NameOrFile,
                                                std::string_view Kind, std::string_view Document) {
  if (NameOrFile.contains('/') || NameOrFile.ends_with(".json"))
    return NameOrFile;
  const std::vector<std::string> Names = shippedNames(Folder);
  if (std::ranges::binary_search(Names, NameOrFile))
    return shippedFolder(Folder) + "/" + NameOrFile + ".json";
  return std::unexpected(
      Error{"no " + std::string(Kind) + " is called " + inQuotes(NameOrFile), "",
            suggestName(NameOrFile, Names) + "; or give the path of " + std::string(Document), ""});
}

} // namespace ergon
