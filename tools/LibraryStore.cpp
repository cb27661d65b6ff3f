//===- LibraryStore.cpp - finds what library calls cost -------------------===//

#include "tools/LibraryStore.h"
#include "tools/ShippedFiles.h"

#include <string_view>

namespace ergon {

std::vector<std::string> shippedLibraries() {
  return shippedFiles({"library-costs", "ERGON_LIBRARY_COSTS"});
}

std::expected<Library, Error> loadLibraryFile(const std::string &Path) {
  auto Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(std::move(Text.error()));
  auto Result = parseLibrary(*Text);
  if (!Result)
    Result.error().File = Path;
  return Result;
}

void LibraryStore::add(Library Of) {
  const Library &Held = *Libraries.emplace_back(std::make_unique<Library>(std::move(Of)));
  for (const Function &Each : Held.Functions)
    if (Each.Name.ends_with('*'))
      Patterns.push_back(&Each);
    else
      ByName.emplace(Each.Name, &Each);
}

std::expected<LibraryStore, Error> LibraryStore::open(const std::vector<std::string> &Given) {
  LibraryStore Result;
  for (const std::string &Path : Given) {
    auto Loaded = loadLibraryFile(Path);
    if (!Loaded)
      return std::unexpected(std::move(Loaded.error()));
    Result.add(std::move(*Loaded));
  }
  return Result;
}

const Function *LibraryStore::find(const std::string &Name, std::optional<Error> &Failure) {
  while (true) {
    if (auto Found = ByName.find(Name); Found != ByName.end())
      return Found->second;
    for (const Function *Each : Patterns)
      if (Name.starts_with(std::string_view(Each->Name).substr(0, Each->Name.size() - 1)))
        return Each;
    if (HasShipped)
      return nullptr;
    HasShipped = true;
    for (const std::string &Path : shippedLibraries()) {
      auto Loaded = loadLibraryFile(Path);
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
