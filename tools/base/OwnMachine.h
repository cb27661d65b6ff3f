//===- OwnMachine.h - the profile of the machine at hand --------*- C++ -*-===//
//
// Where `ergon calibrate` leaves a profile without -o, and other commands find it without
// --machine: in $XDG_DATA_HOME/ergon/calibrated, or ~/.local/share/ergon/calibrated where that is
// no absolute path (XDG Base Directory Specification 0.8). A file is named after the processor and
// its cores, so that machines that share a home folder have one each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <string>

namespace ergon {

struct HostCaches;

/// What --machine takes for no machine at all, where one would be found.
inline constexpr const char *NoMachine = "none";

/// The path of the profile of \p Host; its folder may not exist yet. Error: the environment names
/// no folder.
std::expected<std::string, Error> ownProfilePath(const HostCaches &Host);

/// The machine that a command uses: \p Given; where that is empty the path of this machine's own
/// profile. Empty where there is none, and for NoMachine. A line on the standard error says so
/// where there are profiles of other machines alone, or one whose caches are not this machine's.
std::string machineOrOwn(const std::string &Given);

/// The same for a command that cannot do without. Error: there is none.
std::expected<std::string, Error> someMachineOrOwn(const std::string &Given);

} // namespace ergon
