//===- main.cpp - the ergon command ---------------------------------------===//

#include "predict/text/Suggest.h"
#include "tools/base/HeapPages.h"
#include "tools/base/Terminal.h"
#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

using namespace ergon;

/// The command part of the command line: `ergon machine show`.
static std::string commandIn(const CLI::App &App) {
  const auto Next = App.get_subcommands();
  return App.get_name() + (Next.empty() ? "" : " " + commandIn(*Next[0]));
}

/// The words after the command, with a `--set` before each further pair of `--set a=1 b=2`.
/// Existing files are no pairs.
static std::vector<std::string> withEachSet(int Count, char **Words) {
  std::vector<std::string> Result;
  bool BehindSet = false, IsValue = false;
  for (int I = 1; I < Count; ++I) {
    const std::string Word = Words[I];
    if (Word == "--") {
      Result.insert(Result.end(), Words + I, Words + Count);
      return Result;
    }
    std::error_code Ignored;
    if (BehindSet && !IsValue && !Word.starts_with('-') && Word.contains('=') &&
        !std::filesystem::exists(Word, Ignored))
      Result.emplace_back("--set");
    else if (!IsValue)
      BehindSet = Word == "--set" || Word.starts_with("--set=");
    IsValue = Word == "--set" && !IsValue;
    Result.push_back(Word);
  }
  return Result;
}

int main(int Count, char **Words) {
  useLargeHeapPages();
  guardOutput();
  CLI::App App{"Ergon: what code costs in joules and seconds, before it runs.", "ergon"};
  int Status = Done;
  addCommands(App, Status);

  std::vector<std::string> Names;
  for (const CLI::App *Command : App.get_subcommands({}))
    Names.push_back(Command->get_name());
  if (Count > 1 && Words[1][0] != '-' && std::ranges::find(Names, Words[1]) == Names.end()) {
    fmt::print(stderr, "ergon: no command is called {}; {}; see `ergon --help`\n",
               inQuotes(Words[1]), suggestName(Words[1], Names));
    return BadInput;
  }
  try {
    std::vector<std::string> Texts = withEachSet(Count, Words);
    std::ranges::reverse(Texts); // as the parser takes them
    App.parse(std::move(Texts));
  } catch (const CLI::ParseError &Bad) {
    if (Bad.get_exit_code() == 0)
      return App.exit(Bad); // --help, --version
    fmt::print(stderr, "ergon: {}; see `{} --help`\n", Bad.what(), commandIn(App));
    return BadInput;
  } catch (const std::exception &Bad) { // such as out of memory: restores what was set
    fmt::print(stderr, "ergon: {}\n", Bad.what());
    return BadInput;
  }
  return Status;
}
