//===- ChangedLines.cpp - lines that git says were changed ----------------===//

#include "tools/lint/ChangedLines.h"
#include "tools/base/ChildProcess.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>

namespace fs = std::filesystem;

namespace ergon {

/// Removes the first line of \p Text and returns it.
static std::string_view takeLine(std::string_view &Text) {
  const std::size_t End = Text.find('\n');
  const std::string_view Line = Text.substr(0, End);
  Text.remove_prefix(End == Text.npos ? Text.size() : End + 1);
  return Line;
}

/// A path as git writes it: in quotes with C's escapes where it has odd characters, and with a tab
/// behind it where it has spaces.
static std::string pathIn(std::string_view Text) {
  if (Text.ends_with('\t'))
    Text.remove_suffix(1);
  if (!Text.starts_with('"') || !Text.ends_with('"') || Text.size() < 2)
    return std::string(Text);
  Text = Text.substr(1, Text.size() - 2);
  static constexpr std::pair<char, char> Escapes[] = {
      {'a', '\a'}, {'b', '\b'}, {'t', '\t'}, {'n', '\n'}, {'v', '\v'}, {'f', '\f'}, {'r', '\r'}};
  std::string Result;
  for (std::size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != '\\' || I + 1 == Text.size()) {
      Result += Text[I];
      continue;
    }
    unsigned Byte = 0;
    const char *First = Text.data() + I + 1;
    if (const auto [End, Bad] =
            std::from_chars(First, std::min(First + 3, Text.data() + Text.size()), Byte, 8);
        Bad == std::errc()) {
      Result += char(Byte);
      I += std::size_t(End - First);
      continue;
    }
    const char C = Text[++I];
    const auto Found = std::ranges::find(Escapes, C, &std::pair<char, char>::first);
    Result += Found == std::end(Escapes) ? C : Found->second;
  }
  return Result;
}

/// The side of a hunk's header, `+12,3`: its first line and how many there are.
static std::optional<std::pair<unsigned, unsigned>> sideOf(std::string_view Header, char Sign) {
  const std::size_t At = Header.find(Sign);
  if (At == Header.npos)
    return std::nullopt;
  unsigned First = 0, Count = 1;
  const char *Begin = Header.data() + At + 1, *Last = Header.data() + Header.size();
  const auto [End, Bad] = std::from_chars(Begin, Last, First);
  if (Bad != std::errc())
    return std::nullopt;
  if (End != Last && *End == ',')
    std::from_chars(End + 1, Last, Count);
  return std::pair(First, Count);
}

ChangedLines ChangedLines::parse(std::string_view Diff, const std::string &Top) {
  ChangedLines Result;
  std::string Path;
  while (!Diff.empty()) {
    std::string_view Line = takeLine(Diff);
    if (Line.starts_with("+++ ")) {
      Path = (fs::path(Top) / pathIn(Line.substr(4))).lexically_normal().string();
      continue;
    }
    if (!Line.starts_with("@@ -"))
      continue;
    const auto Old = sideOf(Line, '-'), New = sideOf(Line, '+');
    if (!Old || !New)
      continue;
    if (New->second)
      Result.Ranges[Path].emplace_back(New->first, New->first + New->second - 1);
    // The text of a line may look like a header.
    for (unsigned I = 0; I != Old->second + New->second && !Diff.empty();)
      I += !takeLine(Diff).starts_with('\\');
  }
  return Result;
}

static std::expected<Captured, Error> git(std::vector<std::string> Arguments) {
  std::vector<std::string> Command = {"git", "--no-optional-locks", "-c", "core.quotePath=false",
                                      "-c",  "core.fsmonitor=false"};
  Command.insert(Command.end(), Arguments.begin(), Arguments.end());
  auto Ran = outputOf(Command);
  if (!Ran)
    return std::unexpected(Error{"git cannot be run", "", "install git", "--changed-since"});
  return Ran;
}

std::expected<ChangedLines, Error> ChangedLines::since(const std::string &Revision) {
  auto Top = git({"rev-parse", "--show-toplevel"});
  if (!Top)
    return std::unexpected(Top.error());
  if (Top->Status != 0)
    return std::unexpected(Error{"the current folder is in no repository of git", "",
                                 "run ergon in the sources' working tree", "--changed-since"});
  std::string_view Text = Top->Text;
  const std::string Folder(takeLine(Text));
  auto Commit =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", Revision + "^{commit}"});
  if (!Commit)
    return std::unexpected(Commit.error());
  Text = Commit->Text;
  const std::string Hash(takeLine(Text));
  if (Commit->Status != 0 || Hash.empty())
    return std::unexpected(Error{"git knows no commit " + inQuotes(Revision) + " here", "",
                                 "give a commit, a branch or a tag; in CI, fetch it first",
                                 "--changed-since"});
  auto Diff = git({"-C", Folder, "diff", "--unified=0", "--inter-hunk-context=0", "--no-prefix",
                   "--no-relative", "--no-color", "--no-ext-diff", "--no-textconv",
                   "--find-renames", "--ignore-submodules=all", Hash, "--"});
  if (!Diff)
    return std::unexpected(Diff.error());
  auto Untracked = git({"-C", Folder, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!Untracked)
    return std::unexpected(Untracked.error());
  if (Diff->Status != 0 || Untracked->Status != 0)
    return std::unexpected(Error{"git cannot compare with " + inQuotes(Revision), "",
                                 "see what `git diff " + Hash + "` says", "--changed-since"});
  ChangedLines Result = parse(Diff->Text, Folder);
  for (std::string_view Rest = Untracked->Text; !Rest.empty();) {
    const std::size_t End = Rest.find('\0');
    Result.Ranges[(fs::path(Folder) / Rest.substr(0, End)).string()].emplace_back(
        1, std::numeric_limits<unsigned>::max());
    Rest.remove_prefix(End == Rest.npos ? Rest.size() : End + 1);
  }
  return Result;
}

bool ChangedLines::contains(const SourceLocation &Location) const {
  std::error_code Failed;
  const fs::path Path = fs::weakly_canonical(Location.File, Failed);
  const auto Found = Ranges.find(Path.string());
  return Found != Ranges.end() && std::ranges::any_of(Found->second, [&](const Range &R) {
           return R.first <= Location.Line && Location.Line <= R.second;
         });
}

void keepChanged(const ChangedLines &Lines, LintReport &Report) {
  static constexpr std::array<std::string_view, 3> WholeFunction = {"budget", "improvement",
                                                                    "regression"};
  Report.Unchanged = std::erase_if(Report.Findings, [&](const Finding &F) {
    return std::ranges::find(WholeFunction, F.Rule) == WholeFunction.end() &&
           !Lines.contains(F.Location);
  });
}

} // namespace ergon
