//===- Commands.cpp - what every subcommand does --------------------------===//

#include "tools/base/Commands.h"

#include <fmt/format.h>

namespace ergon {

int complain(const Error &Bad) {
  fmt::print(stderr, "ergon: {}\n", Bad.line());
  return BadInput;
}

void printNotice(const std::string &Text) { fmt::print(stderr, "ergon: {}\n", Text); }

} // namespace ergon
