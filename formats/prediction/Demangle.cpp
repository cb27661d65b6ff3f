//===- Demangle.cpp - names of functions for people -----------------------===//

#include "formats/prediction/Demangle.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace ergon {

std::string demangled(const std::string &Symbol) {
  if (!Symbol.starts_with("_Z"))
    return Symbol;
  struct Release {
    void operator()(char *Text) const { std::free(Text); }
  };
  int Status = 0;
  const std::unique_ptr<char, Release> Text(
      abi::__cxa_demangle(Symbol.c_str(), nullptr, nullptr, &Status));
  return Text ? Text.get() : Symbol;
}

static void replaceAll(std::string &Text, std::string_view From, std::string_view To) {
  for (std::size_t At = 0; (At = Text.find(From, At)) != std::string::npos; At += To.size())
    Text.replace(At, From.size(), To);
}

/// The end of the template argument that begins at \p At: its comma or closing bracket.
static std::size_t endOfArgument(const std::string &Text, std::size_t At) {
  int Depth = 0;
  for (; At < Text.size(); ++At) {
    const char C = Text[At];
    if (Depth == 0 && (C == ',' || C == '>'))
      break;
    Depth += C == '<' || C == '(';
    Depth -= C == '>' || C == ')';
  }
  return At;
}

/// Removes the arguments of templates that are their defaults.
static void removeDefaults(std::string &Text) {
  for (std::string_view Default : {", std::allocator<", ", std::char_traits<"})
    for (std::size_t At = 0; (At = Text.find(Default, At)) != std::string::npos;)
      Text.erase(At, endOfArgument(Text, At + 2) - At);
  replaceAll(Text, " >", ">");
  for (std::string_view Namespace : {"__cxx11::", "__1::", "_V2::"})
    replaceAll(Text, Namespace, "");
  for (std::string_view Class :
       {"string", "ostream", "istream", "iostream", "ios", "streambuf", "filebuf", "ifstream",
        "ofstream", "fstream", "stringbuf", "stringstream", "istringstream", "ostringstream"})
    replaceAll(Text, "std::basic_" + std::string(Class) + "<char>", "std::" + std::string(Class));
}

/// Where the parameters of a function begin; npos without any.
static std::size_t parametersOf(std::string_view Text) {
  std::size_t Close = Text.rfind(')');
  int Depth = 0;
  for (std::size_t At = Close; At != std::string::npos && At-- > 0;) {
    if (Text[At] == '(' && Depth-- == 0)
      return At;
    Depth += Text[At] == ')';
  }
  return std::string::npos;
}

/// Where the name of a function begins, behind the type that it returns.
static std::size_t nameOf(std::string_view Text, std::size_t Parameters) {
  const std::size_t End = std::min(Text.find("operator"), Parameters);
  int Depth = 0;
  std::size_t Result = 0;
  for (std::size_t At = 0; At < End; ++At) {
    Depth += Text[At] == '<' || Text[At] == '(';
    Depth -= Text[At] == '>' || Text[At] == ')';
    if (Text[At] == ' ' && Depth == 0)
      Result = At + 1;
  }
  return Result;
}

std::string shortName(const std::string &Symbol) {
  const std::size_t Mangled = Symbol.find("_Z");
  if (Mangled == std::string::npos || (Mangled != 0 && Symbol[Mangled - 1] != ':'))
    return Symbol;
  std::string Text = demangled(Symbol.substr(Mangled));
  static constexpr std::size_t LongName = 60;
  if (const std::string Prefix = Symbol.substr(0, Mangled); Text != Symbol.substr(Mangled)) {
    removeDefaults(Text);
    if (const std::size_t Parameters = parametersOf(Text); Parameters != std::string::npos) {
      const std::size_t Begin = nameOf(Text, Parameters);
      if (Text.size() - Begin > LongName)
        Text = Text.substr(0, Parameters) + "(…)";
      Text = Text.substr(Begin);
    }
    return Prefix + Text;
  }
  return Symbol;
}

} // namespace ergon
