//===- LibraryStore.cpp - library descriptions ----------------------------===//

#include "predict/store/LibraryStore.h"

#include <string_view>
#include <utility>

namespace ergon {

void LibraryStore::add(Library L) {
  const Library &Held = *Libraries.emplace_back(std::make_unique<Library>(std::move(L)));
  for (const Function &F : Held.Functions)
    if (F.Name.ends_with('*'))
      Patterns.push_back(&F);
    else
      ByName.emplace(F.Name, &F);
}

const Function *LibraryStore::find(const std::string &Name, std::optional<Error> &Failure) {
  while (true) {
    if (auto Found = ByName.find(Name); Found != ByName.end())
      return Found->second;
    for (const Function *Pattern : Patterns)
      if (Name.starts_with(std::string_view(Pattern->Name).substr(0, Pattern->Name.size() - 1)))
        return Pattern;
    if (Others.empty())
      return nullptr;
    for (const Reader &R : std::exchange(Others, {})) {
      auto Loaded = R();
      if (Loaded)
        add(std::move(*Loaded));
      else if (!Failure)
        Failure = std::move(Loaded.error());
    }
  }
}

FunctionLookup LibraryStore::after(FunctionLookup First, std::optional<Error> &Failure) {
  return
      [this, First = std::move(First), &Failure](const std::string &Name, const Function &Caller) {
        const Function *Found = First(Name, Caller);
        return Found ? Found : find(Name, Failure);
      };
}

} // namespace ergon
