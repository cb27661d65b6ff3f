//===- LintSources.cpp - what the source says of findings -----------------===//

#include "tools/lint/LintSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>

namespace ergon {

/// The reason of `// ergon: ignore RULE: reason` in \p Text; empty where it has none, nothing where
/// the rule is not ignored here.
static std::optional<std::string> reasonIn(std::string_view Text, std::string_view Rule) {
  static constexpr std::string_view Marker = "ergon: ignore ";
  const std::size_t Position = Text.find(Marker);
  if (Position == std::string_view::npos)
    return std::nullopt;
  Text.remove_prefix(Position + Marker.size());
  if (!Text.starts_with(Rule))
    return std::nullopt;
  Text.remove_prefix(Rule.size());
  if (!Text.empty() && Text[0] != ':' && !std::isspace(static_cast<unsigned char>(Text[0])))
    return std::nullopt; // another rule, whose name begins like this one's
  const std::size_t From = Text.find_first_not_of(": \t");
  std::string_view Reason = From == std::string_view::npos ? "" : Text.substr(From);
  if (Reason.ends_with("*/"))
    Reason.remove_suffix(2);
  while (!Reason.empty() && std::isspace(static_cast<unsigned char>(Reason.back())))
    Reason.remove_suffix(1);
  return std::string(Reason);
}

/// An `f` behind the one literal of double in a line; nothing where there is none, or more than
/// one.
static std::optional<FixIt> singleLiteral(std::string_view Text) {
  std::optional<FixIt> Result;
  for (std::size_t Position = 0; Position < Text.size();) {
    const unsigned char C = static_cast<unsigned char>(Text[Position]);
    if (std::isalpha(C) || C == '_') { // a name, with the digits in it
      while (Position < Text.size() &&
             (std::isalnum(static_cast<unsigned char>(Text[Position])) || Text[Position] == '_'))
        ++Position;
      continue;
    }
    if (C == '"' || C == '\'' || Text.substr(Position).starts_with("/*"))
      return std::nullopt; // not read here
    if (Text.substr(Position).starts_with("//"))
      break;
    if (!std::isdigit(C) && !(C == '.' && Position + 1 < Text.size() &&
                              std::isdigit(static_cast<unsigned char>(Text[Position + 1])))) {
      ++Position;
      continue;
    }
    bool IsFloating = false;
    std::size_t End = Position;
    for (; End < Text.size(); ++End) {
      const char D = Text[End];
      const bool IsSign = (D == '-' || D == '+') && (Text[End - 1] == 'e' || Text[End - 1] == 'E');
      if (!std::isalnum(static_cast<unsigned char>(D)) && D != '.' && !IsSign)
        break;
      IsFloating |= D == '.' || D == 'e' || D == 'E';
    }
    const std::string_view Literal = Text.substr(Position, End - Position);
    Position = End;
    if (!IsFloating || Literal.starts_with("0x") || Literal.starts_with("0X") ||
        Literal.find_first_of("fFlL") != std::string_view::npos)
      continue;
    if (Result)
      return std::nullopt;
    Result = FixIt{unsigned(End) + 1, unsigned(End) + 1, "f"};
  }
  return Result;
}

void LintSources::read(Finding &Result, const Unit &U) {
  if (Result.Location.File.empty()) // code without debug information
    return;
  const OpenedSource &Source = Files.open(U, Result.Location.File);
  Result.Location.File = Source.Shown;
  if (Source.State == SourceState::Changed)
    Changed.insert(Source.Shown);
  else if (Source.State != SourceState::Unchanged && Source.State != SourceState::Missing) {
    const auto [Why, Fix] = remedy(Source.State);
    NotRead.insert(fmt::format("lines and comments of {}: {}{}{}", Source.Shown, Why,
                               Fix.empty() ? "" : "; ", Fix));
  }
  for (unsigned Number : {Result.Location.Line, Result.Location.Line - 1})
    if (const std::string *Text = Source.line(Number))
      if (auto Reason = reasonIn(*Text, Result.Rule); Reason && !Result.Suppressed)
        Result.Suppressed = std::move(Reason);
  if (const std::string *Text = Source.line(Result.Location.Line)) {
    Result.Text = *Text;
    if (Result.Rule == "double-promotion" && Result.Message.starts_with("the literal "))
      Result.Fix = singleLiteral(*Text);
  }
}

/// FNV-1a, 64 bits.
static std::uint64_t hashOf(std::string_view Text) {
  std::uint64_t Result = 0xcbf29ce484222325;
  for (char C : Text)
    Result = (Result ^ static_cast<unsigned char>(C)) * 0x100000001b3;
  return Result;
}

static std::string withoutSpaces(std::string_view Text) {
  std::string Result;
  std::ranges::copy_if(Text, std::back_inserter(Result),
                       [](char C) { return !std::isspace(static_cast<unsigned char>(C)); });
  return Result;
}

/// A line of C or C++ without its comments.
static std::string withoutComments(std::string_view Line) {
  std::string Result;
  char Quote = 0;
  for (std::size_t I = 0; I < Line.size(); ++I) {
    const char C = Line[I];
    if (!Quote && Line.substr(I).starts_with("//"))
      break;
    if (!Quote && Line.substr(I).starts_with("/*")) {
      const std::size_t End = Line.find("*/", I + 2);
      if (End == Line.npos)
        break;
      I = End + 1;
      continue;
    }
    Result += C;
    if (Quote && C == '\\' && I + 1 < Line.size())
      Result += Line[++I];
    else if (C == Quote)
      Quote = 0;
    else if (!Quote && (C == '"' || C == '\''))
      Quote = C;
  }
  return Result;
}

void identify(std::vector<Finding> &All) {
  std::map<std::string, unsigned> Times;
  for (Finding &F : All) {
    const std::string Text = F.Text.value_or("");
    std::string Key = F.Rule + '\0' + F.Mangled + '\0' + withoutSpaces(Text);
    const unsigned Number = Times[Key]++;
    F.Fingerprint = fmt::format("{:016x}", hashOf(Key + '\0' + std::to_string(Number)));
    if (F.Text)
      F.Content =
          fmt::format("{:016x}", hashOf(F.Rule + '\0' + withoutSpaces(withoutComments(Text))));
  }
}

} // namespace ergon
