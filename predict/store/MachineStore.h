//===- MachineStore.h - finds machine profiles ------------------*- C++ -*-===//
//
// Shipped profiles and profiles in files. The folder of shipped ones can be given
// in ERGON_MACHINE_PROFILES; see ShippedFiles.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The names of the shipped profiles, sorted.
std::vector<std::string> shippedMachines();

/// The profile of a shipped name, or of a file: anything with a slash or the
/// ending `.json`. \p DataFolder as in ShippedFolder. Errors: an unknown name, an unreadable file,
/// a bad profile.
std::expected<Machine, Error> loadMachine(const std::string &NameOrFile,
                                          const std::string &DataFolder = {});

/// The same; nothing where no machine is named.
std::expected<std::optional<Machine>, Error> loadNamedMachine(const std::string &NameOrFile,
                                                              const std::string &DataFolder = {});

/// The profile in a file.
std::expected<Machine, Error> loadMachineFile(const std::string &Path);

} // namespace ergon
