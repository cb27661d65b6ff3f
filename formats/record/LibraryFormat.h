//===- LibraryFormat.h - what calls of libraries cost -----------*- C++ -*-===//
//
// An `ergon-library/1` document describes the functions of a library: for each
// its names, its parameters in their order and, by cost class, a formula in
// them. A description is a model function like one from a record, so that totals
// treat a call of it like any other. library-costs/README.md explains the keys.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/program/Function.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

inline constexpr std::string_view LibrarySchema = "ergon-library/1";

struct Library {
  std::string Name, Description;
  /// One description for each name. A name that ends in `*` stands for all names with that
  /// beginning.
  std::vector<Function> Functions;
};

/// Error: an unknown key, class, table or source, a formula that cannot be read or has a symbol
/// that is no parameter, a name that occurs twice.
std::expected<Library, Error> parseLibrary(std::string_view Text);

} // namespace ergon
