//===- LintTransfers.cpp - copies between host and device -----------------===//

#include "model/LintRules.h"

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
    // Without a body: of a library, as of mathematics. It writes where it is told to.
    return Site.Callee.empty() || std::ranges::any_of(Site.Pointers, [&](const auto &Each) {
             return Each.Base.empty() || Each.Base == Pointer;
           });
  }
};
} // namespace

/// Whether the record tells that \p Launched only reads through that argument.
static bool onlyReads(const KernelArgument &Launched, const Function &By,
                      const FunctionLookup &Find) {
  const Function *Kernel = Find(Launched.Kernel, By);
  return Kernel && Kernel->IsKernel && Launched.Argument < Kernel->Parameters.size() &&
         !StoreFinder(Find).mayWrite(*Kernel, Kernel->Parameters[Launched.Argument].Name);
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
                  "each iteration of " + Loop + " copies the same bytes: copy them before it"};
  const std::string By =
      "the copy" + (Shown.Detail.empty() ? std::string() : " in line " + Shown.Detail);
  return Remark{"redundant-copy", By + " has left the same bytes at both ends" +
                                      (Loop.empty() ? ": leave this one out"
                                                    : ", but for the first iteration of " + Loop +
                                                          ": copy before the loop")};
}

} // namespace ergon
