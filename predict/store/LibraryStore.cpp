//===- LibraryStore.cpp - finds what library calls cost -------------------===//

#include "predict/store/LibraryStore.h"

#include <string_view>
#include <utility>

namespace ergon {

void LibraryStore::add(Library Of) {
  const Library &Held = *Libraries.emplace_back(std::make_unique<Library>(std::move(Of)));
  for (const Function &Each : Held.Functions)
    if (Each.Name.ends_with('*'))
      Patterns.push_back(&Each);
    else
      ByName.emplace(Each.Name, &Each);
}

const Function *LibraryStore::find(const std::string &Name, std::optional<Error> &Failure) {
  while (true) {
    if (auto Found = ByName.find(Name); Found != ByName.end())
      return Found->second;
    for (const Function *Each : Patterns)
      if (Name.starts_with(std::string_view(Each->Name).substr(0, Each->Name.size() - 1)))
        return Each;
    if (Others.empty())
      return nullptr;
    for (const Reader &Each : std::exchange(Others, {})) {
      auto Loaded = Each();
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
