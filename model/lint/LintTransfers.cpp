//===- LintTransfers.cpp - copies between host and device -----------------===//

#include "model/lint/LintRules.h"

#include <algorithm>
#include <set>

namespace ergon {

namespace {
/// Finds stores in a kernel and its callees.
class StoreFinder {
public:
  explicit StoreFinder(const FunctionLookup &Find) : Find(Find) {}

  /// Whether code of \p F may write through its parameter \p Pointer; of an empty name, through
  /// any pointer.
  bool mayWrite(const Function &F, const std::string &Pointer) {
    return Seen.insert({&F, Pointer}).second && mayWrite(F.Body, F, Pointer);
  }

private:
  const FunctionLookup &Find;
  std::set<std::pair<const Function *, std::string>> Seen;

  /// Whether \p B stores, by its counts, without a known access: inline assembly.
  static bool storesUnseen(const Block &B) {
    const bool Stores = std::ranges::any_of(B.PerRun, [](const Counts::Entry &E) {
      const CostClass Class = E.first;
      return Class == of(CostClass::Stores, Space::Global) ||
             Class == of(CostClass::Stores, Space::Generic) || Class == CostClass::Atomics;
    });
    return Stores && std::ranges::all_of(
                         B.Accesses, [](const Access &A) { return A.What == Access::Kind::Load; });
  }

  static bool isElsewhere(const Access &A, const Function &F, const std::string &Pointer) {
    if (A.Where == Space::Shared || A.Where == Space::Local || A.Where == Space::Stack)
      return true;
    return !Pointer.empty() && A.Base != Pointer &&
           std::ranges::find(F.Parameters, A.Base, &Parameter::Name) != F.Parameters.end();
  }

  bool mayWrite(const Loop &Region, const Function &F, const std::string &Pointer) {
    return std::ranges::any_of(Region.Blocks,
                               [&](const Block &B) {
                                 return std::ranges::any_of(B.Accesses,
                                                            [&](const Access &A) {
                                                              return A.What != Access::Kind::Load &&
                                                                     !isElsewhere(A, F, Pointer);
                                                            }) ||
                                        storesUnseen(B) ||
                                        std::ranges::any_of(B.Calls, [&](const Call &Site) {
                                          return mayWrite(Site, F, Pointer);
                                        });
                               }) ||
           std::ranges::any_of(Region.Loops,
                               [&](const Loop &L) { return mayWrite(L, F, Pointer); });
  }

  bool mayWrite(const Call &Site, const Function &F, const std::string &Pointer) {
    if (const Function *Callee = calleeOf(Site, F, Find))
      return mayWrite(*Callee, "");
    return Site.Callee != "vprintf" && Site.Callee != "__assertfail" &&
           !Site.Callee.starts_with("__nv_");
  }
};
} // namespace

/// Whether the record proves that \p Launched only reads through that argument.
static bool onlyReads(const KernelArgument &Launched, const Function &F,
                      const FunctionLookup &Find) {
  const Function *Kernel = Find(Launched.Kernel, F);
  if (!Kernel || !Kernel->IsKernel || Launched.Argument > Kernel->Parameters.size())
    return false;
  const bool IsParameter = Launched.Argument < Kernel->Parameters.size();
  return !StoreFinder(Find).mayWrite(
      *Kernel, IsParameter ? Kernel->Parameters[Launched.Argument].Name : "(what it finds)");
}

std::optional<Remark> remarkOnTransfer(const Hint &Shown, const Function &F,
                                       const FunctionLookup &Find,
                                       std::span<const Loop *const> Around) {
  const bool IsInvariant = Shown.What == "invariant_transfer";
  if ((!IsInvariant && Shown.What != "redundant_copy") || Shown.NeededIn >= Around.size() ||
      !std::ranges::all_of(Shown.IfOnlyRead, [&](const KernelArgument &Argument) {
        return onlyReads(Argument, F, Find);
      }))
    return std::nullopt;
  const std::string Loop =
      Shown.NeededIn ? "the loop over " + Around[Around.size() - Shown.NeededIn]->Variable : "";
  if (IsInvariant)
    return Remark{"invariant-transfer",
                  "each iteration of " + Loop +
                      " copies the same bytes: only the first copy is needed"};
  return Remark{"redundant-copy",
                "the copy" + (Shown.Detail.empty() ? std::string() : " in line " + Shown.Detail) +
                    " has left the same bytes at both ends: " +
                    (Loop.empty() ? std::string("leave this one out")
                                  : "only the first one in " + Loop + " is needed")};
}

} // namespace ergon
