//===- ClocksText.h - clocks on the command line ----------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string_view>

namespace ergon {

/// Clocks in MHz; one of them, at least.
struct GivenClocks {
  std::optional<double> CoreMhz, MemMhz;
};

/// Reads `core=2000,mem=5500`, `2000/5500` or `2000`; nothing where \p Text is no setting.
std::optional<GivenClocks> parseClocks(std::string_view Text);

} // namespace ergon
