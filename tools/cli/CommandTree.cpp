//===- CommandTree.cpp - the command line as data -------------------------===//

#include "tools/cli/CommandTree.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace ergon {

static std::vector<std::string> splitAt(const std::string &Text, char Separator) {
  std::vector<std::string> Result;
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line, Separator);)
    if (!Line.empty())
      Result.push_back(Line);
  return Result;
}

static CommandOption optionOf(const CLI::Option &O) {
  CommandOption Result;
  for (const std::string &ShortName : O.get_snames())
    Result.Names.push_back("-" + ShortName);
  for (const std::string &LongName : O.get_lnames())
    Result.Names.push_back("--" + LongName);
  if (O.get_positional())
    Result.Names = {O.get_name(true)};
  Result.Description = O.get_description();
  Result.Group = O.get_group();
  Result.IsRequired = O.get_required();
  if (O.get_items_expected_max() == 0)
    return Result;
  // `TEXT:{one,other}` where it is one of these, `FLOAT:POSITIVE` where it is checked otherwise
  const std::string Type = O.get_type_name();
  const std::size_t Check = Type.find(':');
  Result.Value = Type.substr(0, Check);
  if (Check != std::string::npos && Type[Check + 1] == '{' && Type.ends_with('}'))
    Result.Values = splitAt(Type.substr(Check + 2, Type.size() - Check - 3), ',');
  return Result;
}

CommandNode commandTree(const CLI::App &App, const std::string &Path) {
  CommandNode Result;
  Result.Path = Path;
  Result.Description = App.get_description();
  Result.Footer = splitAt(App.get_footer(), '\n');
  for (const CLI::Option *Given : App.get_options())
    if (!Given->get_group().empty())
      (Given->get_positional() ? Result.Positionals : Result.Options).push_back(optionOf(*Given));
  for (const CLI::App *A : App.get_subcommands([](const CLI::App *) { return true; }))
    Result.Commands.push_back(commandTree(*A, Path + " " + A->get_name()));
  return Result;
}

} // namespace ergon
