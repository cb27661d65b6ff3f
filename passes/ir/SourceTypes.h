//===- SourceTypes.h - what lies where in the source's types ----*- C++ -*-===//
//
// Debug info's types, read by byte offset: the field that a load reads.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_IR_SOURCETYPES_H
#define ERGON_PASSES_IR_SOURCETYPES_H

#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class DICompositeType;
class DIDerivedType;
class DINode;
class DIType;
} // namespace llvm

namespace ergon {

/// \p Type without typedefs and qualifiers; null stays null.
const llvm::DIType *stripNames(const llvm::DIType *Type);

struct Indirection {
  const llvm::DIType *To; ///< null: `void`
  bool IsReference;
};
/// What a pointer or a reference leads to; nothing for other types.
std::optional<Indirection> indirection(const llvm::DIType *Type);

/// An integer, an enumeration or a truth value of the source.
bool isInteger(const llvm::DIType *Type);
/// True for a signed integer or enumeration; nothing where \p Type is no integer of \p Bits bits
/// (a truth value has 1), or an enumeration of which debug info does not say.
std::optional<bool> isSignedInteger(const llvm::DIType *Type, unsigned Bits);

/// A member or a base of a structure that has a fixed offset and whole bytes; null for others.
const llvm::DIDerivedType *fixedField(const llvm::DINode *Node);

struct Part {
  std::string Path; ///< `.dims.nx`, `[2]`, or nothing for the object itself
  const llvm::DIType *Type;
  /// The innermost structure that it is a field of, and where in there; null: of none.
  const llvm::DICompositeType *Structure = nullptr;
  std::uint64_t Inside = 0;
};
/// The scalar of \p Bytes bytes that lies \p Offset bytes into an object of \p Type;
/// for 0 bytes, the largest field or element that starts there.
/// Nothing where there is none, or debug info does not have the fields.
std::optional<Part> partAt(const llvm::DIType *Type, std::uint64_t Offset, std::uint64_t Bytes);

/// \p Class as debug info has it in most units, `_ZTSN2ns6DomainE`; empty where it has no name in
/// the whole program. Units that may have its only virtual table leave the name out.
std::string className(const llvm::DICompositeType &Class);

/// The object of a class that debug info only declares, in which byte \p Offset of an object of
/// \p Type lies: a member of it, a base, or the object itself.
struct DeclaredPart {
  std::string Path; ///< as of a part
  std::string Class;
  std::uint64_t Inside; ///< bytes from its start
};
/// Nothing where no object of a declared class is there, or its class has no name.
std::optional<DeclaredPart> declaredAt(const llvm::DIType *Type, std::uint64_t Offset);

/// Of a structure's pointers to one kind of element, which lead into one array: how far
/// \p Pointer lies behind the first of them, and an element's size. Nothing where it is
/// itself the first.
struct Follower {
  std::uint64_t Behind, ElementBytes;
};
/// Looks in the structure that \p Pointer is a field of.
std::optional<Follower> followerOf(const Part &Pointer);

} // namespace ergon

#endif
