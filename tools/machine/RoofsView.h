//===- RoofsView.h - how cache-aware rooflines are shown --------*- C++ -*-===//
//
// The levels of a machine as text and JSON, for `ergon machine show` and
// `ergon machine roofs`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/CacheRoofs.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ergon {

/// The share of ξ_max from which on efficiency is called high: CARM, fig. 8.
inline constexpr double HighEfficiency = 0.99;

/// The levels' roofs, ridges and power curves, and what is not known, as in `ergon-roofs/1`.
nlohmann::ordered_json roofsToJson(const CacheRoofs &Roofs);

/// Intensities to show \p Roofs at: the ridges, and \p PerDoubling to each power of two from a
/// sixteenth of the lowest ridge to sixteen times the highest. Sorted; empty without levels.
std::vector<double> intensitiesAround(const CacheRoofs &Roofs, unsigned PerDoubling);

/// The line above those of printRoofs().
extern const std::string RoofsHeading;
/// A line for each level and part whose power is known, each after \p Cells.
void printRoofs(const std::vector<CacheRoofs> &Roofs, const std::string &Cells);
/// A line for each thing that the profile does not say of them.
void printUnknown(const std::vector<CacheRoofs> &Roofs);

/// Pairs of levels, the one nearer to the core first, whose ridge points meet at some core
/// clock, in MHz.
struct RidgeMeeting {
  std::string Inner, Outer;
  double CoreMhz = 0;
};
/// All pairs that meetingCoreMhz() (model/energy/CacheRoofs.h) has an answer for, inner levels
/// first.
std::vector<RidgeMeeting> ridgeMeetings(const Machine &M, const Setting &Clocks);
/// A line for each meeting at the default setting; nothing where there is none.
void printMeetings(const Machine &M);

} // namespace ergon
