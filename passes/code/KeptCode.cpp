//===- KeptCode.cpp - the code that a unit's record keeps -----------------===//

#include "passes/code/KeptCode.h"
#include "model/code/Code.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace ergon {

/// Of the code that other units may call: in all, and with that of what launches kernels, whose
/// shapes rest on it.
static constexpr std::size_t MaxBytes = 256 * 1024, MaxBytesWithLaunches = 1024 * 1024;

namespace {
/// The code of a unit's functions, and which of it is kept.
class UnitCode {
public:
  explicit UnitCode(std::vector<Function> &Functions);
  /// Keeps that of \p F and of all that it reaches, where these take at most \p MaxBytes; or
  /// \p MaxBytesWithLaunches, where something launches kernels. Returns how many they take beside
  /// what is kept.
  std::size_t keep(const Function &F, std::size_t MaxBytes, std::size_t MaxBytesWithLaunches);
  void keepAlone(const Function &F) { Kept.insert(&F); }
  bool isKept(const Function &F) const { return Kept.contains(&F); }
  const Function *find(std::string_view Name) const {
    auto Found = Named.find(Name);
    return Found == Named.end() ? nullptr : Found->second;
  }

private:
  std::map<std::string, const Function *, std::less<>> Named;
  std::map<const Function *, std::vector<const Function *>> Callees;
  std::set<const Function *> Launching, Kept;
};
} // namespace

UnitCode::UnitCode(std::vector<Function> &Functions) {
  for (Function &F : Functions)
    for (const std::string &Name : code::namesIn(F.Code))
      Named.emplace(Name, &F);
  for (Function &F : Functions)
    for (const std::string &Name : code::functionsIn(F.Code))
      if (const Function *Callee = find(Name))
        Callees[&F].push_back(Callee);
      else if (Name.starts_with("cudaLaunch"))
        Launching.insert(&F);
}

std::size_t UnitCode::keep(const Function &F, std::size_t MaxBytes,
                           std::size_t MaxBytesWithLaunches) {
  std::set<const Function *> New;
  std::vector<const Function *> Open;
  std::size_t Bytes = 0;
  auto Add = [&](const Function &Next) {
    if (Kept.contains(&Next) || !New.insert(&Next).second)
      return;
    Bytes += Next.Code.text().size();
    Open.push_back(&Next);
  };
  for (Add(F); !Open.empty() && Bytes <= std::max(MaxBytes, MaxBytesWithLaunches);) {
    const Function *Next = Open.back();
    Open.pop_back();
    for (const Function *Callee : Callees[Next])
      Add(*Callee);
  }
  const bool Launches =
      llvm::any_of(New, [&](const Function *Each) { return Launching.contains(Each); });
  if (Bytes > (Launches ? MaxBytesWithLaunches : MaxBytes))
    return 0;
  Kept.merge(New);
  return Bytes;
}

void keepNeededCode(std::vector<Function> &Functions) {
  static constexpr std::size_t All = std::numeric_limits<std::size_t>::max();
  UnitCode Unit(Functions);
  if (const Function *Main = Unit.find("main"))
    Unit.keep(*Main, All, All);
  // Of others those that other units can only call here, each with all that it calls; then those
  // that launch kernels, and the smallest: options are read by functions of a page or two.
  std::vector<const Function *> Others;
  for (const Function &F : Functions)
    if (!F.Code.empty())
      Others.push_back(&F);
  llvm::sort(Others, [](const Function *A, const Function *B) {
    auto Key = [](const Function *F) {
      return std::tuple(F->Code.text().size(), std::string_view(F->Name));
    };
    return Key(A) < Key(B);
  });
  std::size_t Taken = 0, Launching = 0;
  for (const Function *F : Others)
    if (!F->IsLocal && !F->IsWeak)
      Taken += Unit.keep(*F, MaxBytes - std::min(MaxBytes, Taken), MaxBytesWithLaunches - Taken);
  for (const Function *F : Others)
    if (F->IsLocal || F->IsWeak)
      Launching += Unit.keep(*F, 0, MaxBytesWithLaunches - Launching);
  for (const Function *F : Others)
    if (!Unit.isKept(*F) && (Taken += F->Code.text().size()) <= MaxBytes)
      Unit.keepAlone(*F);
  for (Function &F : Functions)
    if (!Unit.isKept(F))
      F.Code = {};
}

} // namespace ergon
