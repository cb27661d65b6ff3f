//===- Error.cpp - what is wrong with an input ----------------------------===//

#include "formats/json/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

std::string Error::line() const {
  std::string Line;
  for (const std::string &Part : {File, Where})
    if (!Part.empty())
      Line += Part + ": ";
  Line += What;
  if (!Fix.empty())
    Line += "; " + Fix;
  std::ranges::replace_if(Line, [](char C) { return C == '\n' || C == '\r'; }, ' ');
  return Line;
}

std::string inQuotes(std::string_view Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ergon
