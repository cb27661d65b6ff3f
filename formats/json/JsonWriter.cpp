//===- JsonWriter.cpp - JSON written piece by piece -----------------------===//

#include "formats/json/JsonWriter.h"
#include "formats/json/FileName.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ergon {

using Json = nlohmann::ordered_json;

/// All texts as validText() has them.
static void makeValid(Json &Part) {
  if (Part.is_string())
    Part = validText(Part.get_ref<const std::string &>());
  else if (Part.is_structured())
    for (Json &J : Part)
      makeValid(J);
}

std::string dumpValid(Json Document) {
  const auto Written = [&] {
    return Document.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string Result = Written();
  // A path or a name may not be UTF-8. This is rare, and the replacement character in the result
  // reveals it.
  if (Result.contains("\xef\xbf\xbd")) {
    makeValid(Document);
    Result = Written();
  }
  return Result;
}

void JsonWriter::value(double Value) {
  static constexpr double MaxPlain = 1e15; // larger ones are written with an exponent
  if (std::abs(Value) >= MaxPlain || Value != std::trunc(Value) || std::signbit(Value))
    return put(Json(Value).dump());
  value(std::int64_t(Value));
  Out += ".0";
}

void JsonWriter::value(std::string_view Text) {
  const bool IsPlain = std::ranges::all_of(Text, [](char Character) {
    return Character >= ' ' && Character != '"' &&
           Character != '\\'; // what is above ASCII is negative
  });
  if (!IsPlain)
    return put(dumpValid(Json(Text)));
  put("\"");
  Out += Text;
  Out += '"';
}

} // namespace ergon
