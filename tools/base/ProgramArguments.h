//===- ProgramArguments.h - values from a program's arguments ---*- C++ -*-===//
#pragma once

#include "predict/values/Bindings.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The values of \p Main where the program is called with \p Arguments (words as a shell takes
/// them, without the program's name): the number of arguments, and the numbers that it reads from
/// them (`atoi(argv[1])`). Error: a text that it reads as a number and that begins with none, a
/// function that takes no arguments.
std::expected<std::vector<GivenValue>, Error> readArguments(const std::string &Arguments,
                                                            const Function &Main);

class EntryPredictor;
/// Sets these values, where arguments are given. Error: as above.
std::optional<Error> setArguments(const std::optional<std::string> &Arguments,
                                  EntryPredictor &Entry);

} // namespace ergon
