//===- TopView.h - the table of ergon top -----------------------*- C++ -*-===//
#pragma once

#include "formats/prediction/ProfileFormat.h"

#include <string>

namespace ergon {

/// What the table is headed with: `mesh.cpp: main -s 30 on i7-950`.
struct TopTitle {
  std::string Program;   ///< source file and entry
  std::string Directory; ///< of the build: paths in it are shown relative to it
};

/// Prints the headline, the rows that matter, what is estimated, and what is left out.
void printTop(const ProgramProfile &Profile, const TopTitle &Title);

} // namespace ergon
