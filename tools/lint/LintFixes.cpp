//===- LintFixes.cpp - changes of sources by fix-its ----------------------===//

#include "tools/lint/LintFixes.h"
#include "formats/json/TextFile.h"
#include "tools/lint/LintText.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace fs = std::filesystem;

namespace ergon {

namespace {
/// A change of one line; equal ones are one.
struct Change {
  unsigned Line, Column, EndColumn;
  std::string Text, Rule;
  auto operator<=>(const Change &) const = default;
};
} // namespace

static Error changed(const std::string &File) {
  return {"it has changed since it was recorded, so nothing is fixed in any file", "",
          "compile it again, then run --fix", File};
}

/// The start of line \p Number in \p Text; its end where there are not so many.
static std::size_t startOf(const std::string &Text, unsigned Number) {
  std::size_t Position = 0;
  for (unsigned Line = 1; Line < Number && Position != Text.size(); ++Line)
    Position = std::min(Text.find('\n', Position), Text.size() - 1) + 1;
  return Position;
}

std::expected<std::vector<std::string>, Error> applyFixes(const LintReport &Report) {
  std::map<std::string, std::vector<Change>> ByFile;
  std::map<std::string, std::string> Texts;
  for (const Finding &F : Report.Findings) {
    if (!F.Fix || !F.Text || !isShown(F))
      continue;
    const std::string &File = F.Location.File;
    if (!Texts.contains(File)) {
      auto Text = readTextFile(File);
      if (!Text)
        return std::unexpected(Text.error());
      Texts.emplace(File, std::move(*Text));
    }
    if (Texts[File].compare(startOf(Texts[File], F.Location.Line), F.Text->size(), *F.Text) != 0)
      return std::unexpected(changed(File));
    ByFile[File].push_back({F.Location.Line, F.Fix->Column, F.Fix->EndColumn, F.Fix->Text, F.Rule});
  }
  std::vector<std::string> Result;
  for (auto &[File, Changes] : ByFile) {
    std::ranges::sort(Changes);
    Changes.erase(std::ranges::unique(Changes).begin(), Changes.end());
    std::string &Text = Texts[File];
    for (auto C = Changes.rbegin(); C != Changes.rend(); ++C) // from the end, so places stay
      Text.replace(startOf(Text, C->Line) + C->Column - 1, C->EndColumn - C->Column, C->Text);
    // Through a link, and with its permissions.
    const fs::path Path = fs::canonical(File);
    const fs::perms Mode = fs::status(Path).permissions();
    if (auto Written = writeTextFile(Path.string(), Text); !Written)
      return std::unexpected(Written.error());
    fs::permissions(Path, Mode);
    for (const Change &C : Changes)
      Result.push_back(
          fmt::format("{}:{}:{}: inserted {} [{}]", File, C.Line, C.Column, C.Text, C.Rule));
  }
  return Result;
}

} // namespace ergon
