//===- TuneLabels.h - ways to run by their names ----------------*- C++ -*-===//
#pragma once

#include "formats/prediction/TuneFormat.h"

#include <optional>
#include <string>

namespace ergon {

/// The figure that an objective makes least: `E·T`.
const char *figureName(Objective Goal);
/// `saxpy with n=4096 on jetson-tk1: least energy`.
std::string heading(const TuneDocument &Document, const TunedEntry &Entry);
/// `852/924 MHz`.
std::string clocks(const TuneDocument &Document, std::size_t Setting);
/// `block.x=64, 852/924 MHz`.
std::string label(const TuneDocument &Document, const TunedEntry &Entry, const Option &O);

// What rules that need no model would take with the candidate of the chosen option, as positions in
// the entry's Options.
/// Of the longest time.
std::size_t slowest(const TuneDocument &Document, const TunedEntry &Entry);
/// At the machine's default setting.
std::size_t atDefault(const TuneDocument &Document, const TunedEntry &Entry);
/// At the setting that was best for the programs of the fit; nothing where there was no fit.
std::optional<std::size_t> fixedByFit(const TuneDocument &Document, const TunedEntry &Entry);

} // namespace ergon
