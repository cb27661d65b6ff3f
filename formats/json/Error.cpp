//===- Error.cpp - what messages of bad input need -------------------------===//

#include "formats/json/Error.h"

#include <nlohmann/json.hpp>

namespace ergon {

std::string inQuotes(std::string_view Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ergon
