//===- RunView.h - a run on one screen --------------------------*- C++ -*-===//
//
// What `ergon top` and `ergon predict` begin and end with: a headline of time, energy, power and
// what bounds them; below the rows what would save most, what is uncertain, and what is left out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/ProfileFormat.h"
#include "tools/view/EstimatesView.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// What a run is headed with: `mesh.cpp: main -s 30`.
struct RunTitle {
  std::string Program;   ///< source file and entry
  std::string Directory; ///< of the build: paths in it are shown relative to it
};

/// How many lines a run takes without -v.
inline constexpr std::size_t ScreenLines = 24;

/// Lines without their ends.
using TextLines = std::vector<std::string>;

/// The headline with what is below it, \p Below first, up to an empty line.
TextLines headLines(const ProgramProfile &Profile, const RunTitle &Title, bool Colored,
                    const TextLines &Below = {});
/// What stands below the rows; with \p IsWhole all of each list.
TextLines noteLines(const ProgramProfile &Profile, const RunTitle &Title, bool IsWhole);

/// A line of notes: its word, and the text.
std::string noteLine(std::string_view Word, std::string_view Text);

/// Which columns a table of rows has beside energy, time, share and bound.
struct RowColumns {
  bool Calls = true; ///< and what a row takes with its callees
  std::string Name;  ///< heading of the last column but one
};
/// The first rows of \p Profile, at most \p Most, that take 1 % or more of the run, five in any
/// case; and one for the others together. \p TextAt is the source text of a row, which stands in
/// the place of its name where there is one.
TextLines rowLines(const ProgramProfile &Profile, const RunTitle &Title, const RowColumns &Columns,
                   std::size_t Most, bool Colored, const SourceText &TextAt = {});

/// Prints these.
void printLines(const TextLines &Lines);

} // namespace ergon
