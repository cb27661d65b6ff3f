//===- DescribedTypes.cpp - the classes that a module describes -----------===//

#include "passes/ir/SourceTypes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <map>

namespace ergon {

namespace dwarf = llvm::dwarf;

/// \p Type as a class with known members; else null.
static const llvm::DICompositeType *describedClass(const llvm::DIType *Type) {
  auto *Class = dyn_cast_or_null<llvm::DICompositeType>(stripNames(Type));
  const bool IsClass = Class && (Class->getTag() == dwarf::DW_TAG_class_type ||
                                 Class->getTag() == dwarf::DW_TAG_structure_type);
  return IsClass && !Class->isForwardDecl() ? Class : nullptr;
}

namespace {
/// The integers and pointers of a class by offset, and their types.
using Scalars = std::map<std::pair<std::uint64_t, unsigned>, const llvm::DIType *>;
} // namespace

/// Adds those of \p Type, at offset \p Begin in the class. Of a long array only the first elements:
/// later ones are rarely sizes.
static void addScalars(const llvm::DIType *Type, std::uint64_t Begin, Scalars &Result) {
  static constexpr std::uint64_t MaxElements = 16;
  Type = stripNames(Type);
  if (!Type)
    return;
  if (isInteger(Type) || indirection(Type)) {
    Result.try_emplace({Begin, unsigned(Type->getSizeInBits() / 8)}, Type);
    return;
  }
  auto *Composite = dyn_cast<llvm::DICompositeType>(Type);
  if (!Composite)
    return;
  if (Composite->getTag() == dwarf::DW_TAG_array_type) {
    const llvm::DIType *Element = stripNames(Composite->getBaseType());
    const std::uint64_t Size = Element ? Element->getSizeInBits() / 8 : 0;
    for (std::uint64_t I = 0;
         Size != 0 && I != MaxElements && (I + 1) * Size <= Type->getSizeInBits() / 8; ++I)
      addScalars(Element, Begin + I * Size, Result);
    return;
  }
  for (const llvm::DINode *Node : Composite->getElements())
    if (const llvm::DIDerivedType *Field = fixedField(Node))
      addScalars(Field->getBaseType(), Begin + Field->getOffsetInBits() / 8, Result);
}

std::vector<ObjectType> describedTypes(const llvm::Module &M) {
  std::map<std::string, ObjectType> Types;
  std::vector<std::pair<const llvm::DICompositeType *, ObjectType *>> Open;
  // Returns its name; empty where it is no described class.
  auto Reach = [&](const llvm::DIType *Type) -> std::string {
    const llvm::DICompositeType *Class = describedClass(Type);
    std::string Name = Class ? className(*Class) : "";
    if (!Name.empty())
      if (auto [Entry, New] = Types.try_emplace(Name, ObjectType{Name, {}}); New)
        Open.emplace_back(Class, &Entry->second);
    return Name;
  };
  for (const llvm::Function &F : M)
    if (const llvm::DISubprogram *Program = F.getSubprogram())
      Reach(dyn_cast_or_null<llvm::DIType>(Program->getScope()));
  while (!Open.empty()) {
    const auto [Class, Result] = Open.back();
    Open.pop_back();
    Scalars Found;
    addScalars(Class, 0, Found);
    for (const auto &[Where, Type] : Found) {
      const auto &[Offset, Bytes] = Where;
      const auto Part = partAt(Class, Offset, Bytes);
      if (!Part || !Part->Path.starts_with('.'))
        continue;
      const auto Via = indirection(Type);
      Result->Members.push_back({.Name = Part->Path.substr(1),
                                 .Offset = std::int64_t(Offset),
                                 .Bytes = Bytes,
                                 .IsSigned = isSignedInteger(Type, 8 * Bytes),
                                 .To = Via ? Reach(Via->To) : ""});
    }
  }
  std::vector<ObjectType> Result;
  for (auto &[Name, Described] : Types)
    if (!Described.Members.empty())
      Result.push_back(std::move(Described));
  return Result;
}

} // namespace ergon
