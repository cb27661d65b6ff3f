//===- main.cpp - the ergon command ---------------------------------------===//

#include "tools/Options.h"
#include "tools/Suggest.h"
#include "tools/Terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace ergon {

int complain(const Error &Bad) {
  fmt::print(stderr, "ergon: {}\n", Bad.line());
  return BadInput;
}

} // namespace ergon

using namespace ergon;

/// What of the command line is commands: `ergon machine show`.
static std::string commandIn(const CLI::App &App) {
  const auto Next = App.get_subcommands();
  return App.get_name() + (Next.empty() ? "" : " " + commandIn(*Next[0]));
}

int main(int Count, char **Words) {
  guardOutput();
  CLI::App App{"Ergon: what code costs in joules and seconds, before it runs.", "ergon"};
  int Status = Done;
  addCommands(App, Status);
  addReportCommands(App, Status);

  std::vector<std::string> Names;
  for (const CLI::App *Each : App.get_subcommands({}))
    Names.push_back(Each->get_name());
  if (Count > 1 && Words[1][0] != '-' && std::ranges::find(Names, Words[1]) == Names.end()) {
    fmt::print(stderr, "ergon: no command is called {}; {}; see `ergon --help`\n",
               inQuotes(Words[1]), suggestName(Words[1], Names));
    return BadInput;
  }
  try {
    App.parse(Count, Words);
  } catch (const CLI::ParseError &Bad) {
    if (Bad.get_exit_code() == 0)
      return App.exit(Bad); // --help, --version
    fmt::print(stderr, "ergon: {}; see `{} --help`\n", Bad.what(), commandIn(App));
    return BadInput;
  } catch (const std::exception &Bad) { // no memory, for instance: what was set is put back
    fmt::print(stderr, "ergon: {}\n", Bad.what());
    return BadInput;
  }
  return Status;
}
