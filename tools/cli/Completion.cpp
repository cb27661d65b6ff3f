//===- Completion.cpp - completion for bash, zsh and fish -----------------===//

#include "predict/store/ShippedFiles.h"
#include "tools/cli/CommandTree.h"

#include <fmt/format.h>

namespace ergon {

static constexpr ShippedFolder Profiles{"machine-profiles", "ERGON_MACHINE_PROFILES"};

/// Suggestions for a value: the shipped machines. Files are always possible.
static std::vector<std::string> offered(const CommandOption &Option) {
  const std::string &Name = Option.Names.back();
  return Name == "--machine" || Name == "MACHINE" ? shippedNames(Profiles) : Option.Values;
}

static std::string joinedBy(const std::vector<std::string> &Words, const char *Separator) {
  return fmt::format("{}", fmt::join(Words, Separator));
}

/// \p Text with a backslash before each of \p Special.
static std::string protect(std::string_view Text, std::string_view Special) {
  std::string Result;
  for (char C : Text) {
    if (Special.contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// In single quotes, for sh and zsh.
static std::string inSingleQuotes(std::string_view Text) {
  std::string Result = "'";
  for (char C : Text)
    Result += C == '\'' ? "'\\''" : std::string(1, C);
  return Result + "'";
}

/// One case of the table: what follows \p Node, and what its options take.
static std::string bashCase(const CommandNode &Node) {
  std::vector<std::string> Words, Taking;
  std::string Values;
  for (const CommandNode &Command : Node.Commands)
    Words.push_back(Command.name());
  for (const CommandOption &Option : Node.Options)
    for (const std::string &Name : Option.Names) {
      Words.push_back(Name);
      if (!Option.Value.empty())
        Taking.push_back(Name);
    }
  for (const CommandOption &CO : Node.Options)
    if (const auto Texts = offered(CO); !Texts.empty())
      Values += fmt::format("      {}) values={} ;;\n", joinedBy(CO.Names, "|"),
                            inSingleQuotes(joinedBy(Texts, " ")));
  for (const CommandOption &Positional : Node.Positionals)
    for (const std::string &Value : offered(Positional))
      Words.push_back(Value);
  std::string Result =
      fmt::format("  {})\n    words={}\n    taking={}\n", inSingleQuotes(Node.Path),
                  inSingleQuotes(joinedBy(Words, " ")), inSingleQuotes(joinedBy(Taking, " ")));
  if (!Values.empty())
    Result += "    case $previous in\n" + Values + "    esac\n";
  return Result + "    ;;\n";
}

static void bashCases(const CommandNode &Node, std::string &Cases,
                      std::vector<std::string> &Paths) {
  Cases += bashCase(Node);
  for (const CommandNode &Command : Node.Commands) {
    Paths.push_back(inSingleQuotes(Command.Path));
    bashCases(Command, Cases, Paths);
  }
}

std::string bashCompletion(const CommandNode &Root) {
  std::string Cases;
  std::vector<std::string> Paths;
  bashCases(Root, Cases, Paths);
  return fmt::format(R"(# Completion of ergon's command line for bash.
_ergon() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path=ergon words='' taking='' values='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then # another program and its words
      mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
      return
    fi
    case "$path $word" in
    {})
      path="$path $word" ;;
    esac
  done
  case $path in
{}  esac
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -f -- "$current")
  elif [[ " $taking " == *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    [[ $current != -* && $path != ergon ]] && mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _ergon ergon
)",
                     joinedBy(Paths, "|"), Cases);
}

/// The functions' names: `_ergon_machine_show`.
static std::string functionName(std::string Path) {
  for (char &C : Path)
    if (C == ' ' || C == '-')
      C = '_';
  return "_" + Path;
}

/// `:TEXT:(one other)`, what completes a value.
static std::string zshValue(const CommandOption &Option) {
  const auto Words = offered(Option);
  const std::string Action = Option.Values.empty() && Words.empty() ? "_files"
                             : Option.Values.empty()
                                 ? fmt::format("{{compadd {}; _files}}", joinedBy(Words, " "))
                                 : fmt::format("({})", joinedBy(Words, " "));
  return fmt::format(":{}:{}", protect(Option.Value.empty() ? "value" : Option.Value, ":[]\\"),
                     Action);
}

static std::string zshFunction(const CommandNode &Node) {
  std::string Result = fmt::format("{}() {{\n  _arguments -s -S -C", functionName(Node.Path));
  for (const CommandOption &Option : Node.Options)
    for (const std::string &Name : Option.Names)
      Result += " \\\n    " +
                inSingleQuotes(fmt::format("*{}[{}]{}", Name, protect(Option.Description, "[]:\\"),
                                           Option.Value.empty() ? "" : zshValue(Option)));
  if (!Node.Commands.empty()) {
    std::string Names;
    for (const CommandNode &Command : Node.Commands)
      Names += fmt::format(" {}\\:{}", Command.name(),
                           inSingleQuotes(protect(Command.Description, ":")));
    Result += " \\\n    \"1:command:((" + Names.substr(1) + "))\" \\\n    '*:: :->rest'\n";
    Result += "  [[ $state == rest ]] || return\n  case $words[1] in\n";
    for (const CommandNode &CN : Node.Commands)
      Result += fmt::format("  {}) {} ;;\n", CN.name(), functionName(CN.Path));
    return Result + "  esac\n}\n";
  }
  int Place = 0;
  for (const CommandOption &Positional : Node.Positionals)
    Result += Positional.Names[0] == "COMMAND"
                  ? std::string(" \\\n    '*::command:_normal'")
                  : fmt::format(" \\\n    '{}{}'", ++Place, zshValue(Positional));
  return Result + "\n}\n";
}

static void zshFunctions(const CommandNode &Node, std::string &Result) {
  Result += zshFunction(Node);
  for (const CommandNode &Command : Node.Commands)
    zshFunctions(Command, Result);
}

std::string zshCompletion(const CommandNode &Root) {
  std::string Result = "#compdef ergon\n# Completion of ergon's command line for zsh.\n"
                       "local curcontext=\"$curcontext\" state line\ntypeset -A opt_args\n";
  zshFunctions(Root, Result);
  return Result + "_ergon \"$@\"\n";
}

/// In single quotes, as fish has them.
static std::string fishQuoted(std::string_view Text) { return "'" + protect(Text, "'\\") + "'"; }

static void fishLines(const CommandNode &Node, const std::string &Condition, std::string &Result) {
  for (const CommandOption &Option : Node.Options) {
    Result += "complete -c ergon -n " + fishQuoted(Condition);
    for (const std::string &Name : Option.Names)
      Result += Name.starts_with("--") ? " -l " + Name.substr(2) : " -s " + Name.substr(1);
    if (const auto Words = offered(Option); !Words.empty())
      Result +=
          (Option.Values.empty() ? " -r -F -a " : " -x -a ") + fishQuoted(joinedBy(Words, " "));
    else if (!Option.Value.empty())
      Result += " -r -F";
    Result += " -d " + fishQuoted(Option.Description) + "\n";
  }
  std::vector<std::string> Names;
  for (const CommandNode &Command : Node.Commands)
    Names.push_back(Command.name());
  const bool IsRoot = !Node.Path.contains(' ');
  const std::string None = "not __fish_seen_subcommand_from " + joinedBy(Names, " ");
  for (const CommandNode &CN : Node.Commands) {
    Result += fmt::format("complete -c ergon -f -n {} -a {} -d {}\n",
                          fishQuoted(Condition + (IsRoot ? "" : "; and " + None)), CN.name(),
                          fishQuoted(CN.Description));
    const std::string Seen = "__fish_seen_subcommand_from " + CN.name();
    fishLines(CN, IsRoot ? Seen : Condition + "; and " + Seen, Result);
  }
}

std::string fishCompletion(const CommandNode &Root) {
  std::string Result = "# Completion of ergon's command line for fish.\n";
  fishLines(Root, "__fish_use_subcommand", Result);
  return Result;
}

} // namespace ergon
