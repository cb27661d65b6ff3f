//===- Demangle.h - names of functions for people ---------------*- C++ -*-===//
#pragma once

#include <string>

namespace ergon {

/// The name that \p Symbol stands for, as C++ writes it; \p Symbol itself where it is no mangled
/// name (Itanium C++ ABI, "External Names").
std::string demangled(const std::string &Symbol);

/// A short form of that for a line of text: `std::string::append(char const*, unsigned long)`.
/// Without return type and default template arguments; of a long name without parameters. A prefix
/// such as `call:` stays.
std::string shortName(const std::string &Symbol);

} // namespace ergon
