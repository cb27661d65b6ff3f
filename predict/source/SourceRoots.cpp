//===- SourceRoots.cpp - whose source code may be shown -------------------===//

#include "predict/source/SourceRoots.h"

#include <algorithm>
#include <cstdlib>

namespace fs = std::filesystem;

namespace ergon {

/// \p Path without symbolic links, `.`, `..` and a slash at the end; what does not exist is kept as
/// it is written. Empty where that cannot be found out.
static fs::path resolved(const fs::path &Path) {
  std::error_code Failed;
  fs::path Result = fs::weakly_canonical(fs::absolute(Path, Failed), Failed);
  if (Failed)
    return {};
  return Result.has_filename() || Result == Result.root_path() ? Result : Result.parent_path();
}

/// True where \p File is \p Folder or lies below it.
static bool isBelow(const fs::path &File, const fs::path &Folder) {
  return !Folder.empty() &&
         std::ranges::mismatch(Folder, File).in1 == Folder.end(); // all of Folder is in File
}

/// What clang and the packages of a system bring along: headers that everybody may read.
static bool isSystemHeader(const fs::path &File) {
  static const fs::path Folders[] = {"/usr", "/opt", "/nix/store"};
  std::error_code Failed;
  return std::ranges::any_of(Folders, [&](const fs::path &Each) { return isBelow(File, Each); }) &&
         (fs::status(File, Failed).permissions() & fs::perms::others_read) != fs::perms::none &&
         !Failed;
}

SourceRoots::SourceRoots(const std::vector<std::string> &Folders) {
  for (const std::string &Each : Folders)
    if (fs::path Folder = resolved(Each); !Folder.empty())
      Given.push_back(std::move(Folder));
  if (const char *Set = std::getenv("HOME"); Set && *Set == '/')
    Home = resolved(Set);
}

/// True of folders that hold more than one build: the root, the system's first level, where homes
/// are, and a home itself.
bool SourceRoots::isWide(const fs::path &Folder) const {
  static const fs::path Shared[] = {"/bin",   "/home", "/lib", "/lib32", "/lib64",
                                    "/media", "/mnt",  "/opt", "/root",  "/sbin",
                                    "/srv",   "/tmp",  "/usr", "/var",   "/var/tmp"};
  return Folder == Folder.root_path() || Folder.parent_path() == "/home" ||
         std::ranges::find(Shared, Folder) != std::end(Shared) ||
         (!Home.empty() && isBelow(Home, Folder));
}

/// True of folders that no build is in: the system's settings and devices, and a person's hidden
/// folders with keys and settings.
bool SourceRoots::isForbidden(const fs::path &Folder) const {
  static const fs::path System[] = {"/boot", "/dev", "/etc", "/proc", "/run", "/sys"};
  if (Folder.empty() ||
      std::ranges::any_of(System, [&](const fs::path &Each) { return isBelow(Folder, Each); }))
    return true;
  if (Home.empty() || Folder == Home || !isBelow(Folder, Home))
    return false;
  return Folder.lexically_relative(Home).begin()->native().starts_with('.');
}

/// The folder that both are in.
static fs::path common(const fs::path &One, const fs::path &Other) {
  fs::path Result;
  for (auto Left = One.begin(), Right = Other.begin();
       Left != One.end() && Right != Other.end() && *Left == *Right; ++Left, ++Right)
    Result /= *Left;
  return Result;
}

/// The folder where the compiler ran, the main source's, and the one that both are in.
std::vector<fs::path> SourceRoots::rootsOf(const Unit &Of) const {
  if (!fs::path(Of.Directory).is_absolute())
    return {};
  const fs::path Ran = resolved(Of.Directory),
                 Source = resolved(fs::path(Of.Directory) / Of.Source).parent_path();
  std::vector<fs::path> Result;
  for (const fs::path &Each : {Ran, Source})
    if (!isForbidden(Each))
      Result.push_back(Each);
  if (const fs::path Both = common(Ran, Source); !isForbidden(Both) && !isWide(Both))
    Result.push_back(Both);
  return Result;
}

void SourceRoots::add(const Unit &Of) {
  for (const fs::path &Each : rootsOf(Of))
    if (!isWide(Each))
      Whole = Whole.empty() ? Each : common(Whole, Each);
}

bool SourceRoots::contains(const fs::path &File, const Unit &Of) {
  if (std::ranges::any_of(Given, [&](const fs::path &Each) { return isBelow(File, Each); }))
    return true;
  const auto [Found, IsNew] = Builds.try_emplace({Of.Directory, Of.Source});
  if (IsNew)
    Found->second = rootsOf(Of);
  if (isSystemHeader(File) || (!isWide(Whole) && !isForbidden(Whole) && isBelow(File, Whole)))
    return true;
  return std::ranges::any_of(Found->second, [&](const fs::path &Root) {
    // Of a folder that holds more than a build the files that lie in it, not those below.
    return isWide(Root) ? File.parent_path() == Root && !File.filename().native().starts_with('.')
                        : isBelow(File, Root);
  });
}

} // namespace ergon
