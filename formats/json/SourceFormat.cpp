//===- SourceFormat.cpp - sources and what names them ---------------------===//

#include "formats/json/SourceFormat.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

std::size_t readChoice(JsonCursor Json, std::span<const std::string_view> Names) {
  const std::string Text = Json.text();
  auto Found = std::ranges::find(Names, Text);
  if (Found != Names.end())
    return Found - Names.begin();
  Json.fail(inQuotes(Text) + " is not one of the words known here",
            "write one of: " + joined(Names));
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

static Source readSource(JsonCursor Json) {
  Json.keys({"kind", "reference", "date", "uncertainty"}, {"derivation"});
  Source S;
  S.Kind = SourceKind(readChoice(Json["kind"], SourceKindNames));
  S.Reference = Json["reference"].text();
  S.Date = Json["date"].text();
  if (!isDate(S.Date))
    Json["date"].fail(inQuotes(S.Date) + " is not a date", "write YYYY, YYYY-MM or YYYY-MM-DD");
  if (JsonCursor Derivation = Json["derivation"])
    S.Derivation = Derivation.text();
  if (JsonCursor Uncertainty = Json["uncertainty"]; Uncertainty.isText())
    S.Uncertainty = Uncertainty.text();
  else
    S.Uncertainty = Uncertainty.nonNegative();
  return S;
}

std::map<std::string, Source> readSources(JsonCursor Json) {
  std::map<std::string, Source> Result;
  for (auto &[Key, Entry] : Json.members())
    Result.emplace(Key, readSource(Entry));
  return Result;
}

std::string readSourceKey(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  std::string Key = Json.text();
  if (!Sources.contains(Key))
    Json.fail("source " + inQuotes(Key) + " is not listed in /sources",
              "list it there or name one that is");
  return Key;
}

Quantity readQuantity(JsonCursor Json, const std::map<std::string, Source> &Sources,
                      double (JsonCursor::*Number)() const) {
  Json.keys({"value", "source"});
  return {(Json["value"].*Number)(), readSourceKey(Json["source"], Sources)};
}

void to_json(nlohmann::ordered_json &Output, const Quantity &From) {
  Output = {{"value", From.Value}, {"source", From.Source}};
}

void to_json(nlohmann::ordered_json &Output, const Source &From) {
  Output = {{"kind", name(From.Kind)}, {"reference", From.Reference}, {"date", From.Date}};
  if (!From.Derivation.empty())
    Output["derivation"] = From.Derivation;
  std::visit([&](const auto &Value) { Output["uncertainty"] = Value; }, From.Uncertainty);
}

} // namespace ergon
