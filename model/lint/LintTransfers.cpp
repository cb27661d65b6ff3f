//===- LintTransfers.cpp - copies between host and device -----------------===//

#include "model/lint/LintRules.h"

#include <algorithm>
#include <set>

namespace ergon {

namespace {
/// Looks for stores in a kernel and in what it calls.
class StoreFinder {
public:
  explicit StoreFinder(const FunctionLookup &Find) : Find(Find) {}

  /// Whether code of \p In may write through its parameter \p Pointer; of an empty name, through
  /// any pointer.
  bool mayWrite(const Function &In, const std::string &Pointer) {
    return Seen.insert({&In, Pointer}).second && mayWrite(In.Body, In, Pointer);
  }

private:
  const FunctionLookup &Find;
  std::set<std::pair<const Function *, std::string>> Seen;

  /// Whether \p Each stores, by its counts, though no access says where: inline assembly.
  static bool storesUnseen(const Block &Each) {
    const bool Stores = std::ranges::any_of(Each.PerRun, [](const Counts::Entry &One) {
      const CostClass Class = One.first;
      return Class == of(CostClass::Stores, Space::Global) ||
             Class == of(CostClass::Stores, Space::Generic) || Class == CostClass::Atomics;
    });
    return Stores && std::ranges::all_of(Each.Accesses, [](const Access &One) {
             return One.What == Access::Kind::Load;
           });
  }

  static bool isElsewhere(const Access &One, const Function &In, const std::string &Pointer) {
    if (One.Where == Space::Shared || One.Where == Space::Local || One.Where == Space::Stack)
      return true;
    return !Pointer.empty() && One.Base != Pointer &&
           std::ranges::find(In.Parameters, One.Base, &Parameter::Name) != In.Parameters.end();
  }

  bool mayWrite(const Loop &Region, const Function &In, const std::string &Pointer) {
    return std::ranges::any_of(Region.Blocks,
                               [&](const Block &Each) {
                                 return std::ranges::any_of(Each.Accesses,
                                                            [&](const Access &One) {
                                                              return One.What !=
                                                                         Access::Kind::Load &&
                                                                     !isElsewhere(One, In, Pointer);
                                                            }) ||
                                        storesUnseen(Each) ||
                                        std::ranges::any_of(Each.Calls, [&](const Call &Site) {
                                          return mayWrite(Site, In, Pointer);
                                        });
                               }) ||
           std::ranges::any_of(Region.Loops,
                               [&](const Loop &Each) { return mayWrite(Each, In, Pointer); });
  }

  bool mayWrite(const Call &Site, const Function &In, const std::string &Pointer) {
    if (const Function *Callee = calleeOf(Site, In, Find))
      return mayWrite(*Callee, "");
    return Site.Callee != "vprintf" && Site.Callee != "__assertfail" &&
           !Site.Callee.starts_with("__nv_");
  }
};
} // namespace

/// Whether the record tells that \p Launched only reads through that argument.
static bool onlyReads(const KernelArgument &Launched, const Function &By,
                      const FunctionLookup &Find) {
  const Function *Kernel = Find(Launched.Kernel, By);
  if (!Kernel || !Kernel->IsKernel || Launched.Argument > Kernel->Parameters.size())
    return false;
  const bool IsParameter = Launched.Argument < Kernel->Parameters.size();
  return !StoreFinder(Find).mayWrite(
      *Kernel, IsParameter ? Kernel->Parameters[Launched.Argument].Name : "(what it finds)");
}

std::optional<Remark> remarkOnTransfer(const Hint &Shown, const Function &Of,
                                       const FunctionLookup &Find,
                                       std::span<const Loop *const> Around) {
  const bool IsInvariant = Shown.What == "invariant_transfer";
  if ((!IsInvariant && Shown.What != "redundant_copy") || Shown.NeededIn >= Around.size() ||
      !std::ranges::all_of(Shown.IfOnlyRead,
                           [&](const KernelArgument &Each) { return onlyReads(Each, Of, Find); }))
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
