//===- Files.cpp - files that interpreted code reads ----------------------===//

#include "model/code/Files.h"

namespace ergon::code {

/// Only code that is inline in the program reads a file's bytes from memory. Of larger files that
/// takes more time than it is worth.
static constexpr std::size_t MaxInMemory = 1 << 20;

void Files::add(const FileTexts &Known, Memory &All) {
  for (const auto &[Name, Text] : Known) {
    const std::uint32_t Number = Objects[Name] = All.add(Object());
    Texts[Number] = Text;
    if (Text.size() <= MaxInMemory)
      All.writeBytes(Value::pointer(Number, 0), Text);
  }
}

Value Files::open(const Value &Name, const Memory &All) {
  const auto Text = All.text(Name);
  auto Found = Text ? Objects.find(*Text) : Objects.end();
  if (Found == Objects.end())
    return Value::unknown();
  Opened.insert(*Text);
  return Value::pointer(Found->second, 0);
}

static std::string_view lastPart(std::string_view Name) { return Name.substr(Name.rfind('/') + 1); }

void Files::change(const Value &Name, const Memory &All) {
  const auto Text = All.text(Name);
  if (!Text)
    return changeAll();
  std::erase_if(Objects, [&](const auto &Each) { return lastPart(Each.first) == lastPart(*Text); });
}

std::optional<std::string_view> Files::textOf(const Value &At) const {
  auto Found = At.isPointer() && At.HasOffset ? Texts.find(At.Object) : Texts.end();
  return Found == Texts.end() ? std::nullopt : std::optional(Found->second);
}

std::optional<std::string_view> Files::rest(const Value &At) const {
  const auto Text = textOf(At);
  if (!Text || At.offset() < 0)
    return std::nullopt;
  return Text->substr(std::min(Text->size(), std::size_t(At.offset())));
}

} // namespace ergon::code
