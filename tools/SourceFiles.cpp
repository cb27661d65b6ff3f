//===- SourceFiles.cpp - the source code that records speak of ------------===//

#include "tools/SourceFiles.h"
#include "formats/Json.h"

#include <md5.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace fs = std::filesystem;

namespace ergon {

std::string_view name(SourceState Of) {
  static constexpr std::array Names = {"same", "changed", "unchecked", "missing"};
  return Names[std::size_t(Of)];
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

/// The content; nothing where there is no such file.
static std::optional<std::string> contentOf(const fs::path &File) {
  std::error_code Failed;
  std::ifstream In(File, std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  if (!In.is_open() || In.bad() || fs::is_directory(File, Failed))
    return std::nullopt;
  return Text;
}

/// Where a file is that positions call \p Path. clang shortens an absolute name to what follows the
/// folder that it has in common with the one where the compiler ran: that is the latter or above
/// it.
static fs::path placeOf(const Unit &Of, const std::string &Path, const std::string &Md5) {
  const fs::path Ran = Of.Directory, Here = (Ran / Path).lexically_normal();
  if (Of.Source.starts_with('/') && Of.Source.ends_with("/" + Path))
    return fs::path(Of.Source).lexically_normal();
  std::optional<fs::path> First;
  for (fs::path Folder = Ran; !fs::path(Path).is_absolute(); Folder = Folder.parent_path()) {
    const fs::path File = (Folder / Path).lexically_normal();
    const auto Text = contentOf(File);
    if (Text && (Md5.empty() || md5Of(*Text) == Md5))
      return File;
    if (Text && !First)
      First = File;
    if (Folder == Folder.parent_path())
      break;
  }
  return First.value_or(Here);
}

const OpenedSource &SourceFiles::open(const Unit &Of, const std::string &Path) {
  const auto Known = std::ranges::find(Of.Files, Path, &SourceFile::Path);
  const std::string Md5 = Known == Of.Files.end() ? "" : Known->Md5;
  const auto [Found, IsNew] = Opened.try_emplace({(fs::path(Of.Directory) / Path).string(), Md5});
  OpenedSource &Result = Found->second;
  if (!IsNew)
    return Result;
  const fs::path Absolute = placeOf(Of, Path, Md5);
  Result.Shown = shown(Absolute);
  const auto Read = contentOf(Absolute);
  if (!Read)
    return Result;
  const std::string &Text = *Read;
  Result.State = Md5.empty()          ? SourceState::Unchecked
                 : md5Of(Text) == Md5 ? SourceState::Same
                                      : SourceState::Changed;
  Result.IsUtf8 = isUtf8(Text);
  Result.Lines = linesOf(Text);
  return Result;
}

} // namespace ergon
