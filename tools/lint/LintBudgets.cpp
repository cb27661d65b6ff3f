//===- LintBudgets.cpp - budgets held against predictions -----------------===//

#include "tools/lint/LintBudgets.h"
#include "model/lint/Lint.h"
#include "predict/text/Text.h"
#include "tools/base/SetOptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace ergon {

static std::string nameIn(const std::string &Set) { return Set.substr(0, Set.find('=')); }

std::vector<std::string> joinedSets(std::vector<std::string> Sets,
                                    const std::vector<std::string> &More) {
  const std::vector<std::string> Own = Sets;
  for (const std::string &Text : More)
    if (std::ranges::find(Own, nameIn(Text), nameIn) == Own.end())
      Sets.push_back(Text);
  return Sets;
}

static Finding findingAt(const Function &F, std::string Message) {
  return {.Rule = "budget",
          .How = findRule("budget")->Default,
          .Location = F.Location,
          .Function = F.Demangled,
          .Mangled = F.Name,
          .Message = std::move(Message)};
}

/// `takes 4 mJ, and the budget is 3 mJ`; empty where it is kept.
static std::string excess(double Taken, std::optional<double> Most, const char *Unit) {
  return Most && Taken > *Most
             ? fmt::format("takes {}, and the budget is {} ({:.3g} % more)", quantity(Taken, Unit),
                           quantity(*Most, Unit), 100 * (Taken / *Most - 1))
             : "";
}

BudgetCheck checkBudget(const Budget &B, CountedEntry &Entry, const std::vector<std::string> &Sets,
                        const PredictionTarget &Target) {
  const Function &Function = Entry.function();
  const auto NotChecked = [&](const std::string &Why) {
    return BudgetCheck("the budget of " + Function.Demangled + ": " + Why);
  };
  if (!Target.M)
    return NotChecked("no machine is given");
  std::set<std::size_t> NotHere;
  const auto Values = readSets(joinedSets(B.Sets, Sets)); // the budget's own come first
  auto Counted = Values ? Entry.counts(*Values, &NotHere) : std::unexpected(Values.error());
  if (!Counted)
    return findingAt(Function, "the budget cannot be checked: " + Counted.error().line());
  if (!NotHere.empty() && *NotHere.begin() < B.Sets.size())
    return findingAt(Function, "the budget sets " + (*Values)[*NotHere.begin()].Name +
                                   ", which the function does not have: see `ergon show`");
  if (!Counted->Counts.Unbound.empty())
    return NotChecked("it needs a value for " + joined(Counted->Counts.Unbound));
  auto Now = predict(Entry, std::move(*Counted), Target);
  if (!Now)
    return NotChecked(Now.error().line());
  if (!Now->OnMachine)
    return NotChecked(Target.M->Name + " has no cost for " + joined(Now->NotPriced));
  std::string Excess = excess(Now->OnMachine->EnergyJ.Value, B.EnergyJ, "J");
  if (std::string Late = excess(Now->OnMachine->TimeS.Value, B.TimeS, "s"); !Late.empty())
    Excess += (Excess.empty() ? "" : ", ") + Late;
  if (Excess.empty())
    return {};
  const std::string Added = names(Now->Bindings);
  return findingAt(Function,
                   fmt::format("one call{} on {} {}", Added.empty() ? "" : " with " + Added,
                               Target.M->Name, Excess));
}

std::vector<BudgetCheck> checkAnnotations(CountedEntry &Entry, const std::vector<std::string> &Sets,
                                          const PredictionTarget &Target) {
  std::vector<BudgetCheck> Result;
  for (std::string_view Text : Entry.function().Annotations) {
    static constexpr std::string_view Key = "budget=";
    if (!Text.starts_with(Key)) {
      Result.emplace_back(
          findingAt(Entry.function(), "what is annotated, \"ergon:" + std::string(Text) +
                                          "\", means nothing: write ergon:budget=3mJ@n=1000000"));
      continue;
    }
    auto Parsed = parseBudget(Text.substr(Key.size()));
    Result.push_back(Parsed ? checkBudget(*Parsed, Entry, Sets, Target)
                            : BudgetCheck(findingAt(Entry.function(), Parsed.error().What + ": " +
                                                                          Parsed.error().Fix)));
  }
  return Result;
}

} // namespace ergon
