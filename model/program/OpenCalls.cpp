//===- OpenCalls.cpp - calls of unknown cost -------------------------------===//

#include "model/program/OpenCalls.h"

#include <utility>

namespace ergon {

/// What they are, by the prefix of their names.
static constexpr std::pair<std::string_view, const char *> OpenCallPrefixes[] = {
    {"call:", "a call of code without a record; =0 where its cost does not matter"},
    {"call@", "a call through a pointer; =0 where its cost does not matter"},
    {"launch:", "a launch of a kernel without a record; =0 leaves its cost out"},
    {"launch@", "a launch through a pointer; =0 leaves the kernel's cost out"},
    {"recursion:", "a recursive call; =0 leaves it out"}};

const char *openCallMeaning(std::string_view Symbol) {
  for (const auto &[Prefix, Text] : OpenCallPrefixes)
    if (Symbol.starts_with(Prefix))
      return Text;
  return nullptr;
}

std::string openCallName(const Call &Site, const Function &Owner, bool IsRecursion) {
  if (!Site.Symbol.empty() && Site.Callee.empty())
    return Site.Symbol;
  if (Site.Callee.empty())
    return (Site.IsLaunch ? "launch@" : "call@") +
           (Site.Location.isValid() ? Site.Location.text() : Owner.Name);
  return (Site.IsLaunch ? "launch:" : IsRecursion ? "recursion:" : "call:") + Site.Callee;
}

} // namespace ergon
