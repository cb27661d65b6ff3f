//===- SamplesFormat.h - measured runs as CSV -------------------*- C++ -*-===//
//
// Reads the table that a profile is fitted to. The first line names the columns, in
// any order: those of SampleColumns, all of them, and every further one a cost class.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/fit/Samples.h"

#include <array>
#include <expected>
#include <string>
#include <string_view>

namespace ergon {

/// The columns that are no cost class.
inline constexpr std::array<std::string_view, 7> SampleColumns = {
    "workload", "core_mhz", "mem_mhz", "core_mv", "mem_mv", "time_s", "energy_j"};

/// The rows of \p Text: CSV as RFC 4180 has it, but that a cell ends on its line. A
/// blank cell is not known, an energy too; the memory's clock and voltage are not either where they
/// are 0: there is no such clock. Errors: broken quotes, an absent, doubled or badly named column,
/// no class, no row, a row of another length, a blank cell where one must be known, a text that is
/// no finite decimal number, a number out of its range.
std::expected<Samples, Error> parseSamples(std::string_view Text);

/// \p S as CSV that parseSamples() reads back: numbers in the shortest form that is equal, a blank
/// cell for what is not known.
std::string writeSamples(const Samples &S);

} // namespace ergon
