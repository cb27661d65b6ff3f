//===- SourceRoots.cpp - source roots -------------------------------------===//

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

/// Whether \p File is \p Folder or below it.
static bool isBelow(const fs::path &File, const fs::path &Folder) {
  return !Folder.empty() &&
         std::ranges::mismatch(Folder, File).in1 == Folder.end(); // all of Folder is in File
}

/// Headers of clang and system packages, which everybody may read.
static bool isSystemHeader(const fs::path &File) {
  static const fs::path Folders[] = {"/usr", "/opt", "/nix/store"};
  std::error_code Failed;
  return std::ranges::any_of(Folders, [&](const fs::path &P) { return isBelow(File, P); }) &&
         (fs::status(File, Failed).permissions() & fs::perms::others_read) != fs::perms::none &&
         !Failed;
}

SourceRoots::SourceRoots(const std::vector<std::string> &Folders) {
  for (const std::string &Text : Folders)
    if (fs::path Folder = resolved(Text); !Folder.empty())
      Given.push_back(std::move(Folder));
  if (const char *Set = std::getenv("HOME"); Set && *Set == '/')
    Home = resolved(Set);
}

/// Whether a folder holds more than one build: the root, top-level folders, the folder of homes,
/// and a home itself.
bool SourceRoots::isWide(const fs::path &Folder) const {
  static const fs::path Shared[] = {"/bin",   "/home", "/lib", "/lib32", "/lib64",
                                    "/media", "/mnt",  "/opt", "/root",  "/sbin",
                                    "/srv",   "/tmp",  "/usr", "/var",   "/var/tmp"};
  return Folder == Folder.root_path() || Folder.parent_path() == "/home" ||
         std::ranges::find(Shared, Folder) != std::end(Shared) ||
         (!Home.empty() && isBelow(Home, Folder));
}

/// Whether a folder holds no build: system settings and devices, and hidden folders of a home.
bool SourceRoots::isForbidden(const fs::path &Folder) const {
  static const fs::path System[] = {"/boot", "/dev", "/etc", "/proc", "/run", "/sys"};
  if (Folder.empty() ||
      std::ranges::any_of(System, [&](const fs::path &P) { return isBelow(Folder, P); }))
    return true;
  if (Home.empty() || Folder == Home || !isBelow(Folder, Home))
    return false;
  return Folder.lexically_relative(Home).begin()->native().starts_with('.');
}

/// The deepest common folder.
static fs::path common(const fs::path &P, const fs::path &Other) {
  fs::path Result;
  for (auto Left = P.begin(), Right = Other.begin();
       Left != P.end() && Right != Other.end() && *Left == *Right; ++Left, ++Right)
    Result /= *Left;
  return Result;
}

/// The compiler's working directory, the main source's folder, and their common folder.
std::vector<fs::path> SourceRoots::rootsOf(const Unit &U) const {
  if (!fs::path(U.Directory).is_absolute())
    return {};
  const fs::path Ran = resolved(U.Directory),
                 Source = resolved(fs::path(U.Directory) / U.Source).parent_path();
  std::vector<fs::path> Result;
  for (const fs::path &P : {Ran, Source})
    if (!isForbidden(P))
      Result.push_back(P);
  if (const fs::path Pair = common(Ran, Source); !isForbidden(Pair) && !isWide(Pair))
    Result.push_back(Pair);
  return Result;
}

void SourceRoots::add(const Unit &U) {
  for (const fs::path &P : rootsOf(U))
    if (!isWide(P))
      Whole = Whole.empty() ? P : common(Whole, P);
}

bool SourceRoots::contains(const fs::path &File, const Unit &U) {
  if (std::ranges::any_of(Given, [&](const fs::path &P) { return isBelow(File, P); }))
    return true;
  const auto [Found, IsNew] = Builds.try_emplace({U.Directory, U.Source});
  if (IsNew)
    Found->second = rootsOf(U);
  if (isSystemHeader(File) || (!isWide(Whole) && !isForbidden(Whole) && isBelow(File, Whole)))
    return true;
  return std::ranges::any_of(Found->second, [&](const fs::path &Root) {
    // For a folder that holds more than a build: only its direct files.
    return isWide(Root) ? File.parent_path() == Root && !File.filename().native().starts_with('.')
                        : isBelow(File, Root);
  });
}

} // namespace ergon
