//===- SourceFormat.cpp - sources and what names them ---------------------===//

#include "formats/json/SourceFormat.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

std::size_t readChoice(JsonCursor At, std::span<const std::string_view> Names) {
  const std::string Text = At.text();
  auto Found = std::ranges::find(Names, Text);
  if (Found != Names.end())
    return Found - Names.begin();
  At.fail(inQuotes(Text) + " is not one of the words known here", "write one of: " + joined(Names));
  return 0;
}

/// YYYY, YYYY-MM or YYYY-MM-DD.
static bool isDate(std::string_view Text) {
  constexpr std::string_view Form = "dddd-dd-dd";
  if (Text.size() != 4 && Text.size() != 7 && Text.size() != 10)
    return false;
  return std::ranges::equal(Text, Form.substr(0, Text.size()), [](char C, char Wanted) {
    return Wanted == 'd' ? C >= '0' && C <= '9' : C == Wanted;
  });
}

static Source readSource(JsonCursor At) {
  At.keys({"kind", "reference", "date", "uncertainty"}, {"derivation"});
  Source S;
  S.Kind = SourceKind(readChoice(At["kind"], SourceKindNames));
  S.Reference = At["reference"].text();
  S.Date = At["date"].text();
  if (!isDate(S.Date))
    At["date"].fail(inQuotes(S.Date) + " is not a date", "write YYYY, YYYY-MM or YYYY-MM-DD");
  if (JsonCursor Derivation = At["derivation"])
    S.Derivation = Derivation.text();
  if (JsonCursor Uncertainty = At["uncertainty"]; Uncertainty.isText())
    S.Uncertainty = Uncertainty.text();
  else
    S.Uncertainty = Uncertainty.nonNegative();
  return S;
}

std::map<std::string, Source> readSources(JsonCursor At) {
  std::map<std::string, Source> Result;
  for (auto &[Key, Each] : At.members())
    Result.emplace(Key, readSource(Each));
  return Result;
}

std::string readSourceKey(JsonCursor At, const std::map<std::string, Source> &Sources) {
  std::string Key = At.text();
  if (!Sources.contains(Key))
    At.fail("source " + inQuotes(Key) + " is not listed in /sources",
            "list it there or name one that is");
  return Key;
}

Quantity readQuantity(JsonCursor At, const std::map<std::string, Source> &Sources,
                      double (JsonCursor::*Number)() const) {
  At.keys({"value", "source"});
  return {(At["value"].*Number)(), readSourceKey(At["source"], Sources)};
}

void to_json(nlohmann::ordered_json &Into, const Quantity &From) {
  Into = {{"value", From.Value}, {"source", From.Source}};
}

void to_json(nlohmann::ordered_json &Into, const Source &From) {
  Into = {{"kind", name(From.Kind)}, {"reference", From.Reference}, {"date", From.Date}};
  if (!From.Derivation.empty())
    Into["derivation"] = From.Derivation;
  std::visit([&](const auto &Value) { Into["uncertainty"] = Value; }, From.Uncertainty);
}

} // namespace ergon
