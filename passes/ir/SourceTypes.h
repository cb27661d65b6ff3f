//===- SourceTypes.h - fields of source types by offset ---------*- C++ -*-===//
//
// Debug info's types, read by byte offset: the field that a load reads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/ObjectTypes.h"
#include "model/program/Unknown.h"
#include "passes/ir/LLVM.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// \p Type without typedefs and qualifiers; null stays null.
const llvm::DIType *stripNames(const llvm::DIType *Type);

struct Indirection {
  const llvm::DIType *To; ///< null: `void`
  bool IsReference;
};
/// The target of a pointer or reference; nothing for other types.
std::optional<Indirection> indirection(const llvm::DIType *Type);

/// An integer, enumeration or boolean type.
bool isInteger(const llvm::DIType *Type);
/// True for a signed integer or enumeration; nothing where \p Type is no integer of \p Bits bits (a
/// boolean has 1), or an enumeration of unknown signedness.
std::optional<bool> isSignedInteger(const llvm::DIType *Type, unsigned Bits);

/// What a scalar of \p Type is where it is no plain integer: its kind, and the names of an
/// enumeration of few values.
ScalarType scalarTypeOf(const llvm::DIType *Type);

/// A member or a base of a structure that has a fixed offset and whole bytes; null for others.
const llvm::DIDerivedType *fixedField(const llvm::DINode *Node);

struct Part {
  std::string Path; ///< `.dims.nx`, `[2]`, or nothing for the object itself
  const llvm::DIType *Type;
  /// The innermost structure that it is a field of, and its offset there; null: none.
  const llvm::DICompositeType *Structure = nullptr;
  std::uint64_t Inside = 0;
};
/// The scalar of \p Bytes bytes at \p Offset in an object of \p Type; for 0 bytes, the largest
/// field or element that starts there. Nothing where there is none, or debug info lacks the fields.
std::optional<Part> partAt(const llvm::DIType *Type, std::uint64_t Offset, std::uint64_t Bytes);

/// The name of \p Class in debug info, `_ZTSN2ns6DomainE`; empty where it has no program-wide name.
/// Units that may have its only virtual table omit it.
std::string className(const llvm::DICompositeType &Class);

/// The object of a declared class that contains byte \p Offset of an object of \p Type: a member, a
/// base, or the object itself.
struct DeclaredPart {
  std::string Path; ///< as in Part
  std::string Class;
  std::uint64_t Inside; ///< bytes from its start
};
/// Nothing where there is no object of a declared class, or its class has no name.
std::optional<DeclaredPart> declaredAt(const llvm::DIType *Type, std::uint64_t Offset);

/// The distance of \p Pointer from the first pointer of its structure to the same element type, as
/// they lead into one array, and the element size. Nothing where it is itself the first.
struct Follower {
  std::uint64_t Behind, ElementBytes;
};
/// Looks in the structure that \p Pointer is a field of.
std::optional<Follower> followerOf(const Part &Pointer);

/// The classes of which \p M defines a member function and has the members, and those that their
/// pointers lead to; sorted by name. clang describes a class only in the unit that defines its
/// constructors or its first virtual function, so other units may lack it.
std::vector<ObjectType> describedTypes(const llvm::Module &M);

} // namespace ergon
