//===- Error.cpp - what is wrong with an input ----------------------------===//

#include "model/symbolic/Error.h"

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

} // namespace ergon
