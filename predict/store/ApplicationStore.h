//===- ApplicationStore.h - finds application vectors -----------*- C++ -*-===//
//
// Shipped applications and applications in files. The folder of shipped ones can be
// given in ERGON_APPLICATIONS; see ShippedFiles.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/cluster/Application.h"

#include <expected>
#include <string>

namespace ergon {

/// The application of a shipped name, or of a file: anything with a slash or the
/// ending `.json`. Errors: an unknown name, an unreadable file, a bad document.
std::expected<Application, Error> loadApplication(const std::string &NameOrFile);

} // namespace ergon
