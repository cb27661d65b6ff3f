//===- MemberNames.cpp - names of members of declared classes -------------===//

#include "model/program/MemberNames.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

namespace {
struct MemberName {
  std::string Text;
  std::optional<bool> IsSigned;
};
} // namespace

/// `d->list->count`. Nothing where a class on the way is not described.
static std::optional<MemberName> nameOf(const DeclaredMember &Of, const TypeLookup &Find) {
  static constexpr unsigned PointerBytes = 8;
  MemberName Result{Of.Object, {}};
  std::string Class = Of.Class;
  for (std::size_t I = 0; I != Of.Path.size(); ++I) {
    const bool IsLast = I + 1 == Of.Path.size();
    const ObjectType *Type = Find(Class);
    if (!Type)
      return std::nullopt;
    const auto Found = std::ranges::find_if(Type->Members, [&](const ObjectType::Member &Each) {
      return Each.Offset == Of.Path[I] && Each.Bytes == (IsLast ? Of.Bytes : PointerBytes);
    });
    if (Found == Type->Members.end())
      return std::nullopt;
    Result = {Result.Text + Found->Name + (IsLast ? "" : "->"), Found->IsSigned};
    Class = Found->To;
  }
  return Result;
}

void nameMembers(Function &Of, const TypeLookup &Find) {
  std::set<std::string> Taken;
  for (const Parameter &Each : Of.Parameters)
    Taken.insert(Each.Name);
  for (const Cell &Each : Of.Cells)
    Taken.insert(Each.Symbol);
  std::map<std::string, std::string> Names;
  for (const DeclaredMember &Each : Of.Declared) {
    const auto Name = nameOf(Each, Find);
    if (!Name || !Taken.insert(Name->Text).second)
      continue;
    Names.emplace(Each.Symbol, Name->Text);
    for (Cell &One : Of.Cells)
      if (One.Symbol == Each.Symbol)
        One.IsSigned = Name->IsSigned;
  }
  if (!Names.empty())
    renameSymbols(Of, Names);
}

} // namespace ergon
