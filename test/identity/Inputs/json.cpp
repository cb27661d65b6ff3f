// A parser and a printer with exceptions, strings and maps.
#include <nlohmann/json.hpp>
std::string again(const std::string &text) { return nlohmann::json::parse(text).dump(2); }
