//===- HelpMain.cpp - writes man pages and completion ---------------------===//
//
// A program of the build: ergon-help DIR writes DIR/man/man1/*.1 and DIR/completion/ergon.bash,
// _ergon and ergon.fish from the command's own options.
//
//===----------------------------------------------------------------------===//

#include "formats/json/TextFile.h"
#include "tools/cli/CommandTree.h"
#include "tools/cli/Options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

static int fail(const Error &Bad) {
  fmt::print(stderr, "ergon-help: {}\n", Bad.line());
  return BadInput;
}

static bool writeFile(const fs::path &Path, const std::string &Text) {
  return writeTextFile(Path, Text).has_value();
}

static bool writePages(const fs::path &Folder, const CommandNode &CN) {
  std::string Name = CN.Path;
  std::ranges::replace(Name, ' ', '-');
  return writeFile(Folder / (Name + ".1"), manPage(CN)) &&
         std::ranges::all_of(CN.Commands,
                             [&](const CommandNode &Node) { return writePages(Folder, Node); });
}

} // namespace ergon

using namespace ergon;

int main(int Count, char **Words) {
  if (Count != 2)
    return fail({"a folder is required", "", "run ergon-help DIR", ""});
  CLI::App App{"what code costs in joules and seconds, before it runs", "ergon"};
  int Status = Done;
  addCommands(App, Status);
  const CommandNode Root = commandTree(App, "ergon");
  const fs::path Man = fs::path(Words[1]) / "man" / "man1",
                 Completion = fs::path(Words[1]) / "completion";
  std::error_code Failed;
  fs::remove_all(Man, Failed); // pages of commands that are no more
  fs::create_directories(Man, Failed);
  fs::create_directories(Completion, Failed);
  const bool Written = writePages(Man, Root) &&
                       writeFile(Completion / "ergon.bash", bashCompletion(Root)) &&
                       writeFile(Completion / "_ergon", zshCompletion(Root)) &&
                       writeFile(Completion / "ergon.fish", fishCompletion(Root));
  return Written ? Done : fail({"cannot be written", "", "is the disk full?", Words[1]});
}
