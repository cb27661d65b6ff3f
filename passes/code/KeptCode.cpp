//===- KeptCode.cpp - the code that a unit's record keeps -----------------===//

#include "passes/code/KeptCode.h"
#include "model/code/Code.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <string>

namespace ergon {

/// Of the code that other units may call.
static constexpr std::size_t MaxBytes = 256 * 1024;

void keepNeededCode(std::vector<Function> &Functions) {
  std::map<std::string, Function *, std::less<>> Named;
  for (Function &F : Functions)
    for (const std::string_view Name : code::namesIn(F.Code))
      Named.emplace(Name, &F);
  std::set<const Function *> Kept;
  std::vector<const Function *> Open;
  auto Keep = [&](const Function &F) {
    if (Kept.insert(&F).second)
      Open.push_back(&F);
  };
  if (auto Main = Named.find("main"); Main != Named.end())
    Keep(*Main->second);
  while (!Open.empty()) {
    const Function &Next = *Open.back();
    Open.pop_back();
    for (const std::string_view Name : code::functionsIn(Next.Code))
      if (auto Callee = Named.find(Name); Callee != Named.end())
        Keep(*Callee->second);
  }
  // Of others the smallest: options are read by functions of a page or two.
  std::vector<const Function *> BySize;
  for (const Function &F : Functions)
    if (!F.Code.empty() && !Kept.contains(&F))
      BySize.push_back(&F);
  llvm::stable_sort(BySize, [](const Function *A, const Function *B) {
    return A->Code.text().size() < B->Code.text().size();
  });
  std::size_t Bytes = 0;
  for (const Function *F : BySize)
    if ((Bytes += F->Code.text().size()) <= MaxBytes)
      Kept.insert(F);
  for (Function &F : Functions)
    if (!Kept.contains(&F))
      F.Code = {};
}

} // namespace ergon
