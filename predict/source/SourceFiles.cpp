//===- SourceFiles.cpp - the source code that records speak of ------------===//

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

std::string_view name(SourceState Of) { return StateNames[std::size_t(Of)]; }

std::optional<SourceState> sourceState(std::string_view Name) {
  const auto Found = std::ranges::find(StateNames, Name);
  if (Found == StateNames.end())
    return std::nullopt;
  return SourceState(Found - StateNames.begin());
}

SourceRemedy remedy(SourceState Of) {
  static constexpr std::array<SourceRemedy, 7> All = {{
      {"", ""},
      {"it has changed since it was recorded", "compile it again"},
      {"the record has no checksum of it", ""},
      {"it cannot be read", ""},
      {"it is in no folder of the build", "give its folder with --source-root DIR"},
      {"it is not a regular file", ""},
      {"it has more than 32 MiB", ""},
  }};
  return All[std::size_t(Of)];
}

static std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Result;
  std::istringstream In(Text);
  for (std::string Line; std::getline(In, Line);) {
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

/// As somebody in the current folder would name it.
static std::string shown(const fs::path &Absolute) {
  std::error_code Failed;
  const fs::path Here = fs::current_path(Failed);
  const fs::path Near = Failed ? Absolute : Absolute.lexically_relative(Here);
  return Near.empty() || *Near.begin() == ".." ? Absolute.string() : Near.string();
}

/// A file's bytes, or why there are none. \p File has no symbolic links: one that takes its place
/// meanwhile is refused, and a pipe that does is not waited for.
static SourceState contentOf(const fs::path &File, std::string &Into) {
  struct stat Found;
  if (::stat(File.c_str(), &Found) != 0)
    return SourceState::Missing;
  if (!S_ISREG(Found.st_mode)) // opening a device may already do something
    return SourceState::NoFile;
  const int In = ::open(File.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (In < 0)
    return SourceState::Missing;
  SourceState Result = SourceState::Same;
  if (::fstat(In, &Found) != 0 || !S_ISREG(Found.st_mode))
    Result = SourceState::NoFile;
  // What a file of /proc holds its size does not say, so the bytes are counted.
  constexpr std::size_t Step = 1 << 16;
  for (ssize_t Got = 1; Result == SourceState::Same && Got > 0;) {
    const std::size_t Have = Into.size();
    Into.resize(Have + Step);
    Got = ::read(In, Into.data() + Have, Step);
    Into.resize(Have + std::size_t(std::max<ssize_t>(Got, 0)));
    if (Got < 0)
      Result = SourceState::Missing;
    if (Into.size() > MaxSourceBytes)
      Result = SourceState::TooLarge;
  }
  ::close(In);
  return Result;
}

void SourceFiles::know(const Unit &Of) {
  Roots.add(Of);
  for (const SourceFile &Each : Of.Files)
    Sums.try_emplace({{Of.Directory, Of.Source}, Each.Path}, Each.Md5);
}

std::string SourceFiles::checksum(const Unit &Of, const std::string &Path) const {
  const auto Own = std::ranges::find(Of.Files, Path, &SourceFile::Path);
  if (Own != Of.Files.end())
    return Own->Md5;
  const auto Known = Sums.find({{Of.Directory, Of.Source}, Path});
  return Known == Sums.end() ? "" : Known->second;
}

/// Where a file may be that positions call \p Path, the best guess first. clang shortens an
/// absolute name to what follows the folder that it has in common with the one where the compiler
/// ran: that is the latter or above it.
static std::vector<fs::path> placesOf(const Unit &Of, const std::string &Path) {
  std::vector<fs::path> Result;
  if (Of.Source.ends_with("/" + Path)) { // flang names a file and its folder
    Result.push_back((fs::path(Of.Directory) / Of.Source).lexically_normal());
    if (Of.Source.starts_with('/'))
      return Result;
  }
  for (fs::path Folder = Of.Directory;; Folder = Folder.parent_path()) {
    Result.push_back((Folder / Path).lexically_normal());
    if (Folder == Folder.parent_path() || fs::path(Path).is_absolute())
      return Result;
  }
}

void SourceFiles::read(OpenedSource &Into, const Unit &Of, const std::string &Path,
                       const std::string &Md5) {
  const std::vector<fs::path> Places = placesOf(Of, Path);
  Into.Shown = shown(Places.front());
  Into.State = SourceState::Outside;
  bool Found = false;
  for (const fs::path &Each : Places) {
    std::error_code Failed;
    const fs::path File = fs::weakly_canonical(Each, Failed);
    if (Failed || !File.is_absolute() || !Roots.contains(File, Of))
      continue;
    std::string Text;
    const SourceState State =
        Md5.empty() ? fs::exists(File, Failed) ? SourceState::Unchecked : SourceState::Missing
                    : contentOf(File, Text);
    if (State == SourceState::Missing) {
      if (!Found)
        Into.State = State;
      continue;
    }
    const bool IsSame = State == SourceState::Same && md5Of(Text) == Md5;
    if (Found && !IsSame)
      continue;
    Found = true;
    Into.Shown = shown(Each);
    Into.State = State == SourceState::Same && !IsSame ? SourceState::Changed : State;
    if (IsSame) {
      Into.IsUtf8 = isUtf8(Text);
      Into.Lines = linesOf(Text);
    }
    if (IsSame || Md5.empty())
      return;
  }
  if (Md5.empty()) // whether it is there is not for the record to find out
    Into.State = SourceState::Unchecked;
}

const OpenedSource &SourceFiles::open(const Unit &Of, const std::string &Path) {
  const std::string Md5 = checksum(Of, Path);
  const auto [Found, IsNew] = Opened.try_emplace({{Of.Directory, Of.Source}, {Path, Md5}});
  if (IsNew)
    read(Found->second, Of, Path, Md5);
  return Found->second;
}

} // namespace ergon
