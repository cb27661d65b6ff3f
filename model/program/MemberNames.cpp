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
static std::optional<MemberName> nameOf(const DeclaredMember &DM, const TypeLookup &Find) {
  static constexpr unsigned PointerBytes = 8;
  MemberName Result{DM.Object, {}};
  std::string Class = DM.Class;
  for (std::size_t I = 0; I != DM.Path.size(); ++I) {
    const bool IsLast = I + 1 == DM.Path.size();
    const ObjectType *Type = Find(Class);
    if (!Type)
      return std::nullopt;
    const auto Found = std::ranges::find_if(Type->Members, [&](const ObjectType::Member &M) {
      return M.Offset == DM.Path[I] && M.Bytes == (IsLast ? DM.Bytes : PointerBytes);
    });
    if (Found == Type->Members.end())
      return std::nullopt;
    Result = {Result.Text + Found->Name + (IsLast ? "" : "->"), Found->IsSigned};
    Class = Found->To;
  }
  return Result;
}

void nameMembers(Function &F, const TypeLookup &Find) {
  if (F.Declared.empty())
    return;
  std::set<std::string> Taken;
  for (const Parameter &P : F.Parameters)
    Taken.insert(P.Name);
  for (const Cell &C : F.Cells)
    Taken.insert(C.Symbol);
  std::map<std::string, std::string> Names;
  for (const DeclaredMember &Member : F.Declared) {
    const auto Name = nameOf(Member, Find);
    if (!Name || !Taken.insert(Name->Text).second)
      continue;
    Names.emplace(Member.Symbol, Name->Text);
    for (Cell &Single : F.Cells)
      if (Single.Symbol == Member.Symbol)
        Single.IsSigned = Name->IsSigned;
  }
  if (!Names.empty())
    renameSymbols(F, Names);
}

} // namespace ergon
