//===- CommandTree.h - the command line as data -----------------*- C++ -*-===//
//
// The tree of subcommands and options without the library that parses it: the one
// source of man pages and of completion.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace ergon {

struct CommandOption {
  std::vector<std::string> Names; ///< with their dashes, the long ones last
  std::string Description, Group;
  std::string Value;               ///< `TEXT`; empty: it takes none
  std::vector<std::string> Values; ///< all that it may be; empty: anything
  bool IsRequired = false;
};

struct CommandNode {
  std::string Path; ///< `ergon machine show`
  std::string Description;
  std::vector<CommandOption> Options;
  std::vector<CommandOption> Positionals; ///< with one name each
  std::vector<std::string> Footer;        ///< its lines
  std::vector<CommandNode> Commands;

  /// The last word of Path.
  std::string name() const { return Path.substr(Path.rfind(' ') + 1); }
};

/// The tree below \p App, whose name is \p Path.
CommandNode commandTree(const CLI::App &App, const std::string &Path);

// Whole documents (ManPages.cpp, Completion.cpp), each ends with a line break.
std::string manPage(const CommandNode &Node);
std::string bashCompletion(const CommandNode &Root);
std::string zshCompletion(const CommandNode &Root);
std::string fishCompletion(const CommandNode &Root);

} // namespace ergon
