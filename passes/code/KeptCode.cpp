//===- KeptCode.cpp - the code that a unit's record keeps -----------------===//

#include "passes/code/KeptCode.h"
#include "model/code/Code.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ergon {

/// Of the code that other units may call.
static constexpr std::size_t MaxBytes = 1024 * 1024;

namespace {
/// The code of a unit's functions, and which of it is kept.
class UnitCode {
public:
  explicit UnitCode(std::vector<Function> &Functions);
  /// Keeps that of \p F and of all that it reaches, where these take at most \p MaxBytes; returns
  /// how many they take beside what is kept.
  std::size_t keep(const Function &F, std::size_t MaxBytes);
  bool isKept(const Function &F) const { return Kept.contains(&F); }
  const Function *find(std::string_view Name) const {
    auto Found = Named.find(Name);
    return Found == Named.end() ? nullptr : Found->second;
  }

private:
  std::map<std::string, const Function *, std::less<>> Named;
  std::map<const Function *, std::vector<const Function *>> Callees;
  std::set<const Function *> Kept;
};
} // namespace

UnitCode::UnitCode(std::vector<Function> &Functions) {
  for (Function &F : Functions)
    for (const std::string_view Name : code::namesIn(F.Code))
      Named.emplace(Name, &F);
  for (Function &F : Functions)
    for (const std::string_view Name : code::functionsIn(F.Code))
      if (const Function *Callee = find(Name))
        Callees[&F].push_back(Callee);
}

std::size_t UnitCode::keep(const Function &F, std::size_t MaxBytes) {
  std::set<const Function *> New;
  std::vector<const Function *> Open;
  std::size_t Bytes = 0;
  auto Add = [&](const Function &Next) {
    if (Kept.contains(&Next) || !New.insert(&Next).second)
      return;
    Bytes += Next.Code.text().size();
    Open.push_back(&Next);
  };
  for (Add(F); !Open.empty() && Bytes <= MaxBytes;) {
    const Function *Next = Open.back();
    Open.pop_back();
    for (const Function *Callee : Callees[Next])
      Add(*Callee);
  }
  if (Bytes > MaxBytes)
    return 0;
  Kept.merge(New);
  return Bytes;
}

void keepNeededCode(std::vector<Function> &Functions) {
  UnitCode Unit(Functions);
  if (const Function *Main = Unit.find("main"))
    Unit.keep(*Main, std::numeric_limits<std::size_t>::max());
  // Of others the smallest, with what they call: options are read by functions of a page or two.
  // Those come first that other units can only call here.
  std::vector<const Function *> Others;
  for (const Function &F : Functions)
    if (!F.Code.empty())
      Others.push_back(&F);
  llvm::stable_sort(Others, [](const Function *A, const Function *B) {
    auto Key = [](const Function *F) {
      return std::pair(F->IsLocal || F->IsWeak, F->Code.text().size());
    };
    return Key(A) < Key(B);
  });
  std::size_t Left = MaxBytes;
  for (const Function *F : Others)
    Left -= Unit.keep(*F, Left);
  for (Function &F : Functions)
    if (!Unit.isKept(F))
      F.Code = {};
}

} // namespace ergon
