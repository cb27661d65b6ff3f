//===- ProgramArguments.h - values from a program's arguments ---*- C++ -*-===//
#pragma once

#include "model/code/ProgramValues.h"
#include "predict/values/Bindings.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// How a program is called, and where that was said, as messages show it.
struct ProgramArguments {
  code::CommandLine Line;
  std::string Source;

  /// \p Text as a shell takes it: the value of `--args`. The program may read the files that it
  /// names, and no others: they are the user's choice, not the record's.
  static ProgramArguments given(const std::string &Text);
};

/// Which runs answer for a program's `main`.
struct ProgramRuns {
  std::vector<std::string> Paths;            ///< of run records
  std::optional<ProgramArguments> Arguments; ///< what was asked for, else what the runs had
  /// The runs had these arguments: the program costs what it did in them.
  bool AreSame = false;
  std::string Others = {}; ///< those with other arguments, in words: `runs "4"`
};

/// Those of \p Paths that had \p Wanted, where any did. Without \p Wanted, all of them and their
/// arguments. Error: a path that is no run record.
std::expected<ProgramRuns, Error> runsOf(const std::vector<std::string> &Paths,
                                         std::optional<ProgramArguments> Wanted);

class EntryPredictor;
/// Sets the values that the program has where it is called with \p Arguments: the number of
/// arguments, what it reads from them, and what its code makes of these. Error: a text that it
/// reads as a number and that begins with none, a function that takes no arguments.
std::optional<Error> setArguments(const ProgramArguments &Arguments, EntryPredictor &Entry);
/// Sets what the code of \p Entry, a function that has values for its parameters, makes of these.
void setValuesFromCode(EntryPredictor &Entry);

} // namespace ergon
