//===- SourceTypes.cpp - fields of source types by offset -----------------===//

#include "passes/ir/SourceTypes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <tuple>

namespace ergon {

namespace dwarf = llvm::dwarf;

const llvm::DIType *stripNames(const llvm::DIType *Type) {
  static constexpr unsigned Names[] = {dwarf::DW_TAG_typedef,       dwarf::DW_TAG_const_type,
                                       dwarf::DW_TAG_volatile_type, dwarf::DW_TAG_restrict_type,
                                       dwarf::DW_TAG_atomic_type,   dwarf::DW_TAG_template_alias};
  auto *Derived = dyn_cast_or_null<llvm::DIDerivedType>(Type);
  return Derived && llvm::is_contained(Names, Derived->getTag())
             ? stripNames(Derived->getBaseType())
             : Type;
}

std::optional<Indirection> indirection(const llvm::DIType *Type) {
  auto *Derived = dyn_cast_or_null<llvm::DIDerivedType>(stripNames(Type));
  if (!Derived)
    return std::nullopt;
  switch (Derived->getTag()) {
  case dwarf::DW_TAG_pointer_type:
    return Indirection{Derived->getBaseType(), false};
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    return Indirection{Derived->getBaseType(), true};
  default:
    return std::nullopt;
  }
}

bool isInteger(const llvm::DIType *Type) {
  Type = stripNames(Type);
  if (auto *Composite = dyn_cast_or_null<llvm::DICompositeType>(Type))
    return Composite->getTag() == dwarf::DW_TAG_enumeration_type;
  auto *Basic = dyn_cast_or_null<llvm::DIBasicType>(Type);
  static constexpr unsigned Encodings[] = {dwarf::DW_ATE_boolean, dwarf::DW_ATE_signed,
                                           dwarf::DW_ATE_signed_char, dwarf::DW_ATE_unsigned,
                                           dwarf::DW_ATE_unsigned_char};
  return Basic && llvm::is_contained(Encodings, Basic->getEncoding());
}

std::optional<bool> isSignedInteger(const llvm::DIType *Type, unsigned Bits) {
  Type = stripNames(Type);
  if (auto *Composite = dyn_cast_or_null<llvm::DICompositeType>(Type))
    Type = Composite->getTag() == dwarf::DW_TAG_enumeration_type
               ? stripNames(Composite->getBaseType())
               : nullptr;
  auto *Basic = dyn_cast_or_null<llvm::DIBasicType>(Type);
  if (!Basic || !isInteger(Basic))
    return std::nullopt;
  bool IsTruth = Basic->getEncoding() == dwarf::DW_ATE_boolean;
  if (Basic->getSizeInBits() != Bits && !(IsTruth && Bits == 1))
    return std::nullopt;
  return Basic->getEncoding() == dwarf::DW_ATE_signed ||
         Basic->getEncoding() == dwarf::DW_ATE_signed_char;
}

ScalarType scalarTypeOf(const llvm::DIType *Type) {
  static constexpr unsigned MaxNames = 32; // more are no cases that people tell apart
  ScalarType Result;
  Type = stripNames(Type);
  if (isa_and_nonnull<llvm::DIStringType>(Type)) // Fortran's
    Result.Kind = ScalarKind::Character;
  if (auto *Basic = dyn_cast_or_null<llvm::DIBasicType>(Type)) {
    const unsigned Encoding = Basic->getEncoding();
    const bool IsText = Basic->getName() == "char" || Basic->getName() == "character";
    Result.Kind = Encoding == dwarf::DW_ATE_boolean         ? ScalarKind::Logical
                  : Encoding == dwarf::DW_ATE_float         ? ScalarKind::Real
                  : Encoding == dwarf::DW_ATE_UTF || IsText ? ScalarKind::Character
                                                            : ScalarKind::Integer;
  }
  auto *Composite = dyn_cast_or_null<llvm::DICompositeType>(Type);
  if (Composite && Composite->getTag() == dwarf::DW_TAG_enumeration_type &&
      Composite->getElements().size() <= MaxNames)
    for (const llvm::DINode *Node : Composite->getElements())
      if (auto *Named = dyn_cast<llvm::DIEnumerator>(Node);
          Named && Named->getValue().getSignificantBits() <= 64)
        Result.Names.push_back({Named->getName().str(), Named->getValue().getSExtValue()});
  return Result;
}

/// An element of a row-major array with constant extents.
static std::optional<Part> elementAt(const llvm::DICompositeType &Array, std::uint64_t Offset,
                                     std::uint64_t Bytes) {
  const llvm::DIType *Element = stripNames(Array.getBaseType());
  std::uint64_t Size = Element ? Element->getSizeInBits() / 8 : 0;
  if (Size == 0)
    return std::nullopt;
  std::uint64_t Index = Offset / Size;
  std::string Path;
  llvm::DINodeArray Ranges = Array.getElements();
  for (std::size_t I = Ranges.size(); I-- != 0;) {
    auto *Range = dyn_cast<llvm::DISubrange>(Ranges[unsigned(I)]);
    auto *Count = Range ? dyn_cast_or_null<llvm::ConstantInt *>(Range->getCount()) : nullptr;
    if (!Count || Count->getSExtValue() <= 0)
      return std::nullopt;
    Path = "[" + std::to_string(Index % Count->getZExtValue()) + "]" + Path;
    Index /= Count->getZExtValue();
  }
  if (Index != 0)
    return std::nullopt;
  if (Bytes == 0 && Offset % Size == 0)
    return Part{.Path = Path, .Type = Element};
  auto Inner = partAt(Element, Offset % Size, Bytes);
  if (Inner)
    Inner->Path.insert(0, Path);
  return Inner;
}

/// A pointer field: its offset and target type.
static const llvm::DIDerivedType *pointerField(const llvm::DINode *Node) {
  auto *Field = dyn_cast<llvm::DIDerivedType>(Node);
  if (!Field || Field->getTag() != dwarf::DW_TAG_member || Field->isStaticMember())
    return nullptr;
  auto Via = indirection(Field->getBaseType());
  return Via && !Via->IsReference ? Field : nullptr;
}

std::optional<Follower> followerOf(const Part &Pointer) {
  auto Via = indirection(Pointer.Type);
  const llvm::DIType *Element = Via && !Via->IsReference ? stripNames(Via->To) : nullptr;
  if (!Element || !Pointer.Structure || Element->getSizeInBits() < 8)
    return std::nullopt;
  for (const llvm::DINode *Node : Pointer.Structure->getElements())
    if (const llvm::DIDerivedType *Field = pointerField(Node);
        Field && stripNames(indirection(Field->getBaseType())->To) == Element) {
      std::uint64_t First = Field->getOffsetInBits() / 8;
      if (First >= Pointer.Inside)
        return std::nullopt;
      return Follower{Pointer.Inside - First, Element->getSizeInBits() / 8};
    }
  return std::nullopt;
}

/// Members of standard library classes have internal names.
static void useLibraryName(Part &Member, const llvm::DICompositeType &Class) {
  auto *Scope = Class.getScope();
  while (Scope && isa<llvm::DINamespace>(Scope) && Scope->getName() != "std")
    Scope = Scope->getScope();
  if (!isa_and_nonnull<llvm::DINamespace>(Scope))
    return;
  StringRef Name = Class.getName().take_until([](char C) { return C == '<'; });
  bool IsPointer = indirection(Member.Type).has_value();
  StringRef Path = Member.Path;
  if (Name == "vector" && IsPointer) // its three pointers have one order everywhere
    Member.Path = Member.Inside == 0 ? ".data()" : Member.Inside == 8 ? ".end()" : ".limit()";
  else if (Name == "array" && Path.contains('['))
    Member.Path = Path.substr(Path.find('[')).str();
  else if ((Name == "unique_ptr" || Name == "shared_ptr") && IsPointer)
    Member.Path = "";
  else if (Name == "span" || Name == "basic_string_view" || Name == "basic_string" ||
           Name == "initializer_list" || Name == "valarray") {
    if (IsPointer)
      Member.Path = ".data()";
    else if (Path.contains("len") || Path.contains("size") || Path.contains("extent"))
      Member.Path = ".size()";
  }
}

const llvm::DIDerivedType *fixedField(const llvm::DINode *Node) {
  auto *Field = dyn_cast<llvm::DIDerivedType>(Node);
  if (!Field || Field->isStaticMember() || Field->isBitField())
    return nullptr;
  bool IsBase = Field->getTag() == dwarf::DW_TAG_inheritance && !Field->isVirtual();
  return IsBase || Field->getTag() == dwarf::DW_TAG_member ? Field : nullptr;
}

std::string className(const llvm::DICompositeType &Class) {
  if (!Class.getIdentifier().empty())
    return Class.getIdentifier().str();
  std::string Names;
  unsigned Depth = 0;
  for (const llvm::DIScope *Scope = &Class; Scope && !isa<llvm::DIFile>(Scope);
       Scope = Scope->getScope(), ++Depth) {
    const StringRef Name = Scope->getName();
    if (!isa<llvm::DINamespace, llvm::DICompositeType>(Scope) || Name.empty() ||
        Name.contains('<') || Name == "std")
      return "";
    Names.insert(0, std::to_string(Name.size()) + Name.str());
  }
  return "_ZTS" + (Depth > 1 ? "N" + Names + "E" : Names);
}

std::optional<DeclaredPart> declaredAt(const llvm::DIType *Type, std::uint64_t Offset) {
  auto *Class = dyn_cast_or_null<llvm::DICompositeType>(stripNames(Type));
  if (!Class)
    return std::nullopt;
  if (Class->isForwardDecl()) {
    std::string Name = className(*Class);
    return Name.empty() ? std::nullopt : std::optional(DeclaredPart{"", std::move(Name), Offset});
  }
  if (Class->getTag() == dwarf::DW_TAG_array_type)
    return std::nullopt;
  const llvm::DIDerivedType *Last = nullptr; // a field without a size may extend to the next one
  for (const llvm::DINode *Node : Class->getElements())
    if (const llvm::DIDerivedType *Field = fixedField(Node);
        Field && Field->getOffsetInBits() <= 8 * Offset &&
        (!Last || Last->getOffsetInBits() <= Field->getOffsetInBits()))
      Last = Field;
  auto Inner =
      Last ? declaredAt(Last->getBaseType(), Offset - Last->getOffsetInBits() / 8) : std::nullopt;
  if (Inner && Last->getTag() == dwarf::DW_TAG_member && !Last->getName().empty())
    Inner->Path.insert(0, "." + Last->getName().str());
  return Inner;
}

std::optional<Part> partAt(const llvm::DIType *Type, std::uint64_t Offset, std::uint64_t Bytes) {
  Type = stripNames(Type);
  if (!Type)
    return std::nullopt;
  auto *Composite = dyn_cast<llvm::DICompositeType>(Type);
  if (!Composite || Composite->getTag() == dwarf::DW_TAG_enumeration_type) {
    bool IsScalar =
        isa<llvm::DIBasicType, llvm::DIStringType>(Type) || Composite || indirection(Type);
    if (!IsScalar || Offset != 0 || (Bytes != 0 && Type->getSizeInBits() != 8 * Bytes))
      return std::nullopt;
    return Part{.Path = "", .Type = Type};
  }
  if (Composite->getTag() == dwarf::DW_TAG_array_type)
    return elementAt(*Composite, Offset, Bytes);
  for (const llvm::DINode *Node : Composite->getElements()) {
    const llvm::DIDerivedType *Field = fixedField(Node);
    if (!Field || Field->getOffsetInBits() > 8 * Offset)
      continue;
    bool IsBase = Field->getTag() == dwarf::DW_TAG_inheritance;
    std::uint64_t Inside = Offset - Field->getOffsetInBits() / 8;
    std::optional<Part> Inner;
    if (Bytes == 0 && Inside == 0 && !IsBase)
      Inner = Part{.Path = "", .Type = Field->getBaseType()};
    else
      Inner = partAt(Field->getBaseType(), Inside, Bytes);
    if (!Inner)
      continue;
    if (!IsBase && !Inner->Structure)
      std::tie(Inner->Structure, Inner->Inside) = std::pair(Composite, Offset);
    if (!IsBase && !Field->getName().empty())
      Inner->Path.insert(0, "." + Field->getName().str());
    if (Bytes != 0)
      useLibraryName(*Inner, *Composite);
    return Inner;
  }
  return std::nullopt;
}

} // namespace ergon
