//===- SourceFiles.cpp - source files of records --------------------------===//

#include "predict/source/SourceFiles.h"
#include "formats/json/Json.h"

#include <fcntl.h>
#include <md5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

namespace fs = std::filesystem;

namespace ergon {

static constexpr std::array StateNames = {"same",    "changed", "unchecked", "missing",
                                          "outside", "no file", "too large"};

std::string_view name(SourceState State) { return StateNames[std::size_t(State)]; }

std::optional<SourceState> sourceState(std::string_view Name) {
  const auto Found = std::ranges::find(StateNames, Name);
  if (Found == StateNames.end())
    return std::nullopt;
  return SourceState(Found - StateNames.begin());
}

SourceRemedy remedy(SourceState State) {
  static constexpr std::array<SourceRemedy, 7> All = {{
      {"", ""},
      {"it has changed since it was recorded", "compile it again"},
      {"the record has no checksum of it", ""},
      {"it cannot be read", ""},
      {"it is in no folder of the build", "give its folder with --source-root DIR"},
      {"it is not a regular file", ""},
      {"it has more than 32 MiB", ""},
  }};
  return All[std::size_t(State)];
}

static std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Result;
  std::istringstream I(Text);
  for (std::string Line; std::getline(I, Line);) {
    if (Line.ends_with('\r'))
      Line.pop_back();
    if (!isUtf8(Line))
      std::ranges::replace_if(
          Line, [](char C) { return static_cast<unsigned char>(C) >= 0x80; }, '?');
    Result.push_back(std::move(Line));
  }
  return Result;
}

static std::string md5Of(const std::string &Text) {
  char Digits[MD5_DIGEST_STRING_LENGTH];
  MD5Data(reinterpret_cast<const std::uint8_t *>(Text.data()), Text.size(), Digits);
  return Digits;
}

/// The path relative to the current folder, for display.
static std::string shown(const fs::path &Absolute) {
  std::error_code Failed;
  const fs::path P = fs::current_path(Failed);
  const fs::path Near = Failed ? Absolute : Absolute.lexically_relative(P);
  return Near.empty() || *Near.begin() == ".." ? Absolute.string() : Near.string();
}

/// A file's bytes, or why there are none. \p File has no symbolic links: rejects one that replaces
/// it meanwhile, and does not block on a pipe.
static SourceState contentOf(const fs::path &File, std::string &Target) {
  struct stat Found;
  if (::stat(File.c_str(), &Found) != 0)
    return SourceState::Missing;
  if (!S_ISREG(Found.st_mode)) // opening a device may have effects
    return SourceState::NoFile;
  const int Number =
      ::open(File.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (Number < 0)
    return SourceState::Missing;
  SourceState Result = SourceState::Unchanged;
  if (::fstat(Number, &Found) != 0 || !S_ISREG(Found.st_mode))
    Result = SourceState::NoFile;
  // Files in /proc have no size, so the bytes are counted.
  constexpr std::size_t Step = 1 << 16;
  for (ssize_t Got = 1; Result == SourceState::Unchanged && Got > 0;) {
    const std::size_t Have = Target.size();
    Target.resize(Have + Step);
    Got = ::read(Number, Target.data() + Have, Step);
    Target.resize(Have + std::size_t(std::max<ssize_t>(Got, 0)));
    if (Got < 0)
      Result = SourceState::Missing;
    if (Target.size() > MaxSourceBytes)
      Result = SourceState::TooLarge;
  }
  ::close(Number);
  return Result;
}

void SourceFiles::know(const Unit &U) {
  Roots.add(U);
  for (const SourceFile &File : U.Files)
    Sums.try_emplace({{U.Directory, U.Source}, File.Path}, File.Md5);
}

std::string SourceFiles::checksum(const Unit &U, const std::string &Path) const {
  const auto Own = std::ranges::find(U.Files, Path, &SourceFile::Path);
  if (Own != U.Files.end())
    return Own->Md5;
  const auto Known = Sums.find({{U.Directory, U.Source}, Path});
  return Known == Sums.end() ? "" : Known->second;
}

/// Possible locations of the file \p Path in positions, the most likely first. clang shortens an
/// absolute name relative to the folder that it shares with the compiler's working directory: that
/// is this directory or above it.
static std::vector<fs::path> placesOf(const Unit &U, const std::string &Path) {
  std::vector<fs::path> Result;
  if (U.Source.ends_with("/" + Path)) { // flang names a file and its folder
    Result.push_back((fs::path(U.Directory) / U.Source).lexically_normal());
    if (U.Source.starts_with('/'))
      return Result;
  }
  for (fs::path Folder = U.Directory;; Folder = Folder.parent_path()) {
    Result.push_back((Folder / Path).lexically_normal());
    if (Folder == Folder.parent_path() || fs::path(Path).is_absolute())
      return Result;
  }
}

void SourceFiles::read(OpenedSource &Result, const Unit &U, const std::string &Path,
                       const std::string &Md5) {
  const std::vector<fs::path> Places = placesOf(U, Path);
  Result.Shown = shown(Places.front());
  Result.State = SourceState::Outside;
  bool Found = false;
  for (const fs::path &Place : Places) {
    std::error_code Failed;
    const fs::path File = fs::weakly_canonical(Place, Failed);
    if (Failed || !File.is_absolute() || !Roots.contains(File, U))
      continue;
    std::string Text;
    const SourceState State =
        Md5.empty() ? fs::exists(File, Failed) ? SourceState::Unchecked : SourceState::Missing
                    : contentOf(File, Text);
    if (State == SourceState::Missing) {
      if (!Found)
        Result.State = State;
      continue;
    }
    const bool IsSame = State == SourceState::Unchanged && md5Of(Text) == Md5;
    if (Found && !IsSame)
      continue;
    Found = true;
    Result.Shown = shown(Place);
    Result.State = State == SourceState::Unchanged && !IsSame ? SourceState::Changed : State;
    if (IsSame) {
      Result.IsUtf8 = isUtf8(Text);
      Result.Lines = linesOf(Text);
    }
    if (IsSame || Md5.empty())
      return;
  }
  if (Md5.empty()) // the record must not reveal whether it exists
    Result.State = SourceState::Unchecked;
}

const OpenedSource &SourceFiles::open(const Unit &U, const std::string &Path) {
  const std::string Md5 = checksum(U, Path);
  const auto [Found, IsNew] = Opened.try_emplace({{U.Directory, U.Source}, {Path, Md5}});
  if (IsNew)
    read(Found->second, U, Path, Md5);
  return Found->second;
}

} // namespace ergon
