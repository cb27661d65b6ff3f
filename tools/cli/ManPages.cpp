//===- ManPages.cpp - man pages of the subcommands ------------------------===//
//
// Written in the macros of man(7).
//
//===----------------------------------------------------------------------===//

#include "tools/cli/CommandTree.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace ergon {

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

static std::string synopsis(const CommandNode &Node) {
  std::string Result = bold(Node.Path);
  if (!Node.Options.empty())
    Result += " [" + italic("OPTIONS") + "]";
  for (const CommandOption &Positional : Node.Positionals) {
    const std::string Name = Positional.Names[0] == "COMMAND" ? "-- COMMAND" : Positional.Names[0];
    Result += Positional.IsRequired ? " " + italic(Name) : " [" + italic(Name) + "]";
  }
  if (!Node.Commands.empty())
    Result += " " + italic("COMMAND") + " …";
  return Result;
}

static std::string entry(const CommandOption &Option) {
  std::string Names;
  for (const std::string &Name : Option.Names)
    Names += (Names.empty() ? "" : ", ") + (Name.starts_with('-') ? bold(Name) : italic(Name));
  if (!Option.Value.empty() && Option.Names[0].starts_with('-'))
    Names += " " + italic(Option.Value);
  std::string Result = ".TP\n" + Names + "\n" + escaped(Option.Description);
  if (!Option.Values.empty())
    Result += fmt::format("\n({})", escaped(fmt::format("{}", fmt::join(Option.Values, ", "))));
  return Result + (Option.IsRequired && Option.Names[0].starts_with('-') ? " (required)\n" : "\n");
}

/// The lines of the footer that begin with \p Label, without it.
static std::vector<std::string> footerLines(const CommandNode &Node, const std::string &Label) {
  std::vector<std::string> Result;
  for (const std::string &Text : Node.Footer)
    if (Text.starts_with(Label))
      Result.push_back(Text.substr(Label.size()));
  return Result;
}

static std::string optionSections(const CommandNode &Node) {
  std::string Result;
  if (!Node.Positionals.empty()) {
    Result += ".SH ARGUMENTS\n";
    for (const CommandOption &Positional : Node.Positionals)
      Result += entry(Positional);
  }
  Result += ".SH OPTIONS\n";
  std::vector<std::string> Groups;
  for (const CommandOption &Option : Node.Options)
    if (std::ranges::find(Groups, Option.Group) == Groups.end())
      Groups.push_back(Option.Group);
  for (const std::string &Group : Groups) {
    if (Group != "Options")
      Result += ".SS " + escaped(Group) + "\n";
    for (const CommandOption &CO : Node.Options)
      if (CO.Group == Group)
        Result += entry(CO);
  }
  return Result;
}

std::string manPage(const CommandNode &Node) {
  std::string Result = fmt::format(".TH {} 1 \"\" \"ergon {}\" \"Ergon\"\n.nh\n.ad l\n",
                                   escaped(pageName(Node.Path)), ERGON_VERSION);
  std::string Above;
  if (const std::size_t Last = Node.Path.rfind(' '); Last != std::string::npos)
    Above = pageName(Node.Path.substr(0, Last));
  Result += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", escaped(pageName(Node.Path)),
                        escaped(Node.Description), synopsis(Node));
  if (!Node.Commands.empty()) {
    Result += ".SH COMMANDS\n";
    for (const CommandNode &Command : Node.Commands)
      Result += fmt::format(".TP\n{}\n{}; see {}(1)\n", bold(Command.name()),
                            escaped(Command.Description), escaped(pageName(Command.Path)));
  }
  Result += optionSections(Node);
  for (const auto &[Title, Label] :
       {std::pair("EXAMPLES", "Example: "), {"EXIT STATUS", "Exit status: "}})
    if (const auto Lines = footerLines(Node, Label); !Lines.empty()) {
      Result += fmt::format(".SH {}\n", Title);
      for (const std::string &Line : Lines)
        Result += fmt::format(".PP\n{}\n", escaped(Line));
    }
  std::string See;
  for (const std::string &FooterLine : footerLines(Node, "More: "))
    See += fmt::format("{}{}", See.empty() ? "" : ", ", escaped(FooterLine));
  if (!Above.empty())
    See += fmt::format("{}{}(1)", See.empty() ? "" : ", ", escaped(Above));
  if (!See.empty())
    Result += ".SH SEE ALSO\n" + See + "\n";
  return Result;
}

} // namespace ergon
