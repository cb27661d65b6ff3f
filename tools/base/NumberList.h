//===- NumberList.h - lists of numbers on the command line ------*- C++ -*-===//

#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// `1,2,4..128` is 1, 2, 4, 8, …, 128: LOW..HIGH doubles, LOW..HIGHxF multiplies by F,
/// LOW..HIGH+S adds S, all up to HIGH. Whole numbers of 1 and above where \p Whole, else
/// numbers above 0. \p Option is named in errors. At most 10,000 numbers.
std::expected<std::vector<double>, Error> parseNumberList(const std::string &Option,
                                                          const std::string &Text, bool Whole);

} // namespace ergon
