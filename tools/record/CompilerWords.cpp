//===- CompilerWords.cpp - the words of a compiler's command --------------===//

#include "tools/record/CompilerWords.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace fs = std::filesystem;

namespace ergon {

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

/// Programs that run the compiler which follows them.
static bool isLauncher(const std::string &Program) {
  static constexpr std::string_view Names[] = {"ccache", "sccache", "distcc", "icecc",
                                               "buildcache"};
  return std::ranges::find(Names, fs::path(Program).filename().native()) != std::end(Names);
}

std::size_t compilerOf(const Compilation &C) {
  const auto &Words = C.Words;
  return Words.size() > 1 && isLauncher(Words[0]) && !Words[1].starts_with('-') ? 1 : 0;
}

/// `clang`, `clang++-22`, `x86_64-linux-gnu-clang`, `flang-new`.
static bool isCompilerName(std::string_view Name) {
  const std::size_t Version = Name.find_last_not_of("0123456789.");
  if (Version != std::string_view::npos && Version + 1 < Name.size() && Name[Version] == '-')
    Name = Name.substr(0, Version);
  for (std::string_view Text : {"clang", "clang++", "flang", "flang-new"})
    if (Name == Text || (Name.ends_with(Text) && Name[Name.size() - Text.size() - 1] == '-'))
      return true;
  return false;
}

bool isCompiler(const std::string &Program, const std::string &Directory) {
  if (isCompilerName(fs::path(Program).filename().native()))
    return true;
  std::error_code Failed;
  if (Program.contains('/'))
    return isCompilerName(
        fs::weakly_canonical(fs::path(Directory) / Program, Failed).filename().native());
  // `cc` may be a link to a clang.
  const char *Set = std::getenv("PATH");
  for (std::string_view Rest = Set ? Set : ""; !Rest.empty();) {
    const std::string_view Folder = Rest.substr(0, Rest.find(':'));
    Rest.remove_prefix(std::min(Rest.size(), Folder.size() + 1));
    const fs::path File = fs::path(Folder) / Program;
    if (!Folder.empty() && fs::is_regular_file(File, Failed))
      return isCompilerName(fs::canonical(File, Failed).filename().native());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Response files
//===----------------------------------------------------------------------===//

namespace {
class Expansion {
public:
  explicit Expansion(const Compilation &C) : Directory(C.Directory) {}
  /// Adds \p Words and what the files among them hold.
  std::optional<Error> add(const std::vector<std::string> &Words, std::size_t From);
  std::vector<std::string> Result;

private:
  fs::path Directory;
  std::vector<fs::path> Open; ///< files that are being read, the outermost first

  std::optional<Error> addFile(const fs::path &File, bool IsConfiguration);
};
} // namespace

/// Lines that begin with `#` are none of a configuration's, and a backslash joins two.
static std::string withoutComments(std::string_view Text) {
  std::string Result;
  while (!Text.empty()) {
    std::string_view Line = Text.substr(0, Text.find('\n'));
    Text.remove_prefix(std::min(Text.size(), Line.size() + 1));
    const std::size_t First = Line.find_first_not_of(" \t");
    if (First != std::string_view::npos && Line[First] == '#')
      continue;
    const bool GoesOn = Line.ends_with('\\');
    Result += Line.substr(0, Line.size() - GoesOn);
    Result += GoesOn ? "" : "\n";
  }
  return Result;
}

std::optional<Error> Expansion::addFile(const fs::path &File, bool IsConfiguration) {
  static constexpr std::size_t Most = std::size_t(32) << 20;
  std::error_code Failed;
  const auto Refused = [&](const char *Why) {
    return Error{std::string("a response file ") + Why, "", "the entry is left out", File};
  };
  if (!fs::is_regular_file(File, Failed))
    return Refused("has to be a regular file");
  if (fs::file_size(File, Failed) > Most)
    return Refused("has more than 32 MiB");
  if (std::ranges::find(Open, File) != Open.end())
    return Refused("contains itself");
  const auto Text = readTextFile(File);
  if (!Text)
    return Text.error();
  Open.push_back(File);
  auto Bad = add(responseWords(IsConfiguration ? withoutComments(*Text) : *Text), 0);
  Open.pop_back();
  return Bad;
}

std::optional<Error> Expansion::add(const std::vector<std::string> &Words, std::size_t From) {
  std::error_code Failed;
  for (std::size_t I = From; I < Words.size(); ++I) {
    std::string_view Word = Words[I];
    std::optional<std::string_view> Configuration;
    if (Word.starts_with("--config="))
      Configuration = Word.substr(Word.find('=') + 1);
    else if (Word == "--config" && I + 1 != Words.size())
      Configuration = Words[I + 1];
    std::optional<Error> Bad;
    if (Configuration && Configuration->contains('/')) {
      I += Word == "--config";
      Bad = addFile((Directory / *Configuration).lexically_normal(), true);
    } else if (const fs::path File = (Directory / Word.substr(1)).lexically_normal();
               Word.starts_with('@') && Word.size() > 1 && fs::exists(File, Failed)) {
      Bad = addFile(File, false);
    } else {
      Result.emplace_back(Word); // of a response file that is not there: for the compiler to say
    }
    if (Bad)
      return Bad;
  }
  return std::nullopt;
}

std::expected<Compilation, Error> expandFiles(const Compilation &C) {
  Expansion Words(C);
  Words.Result.assign(C.Words.begin(), C.Words.begin() + long(compilerOf(C)) + 1);
  if (auto Bad = Words.add(C.Words, Words.Result.size()))
    return std::unexpected(*Bad);
  return Compilation{C.Directory, C.File, std::move(Words.Result)};
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Options of clang 22's driver and of the compiler behind it (`clang --help-hidden`, `clang -cc1
/// --help`) that name what is written.
static std::size_t outputWordsOf(std::string_view Word) {
  static constexpr std::string_view WithValue[] = {"-o",
                                                   "--output",
                                                   "-MF",
                                                   "-MT",
                                                   "-MQ",
                                                   "-MJ",
                                                   "-dumpdir",
                                                   "--serialize-diagnostics",
                                                   "-serialize-diagnostics",
                                                   "-serialize-diagnostic-file",
                                                   "-dependency-file",
                                                   "-dependency-dot",
                                                   "-module-dependency-dir",
                                                   "-header-include-file",
                                                   "-diagnostic-log-file",
                                                   "-as-secure-log-file",
                                                   "-gen-cdb-fragment-path",
                                                   "-index-store-path",
                                                   "-dsym-dir",
                                                   "-opt-record-file",
                                                   "-split-dwarf-output",
                                                   "-analyzer-dump-egraph",
                                                   "-stack-usage-file"};
  static constexpr std::string_view Alone[] = {"-MD",
                                               "-MMD",
                                               "-MP",
                                               "-MG",
                                               "-M",
                                               "-MM",
                                               "-S",
                                               "-E",
                                               "-fsyntax-only",
                                               "-fstack-usage",
                                               "--analyze",
                                               "-emit-ast",
                                               "-emit-symbol-graph",
                                               "-via-file-asm"};
  static constexpr std::string_view Starts[] = {"-MF",
                                                "-MT",
                                                "-MQ",
                                                "-MJ",
                                                "--output=",
                                                "-save-temps",
                                                "--save-temps",
                                                "-save-stats",
                                                "--save-stats",
                                                "-stats-file=",
                                                "-ftime-trace",
                                                "-Wp,-M",
                                                "-foptimization-record-file=",
                                                "-fsave-optimization-record",
                                                "-foptimization-record-passes=",
                                                "-fproc-stat-report",
                                                "-fcrash-diagnostics-dir=",
                                                "-fmodule-output",
                                                "-fthin-link-bitcode=",
                                                "-fverify-debuginfo-preserve-export=",
                                                "-coverage-notes-file=",
                                                "-coverage-data-file=",
                                                "-gen-reproducer",
                                                "--symbol-graph-dir=",
                                                "-fdiagnostics-color",
                                                "-fcolor-diagnostics",
                                                "-fansi-escape-codes"}; // into a file here
  if (std::ranges::find(WithValue, Word) != std::end(WithValue))
    return 2;
  const bool IsJoined = Word.starts_with("-o") && !Word.starts_with("-obj");
  return IsJoined || std::ranges::find(Alone, Word) != std::end(Alone) ||
         std::ranges::any_of(Starts, [&](std::string_view Text) { return Word.starts_with(Text); });
}

/// Of LLVM's own options: `-pass-remarks-output=FILE`, `-ir-dump-directory=DIR`, `-ergon-dir=DIR`.
static bool isOutputOfLlvm(std::string_view Option) {
  const std::string_view Name = Option.substr(0, Option.find('='));
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"output", "-file", "dump", "dot-", "-dir", "-path"},
      [&](std::string_view Text) { return Name.contains(Text); });
}

std::size_t outputWords(const std::vector<std::string> &Words, std::size_t Position) {
  const std::string_view Word = Words[Position];
  const bool HasNext = Position + 1 < Words.size();
  if (Word.starts_with("-mllvm="))
    return isOutputOfLlvm(Word.substr(Word.find('=') + 1));
  if (Word == "-mllvm" && HasNext)
    return isOutputOfLlvm(Words[Position + 1]) ? 2 : 0;
  // The next word is for another program of the compiler's, and so is that one's value.
  const bool IsForAnother = Word == "-Xclang" || Word == "-Xpreprocessor" || Word == "-Xflang" ||
                            Word.starts_with("-Xarch_") || Word == "-Xassembler";
  if (!IsForAnother || !HasNext)
    return outputWordsOf(Word);
  const std::size_t Inner = Words[Position + 1] == "-mllvm" && Position + 3 < Words.size() &&
                                    Words[Position + 2] == Word &&
                                    isOutputOfLlvm(Words[Position + 3])
                                ? 2
                                : outputWordsOf(Words[Position + 1]);
  if (Inner != 2)
    return 2 * Inner;
  return Position + 3 < Words.size() && Words[Position + 2] == Word ? 4 : 2;
}

} // namespace ergon
