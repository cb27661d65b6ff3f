//===- ObjectTypes.h - classes that a unit only declares --------*- C++ -*-===//
//
// clang describes a class in the debug information of the unit that defines its constructors, and
// elsewhere only declares it. So a record has the members of the classes described in its unit, and
// says which symbols are members of other classes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The integers and pointers of a class.
struct ObjectType {
  struct Member {
    std::string Name; ///< `dims.nx`, `sizes[2]`
    std::int64_t Offset;
    unsigned Bytes;
    /// For an integer.
    std::optional<bool> IsSigned = std::nullopt;
    /// For a pointer to an object of a class, that class; else empty.
    std::string To = {};
    bool operator==(const Member &) const = default;
  };
  std::string Class; ///< mangled: `_ZTS6Domain`
  std::vector<Member> Members;
  bool operator==(const ObjectType &) const = default;
};

/// An integer in an object whose class the unit only declares.
struct DeclaredMember {
  std::string Symbol; ///< with offsets: `(d+8)`
  std::string Object; ///< prefix of the member's name: `d->`
  std::string Class;  ///< mangled
  /// Bytes from the object's start; all but the last locate a pointer to follow.
  std::vector<std::int64_t> Path;
  unsigned Bytes;
};

/// A class by its mangled name; null where no unit describes it.
using TypeLookup = std::function<const ObjectType *(const std::string &)>;

} // namespace ergon
