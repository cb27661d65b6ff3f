//===- SourceFiles.cpp - the source code that records speak of ------------===//

#include "tools/SourceFiles.h"
#include "formats/Json.h"

#include <md5.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
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

const OpenedSource &SourceFiles::open(const Unit &Of, const std::string &Path) {
  const auto Known = std::ranges::find(Of.Files, Path, &SourceFile::Path);
  const std::string Md5 = Known == Of.Files.end() ? "" : Known->Md5;
  const fs::path Absolute = (fs::path(Of.Directory) / Path).lexically_normal();
  const auto [Found, IsNew] = Opened.try_emplace({Absolute.string(), Md5});
  OpenedSource &Result = Found->second;
  if (!IsNew)
    return Result;
  Result.Shown = shown(Absolute);
  std::ifstream In(Absolute, std::ios::binary);
  const std::string Text{std::istreambuf_iterator<char>(In), {}};
  if (!In.is_open() || In.bad() || fs::is_directory(Absolute))
    return Result;
  Result.State = Md5.empty()          ? SourceState::Unchecked
                 : md5Of(Text) == Md5 ? SourceState::Same
                                      : SourceState::Changed;
  Result.IsUtf8 = isUtf8(Text);
  Result.Lines = linesOf(Text);
  return Result;
}

} // namespace ergon
