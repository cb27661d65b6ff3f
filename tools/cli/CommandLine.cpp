//===- CommandLine.cpp - the command line as data, and man pages ----------===//

#include "tools/cli/CommandLine.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sstream>

namespace ergon {

static std::vector<std::string> splitAt(const std::string &Text, char At) {
  std::vector<std::string> Result;
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line, At);)
    if (!Line.empty())
      Result.push_back(Line);
  return Result;
}

static CommandOption optionOf(const CLI::Option &Of) {
  CommandOption Result;
  for (const std::string &Each : Of.get_snames())
    Result.Names.push_back("-" + Each);
  for (const std::string &Each : Of.get_lnames())
    Result.Names.push_back("--" + Each);
  if (Of.get_positional())
    Result.Names = {Of.get_name(true)};
  Result.Description = Of.get_description();
  Result.Group = Of.get_group();
  Result.IsRequired = Of.get_required();
  if (Of.get_items_expected_max() == 0)
    return Result;
  // `TEXT:{one,other}` where it is one of these, `FLOAT:POSITIVE` where it is checked otherwise
  const std::string Type = Of.get_type_name();
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
  for (const CLI::Option *Each : App.get_options())
    if (!Each->get_group().empty())
      (Each->get_positional() ? Result.Positionals : Result.Options).push_back(optionOf(*Each));
  for (const CLI::App *Each : App.get_subcommands([](const CLI::App *) { return true; }))
    Result.Commands.push_back(commandTree(*Each, Path + " " + Each->get_name()));
  return Result;
}

//===----------------------------------------------------------------------===//
// Man pages: the macros of man(7)
//===----------------------------------------------------------------------===//

/// As text that no macro begins with and no escape is in; what is not ASCII by its code point.
static std::string escaped(std::string_view Text) {
  std::string Result;
  if (!Text.empty() && (Text[0] == '.' || Text[0] == '\''))
    Result = "\\&";
  for (std::size_t I = 0; I != Text.size(); ++I) {
    const unsigned char C = static_cast<unsigned char>(Text[I]);
    if (C == '\\')
      Result += "\\e";
    else if (C == '-')
      Result += "\\-";
    else if (C == '`')
      Result += "\\`";
    else if (C < 0x80)
      Result += char(C);
    else {
      const int More = C >= 0xF0 ? 3 : C >= 0xE0 ? 2 : 1;
      unsigned Point = C & (0x3FU >> More);
      for (int K = 0; K != More && I + 1 != Text.size(); ++K)
        Point = Point << 6 | (static_cast<unsigned char>(Text[++I]) & 0x3F);
      Result += fmt::format("\\[u{:04X}]", Point);
    }
  }
  return Result;
}

static std::string bold(const std::string &Text) { return "\\fB" + escaped(Text) + "\\fR"; }
static std::string italic(const std::string &Text) { return "\\fI" + escaped(Text) + "\\fR"; }

/// `ergon-machine-show` of `ergon machine show`.
static std::string pageName(std::string Path) {
  std::ranges::replace(Path, ' ', '-');
  return Path;
}

static std::string synopsis(const CommandNode &Of) {
  std::string Result = bold(Of.Path);
  if (!Of.Options.empty())
    Result += " [" + italic("OPTIONS") + "]";
  for (const CommandOption &Each : Of.Positionals) {
    const std::string Name = Each.Names[0] == "COMMAND" ? "-- COMMAND" : Each.Names[0];
    Result += Each.IsRequired ? " " + italic(Name) : " [" + italic(Name) + "]";
  }
  if (!Of.Commands.empty())
    Result += " " + italic("COMMAND") + " …";
  return Result;
}

static std::string entry(const CommandOption &Of) {
  std::string Names;
  for (const std::string &Each : Of.Names)
    Names += (Names.empty() ? "" : ", ") + (Each.starts_with('-') ? bold(Each) : italic(Each));
  if (!Of.Value.empty() && Of.Names[0].starts_with('-'))
    Names += " " + italic(Of.Value);
  std::string Result = ".TP\n" + Names + "\n" + escaped(Of.Description);
  if (!Of.Values.empty())
    Result += fmt::format("\n({})", escaped(fmt::format("{}", fmt::join(Of.Values, ", "))));
  return Result + (Of.IsRequired && Of.Names[0].starts_with('-') ? " (required)\n" : "\n");
}

/// The lines of the footer that begin with \p Label, without it.
static std::vector<std::string> footerLines(const CommandNode &Of, const std::string &Label) {
  std::vector<std::string> Result;
  for (const std::string &Each : Of.Footer)
    if (Each.starts_with(Label))
      Result.push_back(Each.substr(Label.size()));
  return Result;
}

static std::string optionSections(const CommandNode &Of) {
  std::string Result;
  if (!Of.Positionals.empty()) {
    Result += ".SH ARGUMENTS\n";
    for (const CommandOption &Each : Of.Positionals)
      Result += entry(Each);
  }
  Result += ".SH OPTIONS\n";
  std::vector<std::string> Groups;
  for (const CommandOption &Each : Of.Options)
    if (std::ranges::find(Groups, Each.Group) == Groups.end())
      Groups.push_back(Each.Group);
  for (const std::string &Group : Groups) {
    if (Group != "Options")
      Result += ".SS " + escaped(Group) + "\n";
    for (const CommandOption &Each : Of.Options)
      if (Each.Group == Group)
        Result += entry(Each);
  }
  return Result;
}

std::string manPage(const CommandNode &Of) {
  std::string Result = fmt::format(".TH {} 1 \"\" \"ergon {}\" \"Ergon\"\n.nh\n.ad l\n",
                                   escaped(pageName(Of.Path)), ERGON_VERSION);
  std::string Above;
  if (const std::size_t Last = Of.Path.rfind(' '); Last != std::string::npos)
    Above = pageName(Of.Path.substr(0, Last));
  Result += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", escaped(pageName(Of.Path)),
                        escaped(Of.Description), synopsis(Of));
  if (!Of.Commands.empty()) {
    Result += ".SH COMMANDS\n";
    for (const CommandNode &Each : Of.Commands)
      Result += fmt::format(".TP\n{}\n{}; see {}(1)\n", bold(Each.name()),
                            escaped(Each.Description), escaped(pageName(Each.Path)));
  }
  Result += optionSections(Of);
  for (const auto &[Title, Label] :
       {std::pair("EXAMPLES", "Example: "), {"EXIT STATUS", "Exit status: "}})
    if (const auto Lines = footerLines(Of, Label); !Lines.empty()) {
      Result += fmt::format(".SH {}\n", Title);
      for (const std::string &Each : Lines)
        Result += fmt::format(".PP\n{}\n", escaped(Each));
    }
  std::string See;
  for (const std::string &Each : footerLines(Of, "More: "))
    See += fmt::format("{}{}", See.empty() ? "" : ", ", escaped(Each));
  if (!Above.empty())
    See += fmt::format("{}{}(1)", See.empty() ? "" : ", ", escaped(Above));
  if (!See.empty())
    Result += ".SH SEE ALSO\n" + See + "\n";
  return Result;
}

} // namespace ergon
